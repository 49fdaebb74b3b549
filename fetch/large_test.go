package fetch

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// Answers that come faster than they are read, and outgrow memory in one read of a buffer that a larger answer left
// behind, still have their heads.
func TestLargeAnswersOverKeptConnections(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 200<<10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "3276800")
		w.Write([]byte(body))
	}))
	defer srv.Close()
	h, err := New(Options{FS: vfs.NewMem(), Dir: "tmp", AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, NoCookies: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: srv.URL + "/"}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if x.Failure != kavosh.NoFailure || x.Status != 200 || x.Payload.Size() != int64(len(body)) {
					t.Errorf("status %d, failure %q %s", x.Status, x.Failure, x.Detail)
				}
				x.Close()
			}
		})
	}
	wg.Wait()
}
