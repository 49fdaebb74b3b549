package replay

import (
	"context"
	"slices"
	"strings"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// RevisitMIME is what an index says in the place of a media type of a revisit record.
const RevisitMIME = "warc/revisit"

// Answer is a capture with what it holds.
type Answer struct {
	Capture
	*records.Payload
	Original *Capture // of a revisit: where the body is from; nil when no list may show that
}

// Get is the last value of a header field, as browsers take it.
func (a *Answer) Get(name string) string {
	if vs := a.Header.Values(name); len(vs) > 0 {
		return vs[len(vs)-1]
	}
	return ""
}

// Location is where an archived redirect leads, absolute; "" when the answer is none.
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

// Load opens what a capture of view holds. The caller closes the answer. An error says what is wrong with the archive.
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

// Refused is why this reader does not get a capture by itself; nil when he does.
func (c *Capture) Refused(ctx context.Context) (*kavosh.Refused, error) {
	if c.Coll.Gate == nil {
		return nil, nil
	}
	return c.Coll.Gate.Refused(ctx, &c.Entry)
}

// isWeb reports whether the URL is that of a page or file, not of a look-up or note.
func isWeb(url string) bool {
	scheme, _, ok := strings.Cut(url, "://")
	return ok && slices.ContainsFunc([]string{"http", "https", "ftp"}, func(s string) bool { return ascii.EqualFold(scheme, s) })
}
