package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/record"
)

// Derived is a kind of Follower that an archive keeps in derived/<Name>. cmd/kavosh has the list of all.
type Derived struct {
	Name   string // as the Follower's
	Served bool   // it is kept up to date while the archive is served
	// Open opens it in dir, to add what s holds, and makes the folder when it is absent. The error is a disk.ErrInUse while another process
	// has it open. close is called in the end.
	Open func(s *Source, dir string) (f Follower, close func() error, err error)
}

// Source is what captures are read from: an archive, or loose files. What is derived of them lies in the archive's derived/; of files, and
// of an archive that cannot be written, in a temporary folder that Close removes.
type Source struct {
	Dir     string                             // of the archive; "" for files
	Files   []string                           // WARC, ARC and WACZ files
	Trouble func(text string)                  // told of what cannot be read
	Broken  func(path string, err error) error // told of a file that cannot be read; an error ends reading

	temporary string // "" for none
	loose     LooseFiles
}

// Folder is where what is derived under that name lies, once it was opened.
func (s *Source) Folder(name string) string {
	if s.temporary != "" {
		return filepath.Join(s.temporary, name)
	}
	return filepath.Join(s.Dir, "derived", name)
}

// Open opens a WARC file by the name that captures have.
func (s *Source) Open(filename string) (io.ReaderAt, int64, func(), error) {
	if s.Dir != "" {
		return Folder{FS: vfs.Default, Dir: filepath.Join(s.Dir, "warc")}.Open(filename)
	}
	return s.loose.Open(filename)
}

// Hold opens d to add to it.
func (s *Source) Hold(d Derived) (f Follower, close func() error, err error) {
	if s.Dir != "" {
		f, close, err = d.Open(s, s.Folder(d.Name))
		if s.temporary != "" || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
			return f, close, err
		}
	}
	if s.temporary == "" {
		if s.temporary, err = os.MkdirTemp("", "kavosh-derived-"); err != nil {
			return nil, nil, err
		}
	}
	return d.Open(s, s.Folder(d.Name))
}

// Close removes what lives no longer than s.
func (s *Source) Close() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// Update adds to d what s has gained, and says how far that reaches. Where another process is adding to d, it is left to that, and whole is
// false.
func (s *Source) Update(ctx context.Context, d Derived, o Following) (end journal.Cursor, whole bool, err error) {
	f, close, err := s.Hold(d)
	if errors.Is(err, disk.ErrInUse) {
		return end, false, nil
	}
	if err != nil {
		return end, false, err
	}
	err = s.Follow(ctx, f, o)
	end = f.Cursor()
	err = errors.Join(err, close())
	return end, err == nil, err
}

// Follow lets f read what it has not seen of an archive, or all of files.
func (s *Source) Follow(ctx context.Context, f Follower, o Following) error {
	if s.Dir != "" {
		log, err := OpenLog(vfs.Default, s.Dir)
		if err != nil {
			return err
		}
		return log.Follow(ctx, f, o)
	}
	s.loose = LooseFiles{}
	if err := f.Reset(1); err != nil {
		return err
	}
	return o.run(ctx, f, s.read())
}

// Captures yields the captures of an archive, or of files, in their order.
func (s *Source) Captures() iter.Seq2[*Logged, error] {
	if s.Dir == "" {
		s.loose = LooseFiles{}
		return s.read()
	}
	log, err := OpenLog(vfs.Default, s.Dir)
	if err != nil {
		return func(yield func(*Logged, error) bool) { yield(nil, err) }
	}
	return log.Read(log.Begin())
}

// Grown reports whether an archive has anything after c.
func (s *Source) Grown(c journal.Cursor) bool {
	log, err := OpenLog(vfs.Default, s.Dir)
	if err != nil {
		return false // its log is being made anew
	}
	start, err := log.Since(c)
	if err != nil {
		return false
	}
	for _, err := range log.Read(start) {
		return err == nil
	}
	return !start.Equal(c)
}

// read yields the captures in loose files, as a log that has each but once.
func (s *Source) read() iter.Seq2[*Logged, error] {
	return func(yield func(*Logged, error) bool) {
		enough := errors.New("enough")
		n := int64(0)
		for _, path := range s.Files {
			err := EachWARC(path, s.loose, func(name string, f io.Reader) error {
				return record.Captures(f, name, func(found kavosh.Capture) error {
					c := &Logged{Capture: found, At: n, End: journal.At(1, n+1)}
					if n++; !yield(c, nil) {
						return enough
					}
					return nil
				}, func(offset int64, err error) { s.Trouble(fmt.Sprintf("%s at byte %d: %v", name, offset, err)) })
			})
			if errors.Is(err, enough) {
				return
			}
			if err != nil {
				err = s.Broken(path, err)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
