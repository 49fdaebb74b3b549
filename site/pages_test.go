package site

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/replay"
	"kavosh/replay/replaytest"
	"kavosh/site/draw"
)

// wants looks for parts of a page, in their order, and for none of those that begin with "!".
func wants(t *testing.T, s *Site, target string, parts ...string) {
	t.Helper()
	h := s.HomeHandler()
	if strings.HasPrefix(target, "http://replay.test") {
		h, target = s.ReplayHandler(), strings.TrimPrefix(target, "http://replay.test")
	}
	w := replaytest.Send(h, "GET", "http://any.test", target, "Accept-Language: en", "Accept: text/html")
	body := w.Body.String()
	at := 0
	for _, p := range parts {
		if not, ok := strings.CutPrefix(p, "!"); ok {
			if strings.Contains(body, not) {
				t.Errorf("%s has %q", target, not)
			}
			continue
		}
		i := strings.Index(body[at:], p)
		if i < 0 {
			t.Errorf("%s (%d) lacks %q behind %d bytes of\n%s", target, w.Code, p, at, body)
			return
		}
		at += i
	}
}

// mixed is an archive of two hosts with several kinds, errors and years.
func mixed(t *testing.T) *Site {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "<title>First</title><p>The old hall.<p>Stays.")
	a.Page("http://a.test/", "20210101000000", "200 text/html", "<title>Second</title><p>The new hall.<p>Stays.<p>Added.")
	a.Page("http://a.test/dir/one.html", "20210201000000", "200 text/html", "x")
	a.Page("http://a.test/dir/two.html?q=1", "20210301000000", "404 text/html", "x")
	a.Page("http://a.test/dir/two.html?q=2", "20220301000000", "404 text/html", "x")
	a.Page("http://a.test/p.png", "20220101000000", "200 image/png", "x")
	a.Page("http://b.test:8080/", "20220101000000", "200 text/html", "x")
	s := server(t, a)
	s.read = func(url string, status int, header kavosh.Header, payload []byte) *kavosh.Page {
		title, text, _ := strings.Cut(strings.TrimPrefix(string(payload), "<title>"), "</title>")
		return &kavosh.Page{URL: url, Title: title, Text: strings.ReplaceAll(text, "<p>", "\n"), Links: []kavosh.Link{{URL: "http://a.test/dir/one.html", Anchor: "a <link>"}}}
	}
	return s
}

func TestListFilters(t *testing.T) {
	s := mixed(t)
	wants(t, s, "/c/one/pages?kind=image", "p.png", "!one.html")
	wants(t, s, "/c/one/pages?status=4xx", "two.html?q=1", "two.html?q=2", "!one.html")
	wants(t, s, "/c/one/pages?status=404&from=2022", "two.html?q=2", "!two.html?q=1")
	wants(t, s, "/c/one/pages?from=%DB%B2%DB%B0%DB%B2%DB%B0&to=2020", "http://a.test/", "1 capture<", "!one.html") // Persian digits
	wants(t, s, "/c/one/pages?kind=odd&status=x&from=+", "one.html", "p.png", "!<b>")
}

// Walking from page to page gives every address once, whatever stands together under one key.
func TestListPages(t *testing.T) {
	a := replaytest.New(t)
	for i := range 75 {
		a.Page(fmt.Sprintf("http://a.test/%03d", i), "20200101000000", "200 text/html", "x")
		a.Page(fmt.Sprintf("https://a.test/%03d", i), "20210101000000", "200 text/html", "x")
	}
	s := server(t, a)
	seen := map[string]int{}
	next := "/c/one/pages"
	for n := 0; next != ""; n++ {
		body := askHome(s, next).Body.String()
		for _, line := range strings.Split(body, `class="url">`)[1:] {
			address, _, _ := strings.Cut(line, "<")
			seen[address]++
		}
		_, link, more := strings.Cut(body, `rel="next" href="`)
		if next = ""; more {
			next, _, _ = strings.Cut(link, `"`)
			next = strings.ReplaceAll(next, "&amp;", "&")
		}
		if n > 10 {
			t.Fatal("no end")
		}
	}
	if len(seen) != 150 {
		t.Errorf("%d addresses", len(seen))
	}
	for address, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", address, n)
		}
	}
}

