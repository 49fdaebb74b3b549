package engine

// This file holds hosts that answer with a bot wall; package standin knows the walls.

import (
	"fmt"
	"strings"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/standin"
)

// A host that answers with a bot wall several times in a row is held: more requests would only annoy, and what comes
// back is no page. Its URLs wait, those that the wall answered too, until a person releases it (control host …
// release). Then the first answer of the wall holds it again.

const (
	wallRow  = 3            // answers of a wall in a row until its host is held
	maxWalls = 10_000       // hosts whose walls are counted at once
	wallWhy  = "bot wall: " // begins why a host is held
)

// atWall is what is known of a host's wall.
type atWall struct {
	row int    // answers of a wall in a row
	sum uint64 // of the last answer that may be one, by standin.Of
	url string // that had it
}

// met is a bot wall that answered; the zero value means none.
type met struct {
	name string
	held bool // its host is held: what it answered waits for the release
}

// meetWall counts answers of a bot wall and holds the host after some in a row.
func (k *controls) meetWall(task *kavosh.Task, x *reading) (met, error) {
	if task.Kind == kavosh.Prerequisite || !x.Answered() {
		return met{}, nil
	}
	var payload []byte
	if standin.Reads(x.Exchange) {
		payload, _, _ = x.decoded()
	}
	seen := standin.Of(x.Exchange, payload)
	wall, sum := seen.Sign, seen.Print
	if wall == "" && (task.Kind == kavosh.Embed || sum == 0 && k.walled.Load() == 0) {
		return met{}, nil // walls let pictures and scripts through, their own too
	}
	p, _ := scope.Split(task.URL) // what was asked for can be split
	k.Lock()
	defer k.Unlock()
	defer func() { k.walled.Store(int64(len(k.walls))) }()
	at := k.walls[p.Name]
	if wall == "" && sum != 0 && !k.set.passes[page{p.Name, sum}] && strings.HasPrefix(task.Via, p.Origin+"/") { // the page that led here was another
		if at.sum == sum && at.url != task.URL {
			wall = standin.Repeated
		}
		at.sum, at.url = sum, task.URL
	} else if wall == "" {
		at = atWall{}
	}
	if wall != "" {
		at.row++
	}
	if len(k.walls) >= maxWalls {
		clear(k.walls)
	}
	if k.walls[p.Name] = at; at == (atWall{}) {
		delete(k.walls, p.Name)
	}
	if wall == "" {
		return met{}, nil
	}
	if h, held := k.set.holds[p.Name]; held && strings.HasPrefix(h.Why, wallWhy) {
		return met{wall, true}, nil // one of several that were under way
	}
	if at.row < wallRow {
		return met{name: wall}, nil
	}
	cmd := k.own(Command{
		Name: "hold", Host: p.Name,
		Why: fmt.Sprintf("%s%s, %d answers in a row, the last status %d for %s", wallWhy, wall, at.row, x.Status, task.URL),
	})
	if wall == standin.Repeated {
		cmd.Page = sum
	}
	var err error
	if cmd.Before, cmd.After, err = k.set.take(&cmd); err != nil { // no clone, as there may be very many holds: an error ends the crawl
		return met{}, err
	}
	if err := k.keep(&cmd); err != nil {
		return met{}, err
	}
	k.trouble(fmt.Sprintf("%s is held (%s): its URLs wait. Ask its owner, then `kavosh control %s host release %s`", p.Name, cmd.Why, k.archive, p.Name))
	return met{wall, true}, k.hold(p.Name)
}

// leaveWall takes note of a command on a host that is held for its wall. k is locked, and its settings are those
// before the command.
func (k *controls) leaveWall(cmd *Command) {
	set := &k.set
	if cmd.Name != "release" || !strings.HasPrefix(set.holds[cmd.Host].Why, wallWhy) {
		return
	}
	if _, doubt := set.doubts[cmd.Host]; doubt { // it passes from now on
		delete(k.walls, cmd.Host)
	} else {
		k.walls[cmd.Host] = atWall{row: wallRow - 1}
	}
	k.walled.Store(int64(len(k.walls)))
}
