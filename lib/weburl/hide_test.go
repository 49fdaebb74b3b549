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
