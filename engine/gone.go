package engine

import (
	"errors"
	"os"
	"time"

	"kavosh/archive"
)

// This file notices that somebody removes files of the archive while the crawl runs.

// gone returns an error if a part of the archive was removed while the crawl runs; the error says what to do. No write
// would fail then: the system still writes to a deleted file, and its content is lost. gone only looks whether the
// files are there.
func (c *crawl) gone() error {
	if c.recorder == nil { // the crawl is still being opened
		return nil
	}
	was := c.missing()
	for was != nil && c.clock.Sleep(c.hard, removing) == nil {
		now := c.missing()
		if now == nil || now.Error() == was.Error() {
			return now
		}
		was = now
	}
	return was
}

// removing is how long the same must be missing before the crawl says so: whoever removes a folder with much in it
// removes one file after another.
const removing = 100 * time.Millisecond

// missing looks once, and names the part with the most in it.
func (c *crawl) missing() error {
	resume := "go on with `kavosh crawl --archive " + c.opt.Archive + " --resume`"
	anew := resume + ", which makes it anew"
	rebuild := "run `kavosh rebuild " + c.opt.Archive + "`, then " + resume
	asked := "what was recorded there is lost, and is asked for again: " + rebuild
	a := c.archive
	for _, part := range []struct{ path, fix string }{
		{a.Dir, "all that it held is lost; start the crawl again, without --resume"},
		{c.dir, "the crawl cannot go on, and what it recorded is still in " + a.WARC + "; start a new crawl into the archive, without --resume"},
		{c.fs.PathJoin(c.dir, "frontier"), anew},
		{c.fs.PathJoin(c.dir, archive.CrawlLogFile), anew},
		{a.Captures.Path(), rebuild},
		{a.Index.CursorFile(), anew},
		{a.OriginalsDir(), anew},
	} {
		if _, err := c.fs.Stat(part.path); errors.Is(err, os.ErrNotExist) {
			return removed(part.path, part.fix)
		}
	}
	if file := c.recorder.Gone(); file != "" {
		return removed(file, asked)
	}
	return nil
}

// removed returns the error for a file or folder that is gone. fix says in words what to do.
func removed(path, fix string) error {
	return archive.Advise("%s was removed while the crawl ran: %s", path, fix)
}
