package hostile

// This file is a hostile host's end of a connection.

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Conn is the host's end of a connection. It counts what is written.
type Conn struct {
	net.Conn
	h    *host
	tcp  *net.TCPConn
	sent int64
	free bool // do not count what is written: robots.txt
}

// Write sends p. It fails after Enough bytes.
func (c *Conn) Write(p []byte) (int, error) {
	if c.sent > Enough {
		return 0, io.ErrShortWrite
	}
	n, err := c.Conn.Write(p)
	c.sent += int64(n)
	if !c.free {
		c.h.mu.Lock()
		c.h.mu.seen.Sent += int64(n)
		c.h.mu.Unlock()
	}
	return n, err
}

// Say sends text.
func (c *Conn) Say(text string) error {
	_, err := io.WriteString(c, text)
	return err
}

// Flood sends first, then piece for ever.
func (c *Conn) Flood(first, piece string) {
	if n := 8192/len(piece) + 1; n > 1 {
		piece = strings.Repeat(piece, n)
	}
	for err := c.Say(first); err == nil; err = c.Say(piece) {
	}
}

// Drip sends first, then piece after every wait, for ever.
func (c *Conn) Drip(first, piece string, wait time.Duration) {
	for err := c.Say(first); err == nil && c.h.s.Clock.Sleep(c.h.s.ctx, wait) == nil; {
		err = c.Say(piece)
	}
}

// Wait sends nothing more until the client leaves.
func (c *Conn) Wait() {
	_, _ = io.Copy(io.Discard, c) // only its end matters
}

// Reset resets the connection. A reset may lose bytes sent just before it, so the client first gets a moment to read.
func (c *Conn) Reset() {
	_ = c.h.s.Clock.Sleep(c.h.s.ctx, time.Second)
	_ = c.tcp.SetLinger(0)
	_ = c.tcp.Close()
}

// Visit is one request and the connection that answers it.
type Visit struct {
	*Conn
	Path string // with the query
	Head string // as received
	keep bool   // the answer said where it ends
}

// Host is the visited host's name.
func (v *Visit) Host() string { return v.h.Name + Domain }

// Page answers with a complete page.
func (v *Visit) Page(body string) {
	v.Answer("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body)
}

// Answer answers correctly.
func (v *Visit) Answer(status, fields, body string) {
	v.keep = v.Say(fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), fields, body)) == nil
}

// Redirect answers 302 with a Location.
func (v *Visit) Redirect(to string) { v.Answer("302 Found", "Location: "+to+"\r\n", "") }

func (h *host) serve(tcp *net.TCPConn) {
	began := h.s.Clock.Now()
	_ = tcp.SetWriteBuffer(sockets) // a hint
	c := &Conn{Conn: tcp, h: h, tcp: tcp}
	stop := make(chan struct{})
	defer close(stop)
	h.s.wg.Go(func() {
		select {
		case <-stop:
		case <-h.s.ctx.Done():
			tcp.Close()
		}
	})
	defer func() {
		tcp.Close()
		h.mu.Lock()
		h.mu.seen.Longest = max(h.mu.seen.Longest, h.s.Clock.Now().Sub(began))
		h.mu.Unlock()
	}()
	h.mu.Lock()
	h.mu.seen.Conns++
	h.mu.Unlock()
	if h.Conn != nil {
		h.Conn(c)
		return
	}
	if h.TLS != nil {
		tc := tls.Server(tcp, h.s.certs.config(h))
		if tc.Handshake() != nil {
			return
		}
		c.Conn = tc
	}
	r := bufio.NewReader(c.Conn)
	for h.answer(c, r) {
	}
}

// answer reads one request and answers it. It returns false if the connection is done.
func (h *host) answer(c *Conn, r *bufio.Reader) bool {
	head, err := readHead(r)
	if err != nil {
		return false
	}
	v := &Visit{Conn: c, Path: pathOf(head), Head: head}
	h.mu.Lock()
	h.mu.seen.Requests = append(h.mu.seen.Requests, head)
	h.mu.Unlock()
	switch c.free = v.Path == "/robots.txt"; {
	case c.free && h.Robots != nil:
		h.Robots(v)
	case c.free:
		v.Answer("404 Not Found", "", "")
	case h.Page != nil:
		h.Page(v)
	default:
		v.Page("<p>" + h.Name)
	}
	return v.keep
}

// readHead reads the head of one request with its blank line.
func readHead(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		b.WriteString(line)
		if err != nil || b.Len() > 1<<20 {
			return "", io.ErrUnexpectedEOF
		}
		if line == "\r\n" {
			return b.String(), nil
		}
	}
}
