package knownhosts

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// said is the answer at an address to a request as it stands.
func said(t *testing.T, addr, request string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go io.WriteString(c, request)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
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

func listen(addr string, names ...string) (*Listener, error) {
	a, err := ParseAddress("--addr", addr, names)
	if err != nil {
		return nil, err
	}
	return a.Listen()
}

// TestKnownHosts asks a listener by names of every kind.
func TestKnownHosts(t *testing.T) {
	for _, c := range []struct {
		addr    string
		names   []string
		known   []string
		unknown []string
	}{
		{"127.0.0.1:0", nil,
			[]string{"127.0.0.1", "127.0.0.1:PORT", "127.9.8.7:1", "localhost", "LocalHost:9", "localhost.", "[::1]", "[::1]:80", "[::ffff:127.0.0.1]"},
			[]string{"evil.test", "evil.test:PORT", "", "x.localhost", "localhost.evil.test", "127.0.0.1.evil.test", "192.0.2.1", "0.0.0.0", "[::]", "[::1", "::1]:80", "127.1", "2130706433", "local host", "localhost:80:80", "archive.example.org", "localhost@evil.test", ":80", ".", "[]"}},
		{"localhost:0", []string{"Archive.Example.org.", "کاوش.example", "192.0.2.7", "2001:DB8::7"},
			[]string{"archive.example.org", "ARCHIVE.example.org:443", "archive.example.org.", "xn--mgb0a9c0u.example", "192.0.2.7:8088", "[2001:db8::7]:8088", "127.0.0.1"},
			[]string{"example.org", "x.archive.example.org", "evil.test", "192.0.2.8", "[2001:db8::8]"}},
		{"0.0.0.0:0", nil, []string{"0.0.0.0", "127.0.0.1", "localhost"}, []string{"evil.test", "192.0.2.1", "x.localhost"}},
	} {
		l, err := listen(c.addr, c.names...)
		if err != nil {
			t.Fatal(err)
		}
		server := l.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "secret") }), MaxAsked)
		go server.Serve(l)
		t.Cleanup(func() { server.Close() })
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ask := func(request string) (int, string) {
			resp, body := said(t, net.JoinHostPort("127.0.0.1", port), request)
			return resp.StatusCode, body
		}
		for _, host := range c.known {
			host = strings.ReplaceAll(host, "PORT", port)
			if status, body := ask("GET / HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n"); status != 200 || body != "secret" {
				t.Errorf("%s: %q: %d %s", c.addr, host, status, body)
			}
		}
		for _, host := range c.unknown {
			host = strings.ReplaceAll(host, "PORT", port)
			for _, request := range []string{
				"GET / HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n", "POST / HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n",
				"GET / HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n\r\n",
				"GET http://evil.test/ HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
			} {
				if status, body := ask(request); status != 421 && status != 400 || strings.Contains(body, "secret") {
					t.Errorf("%s: %q: %d %s", c.addr, request, status, body)
				}
			}
		}
	}
}

// TestOneDoor wants every HTTP server of the program to be made where the names are checked. The proxies of browsers are none:
// they speak to their browser alone, and answer what asks them as proxies.
func TestOneDoor(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "bench" || d.Name() == "conformance") {
			if d != nil && d.IsDir() && err == nil {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		for _, way := range []string{"&http.Server{", "http.Serve(", "http.ListenAndServe", "httptest.NewServer", "fasthttp", "http.ServeTLS"} {
			if strings.Contains(string(source), way) && name != "internal/knownhosts/knownhosts.go" && name != "fetch/browser/proxy.go" && name != "profile/screen/way.go" {
				t.Errorf("%s has %s: make servers with knownhosts.Listener, which answers to known hosts alone", name, way)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCookieBomb sends as many cookies as a browser can hold for a host: the reader is served, and they are cleared.
func TestCookieBomb(t *testing.T) {
	l, err := listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := l.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, len(r.Cookies())) }), MaxAsked)
	go server.Serve(l)
	defer server.Close()
	request := func(n, size int) string {
		var b strings.Builder
		b.WriteString("GET /web/20240102030405/http://a.test/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: lang=fa")
		for i := range n {
			fmt.Fprintf(&b, "; c%d=%s", i, strings.Repeat("x", size))
		}
		return b.String() + "\r\n\r\n"
	}
	resp, body := said(t, l.Addr().String(), request(180, 4096))
	gone := strings.Join(resp.Header["Set-Cookie"], "\n")
	if resp.StatusCode != 200 || body != "0" || resp.Header.Get("Clear-Site-Data") != `"cookies"` {
		t.Error(resp.Status, resp.Header, body)
	}
	for _, want := range []string{"c0=; Path=/; Max-Age=0", "c0=; Path=/web; Max-Age=0", "c0=; Path=/web/; Max-Age=0", "c0=; Path=/web/20240102030405/http:; Max-Age=0"} {
		if !strings.Contains(gone+"\n", want+"\n") {
			t.Errorf("no %q in %.2000s", want, gone)
		}
	}
	// Paths as browsers keep them, and a path of nothing but slashes.
	big := strings.Repeat("/", 60_000)
	for path, want := range map[string]string{"/web/%D9%81/x": "c0=; Path=/web/%D9%81; Max-Age=0", "/web/a;b/x": "c0=; Path=/web; Max-Age=0", big: "c0=; Path=/; Max-Age=0"} {
		resp, _ := said(t, l.Addr().String(), strings.Replace(request(180, 4096), "/web/20240102030405/http://a.test/", path, 1))
		if gone := strings.Join(resp.Header["Set-Cookie"], "\n"); !strings.Contains(gone, want) || len(gone) > 2*maxCleared {
			t.Errorf("%.50s: no %q in %d bytes, %.2000s", path, want, len(gone), gone)
		}
	}
	for what, lines := range map[string]string{"a long path": "GET /" + strings.Repeat("x", MaxAsked) + " HTTP/1.1\r\n", "a long field": "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", MaxAsked) + "\r\n"} {
		if resp, _ := said(t, l.Addr().String(), lines+"Host: 127.0.0.1\r\nConnection: close\r\n\r\n"); resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s: %s", what, resp.Status)
		}
	}
	if len(gone) > 2*maxCleared {
		t.Errorf("%d bytes to clear them", len(gone))
	}
	if resp, body := said(t, l.Addr().String(), request(20, 100)); body != "21" || resp.Header.Get("Set-Cookie")+resp.Header.Get("Clear-Site-Data") != "" {
		t.Error("cookies of others on the host are not let alone:", resp.Header, body)
	}
}
