package live

// This file knows who holds the token of a crawl.

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"
)

// Bounds on those who come in.
const (
	maxSessions = 16             // the one that was used longest ago ends when there is one more
	maxIdle     = 12 * time.Hour // a session ends that was not used for so long
	maxWrong    = 10             // wrong tokens in a minute; then none is read until the minute is over
)

// Reasons why a reader is not let in, as draw.Control.Problem has them.
const (
	wrongToken = "wrong"
	tooOften   = "often"
	notEntered = "ended"
)

// door lets those in who give the token.
type door struct {
	now      func() time.Time
	locked   bool              // there is no token
	token    [sha256.Size]byte // digests have one length, so that comparing them tells nothing about it
	sessions []*session
	minute   time.Time // when wrong began to be counted
	wrong    int       // wrong tokens since then
}

// session is a reader who has given the token.
type session struct {
	id, secret string // both random: what the browser keeps, and what forms send back
	used       time.Time
	answer     string // what came of the last command
	failed     bool
}

// NewToken returns a new token: 32 random bytes in hexadecimal digits.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never returns an error
	return hex.EncodeToString(b[:])
}

// open makes token the one that is asked for; "" lets nobody in. All sessions end.
func (d *door) open(token string) {
	*d = door{now: d.now, locked: token == "", token: sha256.Sum256([]byte(token))}
}

// enter begins a session if given is the token, and returns its id. Otherwise it says why not.
func (d *door) enter(given string) (id, problem string) {
	now := d.now()
	if now.Sub(d.minute) >= time.Minute {
		d.minute, d.wrong = now, 0
	}
	if d.wrong >= maxWrong {
		return "", tooOften
	}
	if sum := sha256.Sum256([]byte(given)); d.locked || subtle.ConstantTimeCompare(sum[:], d.token[:]) != 1 {
		d.wrong++
		return "", wrongToken
	}
	if len(d.sessions) == maxSessions {
		oldest := d.sessions[0]
		for _, s := range d.sessions {
			if s.used.Before(oldest.used) {
				oldest = s
			}
		}
		d.leave(oldest)
	}
	s := &session{id: NewToken(), secret: NewToken(), used: now}
	d.sessions = append(d.sessions, s)
	return s.id, ""
}

// session returns the session with an id; nil if there is none, or it has ended.
func (d *door) session(id string) *session {
	now := d.now()
	for _, s := range d.sessions {
		if same(s.id, id) {
			if now.Sub(s.used) > maxIdle {
				d.leave(s)
				return nil
			}
			s.used = now
			return s
		}
	}
	return nil
}

// leave ends a session.
func (d *door) leave(gone *session) {
	kept := d.sessions[:0:0]
	for _, s := range d.sessions {
		if s != gone {
			kept = append(kept, s)
		}
	}
	d.sessions = kept
}

// sent reports whether a form was that of the session's own page.
func (s *session) sent(secret string) bool { return same(s.secret, secret) }

// same compares in a time that does not tell where two texts differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
