package replay

// This file reads the archived response of a capture.

import (
	"context"
	"slices"
	"strings"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// RevisitMIME is what an index has for a revisit record, instead of a media type.
const RevisitMIME = "warc/revisit"

// Answer is a capture with its recorded response.
type Answer struct {
	Capture
	*records.Payload
	Original *Capture // the capture whose body a revisit uses; nil if an access rule hides it
}

// Get returns the last value of a header field, which is the one that browsers use.
func (a *Answer) Get(name string) string {
	if vs := a.Header.Values(name); len(vs) > 0 {
		return vs[len(vs)-1]
	}
	return ""
}

// Location returns the absolute target of an archived redirect, or "" if the answer is no redirect.
func (a *Answer) Location() string {
	if a.Status < 300 || a.Status > 399 {
		return ""
	}
	base, err := weburl.Parse(a.URL)
	if err != nil {
		return ""
	}
	u, err := base.Resolve(a.Get("Location"))
	if err != nil || a.Get("Location") == "" || !u.Fetchable() {
		return ""
	}
	return u.String()
}

// Load opens the recorded response of a capture. It looks for the original of a revisit in all collections of view. The
// caller closes the answer. An error says what is wrong with the archive.
func (view *Collection) Load(ctx context.Context, c Capture) (*Answer, error) {
	held, err := c.Coll.Open(ctx, &c.Entry, view.among...)
	if err != nil {
		return nil, err
	}
	a := &Answer{Capture: c, Payload: held}
	if held.Original != nil {
		a.Original = &Capture{*held.Original, c.Coll}
	}
	return a, nil
}

// Refused says why an access rule hides a capture from this reader; nil if none does.
func (c *Capture) Refused(ctx context.Context) (*kavosh.Refused, error) {
	if c.Coll.Gate == nil {
		return nil, nil
	}
	return c.Coll.Gate.Refused(ctx, &c.Entry)
}

// isWeb reports whether a URL names a page or file, and not a DNS look-up or a crawler's note.
func isWeb(url string) bool {
	scheme, _, ok := strings.Cut(url, "://")
	return ok && slices.ContainsFunc([]string{"http", "https", "ftp"}, func(s string) bool { return ascii.EqualFold(scheme, s) })
}
