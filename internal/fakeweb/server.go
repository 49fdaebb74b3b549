package fakeweb

// This file serves a made-up web, which tests and the demo crawl, over sockets (Serve) or in memory (Dial), and
// remembers the requests.

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"kavosh/internal/clock"
)

// Request is one request as the server saw it, for judging politeness.
type Request struct {
	Began  time.Time // when the head was read
	Ended  time.Time // when the last byte was written, or the connection broke
	Scheme string
	Method string
	Host   string // from the Host field, without port
	Path   string // with query, as sent
	Remote string
	Status int   // 0 for a raw answer, or for none
	Bytes  int64 // sent
	Header http.Header
}

// Server serves a Web. It is safe for concurrent use. Close ends it.
type Server struct {
	web    *Web
	clock  clock.Clock
	config *tls.Config
	cert   *x509.Certificate
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu struct {
		sync.Mutex
		log   []Request
		hits  map[*answer]int
		conns map[net.Conn]struct{}
	}
}

// NewServer returns a server of w. A nil clock means the machine's. https uses a self-signed certificate for the web's
// hosts (Certificate).
func NewServer(w *Web, c clock.Clock) (*Server, error) {
	if c == nil {
		c = clock.Real{}
	}
	s := &Server{web: w, clock: c}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mu.hits = map[*answer]int{}
	s.mu.conns = map[net.Conn]struct{}{}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fakeweb"}, DNSNames: w.names,
		NotBefore: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	if s.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	s.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	return s, nil
}

// Certificate returns the certificate of https connections, for clients to trust.
func (s *Server) Certificate() *x509.Certificate { return s.cert }

// Requests returns the requests so far, in the order of their ends.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.mu.log...)
}

// Lookup returns the made-up address of a host, for Dial, or a *net.DNSError.
func (s *Server) Lookup(name string) (netip.Addr, error) {
	h := s.web.hosts[name]
	if h == nil || h.dns == "none" {
		return netip.Addr{}, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return h.addr, nil
}

// Dial connects to a host in memory. The address is that of Lookup, with any port. It fails or hangs if the web says
// so.
func (s *Server) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(to), Err: syscall.ECONNREFUSED}
	var h *host
	for _, name := range s.web.names {
		if s.web.hosts[name].addr == to.Addr() {
			h = s.web.hosts[name]
			break
		}
	}
	switch {
	case h == nil || h.dial == "refuse" || s.ctx.Err() != nil:
		return nil, refused
	case h.dial == "hang":
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: refused.Addr, Err: ctx.Err()}
	}
	here, there := net.Pipe()
	client := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("198.19.255.254:40000"))
	s.start(pipe{there, refused.Addr, client})
	return pipe{here, client, refused.Addr}, nil
}

// pipe is one end of a net.Pipe with an address.
type pipe struct {
	net.Conn
	local, remote net.Addr
}

func (p pipe) LocalAddr() net.Addr  { return p.local }
func (p pipe) RemoteAddr() net.Addr { return p.remote }

// Serve accepts connections until Close closes l; then it returns nil. This listener answers for every host of the web,
// by http and https.
func (s *Server) Serve(l net.Listener) error {
	stop := context.AfterFunc(s.ctx, func() { l.Close() })
	defer stop()
	for {
		c, err := l.Accept()
		if err != nil {
			if s.ctx.Err() != nil {
				return nil
			}
			return err
		}
		s.start(c)
	}
}

// Close ends all connections and waits for them.
func (s *Server) Close() {
	s.cancel()
	s.mu.Lock()
	for c := range s.mu.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *Server) start(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		c.Close()
		return
	}
	s.mu.conns[c] = struct{}{}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.serveConn(c)
		c.Close()
		s.mu.Lock()
		delete(s.mu.conns, c)
		s.mu.Unlock()
	}()
}

// serveConn answers requests on a connection until one end closes it. It recognises TLS by its first byte.
func (s *Server) serveConn(c net.Conn) {
	br := bufio.NewReader(c)
	first, err := br.Peek(1)
	if err != nil {
		return
	}
	scheme, conn := "http", c
	if first[0] == 0x16 {
		config := s.config.Clone()
		config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			if h := s.web.hosts[hello.ServerName]; h != nil && h.tls == "none" {
				return nil, errors.New("no https here")
			}
			return nil, nil
		}
		t := tls.Server(peeked{c, br}, config)
		defer t.Close()
		scheme, conn, br = "https", t, bufio.NewReader(t)
	}
	for s.ctx.Err() == nil {
		req, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		began := s.clock.Now()
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		x := &exchange{server: s, conn: conn, tcp: c, scheme: scheme, req: req}
		keep := x.answer()
		s.mu.Lock()
		s.mu.log = append(s.mu.log, Request{
			Began: began, Ended: s.clock.Now(), Scheme: scheme, Method: req.Method, Host: hostname(req.Host),
			Path: req.RequestURI, Remote: c.RemoteAddr().String(), Status: x.status, Bytes: x.sent, Header: req.Header,
		})
		s.mu.Unlock()
		if !keep {
			return
		}
	}
}

// peeked is a connection whose first bytes are in a reader.
type peeked struct {
	net.Conn
	r io.Reader
}

func (p peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

func hostname(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return hostport
}
