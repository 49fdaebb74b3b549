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
	"sync/atomic"
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
	x, _, err := h.Fetch(context.Background(), &kavosh.Task{URL: url}, nil)
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

// Each exchange may have a context of its own. That one ends later does no harm to the connection, which serves another
// meanwhile; that one ends within its exchange ends that.
func TestContextsOfExchanges(t *testing.T) {
	release := make(chan struct{})
	conns := atomic.Int32{}
	addr := listen(t, func(c net.Conn, _ int) {
		conns.Add(1)
		for {
			head, err := request(c)
			if err != nil {
				return
			}
			if strings.HasPrefix(head, "GET /wait") {
				release <- struct{}{}
				<-release
			}
			io.WriteString(c, ok+"Content-Length: 2\r\n\r\nhi")
		}
	})
	h := newHTTP(t, Options{})
	fetch := func(ctx context.Context, path string) error {
		x, _, err := h.Fetch(ctx, &kavosh.Task{URL: "http://" + addr.String() + path}, nil)
		if err == nil && x.Status != 200 {
			t.Errorf("%+v", x)
		}
		x.Close()
		return err
	}
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		if err := fetch(ctx, "/"); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	before, cancelBefore := context.WithCancel(t.Context())
	if err := fetch(before, "/"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { failed <- fetch(ctx, "/wait") }()
	<-release
	cancelBefore()
	select {
	case err := <-failed:
		t.Fatalf("ended with another's context: %v", err)
	case release <- struct{}{}:
	}
	if err := <-failed; err != nil || conns.Load() != 1 {
		t.Fatalf("%v, %d connections", err, conns.Load())
	}
	go func() { failed <- fetch(ctx, "/wait") }()
	<-release
	cancel()
	if err := <-failed; err != context.Canceled {
		t.Fatalf("%v, want that it was cancelled", err)
	}
	close(release)
	if err := fetch(ctx, "/"); err != context.Canceled {
		t.Fatalf("%v, want that it was cancelled before", err)
	}
}
