package simulation

// This file is the network of a simulated world: connections and names.

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"
)

// event is one action of a connection's other end.
type event struct {
	at   time.Time
	data []byte // bytes that arrive; nil at an end
	err  error  // what reading returns when there are no more bytes
	done func() // called when the reader has all of it; World.mu is held
}

// conn is the crawler's end of a connection. The other end is a script of events, to which requests add. When the
// script is over, nothing more comes.
type conn struct {
	w      *World
	l      *Life
	name   string
	to     netip.AddrPort
	closed chan struct{}

	// Guarded by World.mu.
	shut     bool
	deadline time.Time // in true time; zero if none
	script   []event
	in       []byte   // of a request that is not complete
	now      *request // the current request
	served   int
	idle     time.Time // since when there is no current request
	patience time.Duration
	gone     bool // the other end vanished: nothing that is written arrives
}

// Lookup returns the addresses of a host, or failure with the reason. The error is ctx's.
func (l *Life) Lookup(ctx context.Context, host string) (addrs []netip.Addr, failure string, err error) {
	w := l.w
	w.mu.Lock()
	n := w.tick("dns " + host)
	w.mu.Unlock()
	rng := w.dice("dns", host, n)
	if !w.pass(l, fmt.Sprintf("dns %s #%d", host, n), time.Now().Add(time.Duration(1+rng.IntN(30))*time.Millisecond), ctx.Done()) {
		return nil, "", ctx.Err()
	}
	i, ok := w.web.names[host]
	if !ok {
		return nil, "no such host", nil
	}
	s := &w.web.hosts[i]
	if s.fate == "dns" || s.rough > 0 && rng.IntN(300) < s.rough {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.count("dns failure")
		w.count("fetch")
		return nil, "server failure", nil
	}
	return s.addrs, "", nil
}

// tick counts the events of a name over all lives. The caller holds w.mu.
func (w *World) tick(name string) int {
	n := w.mu.conns[name]
	w.mu.conns[name]++
	return n
}

// Dial opens a connection to one of the web's machines.
func (l *Life) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w := l.w
	w.mu.Lock()
	n := w.tick("dial " + to.String())
	w.mu.Unlock()
	name := fmt.Sprintf("dial %s #%d", to, n)
	rng := w.dice("dial", to.String(), n)
	fate, rough := w.machine(to)
	failed := func(kind string, err error) (net.Conn, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !l.dead {
			w.count(kind)
			w.count("fetch")
			w.trace("%s: %s", name, kind)
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(to), Err: err}
	}
	if fate == "" && rng.IntN(300) < rough {
		fate = []string{"refused", "silent"}[rng.IntN(2)]
	}
	if fate == "silent" {
		w.pass(l, name, time.Now().Add(2*horizon), ctx.Done())
		return failed("connect timeout", os.ErrDeadlineExceeded)
	}
	if !w.pass(l, name, time.Now().Add(time.Duration(1+rng.IntN(60))*time.Millisecond), ctx.Done()) {
		return nil, ctx.Err()
	}
	if fate == "refused" {
		return failed("connection refused", syscall.ECONNREFUSED)
	}
	c := &conn{w: w, l: l, name: strings.TrimPrefix(name, "dial "), to: to, closed: make(chan struct{}),
		patience: time.Duration(2+rng.IntN(40)) * time.Second}
	return c, nil
}

// machine returns what is wrong with the machine at an address: its fate, and the percentage of attempts that fail.
func (w *World) machine(to netip.AddrPort) (fate string, rough int) {
	for i := range w.web.hosts {
		s := &w.web.hosts[i]
		for j, a := range s.addrs {
			switch {
			case a != to.Addr():
			case s.fate == "half" && j == 0:
				return []string{"refused", "silent"}[i%2], 0
			case s.fate != "" && s.fate != "half" && len(s.addrs) == 1 && w.alone(a):
				return s.fate, 0
			case to.Port() == 443 && !s.tls:
				return "refused", 0
			default:
				rough = max(rough, s.rough)
			}
		}
	}
	return "", rough
}

func (w *World) alone(a netip.Addr) bool {
	n := 0
	for i := range w.web.hosts {
		for _, b := range w.web.hosts[i].addrs {
			if a == b {
				n++
			}
		}
	}
	return n == 1
}

