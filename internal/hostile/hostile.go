// Package hostile is a small Internet in which every host misbehaves in its own named way.
//
// [Start] opens real sockets on the loopback interface: a name server, and a listener for each [Behaviour], with TLS if
// it is meant to have it. The host of a behaviour is its name under hostile.test. Every host has its own public
// address, and [Server.Dial] connects that address to its listener. So the rules about private addresses apply as on
// the open Internet, and every address dialled is known afterwards.
//
// Time runs faster than the machine's, by the factor given to Start: half a minute of the server's [Clock] takes a
// second. A server that sends without end stops after [Enough] bytes, so that a client without a bound is detected by
// what it took and does not hang.
//
// [Server.Seen] says what a host saw of its client: connections, requests, bytes. Tests check their bounds with it.
package hostile

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// Enough is how many bytes an endless server sends over one connection.
const Enough = 48 << 20

// Domain is the suffix of all host names.
const Domain = ".hostile.test"

// sockets bounds the bytes in each of the kernel's four buffers of a connection.
const sockets = 32 << 10

// Behaviour is one way in which a host misbehaves. A nil field behaves well.
type Behaviour struct {
	Name   string                                    // the host's name without Domain: letters, digits, hyphens
	Conn   func(c *Conn)                             // gets the connection before anything is read and before TLS
	Page   func(v *Visit)                            // answers one request; nil answers with a short page
	Robots func(v *Visit)                            // answers one request for /robots.txt; nil answers 404
	TLS    *Security                                 // nil means plain HTTP on port 80
	DNS    func(q dns.Question, n int, m *dns.Msg)   // fills the n-th answer (from 0) about the name; nil gives the address
	Raw    func(query *dns.Msg, tcp bool) [][]byte   // the datagrams that answer a query, in place of DNS; none means silence
	Listen func() (addr netip.AddrPort, stop func()) // opens the host's own socket, in place of a listener
}

// URL returns the address of the behaviour's host, with a slash at the end.
func (b *Behaviour) URL() string {
	if b.TLS != nil {
		return "https://" + b.Name + Domain + "/"
	}
	return "http://" + b.Name + Domain + "/"
}

// Behaviours returns all behaviours, in order.
func Behaviours() []Behaviour {
	return slices.Concat(heads(), fields(), lengths(), chunks(), times(), ends(), codings(), cookies(), redirects(), robots(), sitemaps(),
		pages(), sites(), security(), resolution())
}

// Seen is what a host saw of its client.
type Seen struct {
	Conns    int
	Requests []string      // heads in order, with those for robots.txt
	Sent     int64         // bytes written, without robots.txt
	Longest  time.Duration // duration of the longest connection, by the server's clock
	Queries  int           // questions to the name server
}

// Paths returns the requested paths, without robots.txt.
func (s Seen) Paths() []string {
	var paths []string
	for _, r := range s.Requests {
		if p := pathOf(r); p != "/robots.txt" {
			paths = append(paths, p)
		}
	}
	return paths
}

// Server is the Internet with all behaviours.
type Server struct {
	Clock Clock
	certs *certificates
	names *dns.Server
	plain *dns.Server // the same over TCP
	stops []func()
	hosts map[string]*host
	addrs map[netip.AddrPort]*host // by address and port
	ctx   context.Context
	stop  context.CancelFunc
	wg    sync.WaitGroup

	mu struct {
		sync.Mutex
		dialled []netip.AddrPort
	}
}

type host struct {
	Behaviour
	s    *Server
	addr netip.Addr     // in this Internet
	to   netip.AddrPort // on this machine

	mu struct {
		sync.Mutex
		seen Seen
	}
}

// Start starts the Internet with the named hosts. Its time runs scale times as fast as outside.
func Start(scale int, names ...string) (*Server, error) {
	s := &Server{Clock: newClock(scale), hosts: map[string]*host{}, addrs: map[netip.AddrPort]*host{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var err error
	if s.certs, err = newCertificates(s.Clock.Now()); err != nil {
		return nil, err
	}
	for i, b := range Behaviours() {
		if !slices.Contains(names, b.Name) {
			continue
		}
		h := &host{Behaviour: b, s: s, addr: netip.AddrFrom4([4]byte{45, 80, byte(i >> 8), byte(i)})}
		if err := s.open(h); err != nil {
			s.Close()
			return nil, err
		}
		s.hosts[b.Name] = h
		port := uint16(80)
		if b.TLS != nil {
			port = 443
		}
		s.addrs[netip.AddrPortFrom(h.addr, port)] = h
	}
	if err := s.serveNames(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// open opens the host's socket.
func (s *Server) open(h *host) error {
	if h.Listen != nil {
		addr, stop := h.Listen()
		h.to = addr
		s.stops = append(s.stops, stop)
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.stops = append(s.stops, func() { l.Close() })
	h.to = netip.MustParseAddrPort(l.Addr().String())
	s.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { h.serve(c.(*net.TCPConn)) })
		}
	})
	return nil
}

// Close ends everything and waits.
func (s *Server) Close() {
	s.stop()
	for _, stop := range s.stops {
		stop()
	}
	s.wg.Wait()
}

// Resolver returns the name server's address, for UDP and TCP.
func (s *Server) Resolver() string { return s.names.PacketConn.LocalAddr().String() }

// Roots returns the authorities that signed the good certificates.
func (s *Server) Roots() *x509.CertPool { return s.certs.roots }

// Dial opens a connection to an address of this Internet; an unknown address refuses it. Deadlines of the connection
// use the server's clock, the context's the machine's.
func (s *Server) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	s.mu.Lock()
	s.mu.dialled = append(s.mu.dialled, addr)
	s.mu.Unlock()
	h := s.addrs[addr]
	if h == nil {
		return nil, errors.New("connection refused")
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", h.to.String())
	if err != nil {
		return nil, err
	}
	tc := c.(*net.TCPConn)
	_ = tc.SetReadBuffer(sockets) // a hint
	return &scaled{TCPConn: tc, clock: s.Clock}, nil
}

// Dialled returns all addresses that were dialled, in order.
func (s *Server) Dialled() []netip.AddrPort {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mu.dialled)
}

// Seen returns what the host of the named behaviour has seen so far.
func (s *Server) Seen(name string) Seen {
	h := s.hosts[name]
	if h == nil {
		return Seen{}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := h.mu.seen
	seen.Requests = slices.Clone(seen.Requests)
	return seen
}

// ask counts a question about the host's name, and returns how many came before.
func (h *host) ask() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mu.seen.Queries++
	return h.mu.seen.Queries - 1
}

func pathOf(head string) string {
	line, _, _ := strings.Cut(head, "\r\n")
	if words := strings.Fields(line); len(words) > 1 {
		return words[1]
	}
	return ""
}
