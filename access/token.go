package access

// This file keeps the tokens with which programs may fetch an archive's WARC files.

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/decisions"
)

// Token lets a program fetch an archive's WARC files. The secret itself is not stored, only its hash: with 256 random
// bits, nobody can find the secret from a plain hash.
type Token struct {
	ID    int       `json:"id"` // from 1; for a revocation, the ID of the token
	Time  time.Time `json:"time"`
	Who   string    `json:"who"`
	Do    string    `json:"do"`              // "add" or "revoke"
	Name  string    `json:"name,omitempty"`  // whom it is for
	Hash  string    `json:"hash,omitempty"`  // SHA-256 of the secret, hex
	Until time.Time `json:"until,omitzero"`  // when it ends; zero for never
	Ended bool      `json:"ended,omitempty"` // it was revoked; never stored
}

// Tokens returns the archive's tokens, also revoked ones, the oldest first.
func Tokens(fs vfs.FS, archive string) ([]Token, error) {
	var list []Token
	read := func(line []byte) (t Token, err error) {
		if err = json.Unmarshal(line, &t); err != nil {
			return t, err
		}
		switch {
		case t.Do == "add" && t.ID == len(list)+1:
			list = append(list, t)
		case t.Do == "revoke" && t.ID > 0 && t.ID <= len(list):
			list[t.ID-1].Ended = true
		default:
			err = fmt.Errorf("it has %q of token %d", t.Do, t.ID)
		}
		return t, err
	}
	for _, err := range decisions.Read(file(fs, archive, tokensName), 0, read) {
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// secretPrefix begins every secret, so that people and scanners recognise a leaked one.
const secretPrefix = "kavosh_"

// AddToken makes a token and returns its secret, which cannot be shown again.
func AddToken(fs vfs.FS, archive string, c clock.Clock, who, name string, until time.Time) (secret string, t Token, err error) {
	var raw [32]byte
	rand.Read(raw[:]) // cannot fail
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(raw[:])
	hash := sha256.Sum256([]byte(secret))
	t = Token{Do: "add", Who: who, Name: name, Hash: hex.EncodeToString(hash[:]), Until: until}
	return secret, t, writeToken(fs, archive, c, &t)
}

// RevokeToken revokes a token. It ends at once.
func RevokeToken(fs vfs.FS, archive string, c clock.Clock, who string, id int) (Token, error) {
	t := Token{Do: "revoke", Who: who, ID: id}
	return t, writeToken(fs, archive, c, &t)
}

// writeToken gives t its number and time, and adds it to the file durably.
func writeToken(fs vfs.FS, archive string, c clock.Clock, t *Token) error {
	unlock, err := decisions.Hold(fs, archive)
	if err != nil {
		return err
	}
	defer unlock.Close()
	list, err := Tokens(fs, archive)
	if err != nil {
		return err
	}
	switch {
	case t.Do == "add":
		t.ID = len(list) + 1
	case t.ID < 1 || t.ID > len(list) || list[t.ID-1].Ended:
		return fmt.Errorf("there is no token %d in force: kavosh token %s list shows them", t.ID, archive)
	}
	t.Time = c.Now().UTC().Truncate(time.Second)
	return file(fs, archive, tokensName).Add(t)
}

// TokenFollower knows the current tokens of an archive. It reads their file only after a change, and not for each
// request. It is safe for concurrent use.
type TokenFollower struct {
	fs      vfs.FS
	archive string

	mu struct {
		sync.Mutex
		looked  bool
		size    int64
		changed time.Time
		list    []Token
		err     error
	}
}

// FollowTokens follows the tokens of the archive in a folder. There may be none yet.
func FollowTokens(fs vfs.FS, archive string) *TokenFollower {
	return &TokenFollower{fs: fs, archive: archive}
}

// tokens returns all tokens.
func (f *TokenFollower) tokens() ([]Token, error) {
	var size int64
	var changed time.Time
	switch info, err := f.fs.Stat(file(f.fs, f.archive, tokensName).Path()); {
	case err == nil:
		size, changed = info.Size(), info.ModTime()
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("the tokens cannot be read: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.mu.looked || size != f.mu.size || !changed.Equal(f.mu.changed) {
		f.mu.looked, f.mu.size, f.mu.changed = true, size, changed
		f.mu.list, f.mu.err = Tokens(f.fs, f.archive)
	}
	return f.mu.list, f.mu.err
}

// Knows reports whether a secret belongs to a valid token. It takes the same time for right and wrong secrets.
func (f *TokenFollower) Knows(secret string, now time.Time) (bool, error) {
	list, err := f.tokens()
	if err != nil {
		return false, err
	}
	hash := sha256.Sum256([]byte(secret))
	given := []byte(hex.EncodeToString(hash[:]))
	known := 0
	for _, t := range list {
		same := subtle.ConstantTimeCompare(given, []byte(strings.ToLower(t.Hash)))
		if !t.Ended && (t.Until.IsZero() || now.Before(t.Until)) {
			known |= same
		}
	}
	return known == 1, nil
}
