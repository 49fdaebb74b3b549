package fetch

// This file opens connections to a host, directly or through a proxy, with or without TLS.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/proxy"

	"kavosh"
	"kavosh/lib/httpwire"
)

const (
	stagger      = 250 * time.Millisecond // between attempts at a host's addresses (RFC 8305)
	maxProxyHead = 64 << 10
)

// connect opens a connection for u: TCP, through the proxy if there is one, and TLS if the scheme says so.
func (h *HTTP) connect(ctx context.Context, u *urlParts, r *route, x *kavosh.Exchange) (*conn, error) {
	c := &conn{key: u.key(x.Task)}
	var err error
	if r.proxy == nil {
		c.Conn, c.addr, err = h.direct(ctx, r, x)
	} else {
		c.Conn, c.addr, err = h.viaProxy(ctx, r, x)
	}
	x.Addr = c.addr
	if err != nil {
		return nil, err
	}
	if sc, ok := c.Conn.(syscall.Conn); ok {
		c.raw, _ = sc.SyscallConn()
	}
	if u.scheme == "https" {
		if err := h.secure(ctx, c, u.host); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func (h *HTTP) direct(ctx context.Context, r *route, x *kavosh.Exchange) (net.Conn, netip.AddrPort, error) {
	addrs, err := h.addresses(ctx, r, &x.DNS)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return h.dial(ctx, addrs, r.port)
}

// addresses returns the addresses of the route's host that may be dialled, in the order to try them.
func (h *HTTP) addresses(ctx context.Context, r *route, record **kavosh.DNS) ([]netip.Addr, error) {
	res, err := h.web.Resolve(ctx, r.host)
	if err != nil {
		return nil, err
	}
	if res.Record != nil {
		*record = res.Record
	}
	return h.dialable(r, res)
}

func (h *HTTP) dialable(r *route, res Resolution) ([]netip.Addr, error) {
	if len(res.Addrs) == 0 {
		return nil, &farError{kavosh.DNSFailure, r.host + ": " + res.Failure, res.Gone}
	}
	if r.trusted {
		return res.Addrs, nil
	}
	permitted := h.policy.permitted(r.host, r.port, res.Addrs)
	if len(permitted) == 0 {
		return nil, far(kavosh.BlockedAddress, "%s is at %s, which is not globally reachable; --allow-private opens a range",
			r.host, res.Addrs[0])
	}
	return permitted, nil
}

// dial tries addrs one after the other and returns the first connection. It starts the next attempt when one fails or
// the stagger has passed.
func (h *HTTP) dial(ctx context.Context, addrs []netip.Addr, port uint16) (net.Conn, netip.AddrPort, error) {
	dctx, cancel := context.WithTimeout(ctx, h.o.ConnectTimeout)
	defer cancel()
	one := func(i int) dialled {
		to := netip.AddrPortFrom(addrs[i], port)
		nc, err := h.web.Dial(dctx, to)
		return dialled{nc, to, err}
	}
	if len(addrs) == 1 {
		return h.dialEnd(ctx, dctx, one(0))
	}
	results := make(chan dialled)
	next, waiting := 0, 0
	start := func() {
		i := next
		next++
		waiting++
		go func() {
			d := one(i)
			select {
			case results <- d:
			case <-dctx.Done(): // another attempt was faster
				if d.Conn != nil {
					d.Conn.Close()
				}
			}
		}()
	}
	start()
	timer := time.NewTimer(stagger)
	defer timer.Stop()
	last := dialled{to: netip.AddrPortFrom(addrs[0], port), err: context.DeadlineExceeded}
	for waiting > 0 {
		select {
		case d := <-results:
			if d.err == nil {
				return d.Conn, d.to, nil
			}
			last = d
			waiting--
			if next < len(addrs) {
				start()
				timer.Reset(stagger)
			}
		case <-timer.C:
			if next < len(addrs) {
				start()
				timer.Reset(stagger)
			}
		case <-dctx.Done():
			return h.dialEnd(ctx, dctx, last)
		}
	}
	return h.dialEnd(ctx, dctx, last)
}

type dialled struct {
	net.Conn
	to  netip.AddrPort
	err error
}

// errSockets means that this machine, not the far side, is out of sockets.
var errSockets = errors.New("no more sockets: raise the limit of open files (ulimit -n) or use fewer --workers")

// isOurs reports whether this machine caused a network error.
func isOurs(err error) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM:
		return true
	}
	return false
}

// dialEnd turns the end of a dial into a connection or the right error.
func (h *HTTP) dialEnd(ctx, dctx context.Context, d dialled) (net.Conn, netip.AddrPort, error) {
	switch {
	case d.err == nil:
		return d.Conn, d.to, nil
	case ctx.Err() != nil:
		return nil, d.to, ctx.Err()
	case isOurs(d.err):
		return nil, d.to, errSockets
	case dctx.Err() != nil || isTimeout(d.err):
		return nil, d.to, far(kavosh.ConnectFailure, "%s did not accept a connection within %v", d.to, h.o.ConnectTimeout)
	case errors.Is(d.err, syscall.ECONNRESET):
		// The server took the connection and reset it before the dialler looked. A moment later a read would have told.
		return nil, d.to, far(kavosh.ResetFailure, "%s: the connection ended before the answer began: %s", d.to, endCause(d.err))
	}
	return nil, d.to, far(kavosh.ConnectFailure, "%s: %s", d.to, cause(d.err))
}

