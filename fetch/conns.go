package fetch

// This file keeps open connections for later requests, at most so many in all and for a host.

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"kavosh"
)

// conn is one connection and what an Exchange records about it. Its fields belong to the goroutine that holds it.
type conn struct {
	net.Conn
	key     connKey
	addr    netip.AddrPort // zero if a proxy makes the last step
	tls     *kavosh.TLS
	raw     syscall.RawConn // of the socket; or nil
	served  int             // responses read from it
	streams *streams        // of HTTP/2; else nil
	until   time.Time       // the read deadline in force
	answer  *answer         // reads its responses

	look   func(fd uintptr) // for checkInput, with its result
	peeked [1]byte
	found  inputState

	use struct { // guards against two sides ending the current exchange
		sync.Mutex
		done   <-chan struct{} // Done channel of the watched context
		forget func() bool     // ends the watch
		watch  int             // counts contexts: the context of an earlier exchange must not end a later one
		busy   bool
		ended  bool // closed because the context ended
	}

	expires    time.Time // while kept
	prev, next *conn     // while kept: by age
	under      *conn     // while kept: the next older connection with the same key
}

// inputState says what a kept connection has to read before it is used again.
type inputState uint8

const (
	nothing inputState = iota
	bytesWait
	ended
)

// begin watches ctx during an exchange: when ctx ends, the connection is closed. A context that several exchanges share
// is watched once. The error is ctx's.
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

// unwatch stops watching the context. The caller holds c.use.
func (c *conn) unwatch() {
	c.use.watch++
	if c.use.forget != nil {
		c.use.forget()
	}
	c.use.done, c.use.forget = nil, nil
}

// cancel ends the current exchange if it still belongs to the n-th context.
func (c *conn) cancel(n int) {
	c.use.Lock()
	end := c.use.busy && c.use.watch == n
	c.use.ended = c.use.ended || end
	c.use.Unlock()
	if end {
		c.Conn.Close()
	}
}

// end ends what begin began and reports whether the connection is still open.
func (c *conn) end() bool {
	c.use.Lock()
	defer c.use.Unlock()
	c.use.busy = false
	return !c.use.ended
}

// Close closes the connection and stops watching the context.
func (c *conn) Close() error {
	c.use.Lock()
	c.unwatch()
	c.use.Unlock()
	return c.Conn.Close()
}

// usable reports whether a kept connection can be used again. It cannot if the server has closed it. In HTTP/1.1 it
// also cannot if the server has sent something unasked, because that would be taken for the next response; HTTP/2
// frames say what they belong to.
func (c *conn) usable() bool {
	w := c.checkInput()
	return w == nothing || w == bytesWait && c.streams != nil
}

// connKey says what a connection can be used for. The route follows from the URL's three parts.
type connKey struct {
	scheme string
	host   string
	port   uint16
	one    bool // HTTP/1.1 only
}

// conns keeps connections for the next exchange with the same host. Nothing runs in the background: expired connections
// are closed when the next one comes or goes.
type conns struct {
	max, maxPerHost int
	keep            time.Duration

	mu struct {
		sync.Mutex
		closed bool
		byKey  map[connKey]*conn // the newest; older ones hang under it
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

// get returns the newest usable connection for key, or nil.
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

// put keeps c, or closes it if too many are kept.
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

// count returns how many connections are kept for key. The caller holds p.mu.
func (p *conns) count(key connKey) (n int) {
	for c := p.mu.byKey[key]; c != nil; c = c.under {
		n++
	}
	return n
}

// expire closes connections that were kept long enough. The caller holds p.mu.
func (p *conns) expire(now time.Time) {
	for c := p.mu.root.next; c != &p.mu.root && !now.Before(c.expires); c = p.mu.root.next {
		p.remove(c)
		c.Close()
	}
}

// remove takes c out. The caller holds p.mu.
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

// drop closes all kept connections. With forever, put also closes all later ones.
func (p *conns) drop(forever bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.closed = p.mu.closed || forever
	for c := p.mu.root.next; c != &p.mu.root; c = p.mu.root.next {
		p.remove(c)
		c.Close()
	}
}
