package fakeweb

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// client dials the server in memory whatever the URL says, by the server's own names.
func client(s *Server) *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: false,
			TLSClientConfig: &tls.Config{RootCAs: pool},
			DialContext: func(ctx context.Context, _, hostport string) (net.Conn, error) {
				host, _, _ := net.SplitHostPort(hostport)
				addr, err := s.Lookup(host)
				if err != nil {
					return nil, err
				}
				return s.Dial(ctx, netip.AddrPortFrom(addr, 80))
			},
		},
	}
}

func serve(t *testing.T, text string) *Server {
	t.Helper()
	w, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewServer(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, c *http.Client, url string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return resp, string(body)
}

const small = `A web for the tests below.

-- host a.example Server=rose --
-- a.example/ --
home

-- a.example/باغ --
garden
-- a.example/q?x=1 --
one
-- a.example/q --
any
-- a.example/style.css gzip ETag="\"v1\"" --
body {}
-- http://a.example/up status=301 Location=https://a.example/up --
-- https://a.example/up --
secure
-- a.example/me cookie=name=ali --
hello ali
-- a.example/me Set-Cookie="name=ali; Path=/" --
who?
-- a.example/busy status=503 times=1 Retry-After=7 --
-- a.example/busy --
free
-- a.example/day/** expand X-Day={n} --
{rest} after {n-1} before {n+1}
-- a.example/rows repeat=3 --
row {i}
-- a.example/pic.png png=8x4 --
-- a.example/cp charset=windows-1256 --
سلام
-- b.example/raw raw close --
HTTP/1.1 200 OK\r\nA: "b"\r\n\r\n
tail
-- b.example/cut cut=30 --
x
-- c.example/x --
x
-- http://c.example/** status=301 Location=https://c.example{path} expand --
-- b.example/slow wait=3s --
late
`

func TestAnswers(t *testing.T) {
	s := serve(t, small)
	c := client(s)
	for _, row := range []struct{ url, body string }{
		{"http://a.example/", "home\n"},
		{"http://a.example/%D8%A8%D8%A7%D8%BA", "garden\n"},
		{"http://a.example/q?x=1", "one\n"},
		{"http://a.example/q?x=2", "any\n"},
		{"https://a.example/up", "secure\n"},
		{"http://a.example/day/mon-7", "mon-7 after 6 before 8\n"},
		{"http://a.example/rows", "row 1\nrow 2\nrow 3\n"},
		{"http://a.example/cp", "\xd3\xe1\xc7\xe3\n"},
		{"http://b.example/raw", "tail"},
	} {
		if _, got := get(t, c, row.url); got != row.body {
			t.Errorf("%s: %q, want %q", row.url, got, row.body)
		}
	}
	if r, _ := get(t, c, "http://a.example/up"); r.StatusCode != 301 || r.Header.Get("Location") != "https://a.example/up" {
		t.Errorf("redirect: %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	if r, _ := get(t, c, "http://c.example/x"); r.StatusCode != 301 || r.Header.Get("Location") != "https://c.example/x" {
		t.Errorf("a whole scheme's redirect: %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	if r, _ := get(t, c, "http://a.example/day/3"); r.Header.Get("X-Day") != "3" || r.Header.Get("Server") != "rose" {
		t.Errorf("fields %v", r.Header)
	}
	if r, _ := get(t, c, "http://a.example/none"); r.StatusCode != 404 {
		t.Errorf("unknown path: %d", r.StatusCode)
	}
	if _, body := get(t, c, "http://a.example/pic.png"); true {
		img, err := png.Decode(strings.NewReader(body))
		if err != nil || img.Bounds().Dx() != 8 || img.Bounds().Dy() != 4 {
			t.Errorf("picture: %v", err)
		}
	}
}

func TestConditions(t *testing.T) {
	s := serve(t, small)
	c := client(s)
	if r, body := get(t, c, "http://a.example/style.css"); r.Header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("not gzip: %v", r.Header)
	}
	if r, body := get(t, c, "http://a.example/style.css", "If-None-Match", `"v1"`); r.StatusCode != 304 || body != "" {
		t.Errorf("the same ETag: %d %q", r.StatusCode, body)
	}
	if _, body := get(t, c, "http://a.example/me", "Cookie", "name=ali"); body != "hello ali\n" {
		t.Errorf("with the cookie: %q", body)
	}
	if r, _ := get(t, c, "http://a.example/me"); r.Header.Get("Set-Cookie") == "" {
		t.Error("without the cookie none is set")
	}
	first, _ := get(t, c, "http://a.example/busy")
	second, _ := get(t, c, "http://a.example/busy")
	if first.StatusCode != 503 || first.Header.Get("Retry-After") != "7" || second.StatusCode != 200 {
		t.Errorf("times=1: %d then %d", first.StatusCode, second.StatusCode)
	}
}

// The log is what politeness is judged by, so its times are the far side's, driven here by synctest.
func TestLogTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, small)
		start := time.Now()
		c := client(s)
		get(t, c, "http://b.example/slow")
		c.CloseIdleConnections()
		synctest.Wait()
		log := s.Requests()
		if len(log) != 1 {
			t.Fatalf("%d requests in the log", len(log))
		}
		r := log[0]
		if !r.Began.Equal(start) || r.Ended.Sub(r.Began) != 3*time.Second || r.Host != "b.example" || r.Path != "/slow" || r.Status != 200 {
			t.Errorf("logged %+v", r)
		}
	})
}

