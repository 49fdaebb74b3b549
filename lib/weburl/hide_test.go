package weburl_test

import (
	"strings"
	"testing"

	"kavosh/lib/weburl"
)

func TestHidePasswordsInAnySpelling(t *testing.T) {
	for _, text := range []string{
		"me:secret@example.org/a//b", "https:/me:secret@exa mple/", `https:\\me:secret@bad host/`, `https:me:secret@h/`,
		"https://me:secret@h/a//b@c", " //me:secret@h/", `/\me:secret@h/`, "https://me:sec/secret@h/",
		"/x https://u:secret@h/", "me@x https://u:secret@h/", "www.a.test/?u=https://u:secret@h/", "https://a.test/https://u:secret@h/", "secret@h/a",
	} {
		if shown := weburl.Hide(text); strings.Contains(shown, "secret") {
			t.Errorf("Hide(%q) = %q", text, shown)
		}
	}
	for _, text := range []string{"/login?next=//me@x.org/", "/share//@alice/1", "me@example.org", "https://a.example/@alice"} {
		if shown := weburl.Hide(text); shown != text {
			t.Errorf("Hide(%q) = %q", text, shown)
		}
	}
}

// FuzzHide hides whatever the parser takes for a password.
func FuzzHide(f *testing.F) {
	const secret = "sEcReT"
	for _, s := range []string{"https://me:", `https:\\me:`, "https:me:", "//me:", "http:/:", "\x01https://a@b:", "ht\ttps:/\t/me:"} {
		f.Add(s, "@example.org/a//b")
		f.Add(s, "/@example.org:80/@x")
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		text := before + secret + after
		u, err := weburl.Parse(text)
		if err != nil || !u.Fetchable() || strings.Contains(before+after, secret) {
			return
		}
		if user, password := u.Credentials(); !strings.Contains(user+password, secret) {
			return
		}
		if shown := weburl.Hide(text); strings.Contains(shown, secret) {
			t.Errorf("Hide(%q) = %q", text, shown)
		}
	})
}
