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

// IsWall reports whether a host is held for its bot wall. why is frontier.Held.Why.
func IsWall(why string) bool { return strings.HasPrefix(why, wallWhy) }

// met is a bot wall that answered, or a page for those who are logged out; the zero value means none.
type met struct {
	sign string
	held bool // its host is held: what it answered waits for the release
	out  bool // the crawl is logged out
}

// meetWall counts answers of a bot wall and holds the host after some in a row. seen is what an answer stands in for.
func (k *controls) meetWall(x *kavosh.Exchange, seen standin.Verdict) (met, error) {
	task := x.Task
	isWall := seen.Kind == kavosh.Wall
	if !x.Answered() || !isWall && (task.Kind == kavosh.Prerequisite || task.Kind == kavosh.Embed || k.walled.Load() == 0) {
		return met{}, nil // walls let pictures and scripts through, their own too
	}
	p, _ := scope.Split(task.URL) // what was asked for can be split
	k.Lock()
	defer k.Unlock()
	defer func() { k.walled.Store(int64(len(k.walls))) }()
	if !isWall {
		if seen.Print == 0 { // it may be one
			delete(k.walls, p.Name)
		}
		return met{}, nil
	}
	if len(k.walls) >= maxWalls {
		clear(k.walls)
	}
	k.walls[p.Name]++
	if h, held := k.set.holds[p.Name]; held && IsWall(h.Why) {
		return met{sign: seen.Sign, held: true}, nil // one of several that were under way
	}
	row := k.walls[p.Name]
	if row < wallRow {
		return met{sign: seen.Sign}, nil
	}
	cmd := k.own(Command{
		Name: "hold", Host: p.Name, Page: seen.Print,
		Why: fmt.Sprintf("%s%s, %d answers in a row, the last status %d for %s", wallWhy, seen.Sign, row, x.Status, task.URL),
	})
	var err error
	if cmd.Before, cmd.After, err = k.set.take(&cmd); err != nil { // no clone, as there may be very many holds: an error ends the crawl
		return met{}, err
	}
	if err := k.keep(&cmd); err != nil {
		return met{}, err
	}
	k.trouble(fmt.Sprintf("%s is held (%s): its URLs wait. Ask its owner, then `kavosh control %s host release %s`", p.Name, cmd.Why, k.archive, p.Name))
	return met{sign: seen.Sign, held: true}, k.hold(p.Name)
}

// pass lets the pages pass that people let pass.
func (k *controls) pass() {
	for p := range k.set.passes {
		k.standIns.Pass(p.host, p.print)
	}
}

// leaveWall takes note of a command on a host that is held for its wall. k is locked, and its settings are those
// before the command.
func (k *controls) leaveWall(cmd *Command) {
	set := &k.set
	if cmd.Name != "release" || !IsWall(set.holds[cmd.Host].Why) {
		return
	}
	if doubt, ok := set.doubts[cmd.Host]; ok { // it passes from now on
		k.standIns.Pass(cmd.Host, doubt)
		delete(k.walls, cmd.Host)
	} else {
		k.walls[cmd.Host] = wallRow - 1
	}
	k.walled.Store(int64(len(k.walls)))
}
