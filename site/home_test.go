package site

import (
	"context"
	"fmt"
	"html"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

func askHome(s *Site, target string, headers ...string) *httptest.ResponseRecorder {
	return replaytest.Send(s.HomeHandler(), "GET", "http://home.test", target, headers...)
}

func TestHome(t *testing.T) {
	one, two := replaytest.New(t), replaytest.New(t)
	one.Page("http://a.test/", "20200101000000", "200 text/html", "x")
	one.Page("http://a.test/", "20210101000000", "200 text/html", "y")
	one.Page("https://a.test/p.png", "20220101000000", "200 image/png", "y")
	two.Page("http://b.test/", "20230101000000", "200 text/html", "z")
	s := server(t, one, two)
	has := func(target string, parts ...string) {
		t.Helper()
		w := askHome(s, target)
		for _, p := range parts {
			if !strings.Contains(w.Body.String(), p) {
				t.Errorf("%s lacks %q:\n%s", target, p, w.Body)
			}
		}
	}
	has("/", "All collections", "2 pages of 2 hosts, captured from 1 January 2020 to 1 January 2023.", "1 page of 1 host, captured on 1 January 2023.", "A look inside", `href="http://replay.test/web/20230101000000/http://b.test/"`)
	has("/?lang=fa", "همهٔ مجموعه‌ها", "۲ صفحه از ۲ میزبان، ثبت‌شده از ۱۱ دی ۱۳۹۸ تا ۱۱ دی ۱۴۰۱.", `dir="rtl"`)
	has("/c/one", "3 captures", "2 addresses", "1 host", "January 2020: 1", "http://replay.test/one/*en/http://a.test/", "http://replay.test/one/20210101000000/http://a.test/")
	has("/c/one/pages", "http://a.test/", "https://a.test/p.png", "http://replay.test/one/*en/http://a.test/", "http://replay.test/one/20210101000000/http://a.test/")
	has("/c/one/pages?prefix=a.test/p", "p.png")
	has("/c/one/pages?prefix=nowhere", "No address matches")
	has("/c/one/hosts", "/c/one/host?host=a.test", "2 addresses")
	has("/c/one/crawls", "Nothing is known about the crawls")
	has("/c/one/search?q=x", "Search by words is not available here")
	has("/c/none", "There is no such collection")
	has("/c/one/capture?url=http://a.test/&time=20210101000000", "1 January 2021", replaytest.File, "Content-Type", "text/html")
	has("/c/one/capture?url=http://a.test/&time=20210101000001", "Not in the archive")
	has("/nothing", "There is no such page")
	if w := askHome(s, "/c/one/pages?prefix=a.test/p"); strings.Contains(w.Body.String(), `href="http://replay.test/one/*en/http://a.test/"`) {
		t.Error("the list holds what does not begin so")
	}
	if first, second := askHome(s, "/c/one"), askHome(s, "/c/one"); first.Body.String() != second.Body.String() {
		t.Errorf("the second reader sees another page than the first:\n%s\n%s", first.Body, second.Body)
	}
	if w := askHome(s, "/-/health"); w.Code != 200 || w.Body.String() != "ok\n" {
		t.Error(w.Code, w.Body)
	}
	if w := askHome(s, "/?lang=fa"); !strings.HasPrefix(w.Header().Get("Set-Cookie"), "lang=fa; Path=/;") {
		t.Error("the language is not kept:", w.Header())
	}
}

// decisions is a Gate at which somebody decides now and then.
type decisions struct{ edition string }

func (d *decisions) Refused(context.Context, *cdx.Entry) (*kavosh.Refused, error) { return nil, nil }
func (d *decisions) Withheld(context.Context, string) (*kavosh.Refused, error)    { return nil, nil }
func (d *decisions) Revisiting(ctx context.Context, _ *cdx.Entry) context.Context { return ctx }
func (d *decisions) Edition() string                                              { return d.edition }

// What a collection's page says was counted after the last decision.
func TestNumbersFollowDecisions(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", "x")
	a.Page("http://closed.test/", stamp, "200 text/html", "x")
	s, gate := server(t, a), &decisions{}
	s.collections[0].Gate = gate
	if w := askHome(s, "/c/one/hosts"); !strings.Contains(w.Body.String(), "closed.test") {
		t.Fatal("a host is missing", w.Body)
	}
	a.Lines, gate.edition = a.Lines[:1], "#1"
	if w := askHome(s, "/c/one/hosts"); strings.Contains(w.Body.String(), "closed.test") || !strings.Contains(w.Body.String(), "a.test") {
		t.Error("hosts as they were before the decision:", w.Body)
	}
}

// Links to a URL are listed in pages, the newest first, each but once; those of two collections together.
func TestLinksTo(t *testing.T) {
	one, links, two := replaytest.New(t), replaytest.New(t), replaytest.New(t)
	one.Page("http://a.test/", stamp, "200 text/html", "x")
	two.Page("http://a.test/", stamp, "200 text/html", "x")
	line := func(source, stamp, anchor string) string {
		e := cdx.Entry{Key: weburl.SURT("http://a.test/"), Timestamp: stamp, URL: "http://a.test/", MIME: "navigation", Filename: "f",
			Extra: []cdx.Field{{Name: "anchor", Value: anchor}, {Name: "source", Value: source}}}
		return string(e.AppendLine(nil))
	}
	for i := range 230 {
		links.Lines = append(links.Lines, line(fmt.Sprintf("http://s%03d.test/<b>", i), fmt.Sprintf("2020010100%02d00", i/60), "<i>here\u202e"))
	}
	s := server(t, one, two)
	s.collections[0].Links = links
	for _, c := range []struct{ page, at string }{{"/c/one/links?url=http://a.test/", "/c/one"}, {"/c/web/links?url=a.test", "/c/web"}} {
		var sources []string
		pages := 0
		for next := c.page; next != ""; pages++ {
			body := askHome(s, next).Body.String()
			if strings.Contains(body, "<i>here") || strings.Contains(body, "\u202e") || strings.Contains(body, "test/<b>") {
				t.Fatal("what an archived page says is markup here", body)
			}
			for _, m := range regexp.MustCompile(`<a href="http://replay.test/(?:one|web)/\d+/(http://s\d+.test)`).FindAllStringSubmatch(body, -1) {
				sources = append(sources, m[1])
			}
			next = ""
			if m := regexp.MustCompile(`rel="next" href="http://home.test([^"]+)"`).FindStringSubmatch(body); m != nil {
				next = html.UnescapeString(m[1])
			}
		}
		if sorted := slices.Sorted(slices.Values(sources)); pages != 3 || len(sources) != 230 || len(slices.Compact(sorted)) != 230 {
			t.Errorf("%s: %d links on %d pages", c.page, len(sources), pages)
		}
		if !strings.Contains(askHome(s, c.at+"/capture?url=http://a.test/&time="+stamp).Body.String(), c.at+"/links?url=") {
			t.Errorf("the page of the capture in %s leads to no list of links", c.at)
		}
	}
	if body := askHome(s, "/c/one/host?host=a.test").Body.String(); !strings.Contains(body, "host=s001.test") {
		t.Error("the host's page tells of no host that links there:", body)
	}
	if body := askHome(s, "/c/two/links?url=http://a.test/").Body.String(); !strings.Contains(body, "No page of this collection links") {
		t.Error(body)
	}
}

// Whoever asks the home pages for an archived page is led to the replay's origin; its scripts never run on this one.
func TestReplayAddressesAtHome(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", "x")
	s := server(t, a)
	for target, want := range map[string]string{
		at("", "http://a.test/"): "http://replay.test" + at("", "http://a.test/"), "/one/*/http://a.test/?x": "http://replay.test/one/*/http://a.test/?x",
		"/one/http://a.test/": "http://replay.test/one/http://a.test/", "/one/cdx?url=a.test": "http://replay.test/one/cdx?url=a.test", "/one/": "/c/one",
	} {
		if w := askHome(s, target); w.Code != 302 || w.Header().Get("Location") != want {
			t.Errorf("%s: %d %q", target, w.Code, w.Header().Get("Location"))
		}
	}
}

// The search box leads to the calendar of whatever a person types, on the replay's origin and nowhere else.
func TestFind(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "x")
	s := server(t, a)
	for typed, want := range map[string]string{
		"a.test": "http://replay.test/one/*en/http://a.test/", "a.test/x?y=z%26": "http://replay.test/one/*en/http://a.test/x?y=z%26",
		"https://a.test:8443/x": "http://replay.test/one/*en/https://a.test:8443/x", "localhost:8080/x": "http://replay.test/one/*en/http://localhost:8080/x",
		" a.test ": "http://replay.test/one/*en/http://a.test/", "سایت.test/برگ": "http://replay.test/one/*en/http://xn--mgbgz72d.test/%D8%A8%D8%B1%DA%AF",
		"a.test/*": "/c/one/pages?lang=en&prefix=a.test%2F", "//evil.test": "http://replay.test/one/*en/http://evil.test/",
	} {
		r := httptest.NewRequest("GET", "/find", nil)
		q := r.URL.Query()
		q.Set("url", typed)
		q.Set("coll", "one")
		r.URL.RawQuery = q.Encode()
		w := httptest.NewRecorder()
		s.HomeHandler().ServeHTTP(w, r)
		if w.Code != 302 || w.Header().Get("Location") != want {
			t.Errorf("%q: %d %q, want %q", typed, w.Code, w.Header().Get("Location"), want)
		}
	}
	for _, typed := range []string{"", "two words", "word", "javascript:alert(1)", "mailto:a@b.test", "<b>", "http://"} {
		r := httptest.NewRequest("GET", "/find", nil)
		q := r.URL.Query()
		q.Set("url", typed)
		r.URL.RawQuery = q.Encode()
		w := httptest.NewRecorder()
		s.HomeHandler().ServeHTTP(w, r)
		if w.Header().Get("Location") != "" {
			t.Errorf("%q leads to %q", typed, w.Header().Get("Location"))
		}
	}
}

