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

// A request goes to another address than the leased one only when that one may be asked, over a new connection and over a
// kept one.
func TestFetchAtAsksForOtherAddresses(t *testing.T) {
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer s.Close()
	h := newHTTP(t, Options{})
	task := &kavosh.Task{URL: s.URL + "/"}
	there, leased := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	for range 2 { // the second time over the connection that was kept
		x, wait, err := h.FetchAt(t.Context(), task, leased, func(a netip.Addr) time.Duration {
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
		t.Errorf("%d requests to an address that must not be asked", n)
	}
	x, wait, err := h.FetchAt(t.Context(), task, leased, func(netip.Addr) time.Duration { return 0 })
	if err != nil || wait != 0 || x.Status != 200 {
		t.Fatalf("permitted: %v, %v, %v", x, wait, err)
	}
	x.Close()
	x, _, err = h.FetchAt(t.Context(), task, there, func(netip.Addr) time.Duration {
		t.Error("asked about the leased address")
		return 0
	})
	if err != nil || x.Status != 200 {
		t.Fatalf("leased: %v, %v", x, err)
	}
	x.Close()
}