// cause returns the innermost reason of a network error, because the wrappers repeat addresses.
func cause(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "tls: "), "x509: ")
	return strings.Join(strings.Fields(text), " ")
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// viaProxy connects to the operator's proxy and asks it for a connection to the route's host, unless the request itself
// names the whole URL.
func (h *HTTP) viaProxy(ctx context.Context, r *route, x *kavosh.Exchange) (net.Conn, netip.AddrPort, error) {
	host, addr := r.host, netip.AddrPort{}
	if r.resolvesHere() {
		addrs, err := h.addresses(ctx, r, &x.DNS)
		if err != nil {
			return nil, addr, err
		}
		host, addr = addrs[0].String(), netip.AddrPortFrom(addrs[0], r.port)
	} else if err := h.refuseLiteral(ctx, r); err != nil {
		return nil, addr, err
	}
	to := joinHostPort(host, r.port)
	var nc net.Conn
	var err error
	if strings.HasPrefix(r.proxy.scheme, "socks5") {
		nc, err = h.socks(ctx, r.proxy, to)
	} else if nc, err = h.dialProxy(ctx, r.proxy); err == nil && !r.absolute {
		if err = h.tunnel(ctx, nc, r.proxy, to); err != nil {
			nc.Close()
		}
	}
	return nc, addr, err
}

// refuseLiteral applies the address policy to hosts that are addresses. The proxy looks up the others.
func (h *HTTP) refuseLiteral(ctx context.Context, r *route) error {
	_, err := netip.ParseAddr(r.host)
	if r.trusted || err != nil && !isLocalhost(r.host) {
		return nil
	}
	var none *kavosh.DNS
	_, err = h.addresses(ctx, r, &none)
	return err
}

// dialProxy connects to the proxy itself. An https proxy must have a valid certificate.
func (h *HTTP) dialProxy(ctx context.Context, p *proxyServer) (net.Conn, error) {
	res, err := h.web.Resolve(ctx, p.host)
	if err != nil {
		return nil, err
	}
	if len(res.Addrs) == 0 {
		return nil, far(kavosh.ConnectFailure, "proxy %s: %s", p.host, res.Failure)
	}
	nc, _, err := h.dial(ctx, res.Addrs, p.port)
	if err != nil {
		var f *farError
		if errors.As(err, &f) {
			return nil, far(kavosh.ConnectFailure, "proxy: %s", f.detail)
		}
		return nil, err
	}
	if p.scheme != "https" {
		return nc, nil
	}
	tc := tls.Client(nc, &tls.Config{ServerName: p.host, RootCAs: h.o.Roots, Time: h.o.Clock.Now, NextProtos: []string{"http/1.1"}})
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	nc.SetDeadline(h.o.Clock.Now().Add(h.o.TLSTimeout))
	if err := tc.Handshake(); err != nil {
		nc.Close()
		return nil, far(kavosh.ConnectFailure, "proxy %s: TLS: %s", p.host, cause(err))
	}
	nc.SetDeadline(time.Time{})
	return tc, nil
}

// tunnel asks an HTTP proxy for a connection.
func (h *HTTP) tunnel(ctx context.Context, nc net.Conn, p *proxyServer, to string) error {
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	nc.SetDeadline(h.o.Clock.Now().Add(h.o.TLSTimeout))
	b := appendField([]byte("CONNECT "+to+" HTTP/1.1\r\n"), "Host", to)
	b = appendField(b, "User-Agent", h.form.userAgent)
	if p.auth != "" {
		b = appendField(b, "Proxy-Authorization", p.auth)
	}
	if _, err := nc.Write(append(b, "\r\n"...)); err != nil {
		return far(kavosh.ConnectFailure, "proxy: %s", cause(err))
	}
	// Read byte by byte, to take nothing that follows the head.
	var head []byte
	for httpwire.HeadEndFrom(head, len(head)-1) < 0 {
		if len(head) == maxProxyHead {
			return far(kavosh.ConnectFailure, "proxy: its head does not end")
		}
		var one [1]byte
		if _, err := io.ReadFull(nc, one[:]); err != nil {
			return far(kavosh.ConnectFailure, "proxy: no answer to CONNECT: %s", cause(err))
		}
		head = append(head, one[0])
	}
	answer, _ := httpwire.ParseResponseHead(head)
	if answer.Status/100 != 2 {
		return far(kavosh.ConnectFailure, "proxy refused %s: %d %s", to, answer.Status, answer.Reason)
	}
	return nc.SetDeadline(time.Time{})
}

