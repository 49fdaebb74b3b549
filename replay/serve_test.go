package replay

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"kavosh/lib/cdx"
	"kavosh/replay/replaytest"
)

const stamp = "20240102030405"

// at is the path of a capture of collection one.
func at(mod, url string) string { return "/one/" + stamp + mod + "/" + url }

func gzipped(s string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

func TestPageComesRewrittenAndGuarded(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/dir/", stamp, "200 Content-Type: text/html; charset=utf-8\nSet-Cookie: a=b\nContent-Security-Policy: default-src *\n"+
		"Strict-Transport-Security: max-age=1\nContent-Encoding: gzip\nContent-Length: 999999\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\nServer: x",
		gzipped(`<html><head><title>t</title></head><body><a href="http://b.test/">b</a><img src="/p.png">`))
	w := ask(server(t, a), at("", "http://a.test/dir/"), replaytest.Browser()...)
	body := w.Body.String()
	if w.Code != 200 || !strings.Contains(body, `<a href="/one/20240102030405/http://b.test/">`) || !strings.Contains(body, `src="/one/20240102030405im_/http://a.test/p.png"`) {
		t.Fatalf("%d %s", w.Code, body)
	}
	if !strings.Contains(body, `<head><script src="/-/client/`) || !strings.Contains(body, "data-kavosh=") {
		t.Error("no banner:", body)
	}
	h := w.Header()
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "X-Archive-Orig-Set-Cookie": "a=b", "X-Archive-Orig-Content-Security-Policy": "default-src *",
		"X-Archive-Orig-Strict-Transport-Security": "max-age=1", "X-Archive-Orig-Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT",
		"X-Archive-Orig-Content-Encoding": "gzip", "X-Archive-Orig-Server": "x",
		"Set-Cookie": "", "Strict-Transport-Security": "", "Content-Encoding": "", "Content-Length": "", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT",
		"Referrer-Policy": "same-origin", "X-Dns-Prefetch-Control": "off",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, h.Get(name), want)
		}
	}
	if got := h.Get("Connection-Allowlist"); got != `(response-origin "http://home.test");redirects=allow` {
		t.Errorf("Connection-Allowlist: %s", got)
	}
	if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self' ") || !strings.Contains(csp, "frame-ancestors 'self' http://home.test") || strings.Contains(csp, "*") {
		t.Error("policy:", csp)
	}
}

// Who asks decides what comes: a reader gets the banner, a program the page, a frame no banner, a part its own time.
func TestRoles(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", "<p>x")
	a.Page("http://a.test/s.css", "20240102090000", "200 text/css", "a{b:url(/x)}")
	s := server(t, a)
	for _, c := range []struct {
		name, target string
		headers      []string
		banner       bool
		script       bool
	}{
		{"browser at the top", at("", "http://a.test/"), replaytest.Browser(), true, true},
		{"browser at the top, mp_", at("mp_", "http://a.test/"), replaytest.Browser(), true, true},
		{"old browser", at("", "http://a.test/"), []string{"Accept: text/html"}, true, true},
		{"program", at("", "http://a.test/"), nil, false, false},
		{"frame by modifier", at("if_", "http://a.test/"), replaytest.Browser(), false, true},
		{"frame by the browser's word", at("", "http://a.test/"), []string{"Sec-Fetch-Dest: iframe"}, false, true},
		{"fetched by a script", at("", "http://a.test/"), []string{"Sec-Fetch-Dest: empty", "Accept: */*"}, false, false},
		{"raw", at("id_", "http://a.test/"), replaytest.Browser(), false, false},
	} {
		w := ask(s, c.target, c.headers...)
		body := w.Body.String()
		if w.Code != 200 || strings.Contains(body, "data-kavosh") != c.banner || strings.Contains(body, "<script") != c.script {
			t.Errorf("%s: %d %s", c.name, w.Code, body)
		}
	}
	// A style sheet captured six hours later is served at the page's time, its own references too.
	w := ask(s, at("cs_", "http://a.test/s.css"), "Sec-Fetch-Dest: style")
	if w.Code != 200 || w.Body.String() != "a{b:url(/one/20240102030405im_/http://a.test/x)}" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w.Header().Get("Memento-Datetime") != "Tue, 02 Jan 2024 09:00:00 GMT" || w.Header().Get("Content-Location") != "/one/20240102090000cs_/http://a.test/s.css" {
		t.Error(w.Header())
	}
	// A link that leads from a frame to the top gets its banner back.
	if w := ask(s, at("if_", "http://a.test/"), append(replaytest.Browser(), "Sec-Fetch-Site: same-origin")...); w.Header().Get("Location") != at("", "http://a.test/") {
		t.Error(w.Code, w.Header())
	}
	// Asked for as a page it comes at its exact time.
	if w := ask(s, at("", "http://a.test/s.css")); w.Code != 302 || w.Header().Get("Location") != "/one/20240102090000/http://a.test/s.css" {
		t.Errorf("%d %s", w.Code, w.Header().Get("Location"))
	}
}

