package fetch

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"kavosh"
)

// conn is one connection with what an Exchange says of it. Its fields belong to whoever has it.
type conn struct {
	net.Conn
	key     connKey
	addr    netip.AddrPort // zero when a proxy makes the last step
	tls     *kavosh.TLS
	raw     syscall.RawConn // of the socket, or nil
	served  int             // answers that came over it
	streams *streams        // of HTTP/2, else nil
	until   time.Time       // the read deadline that is set
	answer  *answer         // what reads answers off it

	look   func(fd uintptr) // of waits, with what it found
	peeked [1]byte
	found  waiting

	use struct { // who may end the exchange that is under way
		sync.Mutex
		done   <-chan struct{} // of the context that is watched
		forget func() bool     // ends the watch
		watch  int             // counts the contexts: one of an earlier exchange must not end a later one
		busy   bool
		ended  bool // closed because the context ended
	}

	expires    time.Time // while kept
	prev, next *conn     // while kept: by age
	under      *conn     // while kept: the next older one of the same key
}

// waiting is what is found on a kept connection before it is used again.
type waiting uint8

const (
	nothing waiting = iota
	bytesWait
	ended
)

// begin watches ctx for an exchange: when it ends, the connection is closed. A context that several exchanges have in
// common is watched once. The error is ctx's.
func (c *conn) begin(ctx context.Context) error {
	c.use.Lock()
	defer c.use.Unlock()
	if done := ctx.Done(); done != c.use.done {
		c.unwatch()
		c.use.done = done
		if done != nil {
			n := c.use.watch
			c.use.forget = context.AfterFunc(ctx, func() { c.cancel(n) })
		}
	}
	c.use.busy = true
	return ctx.Err()
}

// unwatch forgets the context. c.use is held.
func (c *conn) unwatch() {
	c.use.watch++
	if c.use.forget != nil {
		c.use.forget()
	}
	c.use.done, c.use.forget = nil, nil
}

// cancel ends the exchange under way, if it is still of the n-th context.
func (c *conn) cancel(n int) {
	c.use.Lock()
	end := c.use.busy && c.use.watch == n
	c.use.ended = c.use.ended || end
	c.use.Unlock()
	if end {
		c.Conn.Close()
	}
}

// end ends what begin began, and reports whether the connection is still open.
func (c *conn) end() bool {
	c.use.Lock()
	defer c.use.Unlock()
	c.use.busy = false
	return !c.use.ended
}

// Close closes the connection and forgets the context.
func (c *conn) Close() error {
	c.use.Lock()
	c.unwatch()
	c.use.Unlock()
	return c.Conn.Close()
}

// usable reports whether a kept connection can serve again. One that the server has closed meanwhile cannot; nor can one
// on which it spoke unasked, as what it said would be taken for the next answer: in HTTP/2 it says what it belongs to.
func (c *conn) usable() bool {
	w := c.waits()
	return w == nothing || w == bytesWait && c.streams != nil
}

// connKey is what a connection can be used for. The route is not part of it: it follows from the URL's three.
type connKey struct {
	scheme string
	host   string
	port   uint16
	one    bool // HTTP/1.1 alone
}

// conns keeps connections for the next exchange with the same host. Nothing runs in the background: what has expired is
// closed when the next connection comes or goes.
type conns struct {
	max, maxPerHost int
	keep            time.Duration

	mu struct {
		sync.Mutex
		closed bool
		byKey  map[connKey]*conn // the newest; the others are under it
		root   conn              // a ring: root.next is the oldest
		n      int
	}
}

func newConns(max, maxPerHost int, keep time.Duration) *conns {
	p := &conns{max: max, maxPerHost: maxPerHost, keep: keep}
	p.mu.byKey = map[connKey]*conn{}
	p.mu.root.prev, p.mu.root.next = &p.mu.root, &p.mu.root
	return p
}

// get takes the newest kept connection for key that is usable, or nil.
func (p *conns) get(key connKey, now time.Time) *conn {
	for {
		p.mu.Lock()
		p.expire(now)
		c := p.mu.byKey[key]
		if c == nil {
			p.mu.Unlock()
			return nil
		}
		p.remove(c)
		p.mu.Unlock()
		if c.usable() {
			return c
		}
		c.Close()
	}
}

// put keeps c, or closes it when it is one too many.
func (p *conns) put(c *conn, now time.Time) {
	p.mu.Lock()
	p.expire(now)
	if p.mu.closed || p.max <= 0 || p.count(c.key) >= p.maxPerHost {
		p.mu.Unlock()
		c.Close()
		return
	}
	var oldest *conn
	if p.mu.n >= p.max {
		oldest = p.mu.root.next
		p.remove(oldest)
	}
	c.expires = now.Add(p.keep)
	c.prev, c.next = p.mu.root.prev, &p.mu.root
	c.prev.next, c.next.prev = c, c
	c.under = p.mu.byKey[c.key]
	p.mu.byKey[c.key] = c
	p.mu.n++
	p.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
}

// count is how many connections are kept for key. p.mu is held.
func (p *conns) count(key connKey) (n int) {
	for c := p.mu.byKey[key]; c != nil; c = c.under {
		n++
	}
	return n
}

// expire closes what was kept long enough. p.mu is held.
func (p *conns) expire(now time.Time) {
	for c := p.mu.root.next; c != &p.mu.root && !now.Before(c.expires); c = p.mu.root.next {
		p.remove(c)
		c.Close()
	}
}

// remove takes c out. p.mu is held.
func (p *conns) remove(c *conn) {
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = nil, nil
	p.mu.n--
	above := p.mu.byKey[c.key]
	switch {
	case above != c:
		for above.under != c {
			above = above.under
		}
		above.under = c.under
	case c.under != nil:
		p.mu.byKey[c.key] = c.under
	default:
		delete(p.mu.byKey, c.key)
	}
	c.under = nil
}

// drop closes all that is kept; with forever, also whatever would be kept later.
func (p *conns) drop(forever bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.closed = p.mu.closed || forever
	for c := p.mu.root.next; c != &p.mu.root; c = p.mu.root.next {
		p.remove(c)
		c.Close()
	}
}
