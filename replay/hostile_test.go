package replay

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"kavosh/lib/cdx"
	"kavosh/replay/replaytest"
)

// What an archive may hold, or a link to it may say, to break out of the replay. Nothing gets through.
func TestHostileArchives(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	for _, c := range []struct {
		name    string
		archive func(a *replaytest.Archive)
		target  string
		check   func(t *testing.T, w *httptest.ResponseRecorder)
	}{
		{"header injection by CR and LF",
			func(a *replaytest.Archive) {
				a.Page("http://a.test/", stamp, "200 Content-Type: text/html\rSet-Cookie: evil=1\nX-A: b\rLocation: http://evil.test/", "x")
			},
			at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				raw := serialise(w)
				if strings.Contains(raw, "\nSet-Cookie") || strings.Contains(raw, "\nLocation") || strings.Contains(strings.ReplaceAll(raw, "\r\n", ""), "\r") {
					t.Error(raw)
				}
			}},
		{"field names that are none",
			func(a *replaytest.Archive) {
				a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nA B: c\nÄ: d\nX-Y(): e\nContent-Security-Policy: x", "x")
			},
			at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				for name := range w.Header() {
					if !validField(name) {
						t.Errorf("field %q", name)
					}
				}
			}},
		{"a flood of headers",
			func(a *replaytest.Archive) {
				a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nX-Big: "+strings.Repeat("x", 100<<10)+strings.Repeat("\nX-Many: "+strings.Repeat("y", 100), 5000), "x")
			},
			at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if n := len(serialise(w)); n > 32<<10 {
					t.Errorf("a head of %d bytes", n)
				}
			}},
		{"cookies and rights", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nSet-Cookie: a=b\nSet-Cookie2: a=b\nAccess-Control-Allow-Origin: *\nService-Worker-Allowed: /\nClear-Site-Data: \"*\"\nAlt-Svc: h3=\":443\"\nReport-To: {}\nRefresh: 0;url=http://evil.test/", "x")
		},
			at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				for _, name := range []string{"Set-Cookie", "Set-Cookie2", "Access-Control-Allow-Origin", "Service-Worker-Allowed", "Clear-Site-Data", "Alt-Svc", "Report-To"} {
					if w.Header().Get(name) != "" {
						t.Error(name, w.Header().Get(name))
					}
				}
				if w.Header().Get("Refresh") != "0;url="+at("", "http://evil.test/") {
					t.Error(w.Header().Get("Refresh"))
				}
			}},
		{"links that speak for the archive", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nLink: <http://evil.test/>; rel=\"original\", <http://evil.test/>; rel=\"timegate\"\nMemento-Datetime: Mon, 01 Jan 1990 00:00:00 GMT", "x")
		},
			at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if strings.Contains(strings.Join(w.Header().Values("Link"), ""), "evil") || len(w.Header().Values("Memento-Datetime")) != 1 {
					t.Error(w.Header())
				}
			}},
		{"Location out of the archive", func(a *replaytest.Archive) { a.Page("http://a.test/", stamp, "302 Location: https://evil.test/", "") }, at("", "http://a.test/"), inside},
		{"Location with backslashes", func(a *replaytest.Archive) { a.Page("http://a.test/", stamp, `302 Location: \\evil.test\x`, "") }, at("", "http://a.test/"), inside},
		{"Location of another scheme", func(a *replaytest.Archive) { a.Page("http://a.test/", stamp, "302 Location: data:text/html,x", "") }, at("", "http://a.test/"), inside},
		{"Location to a mail client", func(a *replaytest.Archive) { a.Page("http://a.test/", stamp, "302 Location: mailto:a@b.test", "") }, at("", "http://a.test/"), inside},
		{"a decompression bomb in a style sheet ends", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 Content-Type: text/css\nContent-Encoding: gzip", bomb(8<<20))
		}, at("cs_", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {}},
		{"a length that lies upwards", func(a *replaytest.Archive) {
			a.Page("http://a.test/x", stamp, "200 Content-Type: image/png\nContent-Length: 1000000", "png")
		}, at("im_", "http://a.test/x"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if w.Body.String() != "png" || w.Header().Get("Content-Length") != "3" {
					t.Error(w.Body, w.Header())
				}
			}},
		{"chunks that are none", func(a *replaytest.Archive) {
			a.Page("http://a.test/x", stamp, "200 Content-Type: text/html\nTransfer-Encoding: chunked", "<p>not chunked")
		}, at("", "http://a.test/x"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if !strings.HasSuffix(w.Body.String(), "</script><p>not chunked") {
					t.Error(w.Body)
				}
			}},
		{"a chunk longer than the record", func(a *replaytest.Archive) {
			a.Page("http://a.test/x", stamp, "200 Content-Type: text/html\nTransfer-Encoding: chunked", "fffffff\r\n<p>")
		}, at("", "http://a.test/x"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if !strings.Contains(w.Body.String(), "<p>") {
					t.Error(w.Body)
				}
			}},
		{"a coding that the body does not have", func(a *replaytest.Archive) {
			a.Page("http://a.test/x", stamp, "200 Content-Type: text/html\nContent-Encoding: gzip", "<p>plain")
		}, at("", "http://a.test/x"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if !strings.HasSuffix(w.Body.String(), "</script><p>plain") {
					t.Error(w.Body)
				}
			}},
		{"a status that is none", func(a *replaytest.Archive) { a.Page("http://a.test/x", stamp, "099 text/html", "x") }, at("", "http://a.test/x"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if w.Code != 200 {
					t.Error(w.Code)
				}
			}},
		{"an interim answer as the only one", func(a *replaytest.Archive) { a.Page("http://a.test/x", stamp, "101 text/html", "x") }, at("", "http://a.test/x"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if w.Code != 200 {
					t.Error(w.Code)
				}
			}},
		{"an index that lies about the record", func(a *replaytest.Archive) {
			a.Page("http://evil.test/", stamp, "200 text/html", "evil")
			a.Lines[0] = strings.ReplaceAll(strings.ReplaceAll(a.Lines[0], "test,evil)", "test,a)"), "evil.test", "a.test")
		}, at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if w.Code != 500 || strings.Contains(w.Body.String(), "<p>evil") {
					t.Error(w.Code, w.Body)
				}
			}},
		{"an index that points beyond the file", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 text/html", "x")
			a.Lines[0] = strings.Replace(a.Lines[0], `"offset": "0"`, `"offset": "99999999"`, 1)
		}, at("", "http://a.test/"), status(500)},
		{"an index that names a file of the machine", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 text/html", "x")
			a.Lines[0] = strings.Replace(a.Lines[0], replaytest.File, "../../etc/passwd", 1)
		}, at("", "http://a.test/"), status(500)},
		{"an index with times of 17 digits", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 text/html", "x")
			a.Lines[0] = strings.Replace(a.Lines[0], stamp, stamp+"678", 1)
		}, at("", "http://a.test/"), status(200)},
		{"an index with times of 4 digits", func(a *replaytest.Archive) {
			a.Page("http://a.test/", "20241231235959", "200 text/html", "x")
			a.Lines[0] = strings.Replace(a.Lines[0], "20241231235959", "2024", 1)
		}, "/one/20241231235959/http://a.test/", status(200)},
		{"a revisit of itself", func(a *replaytest.Archive) {
			a.Put("revisit", "http://a.test/", stamp, "application/http", "HTTP/1.1 200 OK\r\n\r\n", cdx.Entry{MIME: RevisitMIME, Digest: "sha1:X"},
				"WARC-Refers-To-Target-URI", "http://a.test/", "WARC-Refers-To-Date", "2024-01-02T03:04:05Z")
		}, at("", "http://a.test/"), status(404)},
		{"markup that swallows what follows", func(a *replaytest.Archive) {
			a.Page("http://a.test/", stamp, "200 text/html", "<!doctype html><plaintext><!-- <textarea><script>")
		}, at("", "http://a.test/"),
			func(t *testing.T, w *httptest.ResponseRecorder) {
				if !strings.HasPrefix(w.Body.String(), "<!doctype html><script src=\"/-/client/") {
					t.Error("the banner's script does not come first:", w.Body)
				}
			}},
		{"script in the URL of a page that is there", func(a *replaytest.Archive) {
			a.Page("http://a.test/?"+url.QueryEscape(evil), stamp, "200 text/html", "x")
		},
			at("", "http://a.test/?"+url.QueryEscape(evil)), noScript},
		{"a page with a quote in its URL", func(a *replaytest.Archive) { a.Page("http://a.test/?'"+`">`, stamp, "200 text/html", "x") }, at("", "http://a.test/?'%22%3E"), noScript},
		{"path tricks in the URL", nil, "/one/" + stamp + "/../../../../etc/passwd", status(404)},
		{"a collection that is a path", nil, "/../../etc/passwd", status(404)},
		{"no URL at all", nil, "/one/" + stamp + "/", status(400)},
		{"a URL that is none", nil, "/one/" + stamp + "/http://[::/", status(400)},
		{"a URL of another scheme", nil, "/one/" + stamp + "/file:///etc/passwd", status(404)},
		{"a very long URL", nil, "/one/" + stamp + "/http://a.test/" + strings.Repeat("a", 100<<10), status(400)},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := replaytest.New(t)
			if c.archive != nil {
				c.archive(a)
			}
			w := ask(server(t, a), c.target, replaytest.Browser()...)
			c.check(t, w)
			inside(t, w)
			if !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src '") {
				t.Error("no policy:", w.Header())
			}
		})
	}
}

