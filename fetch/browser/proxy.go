package browser

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"kavosh"
	"kavosh/internal/clock"
)

// Request is one request of a page.
type Request struct {
	URL string // as requested, without fragment
	Ask kavosh.Ask
}

// Asker answers a request. It calls answer at most once, with an exchange that has a response; it may close the
// exchange when answer returns. If it does not call answer, the page sees a network error. ctx ends when the page no
// longer wants the response.
type Asker func(ctx context.Context, r *Request, answer func(*kavosh.Exchange))

// proxy is the HTTP proxy of one page, on a local address. Every request of the page comes here, and ask answers it.
type proxy struct {
	ask       Asker
	clock     clock.Clock
	authority *authority
	server    *http.Server
	listener  net.Listener
	tunnels   chan net.Conn // opened by CONNECT, waiting to be served
	ended     chan struct{}

	mu struct {
		sync.Mutex
		under    int       // requests in progress
		changed  time.Time // when a request last began or ended
		requests int
		bytes    int64 // of bodies sent to the page
		refused  map[string]int
		asked    int       // WebSockets that the page asked for
		sockets  []*Socket // … that were answered
		framed   int64     // bytes that are kept of their frames
	}
}

// newProxy starts a proxy; close ends it.
func newProxy(ctx context.Context, c clock.Clock, a *authority, ask Asker) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{ask: ask, clock: c, authority: a, listener: l, tunnels: make(chan net.Conn), ended: make(chan struct{})}
	p.mu.refused, p.mu.changed = map[string]int{}, c.Now()
	p.server = &http.Server{
		Handler: p, MaxHeaderBytes: maxHead, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if t, ok := c.(tunnelled); ok {
				return context.WithValue(ctx, originKey{}, t.origin())
			}
			return ctx
		},
	}
	go p.server.Serve(l) // until close; the page notices if it fails
	go p.server.Serve(tunnelListener{p})
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) close() {
	close(p.ended)
	p.server.Close()
}

// originKey is the context key for the origin of a tunnel's requests, such as "https://example.org".
type originKey struct{}

// ServeHTTP answers one request of the page.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	url := r.RequestURI
	if origin, ok := r.Context().Value(originKey{}).(string); ok {
		url = origin + url
	}
	if why := p.whyRefused(r, url); why != "" {
		p.refuse(why)
	}
	if !strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream") { // no page rests that waits for the end of events
		p.begin()
		defer p.end()
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxPost+1))
	switch {
	case err != nil:
		panic(http.ErrAbortHandler)
	case len(body) > maxPost:
		p.refuse(fmt.Sprintf("with more than %d bytes of body", maxPost))
	}
	request := &Request{URL: url, Ask: kavosh.Ask{Method: r.Method, Body: body, Cookie: strings.Join(r.Header.Values("Cookie"), "; "), Socket: isSocket(r)}}
	for _, name := range passedFields(r.Header) {
		for _, v := range r.Header[name] {
			request.Ask.Header = append(request.Ask.Header, kavosh.Field{Name: name, Value: v})
		}
	}
	given, done := false, make(chan struct{})
	go func() { // not in the server's goroutine, which would swallow a panic of ours
		defer close(done)
		p.ask(r.Context(), request, func(x *kavosh.Exchange) {
			given = true
			if request.Ask.Socket {
				p.relay(w, request, x)
			}
			if x.Socket != nil {
				return
			}
			p.sendAnswer(w, r, x)
		})
	}()
	if <-done; !given {
		panic(http.ErrAbortHandler)
	}
}

// note counts a refused request.
func (p *proxy) note(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.refused[why]++
}

// refuse counts a refused request and ends its connection.
func (p *proxy) refuse(why string) {
	p.note(why)
	panic(http.ErrAbortHandler)
}

// whyRefused returns why a request is refused; "" if it is not.
func (p *proxy) whyRefused(r *http.Request, url string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case isSocket(r) && p.mu.asked >= maxSockets:
		return fmt.Sprintf("to open more than %d WebSockets", maxSockets)
	case r.Header.Get("Upgrade") != "" && !isSocket(r):
		return "to leave HTTP"
	case r.Method != http.MethodGet && r.Method != http.MethodPost && r.Method != http.MethodOptions:
		return "by " + r.Method[:min(len(r.Method), 20)]
	case !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://"):
		return "for what is no URL of the web"
	case p.mu.requests >= maxRequests:
		return fmt.Sprintf("beyond the first %d", maxRequests)
	case p.mu.bytes >= maxBytes:
		return fmt.Sprintf("after %d MB", maxBytes>>20)
	}
	if isSocket(r) {
		p.mu.asked++
	}
	p.mu.requests++
	return ""
}

