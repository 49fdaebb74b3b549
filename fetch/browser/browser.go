// Package browser loads pages in Chromium, for pages that are complete only after their scripts have run.
//
// The browser fetches nothing. Every request of a page goes to a local proxy (proxy.go), which passes it to the Asker:
// the crawl, with its politeness gate, fetcher and recorder. HTTPS is decrypted there with certificates of an authority
// made for the run (authority.go). load.go controls the page: it keeps it from acting outside, and bounds everything;
// rest.go tells when it is at rest; behave.go lets behaviours scroll it, open what is folded, and so on. pool.go shares out
// the pages among Chromium processes and bounds these.
package browser

import (
	"image"
	"time"

	"kavosh"
	"kavosh/fetch/behaviours"
	"kavosh/internal/chromium"
	"kavosh/internal/clock"
)

// Bounds on one page.
const (
	maxTime     = 60 * time.Second
	aloneTime   = 30 * time.Second // for a page that is loaded once more, alone
	maxRequests = 1000
	maxBytes    = 200 << 20 // of bodies sent to it
	maxPost     = 1 << 20   // of a request's body
	maxHead     = 128 << 10 // of a request's head
	maxLeft     = 100       // addresses to which it would go, or open them in windows
	maxDOM      = 8 << 20   // characters of the document read at the end
)

// Options say how pages are loaded.
type Options struct {
	UserAgent string // the crawl's, so that scripts see what servers see
	Language  string // as in chromium.Options, like the next two
	Window    image.Point
	Zone      string
	Memory    int64       // bytes that all Chromium processes may take together; 0 leaves it at half of what is free
	Clock     clock.Clock // nil means the machine's
	// Behaviours act on each page when it is at rest; nil means none.
	Behaviours *behaviours.Set
	// Render says what is made of each page; kavosh.PageInfo is not made here.
	Render []kavosh.RenderingKind
	Logins Logins // where a person is logged in; nil = nowhere
}

// Browser is a pool of Chromium processes. The first starts with the first page. It is safe for concurrent use. Close ends
// it.
type Browser struct {
	o         Options
	authority *authority
	pool      *pool
}

// New returns a Browser, or chromium.ErrAbsent if no Chromium is installed.
func New(o Options) (*Browser, error) {
	if _, err := chromium.Find(); err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	a, err := newAuthority(o.Clock.Now())
	if err != nil {
		return nil, err
	}
	how := chromium.Options{Trusted: a.fingerprint(), UserAgent: o.UserAgent, Language: o.Language, Window: o.Window, Zone: o.Zone}
	return &Browser{o: o, authority: a, pool: newPool(how, o.Memory, o.Clock)}, nil
}

// Close ends Chromium. Pages in progress end as they are.
func (b *Browser) Close() { b.pool.close() }
