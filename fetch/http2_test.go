package fetch

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kavosh"
	"kavosh/lib/httpwire"
)

// h2Server is Go's HTTP/2 server with a certificate that the fetcher trusts. It counts its connections.
func h2Server(t testing.TB, handler http.HandlerFunc) (h *HTTP, url string, conns *atomic.Int32) {
	t.Helper()
	ca := newAuthority(t)
	srv := httptest.NewUnstartedServer(handler)
	srv.EnableHTTP2 = true
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}}
	conns = new(atomic.Int32)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return newHTTP(t, Options{Roots: ca.pool}), srv.URL, conns
}

// readsBack holds what is kept of an answer to what reading its record gives.
func readsBack(t testing.TB, x *kavosh.Exchange) {
	t.Helper()
	head, raw, body, err := httpwire.Split(strings.NewReader(text(t, x.Wire)), httpwire.MaxHead)
	if err != nil || len(raw) != x.HeadLen || head.Status != x.Status || head.Proto != "HTTP/1.1" || len(head.Fields) != len(x.Header) {
		t.Fatalf("head reads back as %+v, %v; was %+v", head, err, x)
	}
	for i, f := range head.Fields {
		if kavosh.Field(f) != x.Header[i] {
			t.Fatalf("field %d reads back as %q, was %q", i, f, x.Header[i])
		}
	}
	payload, err := io.ReadAll(httpwire.Payload(head, body))
	if err != nil || string(payload) != text(t, x.Payload) {
		t.Fatalf("payload reads back as %d bytes, %v; was %d", len(payload), err, x.Payload.Size())
	}
	if sum := sha256.Sum256(payload); !bytes.Equal(x.Digest, sum[:]) {
		t.Fatal("digest of something else")
	}
}

func TestHTTP2(t *testing.T) {
	page := strings.Repeat("<p>سلام", 30_000)
	h, url, conns := h2Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Length", fmt.Sprint(len(page)))
			io.WriteString(w, page)
		case "/flushed":
			w.(http.Flusher).Flush()
			io.WriteString(w, page)
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, page)
			z.Close()
		case "/hints":
			w.Header().Set("Link", "</a.css>")
			w.WriteHeader(103)
			io.WriteString(w, "hi")
		case "/trailer":
			w.Header().Set("Trailer", "Sum")
			io.WriteString(w, "hi")
			w.Header().Set("Sum", "42")
		case "/cookies":
			w.Header().Add("Set-Cookie", "a=1; Path=/")
			w.Header().Add("Set-Cookie", "b=2; Path=/")
		case "/redirect":
			w.Header().Set("Location", "/page")
			w.WriteHeader(302)
		case "/304":
			w.WriteHeader(304)
		case "/echo":
			fmt.Fprintf(w, "%s %s %s %s %s", r.Proto, r.Host, r.RequestURI, r.UserAgent(), r.Header.Get("Cookie"))
		}
	})
	fetch := func(path string, status int) *kavosh.Exchange {
		x := get(t, h, url+path)
		if x.Failure != "" || x.Status != status || x.Malformed != "" || x.Truncated != "" || x.Proto != "h2" || x.TLS == nil || !x.Addr.IsValid() {
			t.Fatalf("%s: %+v", path, x)
		}
		if !strings.HasPrefix(string(x.Request), "GET "+path+" HTTP/1.1\r\nHost: "+strings.TrimPrefix(url, "https://")+"\r\nUser-Agent: ") {
			t.Errorf("%s: request %q", path, x.Request)
		}
		if !strings.HasPrefix(text(t, x.Wire), fmt.Sprintf("HTTP/1.1 %d %s\r\n", status, http.StatusText(status))) {
			t.Errorf("%s: head %q", path, text(t, x.Wire)[:x.HeadLen])
		}
		readsBack(t, x)
		return x
	}
	for range 3 {
		for _, path := range []string{"/page", "/flushed"} {
			if x := fetch(path, 200); text(t, x.Payload) != page || (x.Header.Get("Content-Length") != "") != (path == "/page") {
				t.Errorf("%s: %d bytes, head %q", path, x.Payload.Size(), text(t, x.Wire)[:x.HeadLen])
			}
		}
	}
	if x := fetch("/gzip", 200); x.Header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(text(t, x.Payload), "\x1f\x8b") {
		t.Errorf("head %q", text(t, x.Wire)[:x.HeadLen])
	}
	if x := fetch("/hints", 200); string(x.Interim) != "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n" || text(t, x.Payload) != "hi" {
		t.Errorf("interim %q", x.Interim)
	}
	if x := fetch("/trailer", 200); text(t, x.Payload) != "hi" || !strings.Contains(x.Detail, `"sum": "42"`) {
		t.Errorf("detail %q", x.Detail)
	}
	if x := fetch("/cookies", 200); !slices.Equal(x.Header.Values("set-cookie"), []string{"a=1; Path=/", "b=2; Path=/"}) {
		t.Errorf("%q", x.Header)
	}
	if x := fetch("/redirect", 302); x.Header.Get("Location") != "/page" {
		t.Errorf("%q", x.Header)
	}
	fetch("/304", 304)
	want := "HTTP/2.0 " + strings.TrimPrefix(url, "https://") + " /echo?q=1 " + h.UserAgent() + " a=1; b=2"
	if x := fetch("/echo?q=1", 200); text(t, x.Payload) != want {
		t.Errorf("the server read %q, want %q", text(t, x.Payload), want)
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for exchanges one after the other", n)
	}
}

