// Package browser loads pages in Chromium, for those that are whole only when their scripts have run.
//
// The browser fetches nothing. Every request of a page goes to a proxy of its own on this machine (proxy.go), which asks
// whoever loads the page: the crawl, by its gate, its fetcher and its recorder. HTTPS is opened there with certificates of an
// authority made for the run (authority.go). What the page does is led by load.go: it is scrolled through, nothing of it
// leaves the page, and all of it is bounded.
package browser

import (
	"context"
	"sync"
	"time"

	"kavosh/internal/chromium"
	"kavosh/internal/clock"
)

// Bounds of one page.
const (
	maxTime     = 60 * time.Second
	maxRequests = 1000
	maxBytes    = 200 << 20 // of bodies given to it
	maxPost     = 1 << 20   // body of a request
	maxHead     = 128 << 10 // head of a request
	maxDOM      = 8 << 20   // characters of the document that are read at the end
)

// tabs is how many pages are loaded at once.
const tabs = 2

// Options say how pages are loaded.
type Options struct {
	UserAgent string      // of the crawl, so that scripts see what servers see
	Clock     clock.Clock // nil = the machine's
	// Unsandboxed is as chromium.Options has it.
	Unsandboxed bool
}

// Browser is a Chromium that is started when the first page is loaded, and again after it broke. It is safe for concurrent
// use. Close ends it.
type Browser struct {
	o         Options
	authority *authority
	free      chan struct{} // a place for each tab

	mu struct {
		sync.Mutex
		running *chromium.Browser
	}
}

// New makes a browser. It is chromium.ErrAbsent when none is installed.
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

// Close ends Chromium. Pages under way end as they are.
func (b *Browser) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.running != nil {
		b.mu.running.Close()
		b.mu.running = nil
	}
}

// process is the Chromium that runs, started when there is none.
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
	p, err := chromium.Start(context.Background(), chromium.Options{Trusted: b.authority.fingerprint(), UserAgent: b.o.UserAgent, Unsandboxed: b.o.Unsandboxed})
	b.mu.running = p
	return p, err
}

// kill ends a Chromium that does not do what it is told. The pages of its other tab end, too.
func (b *Browser) kill(p *chromium.Browser) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mu.running == p {
		p.Close()
		b.mu.running = nil
	}
}