// isSocket reports whether a request is to open a WebSocket.
func isSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

func (p *proxy) begin() { p.count(1) }
func (p *proxy) end()   { p.count(-1) }

func (p *proxy) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.under += n
	p.mu.changed = p.clock.Now()
}

// quiet returns for how long no request has been in progress; 0 while one is.
func (p *proxy) quiet() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mu.under > 0 {
		return 0
	}
	return p.clock.Now().Sub(p.mu.changed)
}

// passedFields returns, sorted, the fields of a browser's request to pass on. It leaves out those of the connection, those
// that the crawl sets itself (user agent, codings, cookies), and those that ask for part of a response, or for frames of a
// WebSocket that are packed.
func passedFields(h http.Header) []string {
	var names []string
	for name := range h {
		switch name {
		case "Accept", "Accept-Language", "Authorization", "Content-Type", "Origin", "Referer":
			names = append(names, name)
		default:
			if strings.HasPrefix(name, "X-") || strings.HasPrefix(name, "Sec-Websocket-") && name != "Sec-Websocket-Extensions" || strings.HasPrefix(name, "Access-Control-Request-") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// sendAnswer sends an exchange's response to the browser: status, fields except the connection's, and the body or the
// requested part of it.
func (p *proxy) sendAnswer(w http.ResponseWriter, r *http.Request, x *kavosh.Exchange) {
	h := w.Header()
	for _, f := range x.Header {
		switch strings.ToLower(f.Name) {
		case "connection", "keep-alive", "proxy-authenticate", "proxy-connection", "te", "trailer", "transfer-encoding",
			"upgrade", "content-length", "alt-svc", "date":
		default:
			h.Add(f.Name, f.Value)
		}
	}
	body := io.NewSectionReader(x.Payload, 0, x.Payload.Size())
	p.mu.Lock()
	p.mu.bytes += body.Size()
	p.mu.Unlock()
	if x.Status == http.StatusOK && r.Header.Get("Range") != "" && h.Get("Content-Encoding") == "" {
		http.ServeContent(w, r, "", time.Time{}, body)
		return
	}
	status := x.Status
	if status < 200 || status > 599 { // a malformed head: browsers show the body
		status = http.StatusOK
	}
	w.WriteHeader(status)
	io.Copy(w, body) // if it fails, the browser went away and needs no more
}

// tunnel answers CONNECT. Then it serves the connection as the named server would, over TLS if it begins with a TLS
// handshake.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, "no such host", http.StatusBadRequest)
		return
	}
	p.count(0) // the request that it is for comes in a moment
	c, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		c.Close()
		return
	}
	c.SetDeadline(time.Time{})
	go func() {
		t, err := p.open(c, buffered.Reader, host, port)
		if err != nil {
			c.Close()
			return
		}
		select {
		case p.tunnels <- t:
		case <-p.ended:
			c.Close()
		}
	}()
}

// open makes the server's end of a tunnel.
func (p *proxy) open(c net.Conn, r *bufio.Reader, host, port string) (tunnelled, error) {
	first, err := r.Peek(1)
	if err != nil {
		return tunnelled{}, err
	}
	t := tunnelled{Conn: peeked{c, r}, scheme: "http", host: host, port: port}
	if first[0] != 0x16 { // not a TLS handshake
		return t, nil
	}
	t.scheme = "https"
	t.Conn = tls.Server(t.Conn, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.authority.leaf(host) }})
	return t, nil
}

// tunnelled is the server's end of a tunnel.
type tunnelled struct {
	net.Conn
	scheme, host, port string
}

func (t tunnelled) origin() string { return t.scheme + "://" + net.JoinHostPort(t.host, t.port) }

// peeked is a connection whose first bytes wait in a reader.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// tunnelListener hands the proxy's tunnels to its server.
type tunnelListener struct{ p *proxy }

var errEnded = errors.New("the page's proxy has ended")

func (l tunnelListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.p.tunnels:
		return c, nil
	case <-l.p.ended:
		return nil, errEnded
	}
}

func (l tunnelListener) Close() error   { return nil }
func (l tunnelListener) Addr() net.Addr { return l.p.listener.Addr() }
