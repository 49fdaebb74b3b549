package site

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/schedule/pattern"
)

// visitsOf yields captures of pages with the same bytes, one for each of some URLs, under keys that the index gives.
func visitsOf(n int, entry func(i int) (key, url string)) func(yield func(change.Version, error) bool) {
	return func(yield func(change.Version, error) bool) {
		for i := range n {
			e := cdx.Entry{Status: 200, MIME: "text/html", Digest: "sha1:AAAA", Timestamp: time.Unix(1_700_000_000+int64(i), 0).UTC().Format("20060102150405")}
			e.Key, e.URL = entry(i)
			if !yield(change.Version{Entry: e}, nil) {
				return
			}
		}
	}
}

// An index that others made may have one URL under two keys, and more visits than count are told.
func TestRhythmOfOddIndexes(t *testing.T) {
	world, err := pattern.At("world")
	if err != nil {
		t.Fatal(err)
	}
	two := visitsOf(4, func(i int) (string, string) {
		return fmt.Sprintf("test,a)/%d", i), fmt.Sprintf("http://a.test/%d", i%2)
	})
	if r, err := RhythmOf(t.Context(), "a.test", world, two, nil, maxDiffering); err != nil || r.Pages != 2 || r.Visits != 4 || r.Cut {
		t.Errorf("%+v, %v", r, err)
	}
	for n, cut := range map[int]bool{maxBeats: false, maxBeats + 1: true} {
		many := visitsOf(n, func(i int) (string, string) {
			return fmt.Sprintf("test,a)/%07d", i), fmt.Sprintf("http://a.test/%07d", i)
		})
		if r, err := RhythmOf(t.Context(), "a.test", world, many, nil, maxDiffering); err != nil || r.Visits != maxBeats || r.Cut != cut {
			t.Errorf("of %d visits: %+v, %v", n, r, err)
		}
	}
}

// A rhythm waits for others before it reads anything: what it reads is large.
func TestRhythmWaitsFirst(t *testing.T) {
	s := &Site{learning: make(chan struct{}, 1)}
	s.learning <- struct{}{}
	c := &Collection{Dir: filepath.Join(t.TempDir(), "missing")}
	c.members = []*Collection{c}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the client goes
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("it ended by %v", got)
		}
	}()
	s.rhythmPage(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/c/one/rhythm?host=a.test&calendar=world", nil), c)
}
