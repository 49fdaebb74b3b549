package access

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
)

// The more specific of two rules about one URL counts, whichever was made first; notes about a page have its rules.
func TestOrderOfRulesAndNotesOfPages(t *testing.T) {
	const folder, page, host, domain = "open http://a.test/f/*", "takedown http://a.test/f", "metadata b.test", "takedown *.b.test"
	for _, r := range []*Rules{rules(t, folder, page, host, domain), rules(t, page, folder, domain, host)} {
		for url, want := range map[string]kavosh.Access{
			"http://a.test/f": kavosh.Takedown, "http://a.test/f/x": kavosh.Open, "urn:text:http://a.test/f": kavosh.Takedown,
			"screenshot:https://www.a.test/f": kavosh.Takedown, "urn:text:http://a.test/g": kavosh.Open,
			"http://b.test/": kavosh.MetadataOnly, "http://b.test:81/": kavosh.MetadataOnly, "http://sub.b.test/": kavosh.Takedown,
		} {
			if v := r.decide(entry(url, "20260101000000", ""), time.Now()); v.Access != want {
				t.Errorf("%s: %s by %v, want %s", url, v.Access, v.Rule, want)
			}
		}
	}
}

// Who asks why is told all rules about a capture: first the one that counts, then from the most to the least specific.
func TestWhyNamesAllRules(t *testing.T) {
	const digest = "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"
	r := rules(t, "on-site *", "open *.a.test", "takedown sub.a.test", "open http://sub.a.test/f/*", "open http://sub.a.test/f/g/*",
		"open http://sub.a.test/f/g/page", "metadata "+digest, "open http://sub.a.test/f/g/page", "takedown http://sub.a.test/other")
	for _, c := range []struct{ url, digest, want string }{
		{"http://sub.a.test/f/g/page", digest, "metadata [7 8 6 5 4 3 2 1]"},
		{"http://sub.a.test/f/g/page", "", "open [8 6 5 4 3 2 1]"},
		{"http://sub.a.test/x", digest, "takedown [3 7 2 1]"},
		{"http://b.test/", "", "on-site [1]"},
	} {
		v, speak := r.Why(entry(c.url, "20260101000000", c.digest), time.Now())
		var ids []int
		for _, d := range speak {
			ids = append(ids, d.ID)
		}
		if got := fmt.Sprint(v.Access, " ", ids); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.url, c.digest, got, c.want)
		}
	}
}

// A revisit opens the same content at a closed URL, and nothing else.
func TestARevisitOpensItsContentAlone(t *testing.T) {
	const digest, other = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	fs := archive(t)
	if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, "takedown http://closed.test/")); err != nil {
		t.Fatal(err)
	}
	g := NewGuard(lines{}, lines{}, Follow(fs, "archive", clock.Real{}))
	for _, c := range []struct {
		original, revisit string
		open              bool
	}{{digest, digest, true}, {digest, other, false}, {digest, "", false}, {"", digest, false}, {"", "", false}, {"none", "none", false}} {
		revisit := entry("http://open.test/", "20260101000000", c.revisit)
		err := shown(g.Revisiting(t.Context(), revisit), g, entry("http://closed.test/", "20250101000000", c.original))
		if (err == nil) != c.open {
			t.Errorf("the original has %q, the revisit %q: %v, want it open: %t", c.original, c.revisit, err, c.open)
		}
	}
}

// A link is listed if its page may be seen and its target may be listed.
func TestLinksOfAndToClosedPages(t *testing.T) {
	fs := archive(t)
	for _, text := range []string{"metadata http://metadata.test/", "takedown http://gone.test/"} {
		if _, err := Decide(fs, "archive", clock.Real{}, "someone", rule(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	var links lines
	for _, to := range []string{"gone", "metadata", "open"} {
		for _, from := range []string{"gone", "metadata", "open"} {
			e := entry("http://"+to+".test/", "20260101000000", "")
			e.Extra = []cdx.Field{{Name: "source", Value: "http://" + from + ".test/"}}
			links = append(links, *e)
		}
	}
	g := NewGuard(lines{}, lines{}, Follow(fs, "archive", clock.Real{}))
	got := ""
	for e, err := range g.Links(links).Query(t.Context(), cdx.Query{URL: "*"}) {
		if err != nil {
			t.Fatal(err)
		}
		got += e.Get("source") + " to " + e.URL + "; "
	}
	if want := "http://open.test/ to http://metadata.test/; http://open.test/ to http://open.test/; "; got != want {
		t.Errorf("listed: %s, want %s", got, want)
	}
}

// A token works up to its end, and not at it; a revoked one never, and it is revoked once.
func TestTokensEnd(t *testing.T) {
	fs := archive(t)
	until := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	secret := func(until time.Time) string {
		t.Helper()
		secret, _, err := AddToken(fs, "archive", clock.Real{}, "someone", "library", until)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	ends, stays, revoked := secret(until), secret(time.Time{}), secret(until)
	revoke(t, fs, 3, true)
	for _, id := range []int{3, 4, 0, -1} {
		revoke(t, fs, id, false)
	}
	f := FollowTokens(fs, "archive")
	for at, want := range map[time.Time]string{until.Add(-1): "true true false", until: "false true false", until.Add(1): "false true false"} {
		got := ""
		for _, s := range []string{ends, stays, revoked} {
			known, err := f.Knows(s, at)
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprint(" ", known)
		}
		if got != " "+want {
			t.Errorf("at %v:%s, want %s", at, got, want)
		}
	}
}

// revoke revokes a token, which may be impossible.
func revoke(t *testing.T, fs vfs.FS, id int, want bool) {
	t.Helper()
	if _, err := RevokeToken(fs, "archive", clock.Real{}, "someone", id); (err == nil) != want {
		t.Errorf("token %d is revoked: %v", id, err)
	}
}
