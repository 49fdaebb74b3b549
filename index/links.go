package index

import (
	"errors"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// Links writes which page of an archive links where, as an index of its own (docs/formats/links-in.md): a line's URL is where a link leads, its
// time and record are those of the page that has it. It belongs to one process at a time; LiveLinks reads it.
type Links struct{ index *Index }

// The fields that a line of a link has beside those of all.
const (
	LinkSource = "source" // URL of the page that has it
	LinkAnchor = "anchor" // what a reader clicks, at most maxAnchor bytes
)

const (
	maxAnchor  = 200     // bytes
	maxLinkURL = 2 << 10 // bytes: longer URLs are left out
)

// OpenLinks opens the index of links in dir, which need not exist yet.
func OpenLinks(fs vfs.FS, dir string) (*Links, error) {
	x, err := Open(fs, dir)
	return &Links{x}, err
}

// LiveLinks answers queries over the index of links in dir, which need not exist yet.
func LiveLinks(fs vfs.FS, dir string) *Live {
	return OpenLive(fs, dir, fs.PathJoin(dir, "log")) // there is no log: what was committed is all
}

// Cursor is how far in the capture log the links reach that were committed.
func (l *Links) Cursor() journal.Cursor { return l.index.Cursor() }

// Reset empties the index: links will be added again from the start of a generation of the capture log.
func (l *Links) Reset(generation int) error { return l.index.Reset(generation) }

// Add takes the links of a page that was read in a capture, each address but once. Of a redirect, whose page is nil, it takes where that leads.
func (l *Links) Add(c *kavosh.Capture, page *kavosh.Page) error {
	links := []kavosh.Link{}
	if page != nil {
		links = page.Links
	} else if base, err := weburl.Parse(c.URL); err == nil {
		if to, err := weburl.Resolve(base, c.Location); err == nil {
			links = append(links, kavosh.Link{URL: to, Kind: kavosh.Redirect})
		}
	}
	x := l.index
	x.mu.Lock()
	defer x.mu.Unlock()
	seen := map[string]bool{c.URL: true}
	for i := range links {
		to := &links[i]
		if to.Kind == kavosh.Speculative || seen[to.URL] || len(to.URL) > maxLinkURL || len(c.URL) > maxLinkURL ||
			!strings.HasPrefix(to.URL, "http://") && !strings.HasPrefix(to.URL, "https://") {
			continue
		}
		seen[to.URL] = true
		e := cdx.Entry{Key: weburl.SURT(to.URL), Timestamp: c.Time.UTC().Format("20060102150405"), URL: to.URL, MIME: to.Kind.String(), Digest: c.Digest, Offset: c.Offset, Filename: c.File}
		if anchor := to.Anchor[:min(len(to.Anchor), maxAnchor)]; anchor != "" {
			e.Extra = append(e.Extra, cdx.Field{Name: LinkAnchor, Value: strings.ToValidUTF8(anchor, "")})
		}
		e.Extra = append(e.Extra, cdx.Field{Name: LinkSource, Value: c.URL})
		x.keep(&e)
	}
	if len(x.mu.pending) < maxPending {
		return nil
	}
	return x.flush()
}

// Commit makes what was added durable, and that the capture log is read up to a place.
func (l *Links) Commit(cursor journal.Cursor) error {
	x := l.index
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.cursor = cursor
	if len(x.mu.pending) > 0 {
		return x.flush()
	}
	return errors.Join(disk.MkdirAll(x.fs, x.dir), x.saveCursor())
}