// socks asks a SOCKS5 proxy for a connection.
func (h *HTTP) socks(ctx context.Context, p *proxyServer, to string) (net.Conn, error) {
	var auth *proxy.Auth
	if p.user != "" {
		auth = &proxy.Auth{User: p.user, Password: p.pass}
	}
	forward := dialFunc(func(ctx context.Context) (net.Conn, error) { return h.dialProxy(ctx, p) })
	d, err := proxy.SOCKS5("tcp", joinHostPort(p.host, p.port), auth, forward)
	if err != nil {
		return nil, err
	}
	sctx, cancel := context.WithTimeout(ctx, h.o.ConnectTimeout+h.o.TLSTimeout)
	defer cancel()
	nc, err := d.(proxy.ContextDialer).DialContext(sctx, "tcp", to)
	var f *farError
	switch {
	case err == nil:
		return nc, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errSockets):
		return nil, errSockets
	case errors.As(err, &f):
		return nil, f
	}
	return nil, far(kavosh.ConnectFailure, "proxy: %s", cause(err))
}

// dialFunc is a proxy.ContextDialer with a fixed destination.
type dialFunc func(ctx context.Context) (net.Conn, error)

func (f dialFunc) Dial(_, _ string) (net.Conn, error) { return f(context.Background()) }
func (f dialFunc) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	return f(ctx)
}

// secure adds TLS to c. It verifies the chain itself, after the handshake: unless TLSStrict is set, an invalid
// certificate is noted and the site is still archived.
func (h *HTTP) secure(ctx context.Context, c *conn, host string) error {
	nc := c.Conn
	tc := tls.Client(nc, &tls.Config{
		ServerName: strings.TrimSuffix(host, "."), InsecureSkipVerify: true, NextProtos: h.protocols(c.key), Time: h.o.Clock.Now,
		MinVersion: h.tls.min, CipherSuites: h.tls.suites, CurvePreferences: h.tls.curves, ClientSessionCache: h.tls.sessions,
	})
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	defer stop()
	nc.SetDeadline(h.o.Clock.Now().Add(h.o.TLSTimeout))
	if err := tc.Handshake(); err != nil {
		if isTimeout(err) {
			return far(kavosh.TLSFailure, "no TLS session within %v", h.o.TLSTimeout)
		}
		if err == io.EOF {
			return far(kavosh.TLSFailure, "the server closed the connection during the handshake")
		}
		return far(kavosh.TLSFailure, "%s", cause(err))
	}
	nc.SetDeadline(time.Time{})
	state := tc.ConnectionState()
	c.Conn = tc
	c.tls = &kavosh.TLS{
		Version: tls.VersionName(state.Version), Cipher: tls.CipherSuiteName(state.CipherSuite),
		Invalid: h.verify(host, state.PeerCertificates),
	}
	if state.NegotiatedProtocol == http2.NextProtoTLS {
		c.streams = newStreams(c, h.o.MaxHead)
	}
	if h.o.TLSStrict && c.tls.Invalid != "" {
		return far(kavosh.TLSFailure, "the certificate is invalid: %s", c.tls.Invalid)
	}
	return nil
}

// protocols returns what to offer to the server, best first.
func (h *HTTP) protocols(key connKey) []string {
	if h.o.NoHTTP2 || key.one || h.refusers.has(key) {
		return []string{"http/1.1"}
	}
	return []string{http2.NextProtoTLS, "http/1.1"}
}

// verify returns why a chain is invalid for host; "" if it is valid.
func (h *HTTP) verify(host string, chain []*x509.Certificate) string {
	if len(chain) == 0 {
		return "no certificate"
	}
	opts := x509.VerifyOptions{
		DNSName: strings.TrimSuffix(host, "."), Roots: h.o.Roots, CurrentTime: h.o.Clock.Now(), Intermediates: x509.NewCertPool(),
	}
	for _, c := range chain[1:] {
		opts.Intermediates.AddCert(c)
	}
	if _, err := chain[0].Verify(opts); err != nil {
		return cause(err)
	}
	return ""
}

// tlsForm is what all TLS sessions have in common.
type tlsForm struct {
	min      uint16
	suites   []uint16 // nil means Go's choice
	curves   []tls.CurveID
	sessions tls.ClientSessionCache
}

// newTLSForm allows TLS 1.0 and old cipher suites, so that an archive reaches servers that nobody has updated. With
// strict it uses Go's safe defaults.
func newTLSForm(strict bool) tlsForm {
	f := tlsForm{
		min: tls.VersionTLS12, sessions: tls.NewLRUClientSessionCache(512),
		// No post-quantum hybrids, because what is fetched is public. That saves a quarter of the work per connection, and
		// the greeting fits into one packet, which some old servers need.
		curves: []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521},
	}
	if !strict {
		f.min = tls.VersionTLS10
		for _, s := range tls.CipherSuites() {
			f.suites = append(f.suites, s.ID)
		}
		for _, s := range tls.InsecureCipherSuites() {
			f.suites = append(f.suites, s.ID)
		}
	}
	return f
}