func (c *conn) Write(p []byte) (int, error) {
	w := c.w
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case c.shut:
		return 0, net.ErrClosed
	case c.l.dead:
		return 0, syscall.EPIPE
	case c.gone:
		return len(p), nil
	}
	if c.to.Port() == 443 {
		if c.served == 0 {
			c.served++
			c.script = w.handshake(c)
		}
		return len(p), nil
	}
	if c.served > 0 && len(c.in) == 0 && (time.Since(c.idle) > c.patience || len(c.script) > 0) {
		// On a real socket, leftover bytes would show and prevent reuse.
		w.count("kept connection closed")
		w.trace("%s: kept too long", c.name)
		return 0, syscall.EPIPE
	}
	c.in = append(c.in, p...)
	if head, _, whole := strings.Cut(string(c.in), "\r\n\r\n"); whole {
		c.in = nil
		w.serve(c, head)
	}
	return len(p), nil
}

func (c *conn) Read(p []byte) (int, error) {
	w := c.w
	for {
		w.mu.Lock()
		if c.shut {
			w.mu.Unlock()
			return 0, net.ErrClosed
		}
		if c.l.dead {
			w.mu.Unlock()
			return 0, syscall.ECONNRESET
		}
		due, now := w.begin.Add(2*horizon), time.Now()
		if len(c.script) > 0 {
			due = c.script[0].at
		}
		late := !c.deadline.IsZero() && !c.deadline.After(now)
		if late && due.After(now) {
			w.trace("%s: read times out", c.name)
			w.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		}
		name := "read " + c.name
		if !c.deadline.IsZero() && c.deadline.Before(due) {
			due, name = c.deadline, "deadline "+c.name
		}
		w.mu.Unlock()
		w.pass(c.l, name, due, c.closed)
		w.mu.Lock()
		if len(c.script) == 0 || c.shut || c.l.dead || c.script[0].at.After(time.Now()) {
			w.mu.Unlock()
			continue // the deadline, or an end
		}
		n, err := c.take(p)
		w.mu.Unlock()
		return n, err
	}
}

// take reads from the script. The caller holds w.mu.
func (c *conn) take(p []byte) (int, error) {
	e := &c.script[0]
	if e.data == nil {
		c.w.trace("%s: %v", c.name, e.err)
		c.w.ended(c.now)
		c.now = nil
		if e.done != nil {
			e.done()
			e.done = nil
		}
		return 0, e.err // returned again at every read
	}
	n := copy(p, e.data)
	e.data = e.data[n:]
	if len(e.data) == 0 {
		done := e.done
		c.script = c.script[1:]
		if done != nil {
			done()
		}
	}
	return n, nil
}

func (c *conn) Close() error {
	w := c.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.shut {
		return net.ErrClosed
	}
	c.shut = true
	close(c.closed)
	w.ended(c.now)
	c.now = nil
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.deadline = time.Time{}
	if !t.IsZero() {
		c.deadline = time.Now().Add(t.Sub(c.w.wall(time.Now()))) // t is in the crawler's clock
	}
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error { return c.SetDeadline(t) }

// SetWriteDeadline does nothing, because writes never block.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

func (c *conn) LocalAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(address(65000), 40000))
}
func (c *conn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.to) }

// handshake does what a server with TLS does. The caller holds w.mu.
func (w *World) handshake(c *conn) []event {
	rng := w.dice("tls", c.name, 0)
	at := time.Now().Add(time.Duration(5+rng.IntN(50)) * time.Millisecond)
	w.count("fetch")
	switch rng.IntN(4) {
	case 0:
		w.count("tls closed")
		return []event{{at: at, err: io.EOF}}
	case 1:
		w.count("tls alert")
		return []event{{at: at, data: []byte{21, 3, 1, 0, 2, 2, 40}}, {at: at, err: io.EOF}}
	case 2:
		w.count("tls garbage")
		return []event{{at: at, data: []byte("HTTP/1.1 400 Bad Request\r\n\r\nspeak plainly\n")}, {at: at, err: io.EOF}}
	}
	w.count("tls stall")
	return nil
}