func TestCalendarPage(t *testing.T) {
	a := replaytest.New(t)
	for _, year := range []string{"2010", "2015", "2020"} {
		a.Page("http://a.test/p", year+"0601120000", "200 text/html", "<p>"+year)
	}
	s := server(t, a)
	w := ask(s, "/one/*/http://a.test/p", "Accept-Language: en")
	for _, part := range []string{"3 captures", `href="/one/20150601120000/http://a.test/p"`, `id="y2010"`, "/one/*fa/http://a.test/p"} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("lacks %q", part)
		}
	}
	if w := ask(s, "/one/*fa/http://a.test/p", "Accept-Language: en"); !strings.Contains(w.Body.String(), "۳ نسخه") || !strings.Contains(w.Body.String(), `id="y1394"`) {
		t.Error(w.Body)
	}
	if w := ask(s, "/one/*/a.test/*"); w.Header().Get("Location") != "http://home.test/c/one/pages?prefix=http%3A%2F%2Fa.test%2F" {
		t.Error(w.Header())
	}
	if w := ask(s, "/one/"); w.Header().Get("Location") != "http://home.test/c/one" {
		t.Error(w.Header())
	}
}

// The banner of a page says since when it is unchanged.
func TestBannerOfARevisit(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20230101000000", "200 text/html", "<p>body")
	a.Put("revisit", "http://a.test/", "20240101000000", "application/http; msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
		cdx.Entry{MIME: replay.RevisitMIME, Digest: fmt.Sprintf("sha1:%08X", replaytest.CRC("<p>body"))})
	a.Put("revisit", "http://a.test/lost", "20240101000000", "application/http; msgtype=response", "HTTP/1.1 200 OK\r\n\r\n", cdx.Entry{MIME: replay.RevisitMIME, Digest: "sha1:X"})
	s := server(t, a)
	for target, want := range map[string]string{"/one/20240101000000/http://a.test/": "Unchanged since 1 January 2023", "/one/20240101000000/http://a.test/lost": "Its content is not here"} {
		if w := ask(s, target, replaytest.Browser()...); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s does not say %q: %s", target, want, w.Body)
		}
	}
}

// What an address has that looks like markup is none in the pages that name it.
func TestAddressesAreNoMarkup(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	s := server(t, replaytest.New(t))
	for _, target := range []string{at("", "http://a.test/"+evil), "/one/*/http://a.test/" + evil, at("", "http://"+evil+"/"), "/one/timemap/" + evil + "/http://a.test/", "/" + evil + "/"} {
		if w := ask(s, target, replaytest.Browser()...); w.Code < 400 || strings.Contains(w.Body.String(), "<script>alert") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestOptions(t *testing.T) {
	named := func(names ...string) (list []Collection) {
		for _, name := range names {
			list = append(list, Collection{Collection: &replay.Collection{Name: name}})
		}
		return list
	}
	for _, o := range []Options{
		{}, {Collections: named("")}, {Collections: named("web")}, {Collections: named("a/b")}, {Collections: named("one", "one")},
		{Collections: named("one"), HomeAddr: "127.0.0.1:8088"}, {Collections: named("one"), HomeAddr: "http://x", ReplayAddr: "http://x/"},
		{Collections: named("one"), Lang: "de"}, {Collections: named("one"), ReplayAddr: "http://x/path"},
	} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
