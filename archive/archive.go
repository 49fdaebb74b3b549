// Package archive is the cold join beside the engine: an archive's folder, its lock, its crawls with their logs and reports, and those
// who follow its capture log. It rebuilds, checks and imports. docs/formats/archive.md describes the folder.
package archive

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/records"
)

// Archive is an archive's folder, held by this process alone: the capture log and those who follow it.
type Archive struct {
	FS        vfs.FS
	Dir       string
	WARC      string           // its warc/
	Records   *records.Records // what its captures hold
	Captures  *CaptureLog
	Index     *index.Index
	Originals *index.Originals

	lock io.Closer
}

// Open locks and opens the archive in dir for writing. Where there is none, create makes one; a nil create makes that an error.
func Open(fs vfs.FS, dir string, create func() error) (*Archive, error) {
	_, err := about.Read(fs, dir)
	switch {
	case create != nil && errors.Is(err, about.ErrNone):
		if err := create(); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, &Advice{err}
	}
	if missingLog(fs, dir) {
		return nil, errMissingLog(dir)
	}
	lock, err := hold(fs, dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{FS: fs, Dir: dir, WARC: fs.PathJoin(dir, "warc"), Records: RecordsOf(fs, dir), lock: lock}
	if err = lacking(fs, dir); err == nil {
		err = a.open()
	}
	if err == nil {
		err = a.finishImports()
	}
	if err != nil {
		_, _ = a.Close(), a.Unlock() // what they meet is of the same cause
		return nil, err
	}
	return a, nil
}

// hold takes the archive's lock, so that one process alone writes.
func hold(fs vfs.FS, dir string) (io.Closer, error) {
	lock, err := fs.Lock(fs.PathJoin(dir, "lock"))
	switch {
	case err == nil:
		return lock, nil
	case disk.InUse(err):
		return nil, Advise("%s is in use by another kavosh: wait for it, or stop it", dir)
	}
	return nil, Advise("%s cannot be locked for writing (%w): make its folder writable, or work on a copy", dir, err)
}

// open opens the capture log and its followers.
func (a *Archive) open() (err error) {
	if a.Captures, err = openCaptureLog(a.FS, a.Dir); err != nil {
		return err
	}
	if a.Index, err = index.Open(a.FS, a.FS.PathJoin(a.Dir, "index")); err != nil {
		return err
	}
	if err := disk.MkdirAll(a.FS, a.FS.PathDir(a.OriginalsDir())); err != nil {
		return err
	}
	a.Originals, err = index.OpenOriginals(a.FS, a.OriginalsDir(), a.FS.PathJoin(a.Dir, "log"))
	return err
}

// OriginalsDir is the folder of Originals.
func (a *Archive) OriginalsDir() string { return a.FS.PathJoin(a.Dir, "derived", "originals@2") }

// Unlock gives the archive's lock back, which Close leaves: a crawl's report is written between the two.
func (a *Archive) Unlock() error { return a.lock.Close() }

// Close closes all but the lock.
func (a *Archive) Close() error {
	var err, logErr error
	if a.Originals != nil {
		err = a.Originals.Close()
	}
	if a.Captures != nil {
		logErr = a.Captures.log.Close()
	}
	return cmp.Or(err, logErr)
}

// followers are those that a crawl keeps up to date as it goes.
func (a *Archive) followers() []Follower { return []Follower{a.Index, a.Originals} }

// Follow hands captures that are durable in the capture log to its followers.
func (a *Archive) Follow(captures []kavosh.Capture) error {
	cursor := a.Captures.Cursor()
	for _, f := range a.followers() {
		for i := range captures {
			if _, err := f.Add(context.Background(), &captures[i], a.Captures.at[i]); err != nil {
				return err
			}
		}
		if err := f.Commit(cursor); err != nil {
			return err
		}
	}
	return nil
}

// CatchUp lets each follower read what it has not seen of the capture log.
func (a *Archive) CatchUp() error {
	for _, f := range a.followers() {
		if err := a.Captures.Log.Follow(context.Background(), f, Following{}); err != nil {
			return err
		}
	}
	return nil
}