func TestNamesAndConnections(t *testing.T) {
	s := serve(t, "-- host gone.example dns=none --\n-- host shut.example dial=refuse addr=192.0.2.7 --\n-- host plain.example tls=none --\n-- plain.example/ --\nx\n")
	var dns *net.DNSError
	if _, err := s.Lookup("gone.example"); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("gone.example: %v", err)
	}
	if _, err := s.Dial(t.Context(), netip.MustParseAddrPort("192.0.2.7:80")); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("shut.example: %v", err)
	}
	if _, err := client(s).Get("https://plain.example/"); err == nil {
		t.Error("https where there is none")
	}
	if _, body := get(t, client(s), "http://plain.example/"); body != "x\n" {
		t.Errorf("http: %q", body)
	}
}

// On a real socket a reset is a reset, and one listener answers for every host in both schemes.
func TestSocket(t *testing.T) {
	s := serve(t, "-- a.example/r reset=20 --\nx\n-- a.example/c cut=30 --\nx\n-- a.example/s stall=20 --\nx\n-- a.example/ --\nhome\n")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	ask := func(path string) ([]byte, error) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\n\r\n")
		if path == "/s" {
			b := make([]byte, 20)
			_, err := io.ReadFull(c, b)
			return b, err
		}
		return io.ReadAll(c)
	}
	if _, err := ask("/r"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reset: %v", err)
	}
	if b, err := ask("/c"); err != nil || len(b) != 30 {
		t.Errorf("cut: %d bytes, %v", len(b), err)
	}
	if b, err := ask("/s"); err != nil || string(b) != "HTTP/1.1 200 OK\r\nCon" {
		t.Errorf("stall: %q, %v", b, err)
	}
	c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true, ServerName: "a.example"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
	if r, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || r.StatusCode != 200 {
		t.Errorf("https: %v", err)
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"\n-- a.example/ colour=red --\n":                       `line 2: a.example/: unknown attribute "colour"`,
		"-- a.example --\n":                                     `line 1: "a.example" is not host/path`,
		"-- host a.example rain=1 --\n":                         `line 1: unknown host attribute "rain"`,
		"-- a.example/ A=\"b --\n":                              `line 1: unfinished quote`,
		"c\n-- a.example/ charset=windows-1256 --\nیک\n":        "line 2: the text has letters that windows-1256 lacks",
		"-- a.example/x.png png=0x9 --\n":                       "line 1: png=0x9: size",
		"-- a.example/ --\n-- a.example/r raw --\n\\q\n":        "line 2: raw text has an escape",
		"-- a.example/ wait=long --\n":                          "line 1: a.example/: time: invalid duration",
		"-- a.example/ base64 --\n*\n-- a.example/b times=x --": "line 1: illegal base64",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The webs that come with the package hold what their users count on.
func TestOwnWebs(t *testing.T) {
	demo, err := Demo()
	if err != nil {
		t.Fatal("demo.txt:", err)
	}
	rough, err := Rough()
	if err != nil {
		t.Fatal("rough.txt:", err)
	}
	if n := len(demo.Hosts()); n < 6 {
		t.Errorf("the demo web has %d hosts", n)
	}
	s, err := NewServer(demo, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := client(s)
	for _, url := range []string{"https://www.bagh.example/fa/باغ/دولت‌آباد", "https://static.bagh.example/bagh.css?v=3", "http://old.example/", "https://kitab.example/الظل"} {
		if r, body := get(t, c, url); r.StatusCode != 200 || len(body) < 200 {
			t.Errorf("%s: %d, %d bytes", url, r.StatusCode, len(body))
		}
	}
	if _, body := get(t, c, "https://static.bagh.example/bagh-ornaments.ttf"); !bytes.HasPrefix([]byte(body), []byte{0, 1, 0, 0}) {
		t.Error("the font is no TrueType file")
	}
	if len(rough.Hosts()) < 8 {
		t.Errorf("rough hosts: %v", rough.Hosts())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(roughText)
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("png=")) {
			return // a picture of the largest size takes a second to paint
		}
		if _, err := Parse(text); err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("the error does not name its line: %v", err)
		}
	})
}
