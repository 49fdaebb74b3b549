package engine

// This file holds answers until it is decided whether the archive keeps them (--only, --keep).

import (
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/lib/warc"
	"kavosh/record"
)

// undecidedFiles is where answers are recorded while nobody knows yet whether the archive keeps them: WARC files in
// crawls/<id>/spool, like the archive's. If an answer is kept, it is then also written to the archive. Otherwise the
// archive gets only a metadata record about it, a note. Both are written after the answer itself is durable, so that
// nothing is decided before it is recorded. Files are removed when everything in them is decided and durable.
type undecidedFiles struct {
	*record.Recorder
	fs     vfs.FS
	crawl  string // its ID
	dir    string
	serial int // the files before this one are removed
}

// maxSpool is the size in bytes at which a file of the spool is sealed, and soon removed.
const maxSpool = 64 << 20

// written has the places in the archive's and in the spool's WARC files at which a group may begin.
type written struct{ warc, spool record.Place }

// spoolDir returns the path of crawls/<id>/spool.
func (c *crawl) spoolDir() string { return c.fs.PathJoin(c.dir, "spool") }

// openSpool makes an empty spool, if the crawl needs one.
func (c *crawl) openSpool() error {
	dir := c.spoolDir()
	if err := c.fs.RemoveAll(dir); err != nil { // what an earlier run left is decided, or will be requested again
		return err
	}
	if c.opt.Only == nil && (c.opt.Keep.All() || c.first && c.opt.Revisits == nil) {
		return nil
	}
	if err := disk.MkdirAll(c.fs, dir); err != nil {
		return err
	}
	c.spool = &undecidedFiles{fs: c.fs, crawl: c.id, dir: dir, Recorder: record.New(record.Options{
		FS: c.fs, Dir: dir, Crawl: c.id, Node: c.opt.Node, Clock: c.clock, MaxFile: maxSpool, Digest: c.opt.Digest, NewID: c.opt.NewID,
	})}
	return nil
}

// record writes an exchange to the spool if it may be dropped, and otherwise to the archive.
func (c *crawl) record(x *kavosh.Exchange) ([]kavosh.Capture, error) {
	if c.undecided(x) {
		return c.spool.Write(x)
	}
	return c.recorder.Write(x)
}

// keepWanted writes a spooled exchange to the archive. A dropped one stays in the spool; the next commit writes the
// note about it.
func (c *crawl) keepWanted(x *kavosh.Exchange, captures []kavosh.Capture, dropped *kavosh.Dropped) ([]kavosh.Capture, error) {
	if x.Dropped = dropped; dropped != nil || !c.undecided(x) {
		return captures, nil
	}
	return c.recorder.Write(x)
}

// noteOf returns what a note says about a dropped exchange, without its bytes.
func noteOf(x *kavosh.Exchange) *kavosh.Exchange {
	task := *x.Task
	return &kavosh.Exchange{
		Task: &task, Began: x.Began, Took: x.Took, Status: x.Status, Header: kavosh.Header{{Name: "Content-Type", Value: x.Header.Get("Content-Type")}},
		Digest: slices.Clone(x.Digest), Payload: length(x.Payload.Size()), Dropped: x.Dropped,
	}
}

// length is a body with a known length but without content.
type length int64

func (n length) Size() int64                         { return int64(n) }
func (length) Bytes() []byte                         { return nil }
func (length) ReadAt(_ []byte, _ int64) (int, error) { return 0, io.EOF }

// noteDropped writes to the archive which answers were dropped and why, after the answers themselves are durable in the
// spool.
func (c *crawl) noteDropped(items []item) error {
	if c.spool == nil {
		return nil
	}
	if err := c.spool.Sync(); err != nil {
		return err
	}
	for i := range items {
		it := &items[i]
		if it.note == nil {
			continue
		}
		captures, err := c.recorder.Write(it.note)
		if err != nil {
			return err
		}
		it.recorded(c.recorder, captures)
	}
	return nil
}

// unspool fills in dropped responses, of which the archive has only notes, from the spool. The spool has all of them,
// because a response is written to it before its note; only those that were accounted for long ago are removed from it.
func unspool(fs vfs.FS, dir, crawl string, wanted map[[2]uint64]*kavosh.Exchange) error {
	if len(wanted) == 0 {
		return nil
	}
	_, err := record.Resume(fs, dir, crawl, record.Place{}, func(s record.Group) error {
		if _, is := wanted[groupKey(&s)]; is {
			wanted[groupKey(&s)] = s.Exchange
			if d, err := warc.ParseDigest(s.Captures[0].Digest); err == nil {
				s.Exchange.Digest = d.Sum
			}
		}
		return nil
	})
	return err
}

// end returns where the next group will be written.
func (s *undecidedFiles) end() record.Place {
	if s == nil {
		return record.Place{}
	}
	return s.End()
}

// trim removes the files before the one that the place is in.
func (s *undecidedFiles) trim(place record.Place) error {
	if s == nil || place.Serial <= s.serial {
		return nil
	}
	files, err := record.Files(s.fs, s.dir)
	if err != nil {
		return err
	}
	for _, name := range files {
		if n, ok := record.SerialOf(name, s.crawl); ok && n < place.Serial {
			if err := s.fs.Remove(s.fs.PathJoin(s.dir, name)); err != nil {
				return err
			}
		}
	}
	s.serial = place.Serial
	return nil
}

// close ends the spool. After a run that ended well nothing in it is wanted any more.
func (s *undecidedFiles) close(whole bool) error {
	if !whole {
		s.Abandon()
		return nil
	}
	if err := s.Close(); err != nil {
		return err
	}
	return s.fs.RemoveAll(s.dir)
}
