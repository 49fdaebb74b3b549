// Package httpsig signs HTTP messages with Ed25519 (RFC 9421), in the way by which servers know crawlers: Web Bot Auth.
//
// A [Key] signs what of a message is covered ([Key.Sign]). It is named by the hash of its public half, which verifiers
// find in a [Directory].
package httpsig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
)

// Key is a private key. Its String is its name, so that no print shows more.
type Key struct {
	private ed25519.PrivateKey
	id      string
}

// NewKey makes a key.
func NewKey() *Key {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return newKey(private)
}

func newKey(private ed25519.PrivateKey) *Key {
	k := &Key{private: private}
	// RFC 7638: the hash of the members that a key must have, in the order of their names, without spaces.
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + k.x() + `"}`))
	k.id = base64.RawURLEncoding.EncodeToString(sum[:])
	return k
}

// pemType is the type of a PEM block that holds a key in PKCS #8.
const pemType = "PRIVATE KEY"

// ParseKey reads a key that PEM wrote, or another program: PKCS #8 in PEM.
func ParseKey(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemType {
		return nil, errors.New("it holds no " + pemType + " in PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("its private key is damaged")
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("its private key is not for Ed25519")
	}
	return newKey(private), nil
}

// PEM returns the key in the form that ParseKey reads.
func (k *Key) PEM() []byte {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		panic(err) // it is an Ed25519 key
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})
}

// ID returns the name of the key: its JWK thumbprint (RFC 7638, RFC 8037).
func (k *Key) ID() string { return k.id }

func (k *Key) String() string { return k.id }

// GoString is String for the verb %#v.
func (k *Key) GoString() string { return k.id }

// x returns the public half as a JWK spells it.
func (k *Key) x() string {
	return base64.RawURLEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey))
}
