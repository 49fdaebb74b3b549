package replay

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/replay/replaytest"
)

// What a script, style sheet, manifest or data is decides how it comes, and a browser's word for it counts most.
func TestKindsOfParts(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/s.js", stamp, "200 text/plain", "location")
	a.Page("http://a.test/d.json", stamp, "200 application/json", `{"location": "/x"}`)
	a.Page("http://a.test/v.m3u8", stamp, "200 application/vnd.apple.mpegurl", "#EXTM3U\n/1.ts\n")
	a.Page("http://a.test/v.mpd", stamp, "200 application/dash+xml", "<BaseURL>/v/</BaseURL>")
	a.Page("http://a.test/m", stamp, "200 application/manifest+json", `{"start_url": "/"}`)
	a.Page("http://a.test/i.svg", stamp, "200 image/svg+xml", `<svg><script>location</script></svg>`)
	s := server(t, a)
	for _, c := range []struct{ target, dest, want string }{
		{at("js_", "http://a.test/s.js"), "script", "kavosh$location"},
		{at("js_", "http://a.test/s.js"), "", "kavosh$location"},
		{at("id_", "http://a.test/s.js"), "script", "location"},
		{at("", "http://a.test/s.js"), "audioworklet", "location"},
		{at("oe_", "http://a.test/d.json"), "empty", `{"location": "/x"}`},
		{at("oe_", "http://a.test/v.m3u8"), "empty", "#EXTM3U\n" + at("oe_", "http://a.test/1.ts") + "\n"},
		{at("oe_", "http://a.test/v.mpd"), "video", "<BaseURL>" + at("oe_", "http://a.test/v/") + "</BaseURL>"},
		{at("oe_", "http://a.test/m"), "manifest", `{"start_url":"` + at("", "http://a.test/") + `"}`},
		{at("", "http://a.test/i.svg"), "image", `<svg><script>location</script></svg>`}, // nothing gives it the page script
	} {
		headers := []string{"Accept: */*"}
		if c.dest != "" {
			headers = append(headers, "Sec-Fetch-Dest: "+c.dest)
		}
		if w := ask(s, c.target, headers...); w.Code != 200 || w.Body.String() != c.want {
			t.Errorf("%s for %s: %d %s, want %s", c.target, c.dest, w.Code, w.Body, c.want)
		}
	}
	w := ask(s, at("js_", "http://a.test/s.js"), "Sec-Fetch-Dest: worker")
	if body := w.Body.String(); !strings.HasPrefix(body, "(function(){") || !strings.HasSuffix(body, `"url":"http://replay.test`+at("js_", "http://a.test/s.js")+`"});`+"\nkavosh$location") {
		t.Errorf("worker: %.300s", body)
	}
	if v := w.Header().Get("Vary"); w.Header().Get("ETag") != "" || !strings.Contains(v, "Sec-Fetch-Dest") {
		t.Errorf("a worker's script may be taken for the same script elsewhere: %v", w.Header())
	}
}

// The only service worker is the replay's own.
func TestServiceWorker(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/sw.js", stamp, "200 text/javascript", "1")
	s := server(t, a)
	if w := ask(s, at("js_", "http://a.test/sw.js"), "Service-Worker: script", "Sec-Fetch-Dest: serviceworker"); w.Code != 403 {
		t.Error("an archived service worker was served:", w.Code)
	}
	w := ask(s, "/-/client/sw.js", "Service-Worker: script", "Sec-Fetch-Dest: serviceworker")
	if w.Code != 200 || w.Header().Get("Service-Worker-Allowed") != "/" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") {
		t.Error(w.Code, w.Header())
	}
}

// What was captured with another query is shown when the queries differ in what changes at every visit.
func TestOtherQueries(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/api?id=1&_=111", stamp, "200 application/json", "one")
	a.Page("http://a.test/api?id=2&_=222", stamp, "200 application/json", "two")
	a.Page("http://a.test/jsonp?callback=jQuery1_2&q=x", stamp, "200 text/javascript", "jQuery1_2({})")
	a.Page("http://a.test/page?utm_source=mail", stamp, "200 text/html", "page")
	a.Page("http://r1.googlevideo.com/videoplayback?id=7&itag=18&expire=1", stamp, "200 video/mp4", "video")
	a.Page("http://a.test/apix?id=3", stamp, "200 application/json", "other path")
	s := server(t, a)
	for _, c := range []struct {
		url, dest, want string
		status          int
	}{
		{"http://a.test/api?_=999&id=2", "empty", "two", 200},
		{"http://a.test/api?id=1", "empty", "one", 200},
		{"http://a.test/api?id=3", "empty", "", 404},
		{"http://a.test/jsonp?q=x&callback=jQuery7_8", "script", "jQuery7_8({})", 200},
		{"http://a.test/page", "", "page", 200},
		{"http://r1.googlevideo.com/videoplayback?itag=18&id=7&expire=2&sig=x", "video", "video", 200},
		{"http://r1.googlevideo.com/videoplayback?itag=22&id=7", "video", "", 404},
	} {
		w := ask(s, at("", c.url), "Sec-Fetch-Dest: "+c.dest)
		if w.Code != c.status || c.status == 200 && w.Body.String() != c.want {
			t.Errorf("%s: %d %s, want %d %s", c.url, w.Code, w.Body, c.status, c.want)
		}
	}
}

