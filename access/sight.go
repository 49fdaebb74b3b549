package access

import (
	"time"

	"kavosh"
	"kavosh/lib/cdx"
)

// Sight says what one reader may see of an archive at one time. It is the one place that decides: whatever lists, shows,
// searches, reports or exports asks a Sight, or the Guard, which asks one. The zero value is for files that belong to no
// archive: everything is open.
type Sight struct {
	rules  *Rules
	reader Reader
	now    time.Time
}

// For returns what a reader may see under the rules at a time.
func (r *Rules) For(reader Reader, now time.Time) Sight { return Sight{r, reader, now} }

// Whole reports whether no rule is in force: the reader sees everything.
func (s Sight) Whole() bool { return s.rules == nil || s.rules.Len() == 0 }

// hides reports whether a rule takes captures out of lists.
func (s Sight) hides() bool { return s.rules != nil && s.rules.hides }

// Listed reports whether lists name a capture. They leave out what was taken down.
func (s Sight) Listed(e *cdx.Entry) bool {
	return s.rules == nil || s.rules.decide(e, s.now).listed()
}

// Refused says why the reader may not see a capture; nil if the reader may.
func (s Sight) Refused(e *cdx.Entry) *kavosh.Refused {
	if s.rules == nil {
		return nil
	}
	return s.rules.decide(e, s.now).refused(s.reader)
}

// Shows reports whether the reader may see a capture.
func (s Sight) Shows(e *cdx.Entry) bool { return s.Refused(e) == nil }

// CaptureOf returns an index entry of a capture with what the rules need.
func CaptureOf(c *kavosh.Capture) *cdx.Entry {
	e := Capture(c.URL, c.Time, c.Digest)
	if c.Of != "" {
		e.Extra = []cdx.Field{{Name: cdx.Of, Value: c.Of}}
	}
	return e
}

// Capture returns an index entry with what the rules need: a URL, a time, and the payload's digest if it is known.
func Capture(url string, at time.Time, digest string) *cdx.Entry {
	return &cdx.Entry{URL: url, Timestamp: at.UTC().Format("20060102150405"), Digest: digest}
}
