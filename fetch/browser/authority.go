package browser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"math/big"
	"net"
	"sync"
	"time"
)

// authority signs the certificates that the browser sees in place of the servers'. It lives in memory, as long as the
// crawl, and no other browser trusts it.
type authority struct {
	key  *ecdsa.PrivateKey // used by all certificates
	cert *x509.Certificate

	mu struct {
		sync.Mutex
		leaves map[string]*tls.Certificate // by host name
	}
}

// maxLeaves is how many certificates are kept.
const maxLeaves = 1000

// newAuthority makes an authority whose certificates are valid for a year around now.
func newAuthority(now time.Time) (*authority, error) {
	a := &authority{}
	a.mu.leaves = map[string]*tls.Certificate{}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "Kavosh recording proxy"},
		NotBefore: now.AddDate(0, -6, 0), NotAfter: now.AddDate(0, 6, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	a.cert, err = x509.ParseCertificate(der)
	return a, err
}

// fingerprint returns the SHA-256 of the authority's public key, in the form of chromium.Options.
func (a *authority) fingerprint() string {
	sum := sha256.Sum256(a.cert.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// leaf returns a certificate for host, a name or an address.
func (a *authority) leaf(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.mu.leaves[host]; c != nil {
		return c, nil
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: host[:min(len(host), 64)]}, NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	if len(a.mu.leaves) >= maxLeaves {
		clear(a.mu.leaves)
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.key}
	a.mu.leaves[host] = c
	return c, nil
}
