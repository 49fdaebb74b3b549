package index

// This file has the index of links by target. It lies in its own folder and is a follower's work, as all of package
// index.

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

// Links writes the index of links by target (docs/formats/links-in.md). The URL of a line is the target of a link; time
// and record are those of the page that contains it. Only one process at a time may use it; LiveLinks reads it.
type Links struct{ index *Index }

// These are fields that only the lines of this index have.
const (
	LinkSource = "source" // URL of the page that contains the link
	LinkAnchor = "anchor" // text of the link, at most maxAnchor bytes
)

const (
	maxAnchor  = 200     // bytes
	maxLinkURL = 2 << 10 // bytes; links to longer URLs are not added
)

// OpenLinks opens the index of links in dir, which need not exist yet.
func OpenLinks(fs vfs.FS, dir string) (*Links, error) {
	x, err := Open(fs, dir)
	return &Links{x}, err
}

// LiveLinks answers queries over the index of links in dir, which need not exist yet.
func LiveLinks(fs vfs.FS, dir string) *Live {
	return OpenLive(fs, dir, fs.PathJoin(dir, "log")) // this log does not exist: only committed links are found
}

// Cursor returns how far the committed links reach in the capture log.
func (l *Links) Cursor() journal.Cursor { return l.index.Cursor() }

// Reset empties the index. The caller then adds all links again, from the start of the given generation of the capture
// log.
func (l *Links) Reset(generation int) error { return l.index.Reset(generation) }

// Add adds the links of the page in a capture, each target once. If page is nil and c is a redirect, it adds its
// target.
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

// Commit makes the added links durable, and sets how far the capture log was read.
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