func TestRawIsAsArchived(t *testing.T) {
	a := replaytest.New(t)
	body := gzipped(`<a href="http://b.test/">`)
	a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nContent-Encoding: gzip", body)
	a.Page("http://a.test/c", stamp, "200 Content-Type: text/html\nTransfer-Encoding: chunked", "5\r\n<a hr\r\n3\r\nef>\r\n0\r\n\r\n")
	a.Page("http://a.test/r", stamp, "302 Location: http://b.test/", "")
	s := server(t, a)
	if w := ask(s, at("id_", "http://a.test/")); w.Body.String() != body || w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%q %v", w.Body, w.Header())
	}
	if w := ask(s, at("id_", "http://a.test/c")); w.Body.String() != "<a href>" {
		t.Errorf("chunked: %q", w.Body)
	}
	if w := ask(s, at("id_", "http://a.test/r")); w.Code != 302 || w.Header().Get("Location") != at("id_", "http://b.test/") {
		t.Errorf("redirect: %d %v", w.Code, w.Header())
	}
}

func TestRange(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/v.mp4", stamp, "200 video/mp4", "0123456789")
	a.Page("http://a.test/c.mp4", stamp, "200 Content-Type: video/mp4\nTransfer-Encoding: chunked", "4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n")
	s := server(t, a)
	for _, url := range []string{"http://a.test/v.mp4", "http://a.test/c.mp4"} {
		for _, c := range []struct {
			header, body, contentRange string
			status                     int
		}{
			{"", "0123456789", "", 200}, {"bytes=2-4", "234", "bytes 2-4/10", 206}, {"bytes=7-", "789", "bytes 7-9/10", 206}, {"bytes=-2", "89", "bytes 8-9/10", 206},
			{"bytes=0-1,8-9", "0123456789", "", 200}, {"bytes=20-", "", "bytes */10", 416},
		} {
			w := ask(s, at("oe_", url), "Range: "+c.header, "Sec-Fetch-Dest: video")
			if w.Code != c.status || w.Header().Get("Content-Range") != c.contentRange || c.status != 416 && w.Body.String() != c.body {
				t.Errorf("%s %s: %d %q %q", url, c.header, w.Code, w.Body, w.Header().Get("Content-Range"))
			}
		}
	}
}

func TestUnchangedIsNotSentAgain(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/s.css", stamp, "200 text/css", "a{}")
	a.Page("http://a.test/p.png", stamp, "200 image/png", "PNG")
	s := server(t, a)
	for _, target := range []string{at("cs_", "http://a.test/s.css"), at("im_", "http://a.test/p.png")} {
		tag := ask(s, target, "Sec-Fetch-Dest: image").Header().Get("ETag")
		if w := ask(s, target, "Sec-Fetch-Dest: image", "If-None-Match: "+tag); tag == "" || w.Code != 304 || w.Body.Len() > 0 {
			t.Errorf("%s: %q %d", target, tag, w.Code)
		}
	}
}

