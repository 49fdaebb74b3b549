package replay

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"kavosh/lib/cdx"
	"kavosh/replay/replaytest"
)

// What a capture has of a body is shown, however broken its chunks are: over a real connection, with its head.
func TestBrokenChunks(t *testing.T) {
	long := strings.Repeat("long ", 20_000)
	a := replaytest.New(t)
	var checks []func(origin string)
	for i, c := range []struct{ name, body, want string }{
		{"cut in a chunk", "5\r\nhello\r\nff\r\nwor", "hellowor"},
		{"cut behind a chunk", "5\r\nhello\r\n", "hello"},
		{"no size", "5\r\nhello\r\nzzz\r\nworld\r\n0\r\n\r\n", "hello"},
		{"a size too large", "5\r\nhello\r\nffffffffffffffffff\r\nworld", "hello"},
		{"a size line without end", "5\r\nhello\r\n5;" + strings.Repeat("x", 40<<10), "hello"},
		{"a chunk longer than it says", "3\r\nhello\r\n0\r\n\r\n", "hel"},
		{"only a size", "5\r\n", ""},
		{"long", fmt.Sprintf("%x\r\n%s\r\n!", len(long), long), long},
		{"whole", "5\r\nhello\r\n0\r\n\r\n", "hello"},
	} {
		for media, mods := range map[string][]string{"image/png": {"id_", "im_", "", "oe_"}, "text/html": {"id_"}, "text/css": {"id_", "cs_"}, "text/plain": {"id_", ""}} {
			address := fmt.Sprintf("http://a.test/%d/%s", i, media)
			a.Page(address, stamp, "200 Content-Type: "+media+"\nX-Kept: yes\nTransfer-Encoding: chunked", c.body)
			for _, mod := range mods {
				for _, ranged := range []string{"", "bytes=0-"} {
					checks = append(checks, func(origin string) {
						r, _ := http.NewRequest("GET", origin+at(mod, address), nil)
						if ranged != "" {
							r.Header.Set("Range", ranged)
						}
						answer, err := http.DefaultTransport.RoundTrip(r)
						if err != nil {
							t.Errorf("%s, %s%s: %v", c.name, media, mod, err)
							return
						}
						var body bytes.Buffer
						_, err = body.ReadFrom(answer.Body)
						answer.Body.Close()
						whole := answer.StatusCode == 200 || answer.StatusCode == 206 || ranged != "" && c.want == ""
						if err != nil || body.String() != c.want && c.want != "" || !whole || answer.Header.Get("X-Archive-Orig-X-Kept") != "yes" {
							t.Errorf("%s, %s %s%s: %d %v %.40q, %v", c.name, media, mod, ranged, answer.StatusCode, answer.Header, body.String(), err)
						}
					})
				}
			}
		}
	}
	far := httptest.NewServer(server(t, a))
	defer far.Close()
	for _, check := range checks {
		check(far.URL)
	}
}

