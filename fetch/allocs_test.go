package fetch

import (
	"testing"

	"kavosh"
)

// An exchange over a kept connection, with the look at its address before, makes six things: the exchange with all that
// hangs on it, the request head, the answer's head, the buffer of the answer, what gives it back, and the list of the one
// address. The server here makes nothing.
func TestExchangeAllocations(t *testing.T) {
	addr := canned(t, nil)
	for _, tt := range []struct {
		name, url string
		set       func(h *HTTP)
		most      float64
	}{
		{"plain", "http://" + addr.String() + "/a/page.html?q=1", func(*HTTP) {}, 6},
		{"with a cookie", "http://" + addr.String() + "/a/page.html?q=1", func(h *HTTP) {
			h.jar.Set("http", "127.0.0.1", "/", "session=1")
		}, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHTTP(t, Options{})
			tt.set(h)
			task := &kavosh.Task{URL: tt.url}
			ctx := t.Context()
			allocs := testing.AllocsPerRun(200, func() {
				target, err := h.Address(ctx, task)
				if err != nil || target.Addr != addr.Addr() {
					t.Fatalf("%+v, %v", target, err)
				}
				x, err := h.Fetch(ctx, task)
				if err != nil || x.Status != 200 || x.Payload.Size() != 20480 || len(x.Digest) != 32 {
					t.Fatalf("%+v, %v", x, err)
				}
				x.Close()
			})
			if allocs > tt.most {
				t.Errorf("%v allocations an exchange, want at most %v", allocs, tt.most)
			}
		})
	}
}