func TestEncodings(t *testing.T) {
	utf16le := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	for _, c := range []struct{ name, head, body, contentType, want string }{
		{"windows-1256 by header stays", "200 text/html; charset=windows-1256", "<a href=/x>\xd3\xe1\xc7\xe3", "text/html; charset=windows-1256", "<a href=" + at("", "http://a.test/x") + ">\xd3\xe1\xc7\xe3"},
		{"meta goes into the header", "200 text/html", "<meta charset=windows-1256>\xd3", "text/html; charset=windows-1256", "<meta charset=windows-1256>\xd3"},
		{"undeclared stays undeclared", "200 text/html", "<p>سلام", "text/html", "<p>سلام"},
		{"UTF-16 becomes UTF-8", "200 text/html", utf16le("<a href=/x>سلام"), "text/html; charset=utf-8", "<a href=" + at("", "http://a.test/x") + ">سلام"},
		{"ISO-2022-JP becomes UTF-8", "200 text/html; charset=iso-2022-jp", "<p>\x1b$B$\"\x1b(B", "text/html; charset=utf-8", "<p>あ"},
		{"UTF-16 style sheet", "200 text/css", utf16le("a{b:url(/x)}"), "text/css; charset=utf-8", "a{b:url(" + at("im_", "http://a.test/x") + ")}"},
	} {
		a := replaytest.New(t)
		a.Page("http://a.test/", stamp, c.head, c.body)
		w := ask(server(t, a), at("", "http://a.test/"))
		if w.Body.String() != c.want || w.Header().Get("Content-Type") != c.contentType {
			t.Errorf("%s: %q %q", c.name, w.Header().Get("Content-Type"), w.Body)
		}
	}
}

