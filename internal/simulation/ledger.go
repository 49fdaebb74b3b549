package simulation

// This file records what the simulated servers saw, and judges the politeness of a crawl by it.

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// ledger is what the servers saw; politeness is judged by it. World.mu guards it.
type ledger struct {
	hosts     map[string]*tally
	addrs     map[netip.Addr]*tally
	origins   map[string]*consent
	delay     time.Duration
	addrDelay time.Duration
}

// tally is what was requested of a host or address.
type tally struct {
	open    int       // requests in progress
	last    time.Time // end of the last request; zero if none
	until   time.Time // by Retry-After: no request before
	wall    time.Time // the same in the wall clock, as the crawler read it
	life    int       // the life in which until was sent
	said    time.Time // when until was sent
	request string    // the last request
	stale   bool      // the last request ended on a kept connection before any byte of its response, so it may be repeated at once
}

// consent is what is known about an origin's robots.txt.
type consent struct {
	asked bool          // requested at least once
	began time.Time     // when it was last requested; its redirects may be requested again from then on
	at    time.Time     // when its last response came
	open  bool          // its last complete response allows us …
	bar   string        // … except paths with this prefix; "" if none …
	delay time.Duration // … with this Crawl-delay; 0 if none
}

// request is a request that reached a server, until its response ends.
type request struct {
	life   *Life
	host   string
	addr   netip.Addr
	origin string
	path   string
	ended  bool
	stale  bool
	body   string        // of the response, as far as the head says
	wait   time.Duration // from the response's Retry-After, once its head was read
}

func newLedger() ledger {
	return ledger{hosts: map[string]*tally{}, addrs: map[netip.Addr]*tally{}, origins: map[string]*consent{}}
}

// Polite tells the world which delays the crawl must keep.
func (w *World) Polite(delay, addressDelay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.ledger.delay, w.mu.ledger.addrDelay = delay, addressDelay
}

func (g *ledger) host(name string) *tally {
	t := g.hosts[name]
	if t == nil {
		t = &tally{}
		g.hosts[name] = t
	}
	return t
}

func (g *ledger) addr(a netip.Addr) *tally {
	t := g.addrs[a]
	if t == nil {
		t = &tally{}
		g.addrs[a] = t
	}
	return t
}

func (g *ledger) consent(origin string) *consent {
	c := g.origins[origin]
	if c == nil {
		c = &consent{}
		g.origins[origin] = c
	}
	return c
}

// asked judges a request that has just reached a server. The caller holds w.mu.
func (w *World) asked(r *request) {
	g := &w.mu.ledger
	now := time.Now()
	h, a := g.host(r.host), g.addr(r.addr)
	c := g.consent(r.origin)
	robots := r.path == "/robots.txt" || strings.HasPrefix(r.path, "/rules/")
	want := g.delay
	if !robots && c.open {
		want = max(want, c.delay)
	}
	again := h.stale && h.request == r.host+r.path
	switch {
	case again:
	case g.delay > 0 && h.open > 0:
		w.violate("%s%s was asked for while %s was under way", r.host, r.path, h.request)
	case !h.last.IsZero() && now.Sub(h.last) < want:
		w.violate("%s%s was asked for %v after the end of %s; it wants %v", r.host, r.path, now.Sub(h.last), h.request, want)
	}
	if now.Before(h.until) && (h.life == w.mu.lives || w.wall(now).Round(0).Before(h.wall)) {
		w.violate("%s%s was asked for %v before the time that Retry-After named", r.host, r.path, h.until.Sub(now))
	}
	if g.addrDelay > 0 && !again {
		switch {
		case a.open > 0:
			w.violate("%s%s was asked for at %s while %s was under way", r.host, r.path, r.addr, a.request)
		case !a.last.IsZero() && now.Sub(a.last) < g.addrDelay:
			w.violate("%s%s was asked for at %s %v after the end of %s", r.host, r.path, r.addr, now.Sub(a.last), a.request)
		}
	}
	switch {
	case robots:
		c.asked = true
	case !c.open:
		w.violate("%s%s was asked for although robots.txt does not allow it (asked %v)", r.origin, r.path, c.asked)
	case now.Sub(c.at) > rulesFor && !w.mu.jumped:
		w.violate("%s%s was asked for by a robots.txt that is %v old", r.origin, r.path, now.Sub(c.at))
	case c.bar != "" && strings.HasPrefix(r.path, c.bar):
		w.violate("%s%s was asked for, which robots.txt disallows", r.origin, r.path)
	}
	if at, done := w.mu.settled[r.origin+r.path]; done && !again &&
		(!robots || !at.Before(c.began) && now.Sub(at) < 24*time.Hour && now.Sub(c.at) < 24*time.Hour && !w.mu.jumped) {
		w.violate("%s%s was asked for although the crawl was done with it, durably, %v ago", r.host, r.path, now.Sub(at))
	}
	if r.path == "/robots.txt" {
		c.began = now
	}
	h.open++
	a.open++
	h.stale, a.stale = false, false
	h.request, a.request = r.host+r.path, r.host+r.path
	w.count("fetch")
	w.trace("request %s%s at %s", r.host, r.path, r.addr)
}

