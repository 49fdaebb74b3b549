package fetch

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"kavosh"
)

// A request is sent only when permit lets it, over a new connection and over a kept one, and permit is told where it goes.
func TestFetch(t *testing.T) {
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer s.Close()
	h := newHTTP(t, Options{})
	task := &kavosh.Task{URL: s.URL + "/"}
	there := netip.MustParseAddr("127.0.0.1")
	for range 2 { // the second time over the connection that was kept
		x, wait, err := h.Fetch(t.Context(), task, func(a netip.Addr) time.Duration {
			if a != there {
				t.Errorf("asked about %v, want %v", a, there)
			}
			return time.Second
		})
		if x != nil || wait != time.Second || err != nil {
			t.Fatalf("refused: exchange %v, wait %v, error %v", x, wait, err)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests that were not permitted", n)
	}
	x, wait, err := h.Fetch(t.Context(), task, func(netip.Addr) time.Duration { return 0 })
	if err != nil || wait != 0 || x.Status != 200 {
		t.Fatalf("permitted: %v, %v, %v", x, wait, err)
	}
	x.Close()
}
