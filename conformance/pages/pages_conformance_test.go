//go:build conformance

package pages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/chromium"
	"kavosh/internal/clock"
	"kavosh/internal/journal"
	"kavosh/lib/warc"
	"kavosh/replay"
	"kavosh/site"
	"kavosh/site/draw"
	"kavosh/watch"
)

// fileStore opens the one file there is.
type fileStore []byte

// Open opens it.
func (f fileStore) Open(string) (io.ReaderAt, int64, func(), error) {
	return bytes.NewReader(f), int64(len(f)), func() {}, nil
}

// library is an archive of a site in Persian with captures over years, errors, a redirect, and addresses and titles that are
// hard to show: long, in two directions, hostile.
func library(t *testing.T) *access.Guard {
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	put := func(url string, at time.Time, head, body string) {
		block := "HTTP/1.1 " + head + "\r\n\r\n" + body
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: url},
			{Name: "WARC-Date", Value: warc.FormatDate(at)}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	const html = "200 OK\r\nContent-Type: text/html; charset=utf-8"
	start := time.Date(2016, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range 25 {
		at := start.AddDate(0, 4*i, i)
		put("https://ketabkhaneh.example/", at, html, fmt.Sprintf("<!doctype html><html lang=fa dir=rtl><title>کتابخانه %d</title><h1>خبرها</h1><p>یکسان.<p>نمایشگاه شمارهٔ %d در تالار.<p>پایان.<p style='height:2000px'><a href=/about>درباره</a>", i, i))
		put(fmt.Sprintf("https://ketabkhaneh.example/akhbar/%d/sal.html?q=%d", i%7, i), at, html, "<title>خبر</title><p>متن.")
		put("https://ketabkhaneh.example/gone", at, "404 Not Found\r\nContent-Type: text/html", "<p>نیست")
	}
	news := ""
	for i := range 3 * 7 * 24 { // a newspaper, visited every hour
		at := time.Date(2016, 4, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
		if day := at.Weekday(); day != time.Thursday && day != time.Friday && (at.Hour()%9 == 5 || at.Hour() == 6) || i%31 == 0 {
			what, where := []string{"سیل", "جشن", "نمایشگاه", "توفان", "مسابقه", "گشایش", "کنسرت"}[i%7], []string{"شمال", "جنوب", "بندر", "بازار", "دره"}[i%5]
			news = fmt.Sprintf("<h2>%s در %s</h2><p>داستان %s که در %s رخ داد، به زبان کسانی که آنجا بودند.</p>", what, where, what, where)
		}
		put("https://ruznameh.ir/", at, html, "<!doctype html><html lang=fa dir=rtl><title>روزنامه</title><main>"+news+"</main>")
	}
	put("https://ketabkhaneh.example/old", start, "301 Moved\r\nLocation: https://ketabkhaneh.example/\r\nX-Robots-Tag: noarchive", "")
	put("https://ketabkhaneh.example/"+strings.Repeat("a-very-long-part-of-a-path", 12)+"?"+strings.Repeat("x=1&", 40), start, html, "<title>"+strings.Repeat("long", 80)+"</title>x")
	const withParts = "https://ketabkhaneh.example/parts"
	put(withParts, start, html, `<title>parts</title><img src="/near.svg"><img src="/far.svg"><img src="/none.svg">`)
	put("https://ketabkhaneh.example/near.svg", start, "200 OK\r\nContent-Type: image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	put("https://ketabkhaneh.example/far.svg", start.AddDate(0, 0, -40), "200 OK\r\nContent-Type: image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	put("https://ketabkhaneh.example/bare", start, html, `<title>برهنه</title><link rel=stylesheet href=/lost.css><script src=/lost.js></script><iframe src=/gone></iframe><img src="/`+strings.Repeat("very-long-", 30)+`.png"><video src=/film.mp4></video>`)
	put("http://evil.example/\"><script>alert(1)</script>\u202e", start, html, "<title><script>alert(2)</script>\u202egpj.exe</title>x")
	for name := range closed {
		put("https://ketabkhaneh.example/"+name, start, html, "<title>بسته</title>x")
	}
	memory := &index.Memory{}
	if err := memory.Read(t.Context(), bytes.NewReader(file.Bytes()), "library.warc.gz"); err != nil {
		t.Fatal(err)
	}
	memory.Sort()
	fs := vfs.NewMem()
	if err := about.Create(fs, "library", "test", start); err != nil {
		t.Fatal(err)
	}
	for name, d := range closed {
		var err error
		if d.Target, err = access.ParseTarget("https://ketabkhaneh.example/" + name); err == nil {
			_, err = access.Decide(fs, "library", clock.Real{}, "test", d)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return access.NewGuard(memory, fileStore(file.Bytes()), access.Follow(fs, "library", clock.Real{}))
}

// closed are the pages of the library that readers may not see.
var closed = map[string]access.Decision{"withheld": {Do: "add", Access: kavosh.MetadataOnly}, "later": {Do: "add", Access: kavosh.Embargo, Until: time.Date(2130, 1, 1, 0, 0, 0, 0, time.UTC)},
	"reading-room": {Do: "add", Access: kavosh.OnSite}, "withdrawn": {Do: "add", Access: kavosh.Takedown}}

// linked are links to the first page of the library: from pages of other hosts, some hard to show.
func linked(t *testing.T) *index.Live {
	fs := vfs.NewMem()
	l, err := index.OpenLinks(fs, "links")
	if err != nil {
		t.Fatal(err)
	}
	for i, anchor := range []string{"کتابخانهٔ ملی", "<b>library</b>", "\u202egpj.exe", strings.Repeat("long", 40), ""} {
		for n := range 5 {
			c := kavosh.Capture{URL: fmt.Sprintf("http://host%d.example/%s/%d", i, strings.Repeat("part", 9*i), n), Time: time.Date(2016, 3, 1, 8, i, n, 0, time.UTC), Offset: int64(100*i + n)}
			if err := l.Add(&c, &kavosh.Page{Links: []kavosh.Link{{URL: "https://ketabkhaneh.example/", Kind: kavosh.Navigation, Anchor: anchor}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Commit(journal.At(1, 1)); err != nil {
		t.Fatal(err)
	}
	return index.LiveLinks(fs, "links")
}

// found answers every question alike.
type found struct{}

// Search finds something for all words but "nothing".
func (found) Search(_ context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	if q.Text == "nothing" {
		return &kavosh.SearchResult{DidYouMean: "something"}, nil
	}
	r := &kavosh.SearchResult{Total: 123, Relaxed: true, DidYouMean: "کتابخانه", Notes: []string{"PDF is not read here"}}
	at := time.Date(2016, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range 10 {
		if q.Kind == kavosh.SearchPictures {
			r.Groups = append(r.Groups, kavosh.SearchGroup{URL: "https://ketabkhaneh.example/near.svg", Page: "https://ketabkhaneh.example/parts", Time: at, Captures: 1,
				Snippet: kavosh.Snippet{Text: strings.Repeat("تالار_بزرگ_", 9*i) + " نقشه"}})
			continue
		}
		r.Groups = append(r.Groups, kavosh.SearchGroup{URL: fmt.Sprintf("https://ketabkhaneh.example/akhbar/%d/sal.html?q=%d", i%7, i), Title: kavosh.Snippet{Text: "خبر تازه of the library", Marks: []kavosh.Span{{Start: 0, End: 6}}},
			Snippet: kavosh.Snippet{Text: "در تالار بزرگ 2024 <b>not bold</b> " + strings.Repeat("x", 90)}, Time: at, Captures: i + 1, Lang: "fa", Status: 200 + 204*(i%2)})
	}
	for _, field := range []string{"host", "lang", "type", "year", "status"} {
		f := kavosh.SearchFacet{Field: field, More: 3}
		for i, v := range map[string][]string{"host": {"ketabkhaneh.example", "evil.example"}, "lang": {"fa", "en", "und"}, "type": {"text/html"}, "year": {"2016", "2017"}, "status": {"200", "404"}}[field] {
			f.Values = append(f.Values, kavosh.FacetValue{Value: v, Count: 1000 - i})
		}
		r.Facets = append(r.Facets, f)
	}
	for m := range 40 {
		r.Months = append(r.Months, kavosh.SearchMonth{Month: at.AddDate(0, m, 0).Format("2006-01"), Found: m * m % 17, All: 20})
	}
	return r, nil
}

// told is one crawl.
type told struct{}

var crawl = draw.Crawl{ID: "20160301080000", Started: time.Date(2016, 3, 1, 8, 0, 0, 0, time.UTC), Seconds: 4000, End: "done", Fetched: 1234567, Recorded: 1234000, Bytes: 5e9, Hosts: 12, Known: 2000000, Queued: 3, LoginsOver: []string{"members.example", strings.Repeat("long-name.", 12) + "example"},
	Failed: map[string]int64{"dns": 4, "robots": 30}, Status: map[string]int64{"200": 1200000, "404": 34000}, MIME: map[string]int64{"text/html": 900000, "image/png": 300000}, Config: []draw.Setting{{Name: "scope", Value: "host"}},
	Slots: []draw.Slot{{From: time.Date(2016, 3, 1, 8, 0, 0, 0, time.UTC), Recorded: 50, Failed: 4}, {From: time.Date(2016, 3, 1, 8, 1, 0, 0, time.UTC), Recorded: 70}}, Slot: time.Minute,
	Top: []draw.HostCount{{Host: "ketabkhaneh.example", Captures: 9}}, Refused: []draw.Count{{Name: "scope", Count: 8}}, Cut: true}

// List has it, and one that runs.
func (told) List(context.Context) ([]draw.Crawl, error) { return []draw.Crawl{*running(), crawl}, nil }

// Why says that a rule kept it out.
func (told) Imports(context.Context) ([]draw.Import, error) {
	return []draw.Import{{Name: "باغ.wacz", Title: "Gardens", Time: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Captures: 3}}, nil
}

func (told) Why(context.Context, string) (draw.Why, error) {
	return draw.Why{Outcome: draw.Refused, Cause: "rule.scope", Reason: "out of scope: not on ketabkhaneh.example", Time: crawl.Started, Crawl: crawl.ID}, nil
}

// Crawl is one of them.
func (told) Crawl(_ context.Context, id string) (*draw.Crawl, error) {
	if id == crawl.ID {
		return &crawl, nil
	}
	return running(), nil
}

// slow is a camera that has each picture only when it is asked for again.
type slow struct{ asked sync.Map }

// Works is so.
func (s *slow) Works() bool { return true }

// Picture is there the second time.
func (s *slow) Picture(_ context.Context, _, path string) (picture []byte, coming bool) {
	if _, again := s.asked.LoadOrStore(path, true); !again {
		return nil, true
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 320, 240)), nil) // a buffer takes it
	return b.Bytes(), false
}

// Alike is never so.
func (s *slow) Alike(_, _ [2]string) bool { return false }

// watched is the folder of an archive in which two pages of the library are watched, one by a long selector.
func watched(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := about.Create(vfs.Default, dir, "test", crawl.Started); err != nil {
		t.Fatal(err)
	}
	for _, w := range []watch.Watch{
		{Do: "add", URL: "https://ketabkhaneh.example/", Lens: kavosh.Lens{Selector: "#" + strings.Repeat("a_long_name", 12) + " > p"}, Webhook: "http://127.0.0.1:1/x", Lang: "en"},
		{Do: "add", URL: "https://ketabkhaneh.example/parts", Lens: kavosh.Lens{Text: "نمایشگاه تازه"}, Lang: "fa"},
	} {
		if _, err := watch.Add(vfs.Default, dir, clock.Real{}, "test", w); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serve serves the library on two origins and returns their addresses.
func serve(t *testing.T) (home, pages string) {
	listen := func() (net.Listener, string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l, "http://" + l.Addr().String()
	}
	homeAt, home := listen()
	pagesAt, pages := listen()
	g := library(t)
	s, err := site.New(site.Options{
		Collections: []site.Collection{{Collection: &replay.Collection{Name: "library", Records: g.Records()}, Dir: watched(t), Title: "کتابخانهٔ ملی", Links: g.Links(linked(t)), Searcher: found{}, Crawls: told{}}, {Collection: &replay.Collection{Name: "second", Records: g.Records()}}},
		HomeAddr:    home, ReplayAddr: pages, Version: "1.0", Camera: &slow{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for l, h := range map[net.Listener]http.Handler{homeAt: s.HomeHandler(), pagesAt: s.ReplayHandler()} {
		server := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
		server.Start()
		t.Cleanup(server.Close)
	}
	return home, pages
}

// addresses are all kinds of pages; LANG stands for the language.
func addresses(home, pages string) map[string]string {
	c, url := home+"/c/library", "https://ketabkhaneh.example/"
	return map[string]string{
		"home": home + "/?lang=LANG", "bad address": home + "/find?coll=second&q=%3Cb%3E&lang=LANG",
		"collection": c + "?lang=LANG", "addresses": c + "/pages?lang=LANG&kind=page", "no address": c + "/pages?lang=LANG&prefix=none",
		"hosts": c + "/hosts?lang=LANG", "host": c + "/host?host=ketabkhaneh.example&lang=LANG", "rhythm": c + "/rhythm?host=ruznameh.ir&lang=LANG", "weak rhythm": c + "/rhythm?host=ketabkhaneh.example&lang=LANG", "quality": c + "/quality?lang=LANG", "quality of a host": c + "/quality?host=evil.example&lang=LANG", "quality of a crawl": c + "/quality?crawl=20160301080000&lang=LANG", "quality of all": home + "/c/web/quality?lang=LANG", "series": c + "/series?lang=LANG", "series of a host": c + "/series?host=ruznameh.ir&lang=LANG", "tree": c + "/tree?lang=LANG", "watches": c + "/watches?lang=LANG", "no watch": home + "/c/second/watches?lang=LANG",
		"path":   c + "/host?host=ketabkhaneh.example&path=/akhbar/&lang=LANG",
		"crawls": c + "/crawls?lang=LANG", "crawl": c + "/crawl?id=20160301080000&lang=LANG", "running crawl": c + "/crawl?id=20260301080000&lang=LANG",
		"bad date": c + "/pages?lang=LANG&from=3/5/2020", "no host": c + "/host?host=none.example&lang=LANG", "no page": home + "/none?lang=LANG", "no collection": home + "/c/none?lang=LANG", "closed capture": c + "/capture?url=" + url + "later&time=20160301080000&lang=LANG",
		"withheld": pages + "/library/20160301080000/" + url + "withheld", "later": pages + "/library/20160301080000/" + url + "later", "reading room": pages + "/library/20160301080000/" + url + "reading-room", "withdrawn": pages + "/library/20160301080000/" + url + "withdrawn",
		"few captures": pages + "/library/*LANG/" + url + "old", "no links": c + "/links?url=" + url + "none&lang=LANG",
		"search": c + "/search?q=x&f=lang:fa&lang=LANG", "pictures": c + "/search?q=x&kind=image&lang=LANG", "nothing found": c + "/search?q=nothing&lang=LANG", "search box": c + "/search?lang=LANG",
		"capture": c + "/capture?url=" + url + "&time=20160301080000&lang=LANG", "links": c + "/links?url=" + url + "&lang=LANG", "redirect": c + "/capture?url=" + url + "old&time=20160301080000&lang=LANG",
		"calendar": pages + "/library/*LANG/" + url, "comparison": pages + "/library/20160301080000-20240303080000LANG/" + url, "parts": pages + "/library/20240303080000partsLANG/" + url, "framed links": pages + "/library/20240303080000linksLANG/" + url, "no timeline": c + "/timeline?lang=LANG", "timeline of all": home + "/c/web/timeline?lang=LANG", "error": pages + "/library/*LANG/https://ketabkhaneh.example/akhbar/خبر/تازه/1396/none.html",
	}
}

// expected are what Chromium says of pages that are as they should be: errors come with status 400 to 451; it lacks a device that
// archived pages may not use; frames of the replay are archived pages with the rights of any, but for leading the page away; and
// those of a comparison run no scripts.
var expected = []string{"status of 4", "Unrecognized feature", "can escape its sandboxing", "Blocked script execution"}

// inStep scrolls the first frame of a comparison to its end and tells how far the second then is, from 0 to 1.
const inStep = `new Promise(done => {
	const [a, b] = [...document.querySelectorAll("iframe")].map(f => f.contentWindow)
	b.addEventListener("scroll", () => { const e = b.document.scrollingElement; done(e.scrollTop / (e.scrollHeight - b.innerHeight)) })
	a.scrollTo(0, 1e6)
})`

// tab is a tab of a Chromium that ends with the test.
func tab(t *testing.T) context.Context {
	t.Helper()
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	ctx, closeTab, err := b.Tab("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeTab)
	return ctx
}

// TestFramesInStep scrolls one frame of a comparison: the other follows.
func TestFramesInStep(t *testing.T) {
	home, pages := serve(t)
	ctx := tab(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(strings.ReplaceAll(addresses(home, pages)["comparison"], "LANG", "en"))); err != nil {
		t.Fatal(err)
	}
	share, err := chromedp.Run(ctx, chromedp.Evaluate[float64](inStep, chromedp.EvalAwaitPromise))
	if err != nil || share < 0.95 {
		t.Errorf("the other frame is at %v of its height (%v)", share, err)
	}
}

// allThere waits until no picture of a strip that is loaded stands for a coming one, and tells how many are loaded; 0 after too long.
const allThere = `new Promise(done => {
	const look = () => {
		const all = [...document.querySelectorAll(".strip img")].filter(i => i.naturalWidth)
		if (all.length && all.every(i => i.naturalWidth === 320)) done(all.length)
	}
	document.addEventListener("load", look, true)
	setTimeout(() => done(0), 20000)
	look()
})`

// TestPictureComes opens a calendar before its pictures are taken: they come without a reload.
func TestPictureComes(t *testing.T) {
	home, pages := serve(t)
	ctx := tab(t)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(2600, 2000), chromedp.Navigate(strings.ReplaceAll(addresses(home, pages)["calendar"], "LANG", "en"))); err != nil {
		t.Fatal(err)
	}
	if n, err := chromedp.Run(ctx, chromedp.Evaluate[int](allThere, chromedp.EvalAwaitPromise)); err != nil || n == 0 {
		t.Errorf("%d pictures (%v)", n, err)
	}
}

// TestBanner opens the banner of a page one part of which is from another time, and one is missing: it says so.
func TestBanner(t *testing.T) {
	_, pages := serve(t)
	ctx := tab(t)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(pages+"/library/20160301080000/https://ketabkhaneh.example/parts"), chromedp.MouseClickXY(40, 880)); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("KAVOSH_PICTURES"); dir != "" {
		picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "banner.png"), picture, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tree, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, n := range tree.Nodes {
		var name string
		if n.Name != nil && json.Unmarshal(n.Name.Value, &name) == nil {
			fmt.Fprintln(&said, name)
		}
	}
	if want := "Parts: 3 · 40\u00a0d earlier · missing: 1"; !strings.Contains(said.String(), want) {
		t.Errorf("lacks %q:\n%s", want, said.String())
	}
}

const rules = `axe.run(document, {iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r =>
	JSON.stringify(r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + (n.any[0]?.message || n.all[0]?.message || "")).join(" | "))))`

// speak makes the browser that of a reader of one language, who has never been here.
func speak(ctx context.Context, lang string) error {
	_, err := chromedp.Call(ctx, network.ClearBrowserCookies, struct{}{})
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Mozilla/5.0", AcceptLanguage: lang})
	}
	return err
}

// TestPages opens every page.
func TestPages(t *testing.T) {
	axe, err := os.ReadFile(cmp.Or(os.Getenv("KAVOSH_AXE"), filepath.Join("..", "..", ".cache", "axe", "package", "axe.min.js")))
	if err != nil {
		t.Fatalf("%v: run `make conformance-tools`", err)
	}
	home, pages := serve(t)
	all, ours := others(t), []string{home + "/", pages + "/"}
	for _, address := range all {
		origin, _, _ := strings.Cut(address, "?")
		ours = append(ours, origin)
	}
	maps.Copy(all, addresses(home, pages))
	ctx := tab(t)
	var seen struct {
		sync.Mutex
		trouble []string
	}
	note := func(format string, args ...any) {
		seen.Lock()
		defer seen.Unlock()
		seen.trouble = append(seen.trouble, fmt.Sprintf(format, args...))
	}
	err = chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; strings.HasPrefix(u, "http") && !slices.ContainsFunc(ours, func(origin string) bool { return strings.HasPrefix(u, origin) }) {
				note("asks for %s", u)
			}
		case *runtime.EventExceptionThrown:
			note("a script fails: %s", ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			note("a script writes to the console: %s", ev.Type)
		case *log.EventEntryAdded:
			if !slices.ContainsFunc(expected, func(s string) bool { return strings.Contains(ev.Entry.Text, s) }) {
				note("console: %s", ev.Entry.Text)
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, struct{}{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, address := range all {
		for _, lang := range []string{"en", "fa"} {
			if err := speak(ctx, lang); err != nil {
				t.Fatal(err)
			}
			for _, as := range []struct {
				width int64
				theme string
			}{{375, "light"}, {1280, "light"}, {1280, "dark"}} {
				err := chromedp.Do(ctx, chromedp.EmulateViewport(as.width, 900))
				if err == nil {
					_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: as.theme}}})
				}
				if err == nil {
					err = chromedp.Do(ctx, chromedp.Navigate(strings.ReplaceAll(address, "LANG", lang)))
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if dir := os.Getenv("KAVOSH_PICTURES"); dir != "" {
					picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
					if err == nil {
						err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d-%s.png", strings.ReplaceAll(name, " ", "-"), lang, as.width, as.theme)), picture, 0o644)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				width, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`))
				if err != nil {
					t.Fatal(err)
				}
				if spoken, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.documentElement.lang`)); err != nil || spoken != lang {
					note("it is in %q (%v)", spoken, err)
				}
				if width > as.width {
					note("%d wide", width)
				}
				if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](string(axe)+"; true")); err != nil {
					t.Fatal(err)
				}
				report, err := chromedp.Run(ctx, chromedp.Evaluate[string](rules, chromedp.EvalAwaitPromise))
				if err != nil {
					t.Fatal(err)
				}
				var violations []string
				if err := json.Unmarshal([]byte(report), &violations); err != nil {
					t.Fatal(err)
				}
				seen.Lock()
				for _, v := range append(seen.trouble, violations...) {
					t.Errorf("%s in %s, %d wide, %s: %s", name, lang, as.width, as.theme, v)
				}
				seen.trouble = nil
				seen.Unlock()
			}
		}
	}
}