func TestRevisit(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20230101000000", "200 Content-Type: text/html\nX-From: first", "<p>body")
	digest := "sha1:" + strings.ToUpper("ABCDEF")
	revisit := func(url, when, profile, block string, e cdx.Entry, extra ...string) {
		e.MIME = RevisitMIME
		a.Put("revisit", url, when, "application/http; msgtype=response", block, e, append(extra, "WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/"+profile)...)
	}
	named := []string{"WARC-Refers-To-Target-URI", "http://a.test/", "WARC-Refers-To-Date", "2023-01-01T00:00:00Z"}
	revisit("http://a.test/", "20240101000000", "identical-payload-digest", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-From: second\r\n\r\n", cdx.Entry{Digest: digest}, named...)
	revisit("http://a.test/", "20240601000000", "server-not-modified", "HTTP/1.1 304 Not Modified\r\nX-From: third\r\n\r\n", cdx.Entry{Status: 304, Digest: digest}, named...)
	revisit("http://a.test/copy", "20240101000000", "identical-payload-digest", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", cdx.Entry{Digest: digest}, named...)
	revisit("http://a.test/lost", "20240101000000", "identical-payload-digest", "HTTP/1.1 200 OK\r\n\r\n", cdx.Entry{Digest: digest},
		"WARC-Refers-To-Target-URI", "http://elsewhere.test/", "WARC-Refers-To-Date", "2023-01-01T00:00:00Z")
	a.Put("response", "http://a.test/d", "20230101000000", "application/http; msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>by digest",
		cdx.Entry{MIME: "text/html", Status: 200, Digest: "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ===="})
	revisit("http://a.test/d", "20240101000000", "identical-payload-digest", "", cdx.Entry{Digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})
	s := server(t, a)
	for _, c := range []struct{ name, target, body, from string }{
		{"identical payload: its own head, the original's body", "/one/20240101000000/http://a.test/", "<p>body", "second"},
		{"not modified: all of the original's", "/one/20240601000000/http://a.test/", "<p>body", "first"},
		{"of another URL", "/one/20240101000000/http://a.test/copy", "<p>body", ""},
		{"found by digest alone", "/one/20240101000000/http://a.test/d", "<p>by digest", ""},
	} {
		w := ask(s, c.target)
		if w.Code != 200 || w.Body.String() != c.body || w.Header().Get("X-Archive-Orig-X-From") != c.from {
			t.Errorf("%s: %d %q from %q", c.name, w.Code, w.Body, w.Header().Get("X-Archive-Orig-X-From"))
		}
	}
	a.Page("http://a.test/unmodified", "20240101000000", "304", "")
	if w := ask(s, "/one/20240101000000/http://a.test/unmodified"); w.Code != 404 {
		t.Errorf("an answer that says only that nothing changed: %d", w.Code)
	}
	if w := ask(s, "/one/20240101000000/http://a.test/lost", replaytest.Browser()...); w.Code != 404 || !strings.Contains(w.Body.String(), "no-original") {
		t.Errorf("lost original: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "/one/20240101000000/http://a.test/", replaytest.Browser()...); !strings.Contains(w.Body.String(), "since 20230101000000") {
		t.Error("the banner does not say so:", w.Body)
	}
}

func TestRedirects(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "301 Location: https://a.test/", "")
	a.Page("https://a.test/", "20240102030406", "200 text/html", "secure")
	a.Page("http://a.test/loop", stamp, "302 Location: /loop", "")
	a.Page("http://a.test/out", stamp, "302 Location: //b.test/x?y#z", "")
	a.Page("http://a.test/odd", stamp, "302 Location: javascript:alert(1)", "body")
	a.Page("http://a.test/dir", stamp, "301 Location: /dir/", "")
	a.Page("http://a.test/dir/", stamp, "200 text/html", "dir")
	a.Page("http://a.test/Case", stamp, "200 text/html", "upper")
	a.Page("http://a.test/case", stamp, "200 text/html", "lower")
	s := server(t, a)
	for _, c := range []struct {
		target, location, body string
		status                 int
	}{
		{at("", "http://a.test/"), at("", "https://a.test/"), "", 301},
		{at("", "https://a.test/"), "/one/20240102030406/https://a.test/", "", 302}, // not the http: Capture, which only leads back
		{"/one/20240102030406/https://a.test/", "", "secure", 200},
		{at("", "http://a.test/loop"), "", "", 404},
		{at("", "http://a.test/out"), at("", "http://b.test/x?y#z"), "", 302},
		{at("", "http://a.test/odd"), "", "body", 302},
		{at("", "http://a.test/dir"), at("", "http://a.test/dir/"), "", 301},
		{at("", "http://a.test/dir/"), "", "dir", 200},
		{at("", "http://a.test/Case"), "", "upper", 200},
		{at("", "http://a.test/case"), "", "lower", 200},
		{at("", "http://a.test/CASE"), at("", "http://a.test/Case"), "", 302}, // nothing is spelt so: the nearest spelling
		{at("", "http://www.a.test/case"), at("", "http://a.test/case"), "", 302},
	} {
		w := ask(s, c.target)
		if w.Code != c.status || w.Header().Get("Location") != c.location || c.body != "" && w.Body.String() != c.body {
			t.Errorf("%s: %d %q %s", c.target, w.Code, w.Header().Get("Location"), w.Body)
		}
	}
}

// A page that reads its own query in the browser is there for every query; a page made by a server is not.
func TestQueryOfStaticFiles(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/search.html", stamp, "200 text/html", "search")
	a.Page("http://a.test/index.php", stamp, "200 text/html", "home")
	s := server(t, a)
	if w := ask(s, at("", "http://a.test/search.html?q=x")); w.Code != 200 || w.Body.String() != "search" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(s, at("", "http://a.test/index.php?id=1")); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestStrayRequestsAreLedBack(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/x/", stamp, "200 text/html", "<script>fetch('/data.json')</script>")
	s := server(t, a)
	page := "Referer: http://replay.test" + at("", "http://a.test/x/?q=1")
	for _, c := range []struct {
		target, referer, dest, location string
		status                          int
	}{
		{"/data.json?a=b", page, "empty", at("oe_", "http://a.test/data.json?a=b"), 302},
		{"/pic.png", page, "image", at("im_", "http://a.test/pic.png"), 302},
		{"/next", page, "document", at("", "http://a.test/next"), 302},
		{"/", page, "document", at("", "http://a.test/"), 302},
		{"/one/pic.png", page, "image", at("im_", "http://a.test/one/pic.png"), 302}, // the site has a folder of the collection's name
		{"//evil.test/x", page, "script", at("js_", "http://a.test//evil.test/x"), 302},
		{"/data.json", "", "empty", "", 404},
		{"/data.json", "Referer: http://elsewhere.test" + at("", "http://a.test/x/"), "empty", "", 404},
		{"/data.json", "Referer: http://replay.test/one/*/http://a.test/", "empty", "", 404},
		{"/", "", "document", "http://home.test/", 302},
	} {
		headers := []string{"Sec-Fetch-Dest: " + c.dest}
		if c.referer != "" {
			headers = append(headers, c.referer)
		}
		w := ask(s, c.target, headers...)
		if w.Code != c.status || w.Header().Get("Location") != c.location {
			t.Errorf("%s from %q: %d %q", c.target, c.referer, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestLinkHeader(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 Content-Type: text/html\nLink: </s.css>; rel=preload; as=style, <http://b.test/>; rel=\"memento\", <x.js>;rel=modulepreload, </q>; rel=canonical", "x")
	w := ask(server(t, a), at("", "http://a.test/"))
	links := strings.Join(w.Header().Values("Link"), ", ")
	if !strings.Contains(links, `<`+at("cs_", "http://a.test/s.css")+`>; rel="preload"; as="style"`) || !strings.Contains(links, `<x.js>; rel="modulepreload"`) {
		t.Error(links)
	}
	if strings.Contains(links, "b.test") || strings.Contains(links, "canonical") {
		t.Error("an archived link speaks for the archive:", links)
	}
}

func TestTwoCollectionsAsOne(t *testing.T) {
	one, two := replaytest.New(t), replaytest.New(t)
	one.Page("http://a.test/", "20230101000000", "200 text/html", "from one")
	two.Page("http://a.test/", "20240101000000", "200 text/html", "from two")
	two.Page("http://a.test/", "20230101000000", "200 text/html", "from one") // both have it: it counts once
	s := server(t, one, two)
	if w := ask(s, "/web/20240101000000/http://a.test/"); w.Body.String() != "from two" {
		t.Error(w.Body)
	}
	if n := strings.Count(ask(s, "/web/timemap/link/http://a.test/").Body.String(), "memento\";"); n != 2 {
		t.Error(n, "mementos")
	}
	if w := ask(s, "/one/20240101000000/http://a.test/"); w.Header().Get("Location") != "/one/20230101000000/http://a.test/" {
		t.Error(w.Header())
	}
}

func TestMethods(t *testing.T) {
	a := replaytest.New(t)
	a.Put("response", "http://a.test/form", stamp, "application/http", "HTTP/1.1 200 OK\r\n\r\nposted", cdx.Entry{Status: 200, Extra: []cdx.Field{{Name: "method", Value: "POST"}}})
	a.Page("http://a.test/", stamp, "200 text/html", "x")
	s := server(t, a)
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if w := replaytest.Send(s, method, "http://replay.test", at("", "http://a.test/")); w.Code != http.StatusNotFound {
			t.Errorf("%s of what was captured by GET alone: %d", method, w.Code)
		}
		if w := replaytest.Send(s, method, "http://replay.test", "/one/*/http://a.test/"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	if w := ask(s, at("", "http://a.test/form")); w.Code != 404 {
		t.Error("the answer to a form was shown to GET:", w.Code)
	}
	if w := ask(s, at("js_", "http://a.test/"), "Service-Worker: script"); w.Code != 403 {
		t.Error("a service worker was served:", w.Code)
	}
}

// The addresses in Connection-Allowlist are URL patterns, in which a colon of an IPv6 address would begin a name.
func TestConnectionsToIPv6(t *testing.T) {
	want := `(response-origin "http://[fd00\\:\\:1]:8088" "http://a.test:80");redirects=allow`
	if got := connections("http://[fd00::1]:8088 http://a.test:80"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
