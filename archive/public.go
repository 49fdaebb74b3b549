package archive

import (
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// Public says what of an archive everybody may see: what is handed to others holds no more. The zero value is for files
// that are no archive's, of which nothing is closed.
type Public struct {
	Rules *access.Rules
	now   time.Time
}

// PublicOf reads the rules of what path names, if that is an archive.
func PublicOf(path string) (Public, error) {
	if is, err := about.Is(vfs.Default, path); err != nil || !is {
		return Public{}, err
	}
	rules, err := access.Follow(vfs.Default, path, clock.Real{}).Rules()
	return Public{rules, time.Now()}, err
}

// Shows reports whether everybody may see a capture.
func (p *Public) Shows(e *cdx.Entry) bool {
	return p.Rules == nil || p.Rules.Decide(e, p.now).Access == kavosh.Open
}

// ShowsRecord reports whether everybody may see what a record holds.
func (p *Public) ShowsRecord(rec *warc.Record) bool {
	return p.Rules == nil || p.Rules.DecideRecord(rec, p.now).Access == kavosh.Open
}

// ShowsLine reports whether everybody may see what a line of crawl.log is about.
func (p *Public) ShowsLine(l *Line) bool {
	at := l.Began
	if at.IsZero() {
		at = l.Time
	}
	return p.Shows(&cdx.Entry{URL: l.URL, Timestamp: at.UTC().Format("20060102150405"), Digest: l.Digest})
}

// ShowsURL reports whether everybody may see the page at a URL, as far as rules about URLs tell.
func (p *Public) ShowsURL(url string, at time.Time) bool {
	return p.Shows(&cdx.Entry{URL: url, Timestamp: at.UTC().Format("20060102150405")})
}
