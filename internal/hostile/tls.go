package hostile

// This file has hosts whose TLS is wrong.

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"
)

// Security says what is wrong with a host's TLS. The zero value is fine.
type Security struct {
	Names    []string      // in the certificate; nil = the host's
	Until    time.Duration // from now to the certificate's end; 0 = a year
	From     time.Duration // from now to its beginning; 0 = yesterday
	Self     bool          // self-signed
	Chain    int           // number of unneeded certificates sent
	Max      uint16        // the newest version that the host supports
	Protocol string        // the only application protocol it supports
	Client   bool          // it requires a client certificate
}

// certificates issues the hosts' certificates.
type certificates struct {
	now   time.Time
	key   *ecdsa.PrivateKey // used by all
	root  *x509.Certificate
	roots *x509.CertPool
}

func newCertificates(now time.Time) (*certificates, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := &certificates{now: now, key: key, roots: x509.NewCertPool()}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority"}, NotBefore: now.AddDate(-1, 0, 0),
		NotAfter: now.AddDate(10, 0, 0),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	if c.root, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	c.roots.AddCert(c.root)
	return c, nil
}

// config returns the TLS configuration of h. It is made for each connection, like its certificate.
func (c *certificates) config(h *host) *tls.Config {
	s := h.TLS
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "a host"}, DNSNames: s.Names,
		NotBefore: c.now.AddDate(0, 0, -1).Add(s.From), NotAfter: c.now.AddDate(1, 0, 0),
	}
	if s.Names == nil {
		leaf.DNSNames = []string{h.Name + Domain}
	}
	if s.Until != 0 {
		leaf.NotBefore, leaf.NotAfter = c.now.AddDate(-1, 0, 0), c.now.Add(s.Until)
	}
	parent := c.root
	if s.Self {
		parent = leaf
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, parent, &c.key.PublicKey, c.key)
	if err != nil {
		panic(err) // all input is ours
	}
	chain := [][]byte{der}
	for range s.Chain {
		chain = append(chain, c.root.Raw)
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{{Certificate: chain, PrivateKey: c.key}}, MinVersion: tls.VersionTLS10, MaxVersion: s.Max,
	}
	if s.Protocol != "" {
		config.NextProtos = []string{s.Protocol}
	}
	if s.Client {
		config.ClientAuth = tls.RequireAnyClientCert
	}
	return config
}

// security returns misbehaviours of TLS.
func security() []Behaviour {
	good := &Security{}
	raw := func(answer func(c *Conn)) func(c *Conn) {
		return func(c *Conn) {
			hello := make([]byte, 64)
			if _, err := c.Read(hello); err == nil {
				answer(c)
			}
		}
	}
	return []Behaviour{
		{Name: "tls-good", TLS: good},
		{Name: "tls-expired", TLS: &Security{Until: -24 * time.Hour}},
		{Name: "tls-not-yet", TLS: &Security{From: 48 * time.Hour}},
		{Name: "tls-other-host", TLS: &Security{Names: []string{"other.test"}}},
		{Name: "tls-self-signed", TLS: &Security{Self: true}},
		{Name: "tls-long-chain", TLS: &Security{Chain: 60}},
		{Name: "tls-huge-chain", TLS: &Security{Chain: 2000}},
		{Name: "tls-old", TLS: &Security{Max: tls.VersionTLS10}},
		{Name: "tls-other-protocol", TLS: &Security{Protocol: "smtp"}},
		{Name: "tls-wants-certificate", TLS: &Security{Client: true}},
		{Name: "tls-wants-certificate-old", TLS: &Security{Client: true, Max: tls.VersionTLS12}},
		{Name: "tls-stall", TLS: good, Conn: raw(func(c *Conn) { c.Wait() })},
		{Name: "tls-slow", TLS: good, Conn: raw(func(c *Conn) { c.Drip("\x16\x03\x03\x40\x00\x02\x00\x3f\xfc", "\x00", 4*time.Second) })},
		{Name: "tls-closed", TLS: good, Conn: raw(func(*Conn) {})},
		{Name: "tls-reset", TLS: good, Conn: raw(func(c *Conn) { c.Reset() })},
		{Name: "tls-plain", TLS: good, Conn: raw(func(c *Conn) {
			_ = c.Say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			c.Wait()
		})},
		{Name: "tls-garbage", TLS: good, Conn: raw(func(c *Conn) { c.Flood("", "\xde\xad\xbe\xef") })},
		{Name: "tls-alert", TLS: good, Conn: raw(func(c *Conn) { _ = c.Say("\x15\x03\x03\x00\x02\x02\x70") })},
		{Name: "tls-warning-flood", TLS: good, Conn: raw(func(c *Conn) { c.Flood("", "\x15\x03\x03\x00\x02\x01\x5a") })},
		{Name: "tls-empty-record-flood", TLS: good, Conn: raw(func(c *Conn) { c.Flood("", "\x16\x03\x03\x00\x00") })},
		{Name: "tls-huge-handshake", TLS: good, Conn: raw(func(c *Conn) {
			c.Flood("", "\x16\x03\x03\x40\x00"+string(append([]byte{2, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{0}, 1<<14-4)...)))
		})},
		{Name: "tls-not-closed", TLS: good, Page: func(v *Visit) {
			_ = v.Say(ok + "\r\nhello")
			_, _ = v.tcp.Write([]byte("\x17\x03\x03\x00\x50half a record"))
			_ = v.tcp.CloseWrite() // without TLS's closing message
		}},
		{Name: "tls-cut", TLS: good, Page: func(v *Visit) {
			_ = v.Say(ok + "Content-Length: 50\r\n\r\nhello")
			_ = v.tcp.CloseWrite()
		}},
		{Name: "tls-endless-body", TLS: good, Page: floods(ok+"\r\n", "x")},
		{Name: "tls-stall-in-body", TLS: good, Page: saysAndWaits(ok + "Content-Length: 50\r\n\r\nhello")},
	}
}