// What a browser may run scripts in comes with the page script before all of them, or may run none.
func TestDocumentsAreKeptIn(t *testing.T) {
	const page, drawing, none, text = "page", "drawing", "none", "text"
	for _, c := range []struct{ head, mod, body, want string }{
		{"200 Content-Type: text/html", "", "<p>x", page},
		{"200 Content-Type: text/html", "if_", "<p>x", page},
		{"200 Content-Type: text/html", "id_", "<p>x", none},
		{"200 Content-Type: text/plain, text/html", "", "<p>x", page},
		{"200 Content-Type: text/html, */*", "", "<p>x", page},
		{"200 Content-Type: text/html; charset=utf-8, x", "", "<p>x", page},
		{"200 Content-Type: text/html; charset=utf-8; charset=utf-8", "", "<p>x", page},
		{"200 Content-Type: */*", "", "<p>x", page},
		{"200 Content-Type: unknown/unknown", "", "<!-- x --><p>x", page},
		{"200 X: y", "", "<script>x", page},
		{"200 X: y", "", "x <script>x", text},
		{"200 X: y", "", `<?xml version="1.0"?><x/>`, none},
		{"200 X: y", "id_", "x <script>x", none},
		{"300 Content-Type: text/html", "", "<p>x", page},
		{"404 Content-Type: text/html", "", "<p>x", page},
		{"200 Content-Type: application/xhtml+xml", "", "<html><head/></html>", page},
		{"200 Content-Type: image/svg+xml", "", "<svg><a/></svg>", drawing},
		{"200 Content-Type: image/svg+xml", "id_", "<svg><a/></svg>", none},
		{"200 Content-Type: text/xml", "", "<x/>", none},
		{"200 Content-Type: application/atom+xml", "", "<x/>", none},
		{"200 Content-Type: text/xsl", "", "<x/>", none},
		{"200 Content-Type: text/plain", "", "<p>x", text},
		{"200 Content-Type: application/pdf", "", "%PDF", text},
	} {
		a := replaytest.New(t)
		a.Page("http://a.test/", stamp, c.head, c.body)
		w := ask(server(t, a), at(c.mod, "http://a.test/"), replaytest.Browser()...)
		body, sandboxed := w.Body.String(), strings.Contains(w.Header().Get("Content-Security-Policy"), "; sandbox allow-same-origin")
		got := text
		switch {
		case sandboxed:
			got = none
		case strings.Contains(body, `<script xmlns="http://www.w3.org/2000/svg" href="/-/client/`):
			got = drawing
		case strings.Contains(body, ` src="/-/client/`):
			got = page
		}
		if got != c.want {
			t.Errorf("%s by %q: %s, want %s: %v %s", c.head, c.mod, got, c.want, w.Header(), body)
		}
	}
}

