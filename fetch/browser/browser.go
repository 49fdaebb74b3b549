// Package browser loads pages in Chromium, for pages that are complete only after their scripts have run.
//
// The browser fetches nothing. Every request of a page goes to a local proxy (proxy.go), which passes it to the Asker:
// the crawl, with its politeness gate, fetcher and recorder. HTTPS is decrypted there with certificates of an authority
// made for the run (authority.go). load.go controls the page: it keeps it from acting outside, and
// bounds everything; behave.go lets behaviours scroll it, open
// what is folded, and so on.
package browser

import (
	"context"
	"sync"
	"time"

	"kavosh"
	"kavosh/fetch/behaviours"
	"kavosh/internal/chromium"
	"kavosh/internal/clock"
)

// Bounds on one page.
const (
	maxTime     = 60 * time.Second
	maxRequests = 1000
	maxBytes    = 200 << 20 // of bodies sent to it
	maxPost     = 1 << 20   // of a request's body
	maxHead     = 128 << 10 // of a request's head
	maxDOM      = 8 << 20   // characters of the document read at the end
)

// tabs is how many pages load at once.
const tabs = 2

// Options say how pages are loaded.
type Options struct {
	UserAgent string      // the crawl's, so that scripts see what servers see
	Clock     clock.Clock // nil means the machine's
	// Behaviours act on each page when it is at rest; nil means none.
	Behaviours *behaviours.Set
	// Render says what is made of each page; kavosh.PageInfo is not made here.
	Render []kavosh.RenderingKind
}

// Browser is a Chromium. It starts with the first page, and again after it broke. It is safe for concurrent use. Close
// ends it.
type Browser struct {
	o         Options
	authority *authority
	free      chan struct{} // holds one token for each free tab

	mu struct {
		sync.Mutex
		running *chromium.Browser
	}
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
	b := &Browser{o: o, authority: a, free: make(chan struct{}, tabs)}
	for range tabs {
		b.free <- struct{}{}
	}
	return b, nil
}

// Close ends Chromium. Pages in progress end as they are.
func (b *Browser) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.running != nil {
		b.mu.running.Close()
		b.mu.running = nil
	}
}

// process returns the running Chromium and starts it if there is none.
func (b *Browser) process() (*chromium.Browser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.mu.running; p != nil {
		select {
		case <-p.Gone():
			p.Close()
		default:
			return p, nil
		}
	}
	p, err := chromium.Start(context.Background(),
		chromium.Options{Trusted: b.authority.fingerprint(), UserAgent: b.o.UserAgent})
	b.mu.running = p
	return p, err
}

// kill ends a Chromium that does not respond. The page in its other tab ends too.
func (b *Browser) kill(p *chromium.Browser) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.running == p {
		p.Close()
		b.mu.running = nil
	}
}
