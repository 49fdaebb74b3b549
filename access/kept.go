package access

// This file stores what people decided: chained lines in the archive's folder decisions, the only files that access
// writes.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// folder has an archive's decisions, in logs whose lines are chained by checksums. archive.json has the length of each
// log. So a log that lost its end, or was deleted, is not taken for one without these decisions.
const folder = "decisions"

const (
	rulesName  = "access.jsonl"
	tokensName = "tokens.jsonl"
)

func pathOf(fs vfs.FS, archive, name string) string { return fs.PathJoin(archive, folder, name) }

// whole checks that a file of decisions has not lost its end.
func whole(fs vfs.FS, archive, name string) error {
	a, err := about.Read(fs, archive)
	if err != nil {
		return err
	}
	path := pathOf(fs, archive, name)
	m, marked := a.Decisions[name]
	if marked {
		err = journal.Reaches(fs, path, m)
	} else if m, err = journal.MarkOf(fs, path); err == nil && m.CRC != "" { // logs of older programs are not chained
		err = fmt.Errorf("archive.json does not say how far %s reaches", path)
	}
	return damaged(archive, err)
}

// damaged says what to do about damage.
func damaged(archive string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; nothing is shown until somebody has looked at it and accepts what is left: `kavosh access %s accept`", err, archive)
}

// kept yields the lines of a file of decisions, each parsed by read. An error says what to do.
func kept[T any](fs vfs.FS, archive, name string, from int64, read func([]byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := whole(fs, archive, name); err != nil {
			yield(none, err)
			return
		}
		path := pathOf(fs, archive, name)
		for e, err := range journal.Read(fs, path, from) {
			if err != nil {
				yield(none, damaged(archive, err))
				return
			}
			v, err := read(e.Line)
			if err != nil {
				yield(none, damaged(archive, fmt.Errorf("%s is damaged before byte %d: %w", path, e.Next, err)))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// add adds lines to a file of decisions, durably. The caller holds the lock.
func add(fs vfs.FS, archive, name string, lines ...any) error {
	log, err := journal.Open(fs, pathOf(fs, archive, name))
	if err != nil {
		return err
	}
	defer log.Close()
	// Before the first line too: a deleted file is only detected by the mark.
	if err := about.Mark(fs, archive, name, log.Mark()); err != nil {
		return err
	}
	for _, l := range lines {
		line, err := json.Marshal(l)
		if err != nil {
			return err
		}
		log.Append(line)
	}
	if err := log.Sync(); err != nil {
		return err
	}
	return about.Mark(fs, archive, name, log.Mark())
}

// Accepted is what Accept found and did.
type Accepted struct {
	journal.Mended      // of the rules
	Tokens         bool // the tokens were damaged, and all were revoked
}

// Accept makes the readable part of an archive's damaged decisions the valid decisions, after a person has checked
// them. It keeps the damaged files beside the new ones. If the file of tokens is damaged, all tokens are revoked,
// because nobody knows which were revoked before.
func Accept(fs vfs.FS, archive string) (a Accepted, err error) {
	unlock, err := hold(fs, archive)
	if err != nil {
		return a, err
	}
	defer unlock.Close()
	accept := func(name string) error {
		m, err := journal.MarkOf(fs, pathOf(fs, archive, name))
		if err != nil {
			return err
		}
		return about.Mark(fs, archive, name, m)
	}
	a.Mended, err = journal.Mend(fs, pathOf(fs, archive, rulesName), func(line []byte) error {
		_, err := parse(line)
		return err
	})
	if err == nil {
		err = accept(rulesName)
	}
	if err != nil {
		return a, err
	}
	if _, wrong := Tokens(fs, archive); wrong != nil {
		a.Tokens = true
		tokens := pathOf(fs, archive, tokensName)
		if err := fs.Rename(tokens, tokens+".damaged"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return a, err
		}
		err = accept(tokensName)
	}
	return a, err
}

// hold locks the decisions against other programs that write them.
func hold(fs vfs.FS, archive string) (io.Closer, error) {
	if _, err := about.Read(fs, archive); err != nil {
		return nil, err
	}
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
