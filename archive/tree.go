package archive

// This file reads the tree of crawls: which link led to each page, and what later visits found of it.

import (
	"context"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/change"
	"kavosh/internal/records"
	"kavosh/lib/warc"
	"kavosh/quality"
	"kavosh/quality/tree"
)

// Tree is what the tree of visits is made of.
type Tree struct {
	FS     vfs.FS
	Dir    string // of the archive
	Visits []Visit
	Names  []string // of the visits
	Reader *change.Reader
	Links  records.Index // the index of links; nil if there is none
	Shown  access.Sight  // of those for whom Reader reads
	Done   func(n int64) // is called after each page that was compared; may be nil
}

// Read returns the tree of all that the visits captured: a node hangs below the page whose link led to it first, as crawl.log says, or, where
// no log tells that, below the page of its folder. Pages are compared by package quality; parts of pages and other files by their
// digests. A node of which one capture is closed is left out. Memory is some 400 bytes a node.
func (t *Tree) Read(ctx context.Context) (*tree.Tree, error) {
	var steps []tree.Step
	for i := range t.Names[1:] {
		steps = append(steps, tree.Step{From: t.Names[i], To: t.Names[i+1]})
	}
	g := growing{Builder: tree.NewBuilder(steps), shown: t.Shown}
	for i := range t.Visits {
		if err := g.read(ctx, t, i); err != nil {
			return nil, err
		}
	}
	step := 0
	for c, err := range Comparers(ctx, t.FS, t.Dir, t.Visits) {
		if err != nil {
			return nil, err
		}
		c.Reader, c.Links, c.Done = t.Reader, t.Links, t.Done
		c.Told = func(v *change.Visit, class quality.Class, weight float64) { g.told(step, v, class, weight) }
		if _, err := c.Defects(ctx, t.Visits[step].Has, t.Visits[step+1].Has); err != nil {
			return nil, err
		}
		step++
	}
	for n, html := range g.html {
		if html && !g.Told(n) {
			g.Hide(n) // nobody may see two versions of it
		}
	}
	return g.Tree(), nil
}

// growing is a tree that is being read.
type growing struct {
	*tree.Builder
	shown   access.Sight
	html    []bool   // by node: it is a page, which package quality compares
	was, is []answer // by node: of the last visit but one, and of the last
}

// answer is what a visit got for a node.
type answer struct {
	got  got
	hash uint64 // of its digest; 0 if it has none
}

type got uint8

// What a visit may get.
const (
	nothing got = iota // it does not have the address
	unasked
	failure
	repeat // the server said that nothing had changed
	body
)

// read takes up the log of a visit, and compares with the one before what are no pages.
func (g *growing) read(ctx context.Context, t *Tree, i int) error {
	v := &t.Visits[i]
	g.was, g.is = g.is, make([]answer, len(g.is))
	for l, err := range ReadLog(t.FS, t.Dir, v.Crawl) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		at := l.Began
		if at.IsZero() {
			at = l.Time
		}
		if v.during(at.Truncate(time.Second)) && l.Kind != kavosh.Prerequisite.String() && !l.Variant {
			g.line(&l)
		}
	}
	if i == 0 {
		return nil
	}
	for n := range g.is {
		var was answer
		if n < len(g.was) {
			was = g.was[n]
		}
		if c := compareParts(was, g.is[n], v.Second); c != tree.Absent && !g.html[n] {
			g.Tell(i-1, n, c)
		}
	}
	return nil
}

// line takes up what a log says of an address.
func (g *growing) line(l *Line) {
	var a answer
	switch {
	case l.Outcome == Refused || l.Outcome == Dropped:
		a.got = unasked
	case l.Outcome == Failed || l.Status >= http.StatusBadRequest || l.StandIn != kavosh.NoStandIn:
		a.got = failure
	case l.Outcome == Recorded && l.Status == http.StatusNotModified:
		a.got = repeat
	case l.Outcome == Recorded:
		a = answer{got: body}
		if l.Digest != "" {
			a.hash = xxhash.Sum64String(warc.DigestKey(l.Digest))
		}
	}
	n, ok := g.Find(l.URL)
	if !ok && a.got >= repeat {
		n, ok = g.node(l.URL, l.Via, l.MIME)
	}
	if !ok || a.got == nothing {
		return
	}
	if a.got >= repeat {
		g.html[n] = g.html[n] || a.got == body && l.Status/100 == 2 && strings.Contains(l.MIME, "html")
		if !g.shown.Shows(l.Capture()) {
			g.Hide(n)
		}
	}
	g.is[n] = a
}

// node adds a node.
func (g *growing) node(url, via, mime string) (n int, ok bool) {
	n, ok = g.Node(url, via, tree.ShapeOf(mime))
	for ok && n >= len(g.is) {
		g.is, g.html = append(g.is, answer{}), append(g.html, false)
	}
	return n, ok
}

// compareParts tells what became of an address between two visits.
func compareParts(was, is answer, rounds bool) tree.Class {
	switch {
	case was.got < repeat && is.got < repeat:
		return tree.Absent
	case was.got < repeat:
		return tree.Added
	case is.got == unasked, is.got == nothing && rounds, is.hash == 0 && is.got == body, was.hash == 0 && is.got == body:
		return tree.Untold
	case is.got == nothing:
		return tree.Deleted
	case is.got == failure:
		return tree.Missing
	case is.got == repeat, was.hash == is.hash:
		return tree.Coherent
	}
	return tree.Content
}

// told takes up what a comparison found of a page.
func (g *growing) told(step int, v *change.Visit, class quality.Class, weight float64) {
	n, ok := g.Find(v.URL)
	if !ok && v.Old != nil { // spelt otherwise at the second visit
		n, ok = g.Find(v.Old.URL)
	}
	if !ok {
		n, ok = g.node(v.URL, g.folder(v.URL), "")
	}
	if !ok {
		return
	}
	g.Tell(step, n, tree.ClassOf(string(class)))
	g.Link(n, int(math.Round(math.Expm1(weight-1))))
}

// folder returns the nearest node above a URL by its path; "" if there is none.
func (g *growing) folder(url string) string {
	for end := len(url) - 1; ; {
		if end = strings.LastIndexByte(url[:end], '/'); end < len("https://") {
			return ""
		}
		if _, ok := g.Find(url[:end+1]); ok {
			return url[:end+1]
		}
	}
}
