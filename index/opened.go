package index

// This file keeps the segments of an index open for all readers of a process, and closes them when a merge has removed
// them.

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/lib/cdx"
)

// opened holds the open segments of a reader. The zero value is ready for use.
type opened struct {
	mu struct {
		sync.Mutex
		segments map[string]*segment
	}
}

// segment is an open segment. It is closed when it was removed from the folder and nobody reads it.
type segment struct {
	blocks  *cdx.Blocks
	files   [2]vfs.File
	size    int64 // size of the directory file; if size or time differ, it is another segment with the same name
	written time.Time
	readers int
	gone    bool
}

// all opens the segments of an index. The caller must release them. If a merge removes a segment meanwhile, all tries
// again.
func (o *opened) all(x *Index) (segments []*segment, err error) {
	for range 10 {
		if segments, err = o.list(x); err == nil {
			return segments, nil
		}
	}
	return nil, err
}

// hold keeps the segments that all returned last open for one more caller, who must release them too.
func (o *opened) hold(segments []*segment) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range segments {
		s.readers++
	}
}

func (o *opened) list(x *Index) ([]*segment, error) {
	if err := x.older(); err != nil {
		return nil, err
	}
	names := x.segments()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mu.segments == nil {
		o.mu.segments = map[string]*segment{}
	}
	var segments []*segment
	for _, name := range names {
		s, err := o.segment(x, name)
		if err != nil {
			return nil, err
		}
		segments = append(segments, s)
	}
	for name := range o.mu.segments {
		if !slices.Contains(names, name) {
			o.forget(name)
		}
	}
	for _, s := range segments {
		s.readers++
	}
	return segments, nil
}

// forget closes the segment with the given name, if there is one, as soon as nobody reads it.
func (o *opened) forget(name string) {
	if s := o.mu.segments[name]; s != nil {
		delete(o.mu.segments, name)
		s.gone = true
		s.close()
	}
}

// segment returns the segment with the given name, and opens it if necessary.
func (o *opened) segment(x *Index, name string) (*segment, error) {
	path := x.fs.PathJoin(x.dir, name)
	info, err := x.fs.Stat(path + dirEnd)
	if err != nil {
		return nil, err
	}
	if s := o.mu.segments[name]; s != nil && s.size == info.Size() && s.written.Equal(info.ModTime()) {
		return s, nil
	}
	o.forget(name)
	s := &segment{size: info.Size(), written: info.ModTime()}
	var sizes [2]int64
	for i, end := range []string{dirEnd, blocksEnd} {
		if s.files[i], err = x.fs.Open(path + end); err == nil {
			var info vfs.FileInfo
			if info, err = s.files[i].Stat(); err == nil {
				sizes[i] = info.Size()
			}
		}
		if err != nil {
			return nil, errors.Join(err, s.closeFiles())
		}
	}
	if s.blocks, err = cdx.OpenBlocks(s.files[0], sizes[0], s.files[1], sizes[1]); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: run `kavosh rebuild`", path, err), s.closeFiles())
	}
	o.mu.segments[name] = s
	return s, nil
}

func (o *opened) release(segments []*segment) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range segments {
		s.readers--
		s.close()
	}
}

// close closes the files of a removed segment if nobody reads it.
func (s *segment) close() {
	if s.gone && s.readers == 0 {
		_ = s.closeFiles() // they were only read
	}
}

func (s *segment) closeFiles() error {
	var errs []error
	for i, f := range s.files {
		if f != nil {
			errs = append(errs, f.Close())
			s.files[i] = nil
		}
	}
	return errors.Join(errs...)
}
