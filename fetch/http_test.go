package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kavosh"
)

// newHTTP makes a fetcher that may reach this machine.
func newHTTP(t testing.TB, o Options) *HTTP {
	t.Helper()
	o.AllowPrivate = append(o.AllowPrivate, prefixes("127.0.0.0/8", "::1/128")...)
	o.Dir = t.TempDir()
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// get makes an exchange; it is closed with the test.
func get(t testing.TB, h *HTTP, url string) *kavosh.Exchange {
	t.Helper()
	x, err := h.Fetch(context.Background(), &kavosh.Task{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

func text(t testing.TB, b kavosh.Body) string {
	t.Helper()
	if b == nil {
		return ""
	}
	all, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		t.Fatal(err)
	}
	if mem := b.Bytes(); mem != nil && !bytes.Equal(mem, all) {
		t.Error("Bytes and ReadAt differ")
	}
	return string(all)
}

func TestFetchKeepsWhatCrossedTheWire(t *testing.T) {
	page := strings.Repeat("<p>سلام", 3000)
	conns := 0
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/chunked":
			w.(http.Flusher).Flush()
			io.WriteString(w, page)
		default:
			w.Header().Set("Content-Length", fmt.Sprint(len(page)))
			io.WriteString(w, page)
		}
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns++
		}
	}
	srv.Start()
	defer srv.Close()
	h := newHTTP(t, Options{})
	for range 3 {
		for _, path := range []string{"/", "/chunked"} {
			x := get(t, h, srv.URL+path)
			if x.Failure != "" || x.Status != 200 || x.Malformed != "" || x.Truncated != "" || x.Proto != "HTTP/1.1" {
				t.Fatalf("%s: %+v", path, x)
			}
			wire := text(t, x.Wire)
			head, body := wire[:x.HeadLen], wire[x.HeadLen:]
			if !strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(head, "\r\n\r\n") {
				t.Errorf("head %q", head)
			}
			if chunked := strings.HasSuffix(body, "\r\n0\r\n\r\n"); chunked != (path == "/chunked") {
				t.Errorf("%s: body ends in %q", path, body[len(body)-10:])
			}
			if text(t, x.Payload) != page {
				t.Errorf("%s: another payload", path)
			}
			if sum := sha256.Sum256([]byte(page)); !bytes.Equal(x.Digest, sum[:]) {
				t.Errorf("%s: digest %x", path, x.Digest)
			}
			if !strings.HasPrefix(string(x.Request), "GET "+path+" HTTP/1.1\r\nHost: "+strings.TrimPrefix(srv.URL, "http://")+"\r\nUser-Agent: ") {
				t.Errorf("request %q", x.Request)
			}
			if x.Addr.String() != strings.TrimPrefix(srv.URL, "http://") {
				t.Errorf("address %v", x.Addr)
			}
		}
	}
	if conns != 1 {
		t.Errorf("%d connections for six exchanges one after the other", conns)
	}
}