// An answer to POST is found by what was sent.
func TestPosted(t *testing.T) {
	a := replaytest.New(t)
	post := func(body, answer string) {
		full := cdx.WithMethod("http://a.test/q", "__wb_method=POST&"+body)
		a.Put("response", "http://a.test/q", stamp, "application/http", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+answer,
			cdx.Entry{Status: 200, MIME: "application/json", Extra: []cdx.Field{{Name: "method", Value: "POST"}, {Name: "requestBody", Value: body}}})
		last := &a.Lines[len(a.Lines)-1]
		_, rest, _ := strings.Cut(*last, " ")
		*last = weburl.SURT(full) + " " + rest
	}
	post("a=1", "first")
	post("a=2&_=123", "second")
	a.Page("http://a.test/q", stamp, "200 text/html", "got")
	s := server(t, a)
	send := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "http://replay.test/", strings.NewReader(body))
		r.RequestURI = at("oe_", "http://a.test/q")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Dest", "empty")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	for _, c := range []struct {
		body, want string
		status     int
	}{{"a=1", "first", 200}, {"a=2&_=123", "second", 200}, {"_=9&a=2", "second", 200}, {"a=3", "", 404}, {"", "", 404}} {
		if w := send(c.body); w.Code != c.status || c.status == 200 && w.Body.String() != c.want {
			t.Errorf("%q: %d %s, want %d %s", c.body, w.Code, w.Body, c.status, c.want)
		}
	}
	if w := ask(s, at("", "http://a.test/q")); w.Body.String() != "got" {
		t.Error("GET:", w.Body)
	}
}

// Parts of a page that lie too far from it in time are not shown with it, as the server or the request says.
func TestSpan(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", `<img src=/p.png>`)
	a.Page("http://a.test/p.png", "20240104030405", "200 image/png", "two days later")
	any, narrow := server(t, a), server(t, a)
	narrow.player.maxSpan = 24 * time.Hour
	for _, c := range []struct {
		server *Server
		span   string
		status int
	}{{any, "", 200}, {any, "~1d", 404}, {any, "~47h", 404}, {any, "~2d", 200}, {any, "~9w", 200}, {any, "~999999w", 200}, {narrow, "", 404}, {narrow, "~9d", 404}} {
		w := ask(c.server, at(c.span+"im_", "http://a.test/p.png"), "Sec-Fetch-Dest: image")
		if w.Code != c.status {
			t.Errorf("within %q of at most %v: %d, want %d", c.span, c.server.player.maxSpan, w.Code, c.status)
		}
		if got := w.Header().Get("Server-Timing"); c.status == 200 && got != `memento;desc="20240104030405"` {
			t.Errorf("the page's script is not told the time of the part: %q", got)
		}
	}
	if w := ask(any, at("~1d", "http://a.test/"), replaytest.Browser()...); !strings.Contains(w.Body.String(), `src=`+at("~1dim_", "http://a.test/p.png")) {
		t.Error("the span does not go with the parts:", w.Body)
	}
	if w := ask(narrow, "/one/20240101000000/http://a.test/p.png"); w.Code != 302 {
		t.Error("what is asked for by itself is bound to no page:", w.Code)
	}
	for _, bad := range []string{"~1", "~d", "~1x", "~", "~1dd", "~1234567d"} {
		if _, _, _, ok := splitTime(stamp + bad); ok {
			t.Errorf("%s was taken for a span", bad)
		}
	}
}

// A collection has an origin of its own, at which there is nothing else.
func TestCollectionOrigins(t *testing.T) {
	one, two := replaytest.New(t), replaytest.New(t)
	one.Page("http://a.test/", stamp, "200 text/html", "of one")
	two.Page("http://a.test/", stamp, "200 text/html", "of two")
	serves := func(replay, pattern string) *Server {
		return serving(t, "", replay, pattern, Collection{Name: "one", Records: &records.Records{Index: one, Files: one}}, Collection{Name: "two", Records: &records.Records{Index: two, Files: two}})
	}
	local, asked := serves("http://127.0.0.1:8089", ""), serves("https://replay.test", "*.replay.test")
	for _, c := range []struct {
		server         *Server
		origin, target string
		status         int
		location       string
	}{
		{local, "http://127.0.0.1:8089", at("", "http://a.test/"), 200, ""},
		{local, "http://one.localhost:8089", at("", "http://a.test/"), 200, ""},
		{local, "http://ONE.localhost:8089", at("", "http://a.test/"), 200, ""},
		{local, "http://two.localhost:8089", at("", "http://a.test/"), 404, ""},
		{local, "http://nine.localhost:8089", at("", "http://a.test/"), 404, ""},
		{asked, "http://replay.test", at("", "http://a.test/"), 302, "https://one.replay.test" + at("", "http://a.test/")},
		{asked, "http://one.replay.test", at("", "http://a.test/"), 200, ""},
		{asked, "http://one.replay.test", "/two/" + stamp + "/http://a.test/", 404, ""},
	} {
		w := replaytest.Send(c.server, "GET", c.origin, c.target, replaytest.Browser()...)
		if w.Code != c.status || w.Header().Get("Location") != c.location {
			t.Errorf("%s%s: %d %q", c.origin, c.target, w.Code, w.Header().Get("Location"))
		}
	}
	for _, bad := range []string{"replay.test", "*", "*replay.test", "*.a/b", "*.*.test"} {
		if _, err := NewAddresses("", "http://replay.test", bad); err == nil && bad != "*" {
			t.Errorf("%q was taken for a pattern", bad)
		}
	}
}
