package fetch

import (
	"crypto/sha256"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"kavosh"
)

// canned answers every request with one page of 20 KB, at the least cost, so that the client's cost shows.
func canned(b testing.TB, cfg *tls.Config) netip.AddrPort {
	page := strings.Repeat("<p>kavosh means exploration</p>\n", 640)
	answer := []byte(ok + "Server: canned\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/html\r\n" +
		"Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Length: " + itoa(len(page)) + "\r\n\r\n" + page)
	return listen(b, func(c net.Conn, _ int) {
		if cfg != nil {
			c = tls.Server(c, cfg)
		}
		buf := make([]byte, 4096)
		for {
			// The clients here send a head in one piece and wait for the answer.
			n, err := c.Read(buf)
			if err != nil || n < 4 {
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	})
}

// BenchmarkConnect makes a TLS connection for each exchange: the first of a host, and later ones, which resume a session.
func BenchmarkConnect(b *testing.B) {
	ca := newAuthority(b)
	addr := canned(b, &tls.Config{Certificates: []tls.Certificate{ca.issue(b, time.Now().Add(time.Hour), "127.0.0.1")}})
	task := &kavosh.Task{URL: "https://" + addr.String() + "/"}
	for name, sessions := range map[string]tls.ClientSessionCache{"first": nil, "later": tls.NewLRUClientSessionCache(1)} {
		b.Run(name, func(b *testing.B) {
			h := newHTTP(b, Options{Roots: ca.pool, MaxIdle: -1})
			h.tls.sessions = sessions
			b.ReportAllocs()
			for b.Loop() {
				x, _, err := h.Fetch(b.Context(), task, nil)
				if err != nil || x.Status != 200 {
					b.Fatalf("%+v, %v", x, err)
				}
				x.Close()
			}
		})
	}
}

// BenchmarkHTTP2 compares our client with net/http's over HTTP/2, one exchange at a time, with Go's server.
func BenchmarkHTTP2(b *testing.B) {
	page := []byte(strings.Repeat("<p>kavosh means exploration</p>\n", 640))
	ours, url, _ := h2Server(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "20480")
		w.Write(page)
	})
	task := &kavosh.Task{URL: url + "/"}
	peer := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: ours.o.Roots}, DisableCompression: true, ForceAttemptHTTP2: true,
	}}
	var a, z time.Duration
	for b.Loop() { // in turns, so that both see the same machine
		t0 := time.Now()
		x, _, err := ours.Fetch(b.Context(), task, nil)
		if err != nil || x.Status != 200 || x.Payload.Size() != 20480 || x.Proto != "h2" {
			b.Fatalf("%+v, %v", x, err)
		}
		x.Close()
		t1 := time.Now()
		res, err := peer.Get(url)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(sha256.New(), res.Body); err != nil || n != 20480 || res.ProtoMajor != 2 {
			b.Fatal(n, err)
		}
		res.Body.Close()
		a, z = a+t1.Sub(t0), z+time.Since(t1)
	}
	b.ReportMetric(float64(b.N)/a.Seconds(), "ours/s")
	b.ReportMetric(float64(b.N)/z.Seconds(), "nethttp/s")
	b.ReportMetric(float64(z)/float64(a), "ratio")
}

// BenchmarkFetch compares our client with net/http's, which does less: its body is read and digested, but the bytes of
// head and framing are lost. Both keep their connection.
func BenchmarkFetch(b *testing.B) {
	ca := newAuthority(b)
	cfg := &tls.Config{Certificates: []tls.Certificate{ca.issue(b, time.Now().Add(time.Hour), "127.0.0.1")}}
	for _, scheme := range []string{"http", "https"} {
		serve := cfg
		if scheme == "http" {
			serve = nil
		}
		url := scheme + "://" + canned(b, serve).String() + "/"
		ours := newHTTP(b, Options{Roots: ca.pool})
		task := &kavosh.Task{URL: url}
		fetch := func() {
			x, _, err := ours.Fetch(b.Context(), task, nil)
			if err != nil || x.Status != 200 || x.Payload.Size() != 20480 {
				b.Fatalf("%+v, %v", x, err)
			}
			x.Close()
		}
		peer := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.pool}, DisableCompression: true}}
		get := func() {
			res, err := peer.Get(url)
			if err != nil {
				b.Fatal(err)
			}
			sum := sha256.New()
			if n, err := io.Copy(sum, res.Body); err != nil || n != 20480 {
				b.Fatal(n, err)
			}
			res.Body.Close()
		}
		b.Run(scheme+"/kavosh", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fetch()
			}
		})
		b.Run(scheme+"/nethttp", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				get()
			}
		})
		b.Run(scheme+"/ratio", func(b *testing.B) {
			var a, z time.Duration
			for b.Loop() { // in turns, so that both see the same machine
				t0 := time.Now()
				fetch()
				t1 := time.Now()
				get()
				a, z = a+t1.Sub(t0), z+time.Since(t1)
			}
			b.ReportMetric(float64(b.N)/a.Seconds(), "ours/s")
			b.ReportMetric(float64(b.N)/z.Seconds(), "nethttp/s")
			b.ReportMetric(float64(z)/float64(a), "ratio")
		})
	}
}
