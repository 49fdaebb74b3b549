package access

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// folder is where an archive keeps what people decided.
const folder = "decisions"

func rulesFile(fs vfs.FS, archive string) string { return fs.PathJoin(archive, folder, "access.jsonl") }

// Decisions yields all decisions of the archive in order, removed ones and removals too.
func Decisions(fs vfs.FS, archive string) iter.Seq2[Decision, error] {
	return func(yield func(Decision, error) bool) {
		for e, err := range journal.Read(fs, rulesFile(fs, archive), 0) {
			var d Decision
			if err == nil {
				d, err = parse(e.Line)
			}
			if err != nil {
				err = damaged(fs, archive, e.Next, err)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// parse reads a line. One that this program does not understand is an error: what it would close must not be shown.
func parse(line []byte) (d Decision, err error) {
	if err = json.Unmarshal(line, &d); err == nil {
		err = d.Check()
	}
	return d, err
}

func damaged(fs vfs.FS, archive string, at int64, err error) error {
	return fmt.Errorf("%s is damaged before byte %d, and nothing is shown until it is mended: %w", rulesFile(fs, archive), at, err)
}

// Decide adds decisions of one person to the archive's, durably and all or none, and returns them with their numbers and
// time. Two programs that do so at once are kept apart. The error says what is wrong with the first that is.
func Decide(fs vfs.FS, archive string, c clock.Clock, who string, decisions ...Decision) ([]Decision, error) {
	unlock, err := hold(fs, archive)
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
	log, err := journal.Open(fs, rulesFile(fs, archive))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for i := range decisions {
		d := &decisions[i]
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
		line, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		log.Append(line)
	}
	return decisions, log.Sync()
}

// hold keeps other programs from writing decisions meanwhile.
func hold(fs vfs.FS, archive string) (io.Closer, error) {
	dir := fs.PathJoin(archive, folder)
	if err := disk.MkdirAll(fs, dir); err != nil {
		return nil, err
	}
	lock, err := fs.Lock(fs.PathJoin(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be locked for writing: another kavosh writes decisions, or its folder is not writable; try again (%w)", dir, err)
	}
	return lock, nil
}
