package access

// This file reads and adds the access decisions that people made for an archive.

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/decisions"
)

// Decisions yields all decisions of the archive in order, removed ones and removals too.
func Decisions(fs vfs.FS, archive string) iter.Seq2[Decision, error] {
	return decisions.Read(file(fs, archive, rulesName), 0, parse)
}

// parse reads a line. A line that this program does not understand is an error, because it may close something.
func parse(line []byte) (d Decision, err error) {
	if err = json.Unmarshal(line, &d); err == nil {
		err = d.Check()
	}
	return d, err
}

// Decide adds decisions to those of the archive, durably, all or none. It returns them with their numbers and time. A
// lock keeps two programs from adding at once. The error says what is wrong with the first wrong decision.
func Decide(fs vfs.FS, archive string, c clock.Clock, who string, made ...Decision) ([]Decision, error) {
	unlock, err := decisions.Hold(fs, archive)
	if err != nil {
		return nil, err
	}
	defer unlock.Close()
	last, inForce := 0, map[int]bool{}
	for d, err := range Decisions(fs, archive) {
		if err != nil {
			return nil, err
		}
		last = max(last, d.ID)
		inForce[d.ID] = d.Do == "add"
	}
	var lines []any
	for i := range made {
		d := &made[i]
		d.Who, d.Time = who, c.Now().UTC().Truncate(1e9)
		switch d.Do {
		case "add":
			last++
			d.ID = last
		case "remove":
			if !inForce[d.ID] {
				return nil, fmt.Errorf("there is no rule %d in force: kavosh access %s list shows them", d.ID, archive)
			}
		}
		inForce[d.ID] = d.Do == "add"
		if err := d.Check(); err != nil {
			return nil, err
		}
		lines = append(lines, d)
	}
	return made, file(fs, archive, rulesName).Add(lines...)
}
