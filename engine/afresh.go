package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/journal"
	"kavosh/record"
)

// This file deals with damage to a crawl's own files in crawls/<id>. Its frontier (the database of URLs to fetch),
// crawl.log and WARC files must agree. If damage makes them disagree, the WARC files are the truth: frontier and
// crawl.log are renamed, and an empty frontier is made. Then all records are read again and handed to the committer
// (recover.go), as after a crash in the crawl's first second. Nothing recorded is requested again.

// openFrontier opens the crawl's frontier. If the frontier of a resumed crawl is damaged, or does not agree with the
// other files, it is renamed and an empty one is made. The error says so if the crawl's seeds are lost, too.
func (c *crawl) openFrontier() (err error) {
	dir := c.fs.PathJoin(c.dir, "frontier")
	open := func() error {
		c.frontier, err = frontier.Open(frontier.Options{
			FS: c.fs, Dir: dir, Clock: c.clock, Order: c.purpose.order, Delay: c.opt.Delay, AddressDelay: c.opt.AddressDelay,
			MaxPerHost: c.opt.Workers, Agent: c.agent, RetryWait: retryWait, QueryBudget: c.opt.QueryBudget,
			CountPages: c.opt.Limits.Pages > 0, HostBudget: c.opt.HostBudget, DomainBudget: c.opt.DomainBudget,
			GoesOn: c.opt.Revisits != nil && !c.opt.Revisits.Once, Unwanted: c.unwanted,
		})
		if err == nil {
			c.pend.hungry = c.frontier.Hungry
		}
		return err
	}
	if !c.opt.Resume {
		return open()
	}
	wrong, err := c.contradiction(dir, open)
	if err != nil {
		return err
	}
	if wrong == nil {
		half, err := c.frontier.Get(begunAnew)
		c.afresh = len(half) > 0
		return err
	}
	seeds := c.knownSeeds()
	if c.frontier != nil {
		_ = c.frontier.Close() // a damaged frontier is not used any more
		c.frontier = nil
	}
	if seeds == nil {
		return archive.Advise("the frontier of crawl %s cannot be used (%w), and its seeds are lost with it: start a new crawl into the archive, without --resume", c.id, wrong)
	}
	for _, name := range []string{"frontier", "crawl.log", archive.ReachedFile} {
		if err := archive.PutAside(c.fs, c.fs.PathJoin(c.dir, name)); err != nil {
			return err
		}
	}
	c.trouble(fmt.Sprintf("damage: %v; what crawl %s knows is made anew from its WARC files, and the damaged files are kept beside", wrong, c.id))
	c.afresh = true
	if err := open(); err != nil {
		return err
	}
	if err := c.frontier.Put(begunAnew, []byte("yes")); err != nil {
		return err
	}
	return c.frontier.Put(seedsBegun, seeds)
}

// begunAnew is the key under which the frontier stores that it was made anew (crawl.afresh). It has a value until all
// records have been read again.
const begunAnew = "afresh"

// knownSeeds returns the length of the file of seeds in bytes, in decimal, as the frontier stores it under seedsBegun.
// If the frontier does not tell, it is the length that the file has now. It returns nil if there is no such file.
func (c *crawl) knownSeeds() []byte {
	if c.frontier != nil {
		if kept, err := c.frontier.Get(seedsBegun); err == nil && kept != nil {
			return kept
		}
	}
	end, err := journal.MarkOf(c.fs, c.seedFile().path)
	if err != nil || end.Bytes == 0 {
		return nil
	}
	return strconv.AppendInt(nil, end.Bytes, 10)
}

// contradiction calls open, which opens the frontier in dir, and compares it with crawl.log and the WARC files. wrong
// says which of these files is damaged; it is nil if they agree. err is any other failure, such as a disk that cannot
// be read.
func (c *crawl) contradiction(dir string, open func() error) (wrong, err error) {
	if _, err := c.fs.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is gone", dir), nil
	}
	if err := open(); err != nil {
		if frontier.Damaged(err) {
			return err, nil
		}
		return nil, err
	}
	data, err := c.frontier.Get(frontier.Mark)
	var begun []byte
	if err == nil {
		begun, err = c.frontier.Get(seedsBegun)
	}
	if err != nil {
		if frontier.Damaged(err) {
			return err, nil
		}
		return nil, err
	}
	if begun == nil { // every crawl that can be resumed kept its seeds
		return fmt.Errorf("%s does not know the crawl's seeds", dir), nil
	}
	var m marks
	if data != nil {
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("the marks of crawl %s are damaged: %w", c.id, err), nil
		}
	}
	log := c.fs.PathJoin(c.dir, "crawl.log")
	if r := archive.ReadReached(c.fs, c.dir); r.Bytes > m.Log {
		return fmt.Errorf("%s lost what was written last: it knows %d bytes of crawl.log, and once knew %d", dir, m.Log, r.Bytes), nil
	}
	if err := journal.Reaches(c.fs, log, m.log()); err != nil {
		if errors.Is(err, journal.ErrDamaged) {
			return err, nil
		}
		return nil, err
	}
	return c.shortOf(m.WARC), nil
}

// shortOf returns an error if the crawl's WARC files end before place, which the frontier knows of; else nil.
func (c *crawl) shortOf(place record.Place) error {
	if place.Offset == 0 {
		return nil
	}
	files, err := record.Files(c.fs, c.archive.WARC)
	if err != nil {
		return nil // recover reads these files next, and returns the error
	}
	for _, name := range files {
		if n, ok := record.SerialOf(name, c.id); !ok || n != place.Serial {
			continue
		}
		info, err := c.fs.Stat(c.fs.PathJoin(c.archive.WARC, name))
		if err == nil && info.Size() < place.Offset {
			return fmt.Errorf("%s lacks its end: it had %d bytes, and has %d", name, place.Offset, info.Size())
		}
		return nil
	}
	return fmt.Errorf("the WARC file %d of crawl %s is gone", place.Serial, c.id)
}

// reachedFile is the file crawls/<id>/reached. It says how many bytes of crawl.log the frontier knew of when they last
// became durable together. A frontier that knows of fewer bytes has lost data. The file is not synced while the crawl
// runs: if a power cut damages it, only this one way to find damage is lost. File is nil until the first note.
type reachedFile struct{ vfs.File }

// note replaces the file's content by m, the new end of crawl.log. The first note makes the file, in dir, which is
// crawls/<id>.
func (r *reachedFile) note(fs vfs.FS, dir string, m journal.Mark) (err error) {
	if r.File == nil {
		if r.File, err = fs.Create(fs.PathJoin(dir, archive.ReachedFile), vfs.WriteCategoryUnspecified); err != nil {
			return err
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = r.WriteAt(append(data, bytes.Repeat([]byte{' '}, max(0, reachedLen-len(data)))...), 0)
	return err
}

// close syncs and closes the file, if it is open.
func (r *reachedFile) close() error {
	if r.File == nil {
		return nil
	}
	return cmp.Or(r.Sync(), r.File.Close())
}

// reachedLen is the length of the reached file in bytes. Shorter marks are padded with spaces, so that each mark
// overwrites the whole mark before it.
const reachedLen = 80
