package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/access"
	"kavosh/internal/knownhosts"
	"kavosh/lib/warc"
	"kavosh/site"
)

// askAs is what the server at an address answers to one who asks for a path by a host name.
func askAs(t *testing.T, host, addr, path string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host, r.Close = host, true
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestReplayHosts wants the replay, whose collections have origins of their own, to answer at those and at no other.
func TestReplayHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "news.warc")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nsecret"
	h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: "2024-01-02T03:04:05Z"},
		{Name: "WARC-Target-URI", Value: "http://a.test/"}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
	if _, err := warc.NewWriter(f, warc.Compression{}).WriteRecord(h, strings.NewReader(block)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pattern        string
		known, unknown []string
	}{
		{"", []string{"news.localhost:PORT", "NEWS.localhost:PORT", "web.localhost:PORT", "127.0.0.1:PORT", "replay.example.org"}, []string{"other.localhost:PORT", "localhost.evil.test", ".localhost:PORT", "evil.test:PORT", "x.news.localhost:PORT"}},
		{"*.replay.test", []string{"news.replay.test", "web.replay.test", "127.0.0.1:PORT"}, []string{"other.replay.test", "news.replay.test.evil.test", "replay.test", "news.localhost:PORT", "evil.test"}},
	} {
		var listeners [2]*knownhosts.Listener
		for i := range listeners {
			if listeners[i], err = listen("--addr", "127.0.0.1:0", []string{"replay.example.org"}); err != nil {
				t.Fatal(err)
			}
		}
		set, err := openCollections(t.Context(), &program{err: t.Output()}, []string{"news=" + file})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		begun, ended := make(chan bool), make(chan error)
		go func() {
			ended <- serveReplay(ctx, &program{err: t.Output()}, set, site.Options{CollectionHost: c.pattern}, &access.Site{}, listeners[0], listeners[1], func(string, string) { begun <- true })
		}()
		<-begun
		addr := listeners[1].Addr().String()
		_, port, _ := net.SplitHostPort(addr)
		for i, host := range append(c.known, c.unknown...) {
			host = strings.ReplaceAll(host, "PORT", port)
			for _, path := range []string{"/news/20240102030405if_/http://a.test/", "/news/20240102030405id_/http://a.test/", "/web/cdx?url=a.test/*", "/news/timemap/link/http://a.test/", "/-/client/sw.js"} {
				resp, body := askAs(t, host, addr, path)
				if known := i < len(c.known); known == (resp.StatusCode == 421) || !known && strings.Contains(body, "secret") {
					t.Errorf("%q: %s at %q: %d %s", c.pattern, path, host, resp.StatusCode, body)
				}
			}
			if i >= len(c.known) {
				if resp, body := askAs(t, host, listeners[0].Addr().String(), "/c/news"); resp.StatusCode != 421 {
					t.Errorf("home at %q: %d %s", host, resp.StatusCode, body)
				}
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