// coded is a text in a content coding.
func coded(t *testing.T, coding, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w interface {
		Write([]byte) (int, error)
		Close() error
	}
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A body that does not have the coding that is declared is shown as it is.
func TestCodingsThatAreNone(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00\x01\x02\xfe", 3000)
	every := ""
	for i := range 256 {
		every += string([]byte{byte(i)})
	}
	text := strings.Repeat("plain words, one after the other; ", 500)
	bodies := map[string]string{"png": png, "every byte": strings.Repeat(every, 50), "text": text, "short": "<p>x", "one": "x", "JSON": `{"a": 1}`, "zeros": strings.Repeat("\x00", 9000), "latin": strings.Repeat("caf\xe9 ", 10)}
	a := replaytest.New(t)
	var s *Server
	var checks []func()
	try := func(name, declared, stored, want, coding string) {
		address := fmt.Sprintf("http://a.test/%d", len(checks))
		a.Page(address, stamp, "200 Content-Type: image/x\nContent-Encoding: "+declared, stored)
		checks = append(checks, func() {
			if w := ask(s, at("im_", address)); w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Encoding") != "" {
				t.Errorf("%s declared %s: %d, %d bytes of %d, %q", name, declared, w.Code, w.Body.Len(), len(want), w.Body.Bytes()[:min(20, w.Body.Len())])
			}
			w := ask(s, at("id_", address))
			if w.Code != 200 || w.Body.String() != stored || w.Header().Get("Content-Encoding") != coding || w.Header().Get("X-Archive-Orig-Content-Encoding") != declared {
				t.Errorf("%s declared %s, as archived: %d, %d bytes of %d, %v", name, declared, w.Code, w.Body.Len(), len(stored), w.Header())
			}
		})
	}
	for name, body := range bodies {
		for _, declared := range []string{"br", "gzip", "deflate", "zstd", "gzip, br", "br, gzip", "br, br, br", "identity, br"} {
			try(name, declared, body, body, map[bool]string{true: "identity"}[declared == "identity, br"])
		}
		try(name, "unknown", body, body, "unknown")
		for _, coding := range []string{"br", "gzip", "deflate", "zstd"} {
			try(name, coding, coded(t, coding, body), body, coding)
			try(name, coding+", br", coded(t, "br", coded(t, coding, body)), body, coding+", br")
		}
		try(name, "gzip, br", coded(t, "gzip", body), body, "gzip")
		try(name, "br, gzip, br", coded(t, "gzip", coded(t, "br", body)), body, "br, gzip")
	}
	page := `<!doctype html><a href="http://b.test/">b</a>` + text
	for _, declared := range []string{"br", "gzip", "deflate", "zstd", "gzip, br", "br, gzip"} {
		address := "http://a.test/page/" + declared[:2] + declared[len(declared)-2:]
		a.Page(address, stamp, "200 Content-Type: text/html\nContent-Encoding: "+declared, page)
		checks = append(checks, func() {
			if w := ask(s, at("", address)); w.Code != 200 || !strings.Contains(w.Body.String(), `<a href="/one/20240102030405/http://b.test/">b</a>plain words`) {
				t.Errorf("a page declared %s: %d %.200q", declared, w.Code, w.Body.String())
			}
		})
	}
	a.Page("http://a.test/cut", stamp, "200 Content-Type: text/html\nContent-Encoding: br", coded(t, "br", page)[:60])
	checks = append(checks, func() {
		if w := ask(s, at("", "http://a.test/cut")); w.Code != 200 || !strings.Contains(w.Body.String(), `<!doctype html>`) {
			t.Errorf("a page of br that is cut: %d %.200q", w.Code, w.Body.String())
		}
	})
	s = server(t, a)
	for _, check := range checks {
		check()
	}
}

// Captures of other kinds than pages are got by their own addresses.
func TestOtherAddresses(t *testing.T) {
	a := replaytest.New(t)
	a.Put("response", "dns:a.test", stamp, "text/dns", "20240102030405\na.test.\t300\tIN\tA\t192.0.2.1\n", cdx.Entry{MIME: "text/dns"})
	a.Put("resource", "dns:b.test", stamp, "text/dns", "b", cdx.Entry{MIME: "text/dns"})
	a.Put("metadata", "metadata:http://a.test/x", stamp, "application/json", `{"m": 1}`, cdx.Entry{MIME: "application/json"})
	a.Put("resource", "metadata://gnu.org/software/wget/warc/MANIFEST.txt", stamp, "text/plain", "manifest", cdx.Entry{MIME: "text/plain"})
	a.Put("metadata", "urn:x:y", stamp, "application/warc-fields", "a: b\r\n", cdx.Entry{MIME: "application/warc-fields"})
	a.Put("metadata", "http://a.test/", stamp, "application/json", `{"n": 1}`, cdx.Entry{MIME: "application/json"})
	s := server(t, a)
	for address, want := range map[string]string{"dns:a.test": "192.0.2.1", "dns:b.test": "b", "metadata:http://a.test/x": `{"m": 1}`, "metadata://gnu.org/software/wget/warc/MANIFEST.txt": "manifest", "urn:x:y": "a: b"} {
		for _, mod := range []string{"id_", "", "im_"} {
			w := ask(s, at(mod, address))
			if w.Code != 200 || !strings.Contains(w.Body.String(), want) || w.Header().Get("Memento-Datetime") == "" {
				t.Errorf("%s%s: %d %v %s", mod, address, w.Code, w.Header(), w.Body)
			}
		}
		if w := ask(s, "/one/2020id_/"+address); w.Code != 302 || w.Header().Get("Location") != at("id_", address) {
			t.Errorf("%s at another time: %d %v", address, w.Code, w.Header())
		}
	}
	if w := ask(s, at("id_", "dns:c.test")); w.Code != 404 {
		t.Errorf("nothing: %d", w.Code)
	}
	if w := ask(s, at("id_", "http://a.test/")); w.Code == 200 {
		t.Errorf("a note about a page is no page: %d", w.Code)
	}
}
