package quads

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// TestRedirectsOfContexts keeps the newest redirect of a URL, whichever comes first, and goes round in no circle.
func TestRedirectsOfContexts(t *testing.T) {
	s := openStore(t, vfs.NewMem())
	defer s.Close()
	g := &Gatherer{Store: s, Trouble: func(url string, err error) { t.Errorf("%s: %v", url, err) }}
	redirect := func(from, to string, day int) {
		t.Helper()
		c := kavosh.Capture{URL: from, Time: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC), Type: "response", Status: 302, Location: to}
		if _, err := g.Add(t.Context(), &c, 0); err != nil {
			t.Fatal(err)
		}
	}
	for i, days := range [][]int{{1, 2}, {2, 1}} {
		from := fmt.Sprintf("http://a.ir/%d", i)
		for _, day := range days {
			redirect(from, fmt.Sprintf("/day%d", day), day)
		}
		redirect("http://a.ir/other", "/", 1) // whatever comes after writes what came before
		if to, _, ok := s.redirection(from); !ok || to != "http://a.ir/day2" {
			t.Errorf("put in the order %v, the redirect leads to %q", days, to)
		}
	}
	redirect("http://a.ir/x", "/y", 1)
	redirect("http://a.ir/y", "/x", 1)
	redirect("http://a.ir/other", "/", 2)
	if _, ok := g.context("http://a.ir/x#top"); ok {
		t.Error("a circle of redirects leads to a context")
	}
}
