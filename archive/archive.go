// Package archive is an archive's folder as a whole: its lock, its capture log and the followers of that log, its
// crawls with their logs and reports. It also rebuilds, checks and imports, and reads loose files like an archive. It
// uses stages, and never the engine, which writes archives through it. docs/formats/archive.md describes the folder.
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

// Archive is an archive that this process alone can write: its capture log and the followers that a crawl keeps up to
// date.
type Archive struct {
	FS        vfs.FS
	Dir       string
	WARC      string           // the folder of its WARC files
	Records   *records.Records // opens what its captures hold
	Captures  *CaptureLog
	Index     *index.Index
	Originals *index.Originals

	lock io.Closer
}

// Open locks and opens the archive in dir for writing. If there is none, it calls create to make one; with a nil
// create, that is an error.
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
		_, _ = a.Close(), a.Unlock() // their errors would have the same cause
		return nil, err
	}
	return a, nil
}

// hold takes the archive's lock, so that only one process writes.
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

// OriginalsDir returns the folder of Originals.
func (a *Archive) OriginalsDir() string { return a.FS.PathJoin(a.Dir, "derived", "originals@2") }

// Unlock releases the archive's lock. Close does not do this, because a crawl's report is written between the two.
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

// followers returns the followers that a crawl keeps up to date.
func (a *Archive) followers() []Follower { return []Follower{a.Index, a.Originals} }

// Follow gives captures, which are durable in the capture log, to the followers.
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

// CatchUp lets each follower read the part of the capture log that it has not read.
func (a *Archive) CatchUp() error {
	for _, f := range a.followers() {
		if err := a.Captures.Log.Follow(context.Background(), f, Following{}); err != nil {
			return err
		}
	}
	return nil
}
