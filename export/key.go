package export

// This file reads the key that signs WACZ files, or makes one.

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SigningKey reads the key in the named file. If name is "", it is the user's own key, which is made if there is none.
func SigningKey(name string) (*ecdsa.PrivateKey, error) {
	own := name == ""
	if own {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder to keep a key in (%w): name one with --key", err)
		}
		name = filepath.Join(dir, "kavosh", "wacz-key.pem")
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && own {
		return newKey(name)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("%s holds no key in PEM form", name)
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := any.(*ecdsa.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s holds no private ECDSA key", name)
	}
	return key, nil
}

// newKey makes a key in a file that only its owner may read.
func newKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	return key, os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}