func TestHostPage(t *testing.T) {
	s := mixed(t)
	wants(t, s, "/c/one/host?host=a.test", "a.test", "6 captures", "5 addresses", "dir/", "3 captures", "p.png", "Errors, the newest first", "two.html?q=2", "two.html?q=1")
	wants(t, s, "/c/one/host?host=a.test&path=/dir/", "one.html", "!p.png")
	wants(t, s, "/c/one/host?host=a.test&path=dir", "two.html", "with a query", "2 addresses")
	wants(t, s, "/c/one/host?host=b.test:8080", "1 capture")
	wants(t, s, "/c/one/host?host=none.test", "Nothing of this host")
	wants(t, s, "/c/one/host?host=%3Cb%3E", "cannot be read")
}

func TestComparison(t *testing.T) {
	s := mixed(t)
	w := askHome(s, "/c/one/compare?"+url.Values{"url": {"http://a.test/"}, "a": {"20210101000000"}, "b": {"20200101000000"}}.Encode())
	to := "http://replay.test/one/20200101000000-20210101000000/http://a.test/"
	if w.Code != http.StatusFound || w.Header().Get("Location") != to {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	wants(t, s, to, "First", "Second", `src="/one/20200101000000if_/http://a.test/"`, `src="/one/20210101000000if_/http://a.test/"`, "2 words added", "1 word removed", "The <del>old </del>hall.", "The <ins>new </ins>hall.", "Stays.", "<ins>Added.</ins>")
	wants(t, s, "http://replay.test/one/20200101-20210101fa/http://a.test/", `lang="fa"`, "افزوده")
	wants(t, s, "http://replay.test/one/20200101-20200102/http://a.test/", "The text is the same")
	wants(t, s, "http://replay.test/one/2020-2021/http://none.test/", "Not in the archive")
	// What only looks like two times is the address of a page.
	if w := ask(s, "/one/2020-x/"); strings.Contains(w.Body.String(), "iframe") {
		t.Error(w.Body)
	}
	wants(t, s, "http://replay.test/one/*/http://a.test/", `action="http://home.test/c/one/compare"`, `name="a" value="20200101000000"`)
}

// What changed is said in words beside the pages, drawn over them by a script of ours alone, and told by feeds. Archived
// pages can neither load nor frame that page.
func TestChanges(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", `<main><p>It rained all day.</p><a href="/x">more</a></main>`)
	a.Page("http://a.test/", "20210101000000", "200 text/html", `<main><p>It rained all night &amp; day.</p></main>`)
	a.Page("http://a.test/b", "20210101000000", "200 text/html", `<p class=one>Same</p>`)
	a.Page("http://a.test/b", "20220101000000", "200 text/html", `<p class=two>Same</p>`)
	s := server(t, a)
	at := "http://replay.test/one/20200101000000-20210101000000/http://a.test/"
	wants(t, s, at, "Text changed", "Part gone", `class="delete" data-kind="link" data-old="more" data-old-address="http://a.test/x"`, "http://home.test/c/one/changes?url=http%3A%2F%2Fa.test%2F", `sandbox="allow-same-origin"`)
	wants(t, s, "http://replay.test/one/20200101-20210101fa/http://a.test/", "متن دگرگون‌شده", "بخش برداشته‌شده", "پیوند برداشته‌شده")
	const link = `<link rel="alternate" type="application/atom+xml" href="`
	wants(t, s, "http://replay.test/one/*/http://a.test/", link+"http://home.test/c/one/changes?lang=en&amp;url=http%3A%2F%2Fa.test%2F\"", ">Feed of changes</a>")
	wants(t, s, "http://home.test/c/one/host?host=a.test&lang=fa", link+"http://home.test/c/one/changes?host=a.test&amp;lang=fa\"", ">خوراک دگرگونی‌ها</a>")
	wants(t, s, "http://home.test/c/one?lang=en", link+"http://home.test/c/one/changes?lang=en\"", ">Feed of changes</a>")
	r := httptest.NewRequest("GET", at, nil)
	r.Header.Set("Sec-Fetch-Dest", "iframe")
	w := httptest.NewRecorder()
	if s.ReplayHandler().ServeHTTP(w, r); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "rained") || w.Header().Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Errorf("in a frame: %d %v\n%s", w.Code, w.Header(), w.Body)
	}
	for _, of := range []string{"url=http://a.test/", "host=a.test", ""} {
		w := askHome(s, "/c/one/changes?"+of)
		var f feed
		if err := xml.Unmarshal(w.Body.Bytes(), &f); err != nil || len(f.Entries) != 1 || f.Entries[0].Link.Href != at || !strings.Contains(f.Entries[0].Title, "3 changes; importance: ") ||
			!strings.Contains(f.Entries[0].Content, "It rained all day. → It rained all night & day.") || f.Updated.Year() != 2021 || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/atom+xml") {
			t.Errorf("%s: %v %s", of, err, w.Body)
		}
	}
	if w := askHome(s, "/c/one/changes?host=a.test&lang=fa"); !strings.Contains(w.Body.String(), "۳ دگرگونی") {
		t.Error(w.Body)
	}
	for path, want := range map[string]int{"/c/one/changes?host=%5B": 400, "/c/one/changes?url=http://none.test/": 404} {
		if w := askHome(s, path); w.Code != want {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestCaptureDetails(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "<title>First</title>", "WARC-Truncated", "length")
	a.Page("http://a.test/", "20210101000000", "302 Location: /to\nX-Robots-Tag: noarchive", "")
	a.Page("http://a.test/", "20220101000000", "200 text/html", "x")
	s := server(t, a)
	s.read = mixed(t).read
	wants(t, s, "/c/one/capture?url=http://a.test/&time=20200101000000", "cut short (it was too large)", "First", "Captures around it", "this one", "20210101000000", "Links of the page", "dir/one.html", "a &lt;link&gt;")
	wants(t, s, "/c/one/capture?url=http://a.test/&time=20210101000000", "/one/20200101000000-20210101000000/http://a.test/", "sent readers on", "http://a.test/to", "noarchive", "302 Moved")
}

// The records that a crawl wrote beside a capture's tell how it came to it.
func TestCaptureOrigin(t *testing.T) {
	a := replaytest.New(t)
	a.Put("response", "http://a.test/", stamp, "application/http", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx", cdx.Entry{Status: 200, MIME: "text/plain"})
	first, err := warc.ReadAt(bytes.NewReader(a.Files[replaytest.File].Bytes()), int64(a.Files[replaytest.File].Len()), 0)
	if err != nil {
		t.Fatal(err)
	}
	id := first.Header.Get("WARC-Record-ID")
	for _, r := range [][3]string{{"request", "application/http", "GET / HTTP/1.1\r\nUser-Agent: <agent>\r\n\r\n"},
		{"metadata", "application/warc-fields", "via: http://a.test/<from>\r\nhopsFromSeed: LR\r\nseed: http://seed.test/\r\nfetchTimeMs: 1234\r\n"}} {
		a.Put(r[0], "http://a.test/", stamp, r[1], r[2], cdx.Entry{}, "WARC-Concurrent-To", id)
	}
	a.Put("metadata", "http://b.test/", stamp, "application/warc-fields", "via: http://other.test/\r\n", cdx.Entry{}, "WARC-Concurrent-To", "<urn:uuid:6c2d34f5-0000-4000-8000-000000000002>")
	a.Lines = a.Lines[:1]
	s := server(t, a)
	wants(t, s, "/c/one/capture?url=http://a.test/&time="+stamp, "How it came", "http://a.test/&lt;from&gt;", "http://seed.test/", "LR", "1,234 ms", "Request as sent", "User-Agent: &lt;agent&gt;", "!other.test")
}

// finder is a search of fixed answers.
type finder struct {
	asked kavosh.Search
	err   error
}

// Search answers with what it was asked.
func (f *finder) Search(_ context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	f.asked = q
	return &kavosh.SearchResult{Total: 25, Groups: []kavosh.SearchGroup{{URL: "http://a.test/<x>", Title: kavosh.Snippet{Text: "A title"}, Time: replay.Moment("20200101000000"), Captures: 2}},
		Facets: []kavosh.SearchFacet{{Field: "lang", Values: []kavosh.FacetValue{{Value: "fa", Count: 7}}}}}, f.err
}

func TestSearchPage(t *testing.T) {
	s := mixed(t)
	f := &finder{}
	s.collections[0].Searcher = f
	wants(t, s, "/c/one", "Languages", "Persian", "7")
	if w := askHome(s, "/find?q=two+words&coll=one"); w.Header().Get("Location") != "/c/one/search?lang=en&q=two+words" {
		t.Error(w.Header())
	}
	wants(t, s, "/c/one/search?q=two+words&f=host:a.test&f=odd:x&from=2020-01-01&page=2", "25 addresses found", "/one/20200101000000/http://a.test/", "A title", "2 captures", "Page 2", "Persian", "!<x>")
	if q := f.asked; q.Text != "two words" || len(q.Filters) != 1 || q.Filters[0].Value != "a.test" || q.Offset != 10 || q.From.Year() != 2020 || !q.To.IsZero() {
		t.Errorf("%+v", q)
	}
	wants(t, s, "/c/one/search", "How to search", "!Nothing was found")
	f.err = errors.New("index gone")
	wants(t, s, "/c/one/search?q=x", "The archive cannot be read", "index gone")
}

// chronicle tells of one crawl.
type chronicle struct {
	crawl draw.Crawl
	why   map[string]draw.Why
}

// Why is as it was written.
func (c chronicle) Imports(context.Context) ([]draw.Import, error)      { return nil, nil }
func (c chronicle) Why(_ context.Context, url string) (draw.Why, error) { return c.why[url], nil }

// List has the one.
func (c chronicle) List(context.Context) ([]draw.Crawl, error) {
	return []draw.Crawl{c.crawl}, nil
}

// Crawl is the one, by its id.
func (c chronicle) Crawl(_ context.Context, id string) (*draw.Crawl, error) {
	if id != c.crawl.ID {
		return nil, nil
	}
	return &c.crawl, nil
}

func TestCrawlPages(t *testing.T) {
	s := mixed(t)
	s.collections[0].Crawls = chronicle{crawl: draw.Crawl{ID: "20200101000000", Started: replay.Moment("20200101000000"), Seconds: 100, End: "done", Fetched: 1234, Failed: map[string]int64{"dns": 2}, Slot: time.Second}}
	wants(t, s, "/c/one/crawls", "/c/one/crawl?id=20200101000000", "1 January 2020", "1,234", "done")
	wants(t, s, "/c/one/crawl?id=20200101000000", "1,234", "1\u00a0min 40\u00a0s", "name not found")
	wants(t, s, "/c/one/crawl?id=x", "There is no such crawl")
}

// The page of a missing URL says why in both languages, leads to the other, and to what is near; it advises nobody to
// type.
func TestMissing(t *testing.T) {
	a, b := replaytest.New(t), replaytest.New(t)
	a.Page("http://a.test/", stamp, "200 text/html", "x")
	a.Page("http://a.test/dir/sub/", stamp, "200 text/html", "x")
	a.Page("http://m.a.test/dir/sub/x", stamp, "200 text/html", "x")
	a.Page("http://a.test:8080/other", stamp, "200 text/html", "x")
	b.Page("http://a.test/dir/sub/x", stamp, "200 text/html", "x")
	s := server(t, a, b)
	const missing = "http://a.test/dir/sub/x"
	for outcome, text := range map[string][2]string{
		draw.NeverMet: {"No crawl has met this address", "هیچ خزشی به این نشانی برنخورده است"}, draw.Refused: {"robots.txt line 2: Disallow: /dir", "سطر ۲ از robots.txt"}, draw.Failed: {"no answer came", "پاسخی نرسید"},
		draw.Answered: {">503<", ">۵۰۳<"}, draw.Dropped: {"did not keep it", "نگه نداشت"}, draw.Queued: {"waits in the queue", "در صف"}, draw.Recorded: {"not listed yet", "هنوز در فهرست نیست"},
		draw.Unread: {"too long", "طولانی"}, "": {"do not say why", "دلیل آن را نمی‌گویند"},
	} {
		why := draw.Why{Outcome: outcome, Crawl: "20200101000000", Time: replay.Moment(stamp)}
		switch outcome {
		case draw.Refused:
			why.Cause, why.Reason = "rule.robots", "robots.txt line 2: Disallow: /dir"
		case draw.Answered:
			why.Status = 503
		}
		s.collections[0].Crawls = chronicle{why: map[string]draw.Why{missing: why}}
		wants(t, s, "http://replay.test/one/*en/"+missing, `href="/one/*fa/`+missing+`"`, text[0], "/c/one/crawl?id=20200101000000", `/two/*en/`+missing+`"`, `/one/*en/http://m.a.test/dir/sub/x"`,
			`/one/*en/http://a.test/dir/sub/"`, `/one/*en/http://a.test/"`, "!kavosh why")
		wants(t, s, "http://replay.test/one/*fa/"+missing, `href="/one/*en/`+missing+`"`, text[1])
		wants(t, s, "http://replay.test/one/2020/"+missing, `href="/one/*fa/`+missing+`"`, text[0])
		wants(t, s, "/c/one/capture?lang=fa&time="+stamp+"&url="+missing, "lang=en", text[1])
	}
	wants(t, s, "http://replay.test/one/*en/http://a.test:9090/other", "/one/*en/http://a.test/\"")
}

// A day with several captures leads to the list of its times; one year is open; the pictures are of the whole time.
func TestCalendarOverYears(t *testing.T) {
	a := replaytest.New(t)
	for i := range 400 { // a page that changes each month for 33 years
		at := replay.Moment("19900115080000").AddDate(0, i, 0).Format(replay.TimestampLayout)
		a.Page("http://a.test/", at, "200 text/html", at)
	}
	a.Page("http://a.test/", "19900115090000", "200 text/html", "x")
	s := server(t, a)
	wants(t, s, "http://replay.test/one/*en/http://a.test/", "thumbnail?time=19900115080000", "thumbnail?time=20", "thumbnail?time=20230415080000", `name="year" open`, `href="/one/19900115*en/http://a.test/" title="2 captures"`)
	body := replaytest.Send(s.ReplayHandler(), "GET", "http://any.test", "/one/*en/http://a.test/", "Accept: text/html").Body.String()
	if n, open := strings.Count(body, "<img"), strings.Count(body, " open>"); n != 12 || open != 1 {
		t.Errorf("%d pictures, %d years open", n, open)
	}
	wants(t, s, "http://replay.test/one/19900115*en/http://a.test/", `href="/one/19900115*fa/http://a.test/"`, "2 captures", `href="/one/*en/http://a.test/"`, "09:00:00", "08:00:00", "!1991")
	wants(t, s, "http://replay.test/one/1991*fa/http://a.test/", "۱۲ نسخه", "!19900115")
}

// What people never asked to be markup is none: titles, addresses and words of archives and of readers.
func TestPagesEscape(t *testing.T) {
	const evil = `"><script>alert(1)</script>` + "\u202e"
	a := replaytest.New(t)
	a.Page("http://a.test/%22%3E%3Cscript%3E", stamp, "200 text/html", "x")
	a.Page(`http://a.test/"><script>alert(1)</script>`, stamp, "404 Content-Type: text/html\nX-Robots-Tag: "+evil, "<title>"+evil+"</title>"+evil)
	s := server(t, a)
	s.read = mixed(t).read
	s.collections[0].Searcher = &finder{}
	for _, path := range []string{"/c/one", "/c/one/pages", "/c/one/pages?prefix=", "/c/one/host?host=a.test&path=", "/c/one/host?host=", "/c/one/search?q=", "/c/one/search?f=host:", "/c/one/crawl?id=", "/find?q=", "/c/one/capture?time=" + stamp + "&url=",
		`/c/one/capture?time=` + stamp + `&url=http://a.test/"><script>alert(1)</script>&`, "/c/one/compare?a=2020&b=2021&url=", "http://replay.test/one/2020-2024/http://a.test/", "http://replay.test/one/*/http://a.test/"} {
		if strings.HasSuffix(path, "=") || strings.HasSuffix(path, ":") {
			path += url.QueryEscape(evil)
		} else {
			path = strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E").Replace(path)
		}
		wants(t, s, path, "!<script>", "!\"><scr")
	}
}

// studio has a picture of one path; those of others are coming.
type studio struct{ path string }

// Works is so.
func (s studio) Works() bool { return true }

// Picture is there for that path.
func (s studio) Picture(_ context.Context, dir, path string) (picture []byte, coming bool) {
	if path == s.path && dir == "pictures" {
		return []byte("JPEG"), false
	}
	return nil, true
}

// Alike is so of pictures of the same year.
func (s studio) Alike(_, paths [2]string) bool {
	return paths[0][:len("/one/2021")] == paths[1][:len("/one/2021")]
}

// What looks like the picture before it is left out, so that the strip shows what changed.
func TestAlikeLooksAreLeftOut(t *testing.T) {
	a := replaytest.New(t)
	for i := range 36 {
		at := replay.Moment("20180115080000").AddDate(0, i, 0).Format(replay.TimestampLayout)
		a.Page("http://a.test/", at, "200 text/html", at)
	}
	s := server(t, a)
	s.camera = studio{}
	wants(t, s, "http://replay.test/one/*en/http://a.test/", "thumbnail?time=20180115080000", "thumbnail?time=20190115080000", "thumbnail?time=20200115080000", "!thumbnail?time=201802", "!thumbnail?time=202012")
}

func TestThumbnails(t *testing.T) {
	s := mixed(t)
	s.camera, s.collections[0].Pictures = studio{"/one/20210101000000if_/http://a.test/"}, "pictures"
	picture := func(stamp string) (string, string) {
		w := askHome(s, "/c/one/thumbnail?url=http://a.test/&time="+stamp)
		if cache := w.Header().Get("Cache-Control"); !strings.Contains(cache, "no-cache") && !strings.Contains(cache, "no-store") {
			t.Errorf("browsers may show a picture that was closed since: %q", cache)
		}
		return w.Header().Get("Content-Type"), w.Body.String()
	}
	if typ, body := picture("20210101000000"); typ != "image/jpeg" || body != "JPEG" {
		t.Error(typ, body)
	}
	if typ, body := picture("20200101000000"); typ != "image/svg+xml" || !strings.Contains(body, ">First<") || !strings.Contains(body, ">a.test<") || !strings.Contains(body, `width="160" height="120" `) {
		t.Error(typ, body)
	}
	if _, body := picture("20200101000001"); !strings.Contains(body, "Not in the archive") {
		t.Error(body)
	}
	wants(t, s, "http://replay.test/one/*/http://a.test/", `src="http://home.test/c/one/thumbnail?time=20200101000000&amp;url=http%3A%2F%2Fa.test%2F"`)
}

// What is drawn instead of a picture is markup of ours alone, whatever the title.
func TestPlaceholder(t *testing.T) {
	svg := string(placeholder("a.test", "<script>x</script> \u202e \x00 کتاب "+strings.Repeat("long ", 99), false))
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil || strings.Contains(svg, "<script") || strings.Count(svg, "<text") > placeLines+1 {
		t.Errorf("%v: %s", err, svg)
	}
	if svg := string(placeholder("a.test", "کتابخانهٔ ملی", false)); !strings.Contains(svg, `direction="rtl">کتابخانهٔ ملی<`) {
		t.Error(svg)
	}
}
