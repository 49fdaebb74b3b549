package fetch

import (
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
	key    connKey
	addr   netip.AddrPort // zero when a proxy makes the last step
	tls    *kavosh.TLS
	raw    syscall.RawConn // of the socket, or nil
	served int             // answers that came over it
	until  time.Time       // the read deadline that is set

	expires    time.Time // while kept
	prev, next *conn     // while kept: by age
}

// connKey is what a connection can be used for. The route is not part of it: it follows from these three.
type connKey struct {
	scheme string
	host   string
	port   uint16
}

// conns keeps connections for the next exchange with the same host. Nothing runs in the background: what has expired is
// closed when the next connection comes or goes.
type conns struct {
	max, maxPerHost int
	keep            time.Duration

	mu struct {
		sync.Mutex
		closed bool
		byKey  map[connKey][]*conn // the newest last
		root   conn                // a ring: root.next is the oldest
		n      int
	}
}

func newConns(max, maxPerHost int, keep time.Duration) *conns {
	p := &conns{max: max, maxPerHost: maxPerHost, keep: keep}
	p.mu.byKey = map[connKey][]*conn{}
	p.mu.root.prev, p.mu.root.next = &p.mu.root, &p.mu.root
	return p
}

// get takes the newest kept connection for key, or nil. One that the server has closed meanwhile, or on which it spoke
// unasked, is not used: what it said would be taken for the next answer.
func (p *conns) get(key connKey, now time.Time) *conn {
	for {
		p.mu.Lock()
		p.expire(now)
		kept := p.mu.byKey[key]
		if len(kept) == 0 {
			p.mu.Unlock()
			return nil
		}
		c := kept[len(kept)-1]
		p.remove(c)
		p.mu.Unlock()
		if c.quiet() {
			return c
		}
		c.Close()
	}
}

// put keeps c, or closes it when it is one too many.
func (p *conns) put(c *conn, now time.Time) {
	p.mu.Lock()
	p.expire(now)
	if p.mu.closed || len(p.mu.byKey[c.key]) >= p.maxPerHost || p.max <= 0 {
		p.mu.Unlock()
		c.Close()
		return
	}
	if p.mu.n >= p.max {
		oldest := p.mu.root.next
		p.remove(oldest)
		defer oldest.Close()
	}
	c.expires = now.Add(p.keep)
	c.prev, c.next = p.mu.root.prev, &p.mu.root
	c.prev.next, c.next.prev = c, c
	p.mu.byKey[c.key] = append(p.mu.byKey[c.key], c)
	p.mu.n++
	p.mu.Unlock()
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
	kept := p.mu.byKey[c.key]
	for i := range kept {
		if kept[i] == c {
			copy(kept[i:], kept[i+1:])
			kept[len(kept)-1] = nil
			kept = kept[:len(kept)-1]
			break
		}
	}
	if len(kept) == 0 {
		delete(p.mu.byKey, c.key)
	} else {
		p.mu.byKey[c.key] = kept
	}
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
