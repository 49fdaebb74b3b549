// Package decisions keeps what people decided about an archive: chained lines in files of its folder decisions, to which
// lines are only added.
//
// archive.json has the length of each file. So a file that lost its end, or was deleted, is not taken for one without
// these decisions.
package decisions

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// folder is where the files are, in an archive's folder.
const folder = "decisions"

// File is one of the files.
type File struct {
	FS      vfs.FS
	Archive string // the archive's folder
	Name    string // of the file, such as access.jsonl
	Until   string // ends the error about damage: what does not happen until a person has accepted what is left, and how to
}

// Path returns where the file is.
func (f File) Path() string { return f.FS.PathJoin(f.Archive, folder, f.Name) }

// Whole checks that the file has not lost its end.
func (f File) Whole() error {
	a, err := about.Read(f.FS, f.Archive)
	if err != nil {
		return err
	}
	m, marked := a.Decisions[f.Name]
	if marked {
		err = journal.Reaches(f.FS, f.Path(), m)
	} else if m, err = journal.MarkOf(f.FS, f.Path()); err == nil && m.CRC != "" { // logs of older programs are not chained
		err = fmt.Errorf("archive.json does not say how far %s reaches", f.Path())
	}
	return f.damaged(err)
}

// damaged says what to do about damage.
func (f File) damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; %s", err, f.Until)
}

// Read yields the lines of a file from a byte on, each parsed by read. An error says what to do.
func Read[T any](f File, from int64, read func([]byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := f.Whole(); err != nil {
			yield(none, err)
			return
		}
		for e, err := range journal.Read(f.FS, f.Path(), from) {
			if err != nil {
				yield(none, f.damaged(err))
				return
			}
			v, err := read(e.Line)
			if err != nil {
				yield(none, f.damaged(fmt.Errorf("%s is damaged before byte %d: %w", f.Path(), e.Next, err)))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Add adds lines, durably. The caller holds the lock.
func (f File) Add(lines ...any) error {
	log, err := journal.Open(f.FS, f.Path())
	if err != nil {
		return err
	}
	defer log.Close()
	// Before the first line too: a deleted file is only detected by the mark.
	if err := about.Mark(f.FS, f.Archive, f.Name, log.Mark()); err != nil {
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
	return about.Mark(f.FS, f.Archive, f.Name, log.Mark())
}

// Accept makes what the file has now what it must have, after a person has checked it. The caller holds the lock.
func (f File) Accept() error {
	m, err := journal.MarkOf(f.FS, f.Path())
	if err != nil {
		return err
	}
	return about.Mark(f.FS, f.Archive, f.Name, m)
}

// Mend keeps the lines that read accepts, beside the damaged file, and accepts them. The caller holds the lock.
func (f File) Mend(read func(line []byte) error) (journal.Mended, error) {
	m, err := journal.Mend(f.FS, f.Path(), read)
	if err == nil {
		err = f.Accept()
	}
	return m, err
}

// Hold locks the decisions of an archive against other programs that write them.
func Hold(fs vfs.FS, archive string) (io.Closer, error) {
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