func TestNoHTTP2(t *testing.T) {
	h, url, _ := h2Server(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	h.o.NoHTTP2 = true
	if x := get(t, h, url+"/"); x.Proto != "HTTP/1.1" || text(t, x.Payload) != "HTTP/1.1" {
		t.Errorf("%q, the server read %q", x.Proto, text(t, x.Payload))
	}
}

// Bodies larger than all windows, and many small ones, are let through to their end.
func TestHTTP2Windows(t *testing.T) {
	const size = 3*streamWindow + 12345
	h, url, conns := h2Server(t, func(w http.ResponseWriter, r *http.Request) {
		n := size
		if r.URL.Path == "/small" {
			n = 300_000
		}
		for piece := strings.Repeat("x", 40_000); n > 0; n -= len(piece) {
			io.WriteString(w, piece[:min(n, len(piece))])
		}
	})
	for range 50 {
		if x := get(t, h, url+"/small"); x.Failure != "" || x.Payload.Size() != 300_000 {
			t.Fatalf("%+v", x)
		}
	}
	if x := get(t, h, url+"/large"); x.Failure != "" || x.Payload.Size() != size {
		t.Fatalf("%+v", x)
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// Exchanges at the same time have a connection each.
func TestHTTP2AtOnce(t *testing.T) {
	const n = 8
	come, all := make(chan bool, n), make(chan bool)
	h, url, conns := h2Server(t, func(w http.ResponseWriter, r *http.Request) {
		come <- true
		<-all
		io.WriteString(w, r.URL.Path)
	})
	done := make(chan error)
	for i := range n {
		go func() {
			path := fmt.Sprintf("/%d", i)
			x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: url + path}, nil)
			if err == nil && string(x.Payload.Bytes()) != path {
				err = fmt.Errorf("%s: %+v", path, x)
			}
			x.Close()
			done <- err
		}()
	}
	for range n {
		<-come
	}
	close(all)
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := conns.Load(); got != n {
		t.Errorf("%d connections, want %d", got, n)
	}
}

// A server that goes away between exchanges costs one new connection, as over HTTP/1.1.
func TestHTTP2ServerRestarts(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(t, time.Now().Add(time.Hour), "127.0.0.1")}}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hi") })
	h := newHTTP(t, Options{Roots: ca.pool})
	address := "127.0.0.1:0"
	for range 3 {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		srv := httptest.NewUnstartedServer(handler)
		srv.Listener.Close()
		srv.Listener, srv.EnableHTTP2, srv.TLS = l, true, cfg.Clone()
		srv.StartTLS()
		for range 2 {
			if x := get(t, h, "https://"+address+"/"); x.Failure != "" || x.Proto != "h2" || text(t, x.Payload) != "hi" {
				t.Errorf("%+v", x)
			}
		}
		srv.Close()
	}
}