// Scripts of a page read the cookies that its answer set for them, and only those.
func TestCookiesOfAnswers(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nSet-Cookie: a=\"1\" ; path=/\nSet-Cookie: b=2; Secure; httponly\nset-cookie: c=é<\nSet-Cookie: d="+strings.Repeat("x", 5000)+strings.Repeat("\nSet-Cookie: many", 100), "x")
	body := ask(server(t, a), at("", "http://a.test/"), replaytest.Browser()...).Body.String()
	if !strings.Contains(body, ` data-cookies="[&#34;a=\&#34;1\&#34; ; path=/&#34;,&#34;c=&#233;\u003c&#34;,&#34;many&#34;`) || strings.Count(body, "many") != maxCookies-2 {
		t.Error(body)
	}
}

// The Host header is the client's word: only what looks like a host comes back in links.
func TestHostHeader(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", "x")
	s := server(t, a)
	for host, want := range map[string]string{"localhost:8089": "http://localhost:8089/", "[::1]:8089": "http://[::1]:8089/", `evil"><x`: "http://replay.test/", "a b": "http://replay.test/", "": "http://replay.test/"} {
		r := httptest.NewRequest("GET", "http://x/", nil)
		r.RequestURI, r.Host = at("", "http://a.test/"), host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !strings.Contains(w.Header().Get("Link"), "<"+want+"one/timegate/") {
			t.Errorf("Host %q: %s", host, w.Header().Get("Link"))
		}
	}
}

