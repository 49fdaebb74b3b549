package wacz

// This file checks and makes the signatures of WACZ files.

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
)

const digestName = "datapackage-digest.json"

// Signed reports whether the package is signed. The error says what is wrong with its digest or signature. The
// signature is verified with the included certificate or key; whether to trust that is not checked.
func (f *File) Signed() (bool, error) {
	if f.members[digestName] == nil {
		return false, nil
	}
	raw, err := f.small(digestName)
	if err != nil {
		return false, err
	}
	var d packageDigest
	if err := json.Unmarshal(raw, &d); err != nil {
		return false, &fault{"package", fmt.Sprintf("%s: %v", digestName, err)}
	}
	if text, ok := matches(d.Hash, bytes.NewReader(f.raw)); !ok {
		return d.Signed != nil, &fault{"package-digest", "datapackage.json: " + text}
	}
	if d.Signed == nil {
		return false, nil
	}
	if err := d.verify(f.Package.Created); err != nil {
		return true, &fault{"signature", err.Error()}
	}
	return true, nil
}

// packageDigest is datapackage-digest.json.
type packageDigest struct {
	Hash   string `json:"hash"`
	Signed *struct {
		Hash      string `json:"hash"`
		Created   string `json:"created"`
		Signature string `json:"signature"`
		PublicKey string `json:"publicKey"`  // of an anonymous signature
		Cert      string `json:"domainCert"` // of a signature for a domain
	} `json:"signedData"`
}

// verify verifies the ECDSA signature of the digest's text. Signing servers write it in ASN.1, browsers as two numbers
// one after the other.
func (d *packageDigest) verify(created string) error {
	s := d.Signed
	if s.Hash != d.Hash {
		return errors.New("the signature is of another digest")
	}
	if created != "" && s.Created != created {
		return fmt.Errorf("the signature is of %.40q, the package of %.40q", s.Created, created)
	}
	var key any
	if block, _ := pem.Decode([]byte(s.Cert)); block != nil {
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("the certificate: %v", err)
		}
		key = cert.PublicKey
	} else if der, err := base64.StdEncoding.DecodeString(s.PublicKey); err == nil {
		key, _ = x509.ParsePKIXPublicKey(der) // an invalid key fails below
	}
	public, ok := key.(*ecdsa.PublicKey)
	if !ok {
		return errors.New("there is neither an ECDSA certificate nor an ECDSA key to check the signature with")
	}
	signature, err := base64.StdEncoding.DecodeString(s.Signature)
	sum := sha256.Sum256([]byte(s.Hash))
	if n := (public.Params().BitSize + 7) / 8; err == nil && len(signature) == 2*n {
		if !ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:n]), new(big.Int).SetBytes(signature[n:])) {
			err = errors.New("wrong")
		}
	} else if err == nil && !ecdsa.VerifyASN1(public, sum[:], signature) {
		err = errors.New("wrong")
	}
	if err != nil {
		return errors.New("the signature does not fit the digest and the certificate")
	}
	return nil
}

// sign signs the text of a digest like browsers do: both numbers of the signature, in as many bytes as the curve has.
func sign(key *ecdsa.PrivateKey, digest string) ([]byte, error) {
	sum := sha256.Sum256([]byte(digest))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return nil, err
	}
	n := (key.Params().BitSize + 7) / 8
	signature := make([]byte, 2*n)
	r.FillBytes(signature[:n])
	s.FillBytes(signature[n:])
	return signature, nil
}
