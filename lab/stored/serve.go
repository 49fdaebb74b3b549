package stored

// This file answers requests from a stored web, without sockets.

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"kavosh/fetch"
	"kavosh/lib/weburl"
)

// Server answers for the servers of a stored web, over connections in memory, without sockets. It is a fetch.Web. It
// answers 404 for what the web does not have.
type Server struct {
	web  *Web
	cert *tls.Config
}

var _ fetch.Web = (*Server)(nil)

// NewServer returns a Server for w.
func NewServer(w *Web) (*Server, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &Server{w, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}}, nil
}

// Resolve gives every name an address.
func (s *Server) Resolve(_ context.Context, host string) (fetch.Resolution, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return fetch.Resolution{Addrs: []netip.Addr{a}}, nil
	}
	return fetch.Resolution{Addrs: []netip.Addr{netip.AddrFrom4([4]byte{198, 18, 0, 1})}}, nil
}

// Dial opens a connection in memory, with TLS at port 443.
func (s *Server) Dial(_ context.Context, addr netip.AddrPort) (net.Conn, error) {
	client, server := net.Pipe()
	scheme := "http"
	if addr.Port() == 443 {
		server, scheme = tls.Server(server, s.cert), "https"
	}
	go s.serve(server, scheme)
	return client, nil
}

// serve answers the requests on a connection until the other end closes it.
func (s *Server) serve(conn net.Conn, scheme string) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := conn.Write(s.answer(scheme, req)); err != nil || req.Close {
			return
		}
	}
}

// answer returns the response to a request.
func (s *Server) answer(scheme string, req *http.Request) []byte {
	a := Answer{Status: http.StatusNotFound}
	if key, err := weburl.Key(scheme + "://" + req.Host + req.RequestURI); err == nil {
		if i := s.web.Find(key); i >= 0 {
			if found, err := s.web.Answer(i); err == nil {
				a = found
			}
		}
	}
	var b strings.Builder
	oneLine := strings.NewReplacer("\r", " ", "\n", " ")
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", a.Status, http.StatusText(a.Status))
	for _, f := range a.Header {
		switch strings.ToLower(f.Name) {
		case "connection", "content-length", "keep-alive", "set-cookie", "transfer-encoding":
			continue // a field of the old connection, not of the page
		}
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, oneLine.Replace(f.Value))
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(a.Body))
	return append([]byte(b.String()), a.Body...)
}
