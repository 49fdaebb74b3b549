package watch

// This file signs messages as Standard Webhooks 1.0 says, and keeps the one key of an archive from which the secrets of
// its watches are made.

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Key is the key of an archive, from which the secrets of its watches are made.
type Key [32]byte

// keyName is the file of the key, in the folder of an archive's outbox.
const keyName = "key"

// KeyOf returns the key of an archive. If there is none, it makes one, in a file that only its owner may read.
func KeyOf(archive string) (k Key, err error) {
	path := filepath.Join(archive, folder, keyName)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if data, err = newKey(path); err != nil {
			return k, err
		}
	}
	if err != nil {
		return k, err
	}
	if raw, err := hex.DecodeString(strings.TrimSpace(string(data))); err != nil || copy(k[:], raw) != len(k) || len(raw) != len(k) {
		return k, fmt.Errorf("%s is damaged: put it back from a copy, or remove it: then all secrets are others", path)
	}
	return k, nil
}

// newKey makes the file of a key, whole or not at all, and returns what it holds: that of another program if that was first.
func newKey(path string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), keyName+".*") // with mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	var k Key
	rand.Read(k[:]) // cannot fail
	_, err = f.WriteString(hex.EncodeToString(k[:]) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}

// secret returns the bytes with which the messages of a watch are signed.
func (k Key) secret(watch int) []byte {
	h := hmac.New(sha256.New, k[:])
	h.Write([]byte("watch " + strconv.Itoa(watch)))
	return h.Sum(nil)
}

// Secret returns what a receiver needs to check the messages of a watch, in the form that libraries for Standard Webhooks
// take: "whsec_" and base64.
func (k Key) Secret(watch int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(k.secret(watch))
}

// Sign adds the fields by which a receiver knows a message: its name, when it is sent, and the signature of both and of its
// body.
func (k Key) Sign(h http.Header, watch int, id string, at time.Time, body []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, k.secret(watch))
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", stamp)
	h.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