// rulesFor is how long a robots.txt is valid, plus the time of a request that it allowed.
const rulesFor = 25 * time.Hour

// Settle tells the world that the crawl is durably done with a URL: it must never be requested again, and a robots.txt
// not for a day. It returns false in a life that was ended, because nobody heard it.
func (l *Life) Settle(url string) bool {
	w := l.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.dead {
		return false
	}
	w.mu.settled[url] = time.Now()
	return true
}

// ended notes the end of a response. The caller holds w.mu.
func (w *World) ended(r *request) {
	if r == nil || r.ended || r.life.dead {
		return
	}
	r.ended = true
	g := &w.mu.ledger
	for _, t := range []*tally{g.host(r.host), g.addr(r.addr)} {
		t.open--
		t.last, t.stale = time.Now(), r.stale
	}
	if r.wait > 0 {
		w.retryAfter(r.host, r.wait)
	}
	w.trace("end %s%s", r.host, r.path)
}

// retryAfter notes that the crawler read a response with Retry-After. The caller holds w.mu.
func (w *World) retryAfter(host string, d time.Duration) {
	t := w.mu.ledger.host(host)
	if until := time.Now().Add(d); until.After(t.until) {
		t.until, t.wall, t.life, t.said = until, w.wall(until).Round(0), w.mu.lives, time.Now()
	}
}

// consented notes that the crawler read enough of a response to a request for robots.txt. The caller holds w.mu.
func (w *World) consented(r *request, status int) {
	if r.path != "/robots.txt" && !strings.HasPrefix(r.path, "/rules/") {
		return
	}
	c := w.mu.ledger.consent(r.origin)
	c.open = status >= 200 && status < 300 || status >= 400 && status < 500 && status != 429
	c.at, c.bar, c.delay = time.Now(), "", 0
	if status >= 300 {
		return
	}
	for line := range strings.Lines(r.body) { // a wrong Content-Length may have cut them short
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value = strings.TrimSpace(value); name {
		case "Disallow":
			c.bar = value
		case "Crawl-delay":
			n, _ := strconv.Atoi(value)
			c.delay = time.Duration(n) * time.Second
		}
	}
}

// killed drops what a killed process could not have stored: a response whose last byte it read at this moment.
func (g *ledger) killed(now time.Time) {
	for _, t := range g.hosts {
		if t.last.Equal(now) {
			t.until = time.Time{}
		}
	}
	g.cutAll(now)
}

// stopTime is the longest time that a crawl takes to stop, while exchanges in progress may end.
const stopTime = 11 * time.Second

// failed drops what a failing disk may have kept a process from storing: what servers asked for while it stopped.
func (g *ledger) failed(now time.Time) {
	for _, t := range g.hosts {
		if now.Sub(t.said) <= stopTime {
			t.until = time.Time{}
		}
	}
}

// cutAll ends what is in progress, because connections end with the process.
func (g *ledger) cutAll(now time.Time) {
	for _, t := range g.hosts {
		if t.open > 0 {
			t.open, t.last = 0, now
		}
	}
	for _, t := range g.addrs {
		if t.open > 0 {
			t.open, t.last = 0, now
		}
	}
}