// A body that grows beyond the bound passes through in bounded memory, and the reader sees that it is cut.
func TestBombIsStreamed(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 Content-Type: image/png\nContent-Encoding: gzip", bomb(40<<20))
	s := server(t, a)
	s.player.maxDecoded = 32 << 20
	srv := httptest.NewServer(s)
	defer srv.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := http.Get(srv.URL + at("im_", "http://a.test/"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	runtime.ReadMemStats(&after)
	if err == nil || n > s.player.maxDecoded {
		t.Errorf("%d bytes, %v", n, err)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 16<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// bomb is n zeros, compressed.
func bomb(n int) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	io.CopyN(z, zeros{}, int64(n))
	z.Close()
	return b.String()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func serialise(w *httptest.ResponseRecorder) string {
	var b bytes.Buffer
	w.Header().Write(&b)
	return "\n" + b.String()
}

// inside demands that an answer leads nowhere but to the two origins.
func inside(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if l := w.Header().Get("Location"); l != "" && !strings.HasPrefix(l, "/one/") && !strings.HasPrefix(l, "http://home.test/") {
		t.Errorf("Location %q", l)
	}
}

func noScript(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if strings.Contains(w.Body.String(), "<script>alert") || strings.Contains(w.Header().Get("Link"), `">`+"<") {
		t.Error(w.Body)
	}
}

func status(want int) func(*testing.T, *httptest.ResponseRecorder) {
	return func(t *testing.T, w *httptest.ResponseRecorder) {
		t.Helper()
		if w.Code != want {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
	}
}

// FuzzSplit: whatever a request line says, it is split without a panic and what comes out is an absolute URL.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"/one/2024/http://a.test/", "/one/*/a.test", "/one/timemap/link/2/http:/a", "/one/cdx?url=x", "/-/static/x", "//", "/one/20240101im_//x", "/one/http%3A%2F%2Fa.test", "http://x/one/"} {
		f.Add(s)
	}
	s := serving(f, "", "", "", Collection{Name: "one"})
	f.Fuzz(func(t *testing.T, target string) {
		rt := s.split(target)
		if rt.url != "" && rt.verb != cdxQuery && rt.verb != badRequest && !strings.Contains(rt.url, ":") {
			t.Errorf("%q: %+v", target, rt)
		}
	})
}

// What browsers are told of an archived page leads nowhere else and stays short, and a reader's devices are closed to it.
func TestHeadOfArchivedPage(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nContent-Range: bytes 0-1/9\nX-Long: "+strings.Repeat("x", maxOrigValue+1)+"\nX-Short: "+strings.Repeat("y", maxOrigValue-1)+
		"\nLink: <https://evil.test/>; rel=preconnect, <//evil.test>; rel=dns-prefetch, <http://evil.test/>; rel=prerender, <http://evil.test/>; rel=next", "page")
	a.Page("http://a.test/many", stamp, "200 Content-Type: text/html"+strings.Repeat("\nX-Many: "+strings.Repeat("z", 1000), 30), "page")
	a.Page("http://a.test/part", stamp, "206 Content-Type: video/mp4\nContent-Range: bytes 0-3/9", "part")
	s := server(t, a)
	h := ask(s, at("", "http://a.test/")).Header()
	if h.Get("Permissions-Policy") != permissions || h.Get("Content-Range") != "" || h.Get("X-Archive-Orig-Content-Range") != "bytes 0-1/9" {
		t.Error(h)
	}
	if h.Get("X-Archive-Orig-X-Long") != "" || len(h.Get("X-Archive-Orig-X-Short")) != maxOrigValue-1 {
		t.Errorf("a long value has %d bytes, a short one %d", len(h.Get("X-Archive-Orig-X-Long")), len(h.Get("X-Archive-Orig-X-Short")))
	}
	if links := strings.Join(h.Values("Link"), ", "); strings.Contains(links, "evil") {
		t.Error(links)
	}
	if n := len(ask(s, at("", "http://a.test/many")).Header().Values("X-Archive-Orig-X-Many")); n != maxOrigTotal/(1000+len("X-Many")) {
		t.Errorf("%d of 30 fields came", n)
	}
	if w := ask(s, at("oe_", "http://a.test/part"), "Sec-Fetch-Dest: video"); w.Code != 206 || w.Header().Get("Content-Range") != "bytes 0-3/9" || w.Body.String() != "part" {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
}

// HEAD has the head that GET has and no body, whichever way the body would go; so do answers that have none by their status.
func TestHeadHasNoBody(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", "<a href=/x>page")
	a.Page("http://a.test/p.png", stamp, "200 image/png", "PNG")
	a.Page("http://a.test/gone.png", stamp, "404 image/png", "PNG")
	a.Page("http://a.test/204", stamp, "204 text/html", "body")
	a.Page("http://a.test/205", stamp, "205 text/html", "body")
	s := server(t, a)
	for target, method := range map[string]string{at("", "http://a.test/"): "HEAD", at("id_", "http://a.test/"): "HEAD", at("im_", "http://a.test/p.png"): "HEAD", at("im_", "http://a.test/gone.png"): "HEAD",
		at("", "http://a.test/204"): "GET", at("", "http://a.test/205"): "GET"} {
		got, want := replaytest.Send(s, method, "http://replay.test", target), ask(s, target)
		if got.Body.Len() > 0 || got.Code != want.Code || got.Header().Get("ETag") != want.Header().Get("ETag") || got.Header().Get("Content-Type") != want.Header().Get("Content-Type") {
			t.Errorf("%s %s: %d %q %v", method, target, got.Code, got.Body, got.Header())
		}
	}
}
