package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"kavosh"
)

// authority signs certificates for the tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &authority{key: key, pool: x509.NewCertPool()}
	a.cert = sign(t, tmpl, tmpl, key, key)
	a.pool.AddCert(a.cert)
	return a
}

func sign(t testing.TB, tmpl, parent *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// issue makes a certificate for names and addresses; a nil authority makes it sign itself.
func (a *authority) issue(t testing.TB, expires time.Time, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: expires.Add(-2 * time.Hour), NotAfter: expires}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			tmpl.IPAddresses = append(tmpl.IPAddresses, ip)
		} else {
			tmpl.DNSNames = append(tmpl.DNSNames, n)
		}
	}
	parent, by := tmpl, key
	if a != nil {
		parent, by = a.cert, a.key
	}
	return tls.Certificate{Certificate: [][]byte{sign(t, tmpl, parent, key, by).Raw}, PrivateKey: key}
}

// listenTLS answers every request on a loopback socket with the name that the client asked for.
func listenTLS(t testing.TB, cfg *tls.Config) netip.AddrPort {
	return listen(t, func(c net.Conn, _ int) {
		tc := tls.Server(c, cfg)
		defer tc.Close()
		for {
			if _, err := request(tc); err != nil {
				return
			}
			name := tc.ConnectionState().ServerName
			io.WriteString(tc, ok+"Content-Length: "+itoa(len(name))+"\r\n\r\n"+name)
		}
	})
}

func itoa(n int) string { return big.NewInt(int64(n)).String() }

func TestCertificates(t *testing.T) {
	ca := newAuthority(t)
	later, before := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		name    string
		cert    tls.Certificate
		url     string
		sni     string
		invalid string // a part of TLS.Invalid; "" = valid
	}{
		{"valid", ca.issue(t, later, "good.test"), "https://good.test/", "good.test", ""},
		{"valid for an address", ca.issue(t, later, "192.0.2.7"), "https://192.0.2.7/", "", ""},
		{"expired", ca.issue(t, before, "old.test"), "https://old.test/", "old.test", "expired"},
		{"other host", ca.issue(t, later, "other.test"), "https://good.test/", "good.test", "valid for other.test, not good.test"},
		{"self-signed", (*authority)(nil).issue(t, later, "self.test"), "https://self.test/", "self.test", "unknown authority"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := listenTLS(t, &tls.Config{Certificates: []tls.Certificate{tt.cert}})
			to := "::" + addr.String()
			capture := newHTTP(t, Options{Roots: ca.pool, ConnectTo: []string{to}})
			x := get(t, capture, tt.url)
			if x.Failure != "" || x.Status != 200 || x.TLS == nil || x.TLS.Version != "TLS 1.3" || x.TLS.Cipher == "" {
				t.Fatalf("capture: %s %s %+v", x.Failure, x.Detail, x.TLS)
			}
			if got := text(t, x.Payload); got != tt.sni {
				t.Errorf("server name %q, want %q", got, tt.sni)
			}
			if x.Addr != addr {
				t.Errorf("address %v, want %v", x.Addr, addr)
			}
			if tt.invalid == "" && x.TLS.Invalid != "" || !strings.Contains(x.TLS.Invalid, tt.invalid) || strings.ContainsAny(x.TLS.Invalid, "\r\n") {
				t.Errorf("invalid: %q, want %q", x.TLS.Invalid, tt.invalid)
			}
			strict := newHTTP(t, Options{Roots: ca.pool, ConnectTo: []string{to}, TLSStrict: true})
			x = get(t, strict, tt.url)
			if tt.invalid == "" && x.Failure != "" || tt.invalid != "" && (x.Failure != kavosh.TLSFailure || x.Request != nil) {
				t.Errorf("strict: failure %q, detail %q", x.Failure, x.Detail)
			}
		})
	}
}

func TestOldServers(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.issue(t, time.Now().Add(time.Hour), "old.test")
	addr := listenTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10})
	o := Options{Roots: ca.pool, ConnectTo: []string{"::" + addr.String()}}
	if x := get(t, newHTTP(t, o), "https://old.test/"); x.Failure != "" || x.TLS.Version != "TLS 1.0" {
		t.Errorf("capture: %q %q", x.Failure, x.Detail)
	}
	o.TLSStrict = true
	if x := get(t, newHTTP(t, o), "https://old.test/"); x.Failure != kavosh.TLSFailure {
		t.Errorf("strict: %q", x.Failure)
	}
}

// Many servers end a session without saying so: an answer that lasts until the end is whole all the same.
func TestTLSEndWithoutNotice(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "a.test")}}
	addr := listen(t, func(c net.Conn, _ int) {
		tc := tls.Server(c, cfg)
		request(tc)
		io.WriteString(tc, ok+"\r\nhello")
	})
	h := newHTTP(t, Options{Roots: ca.pool, ConnectTo: []string{"::" + addr.String()}})
	if x := get(t, h, "https://a.test/"); x.Failure != "" || text(t, x.Payload) != "hello" {
		t.Errorf("failure %q %q", x.Failure, x.Detail)
	}
}

func TestTLSConnectionsAreKept(t *testing.T) {
	ca := newAuthority(t)
	conns := 0
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "a.test")}}
	addr := listen(t, func(c net.Conn, _ int) {
		conns++
		tc := tls.Server(c, cfg)
		defer tc.Close()
		for {
			if _, err := request(tc); err != nil {
				return
			}
			io.WriteString(tc, ok+"Content-Length: 2\r\n\r\nhi")
		}
	})
	h := newHTTP(t, Options{Roots: ca.pool, ConnectTo: []string{"::" + addr.String()}})
	for range 5 {
		if x := get(t, h, "https://a.test/"); x.Failure != "" || x.TLS == nil {
			t.Fatalf("failure %q %q", x.Failure, x.Detail)
		}
	}
	if conns != 1 {
		t.Errorf("%d connections", conns)
	}
}
