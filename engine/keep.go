package engine

// This file decides which visits of pages leave a copy (--keep).

import (
	"net/http"

	"kavosh"
	"kavosh/lib/cdx"
)

// Comparer tells what differs between two versions of a page.
type Comparer interface {
	// Compare returns what differs between two HTML documents of one URL as a reader sees them.
	Compare(url string, old, new Document) (Difference, error)
}

// Document is a page as it came.
type Document struct {
	Type string // its Content-Type
	Body []byte // after content decoding, at most maxKeepRead bytes; not to be kept
}

// Difference is what differs between two versions of a page.
type Difference struct {
	Importance float64  // from 0, nothing, to 1
	Matters    bool     // more than noise, such as counters and dates
	Summary    string   // in one line: what was done, counted
	Parts      []string // what was done, one line each, a bounded number. Nothing in them is quoted of the older version, since that may be closed
}

// maxKeepRead bounds the versions that are compared, in bytes: of the older one as it is stored and decoded, of the newer
// one decoded. Larger pages are kept.
const maxKeepRead = 1 << 20

// undecided reports whether an answer waits in the spool until it is decided whether the archive keeps it.
func (c *crawl) undecided(x *kavosh.Exchange) bool {
	return c.spool != nil && x.Task.Kind != kavosh.Prerequisite && (c.opt.Only != nil || isRevisit(x))
}

// isRevisit reports whether an answer may be compared with an earlier capture of its page.
func isRevisit(x *kavosh.Exchange) bool {
	return x.Task.Prior != nil && x.Task.Kind != kavosh.Embed && x.Status == http.StatusOK && x.Truncated == kavosh.Whole && x.Malformed == ""
}

// little returns why the archive does not keep a page (--keep): it differs little from the capture that the archive has.
// nil means that it is kept: as a page that is new, large, no HTML, not to be read back, the same (which makes a revisit
// record), or that the browser loads, whose scripts may show something else.
func (c *crawl) little(o *reading, page *kavosh.Page) *kavosh.Dropped {
	if c.opt.Keep.All() || c.spool == nil || c.auto.mayLoad(o.x, page) {
		return nil
	}
	d, ok := c.differs(o, page)
	if !ok || !c.opt.Keep.LeavesOut(d.Importance, d.Matters) {
		return nil
	}
	return &kavosh.Dropped{By: "--keep " + c.opt.Keep.String(), Score: d.Importance, Why: d.Summary, Parts: d.Parts, Kept: o.x.Task.Prior}
}

// differs compares a page with the capture that the archive has; it is not ok if it is new, large, no HTML, not to be read
// back, or the same.
func (c *crawl) differs(o *reading, page *kavosh.Page) (d Difference, ok bool) {
	if !o.compared {
		o.compared = true
		o.difference, o.comparable = c.compare(o, page)
	}
	return o.difference, o.comparable
}

func (c *crawl) compare(o *reading, page *kavosh.Page) (d Difference, ok bool) {
	x := o.x
	if c.opt.Compare == nil || !isRevisit(x) || !isHTML(page) || page.StandIn != kavosh.NoStandIn {
		return d, false
	}
	prior := x.Task.Prior
	if _, stored := c.archive.Originals.Digest(c.recorder.DigestText(x.Digest)); stored {
		return d, false
	}
	body, cut, _ := o.decoded()
	if cut || len(body) > maxKeepRead {
		return d, false
	}
	stored, err := c.stored(c.hard, &cdx.Entry{Filename: prior.File, Offset: prior.Offset}, maxKeepRead+1)
	if err != nil {
		return d, false
	}
	was := &reading{crawl: c, x: x, body: stored}
	defer was.close()
	old, cut, _ := was.decoded()
	if cut || stored.Payload.Size() > maxKeepRead || len(old) > maxKeepRead {
		return d, false
	}
	c.comparing.Lock()
	d, err = c.opt.Compare.Compare(x.Task.URL, Document{stored.Header.Get("Content-Type"), old}, Document{x.Header.Get("Content-Type"), body})
	c.comparing.Unlock()
	return d, err == nil
}
