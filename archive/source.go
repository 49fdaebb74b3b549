package archive

// This file reads captures from an archive or from loose files in one way, and keeps what is derived from them up to
// date.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/internal/records"
	"kavosh/record"
)

// Derived is a kind of Follower that an archive keeps in derived/<Name>. cmd/kavosh has the list of all kinds.
type Derived struct {
	Name   string // the Follower's name
	Served bool   // kept up to date while the archive is served
	// Open opens it in dir to add captures of s, and makes the folder if it is missing. The error is a disk.ErrInUse
	// while another process has it open. The caller calls close in the end.
	Open func(s *Source, dir string) (f Follower, close func() error, err error)
}

// Source is where captures are read from: an archive, or loose files. What is derived from an archive lies in its
// folder derived. For files, and for an archive that cannot be written, it lies in a temporary folder, which Close
// removes.
type Source struct {
	Dir     string                             // the archive's folder; "" for loose files
	Files   []string                           // WARC, ARC and WACZ files
	Trouble func(text string)                  // is called for a record that cannot be read
	Broken  func(path string, err error) error // is called for a file that cannot be read; its error ends the reading

	temporary string // the temporary folder; "" if none was made
	loose     LooseFiles
	once      sync.Once
	records   *records.Records // its index keeps files open
}

// OpenSource returns what path names as a Source: an archive, a WARC, ARC or WACZ file, or a folder of such files. The
// caller sets Trouble and Broken.
func OpenSource(path string) (*Source, error) {
	if is, err := about.Is(vfs.Default, path); is || err != nil {
		return &Source{Dir: path}, err
	}
	files, err := WARCs(path)
	if err == nil {
		err = OutsideArchives(files)
	}
	return &Source{Files: files}, err
}

// Folder returns the folder of the derived thing with a name, after Hold opened it.
func (s *Source) Folder(name string) string {
	if s.temporary != "" {
		return filepath.Join(s.temporary, name)
	}
	return filepath.Join(s.Dir, "derived", name)
}

// Open opens a WARC file by the name that captures have for it. It returns its size in bytes; the function closes it.
func (s *Source) Open(filename string) (io.ReaderAt, int64, func(), error) {
	if s.Dir != "" {
		return Folder{FS: vfs.Default, Dir: filepath.Join(s.Dir, "warc")}.Open(filename)
	}
	return s.loose.Open(filename)
}

// Records returns what opens the records of s. Without an index, which loose files lack, it finds no originals of revisits
// and no pieces of bodies.
func (s *Source) Records() *records.Records {
	s.once.Do(func() {
		if s.records = (&records.Records{Files: s}); s.Dir != "" {
			s.records = RecordsOf(vfs.Default, s.Dir)
		}
	})
	return s.records
}

// Hold opens d to add to it, in the archive or in the temporary folder.
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

// Close removes the temporary folder.
func (s *Source) Close() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// Update adds to d all captures that s has gained, and returns how far they reach. If another process is adding to d,
// Update leaves that to it, and whole is false.
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

// Follow lets f read what it has not read of an archive, or all captures of loose files.
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

// Captures yields the captures of an archive or of files, in order.
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

// Grown reports whether the archive has captures after c.
func (s *Source) Grown(c journal.Cursor) bool {
	log, err := OpenLog(vfs.Default, s.Dir)
	if err != nil {
		return false // the log is being rebuilt
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

// read yields the captures in loose files, each once, like a log.
func (s *Source) read() iter.Seq2[*Logged, error] {
	return func(yield func(*Logged, error) bool) {
		enough := errors.New("enough")
		n := int64(0)
		for _, path := range s.Files {
			var errs []error
			for f, err := range EachWARC(path, s.loose) {
				if err == nil {
					err = record.Captures(f, f.Name, func(found kavosh.Capture) error {
						c := &Logged{Capture: found, At: n, End: journal.At(1, n+1)}
						if n++; !yield(c, nil) {
							return enough
						}
						return nil
					}, func(offset int64, err error) { s.Trouble(fmt.Sprintf("%s at byte %d: %v", f.Name, offset, err)) })
				}
				if errors.Is(err, enough) {
					return
				}
				errs = append(errs, err)
			}
			err := errors.Join(errs...)
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
