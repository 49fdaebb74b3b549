package live

import (
	"fmt"
	"testing"
	"time"
)

// TestDoor lets in who gives the token, for as long as it should, and nobody else.
func TestDoor(t *testing.T) {
	now := time.Date(2026, 3, 21, 10, 0, 0, 0, time.UTC)
	d := door{now: func() time.Time { return now }}
	enter := func(given, problem string) string {
		t.Helper()
		id, got := d.enter(given)
		if got != problem || (id == "") != (problem != "") {
			t.Errorf("%q: %q, %q, want %q", given, id, got, problem)
		}
		return id
	}
	enter("", wrongToken) // before there is a token
	d.open("")
	enter("", wrongToken) // nobody can
	token := NewToken()
	d.open(token)
	first := enter(token, "")
	if s := d.session(first); s == nil || s.id == token || s.secret == s.id || len(s.id) != 64 || len(token) != 64 {
		t.Errorf("session %+v of token %s", s, token)
	}
	for _, wrong := range []string{"", token[:63], token + "0", first} {
		enter(wrong, wrongToken)
	}
	for range maxWrong - 4 {
		enter("x", wrongToken)
	}
	enter(token, tooOften)
	if d.session(first) == nil {
		t.Error("a session ended with other people's mistakes")
	}
	now = now.Add(time.Minute)
	second := enter(token, "")
	now = now.Add(maxIdle)
	if d.session(second) == nil || d.session(first) != nil {
		t.Error("one session was used twelve hours ago, the other a minute before")
	}
	for range maxSessions {
		now = now.Add(time.Second)
		enter(token, "")
	}
	if d.session(second) != nil || len(d.sessions) != maxSessions {
		t.Errorf("%d sessions, with that which was used longest ago", len(d.sessions))
	}
	last := d.sessions[len(d.sessions)-1]
	if !last.sent(last.secret) || last.sent("") || last.sent(last.id) {
		t.Error("only the secret is the secret")
	}
	d.leave(last)
	if d.session(last.id) != nil {
		t.Error("who leaves is still in")
	}
	d.open(NewToken())
	for i, s := range []string{token, second, last.id} {
		if _, problem := d.enter(s); problem != wrongToken {
			t.Error(fmt.Sprint(i), problem)
		}
	}
}
