//go:build conformance

package pages

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/lib/warc"
	"kavosh/replay"
	"kavosh/site"
)

// album is an archive of two pictures and a page that shows them; one picture is closed.
func album(t *testing.T, host string) *access.Guard {
	t.Helper()
	var file, picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	at := time.Date(2016, 3, 1, 8, 0, 0, 0, time.UTC)
	for path, answer := range map[string]string{"/": "text/html\r\n\r\n<title>album</title><link rel=icon href=/open.png><img src=/open.png>", "/open.png": "image/png\r\n\r\n" + picture.String(), "/closed.png": "image/png\r\n\r\n" + picture.String()} {
		block := "HTTP/1.1 200 OK\r\nContent-Type: " + answer
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: host + path},
			{Name: "WARC-Date", Value: warc.FormatDate(at)}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	memory := &index.Memory{}
	if err := memory.Read(t.Context(), bytes.NewReader(file.Bytes()), "album.warc.gz"); err != nil {
		t.Fatal(err)
	}
	memory.Sort()
	fs := vfs.NewMem()
	target, err := access.ParseTarget(host + "/closed.png")
	if err == nil {
		err = about.Create(fs, "album", "test", at)
	}
	if err == nil {
		_, err = access.Decide(fs, "album", clock.Real{}, "test", access.Decision{Do: "add", Target: target, Access: kavosh.MetadataOnly})
	}
	if err != nil {
		t.Fatal(err)
	}
	return access.NewGuard(memory, fileStore(file.Bytes()), access.Follow(fs, "album", clock.Real{}))
}

// pictured finds the pictures of albums.
type pictured []string

// Search finds all of them, whatever is asked.
func (hosts pictured) Search(_ context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	r := &kavosh.SearchResult{}
	for _, host := range hosts {
		for _, path := range []string{"/open.png", "/closed.png"} {
			r.Groups = append(r.Groups, kavosh.SearchGroup{URL: host + path, Page: host + "/", Time: time.Date(2016, 3, 1, 8, 0, 0, 0, time.UTC), Captures: 1, Status: 200,
				Snippet: kavosh.Snippet{Text: "a picture " + strings.Repeat("without_a_blank_", 40)}})
		}
	}
	r.Total = len(r.Groups)
	return r, nil
}

// origins are the ways in which an archive's two kinds of pages may be reached.
var origins = []string{"one origin", "two origins", "an origin for each collection"}

// albums serves two albums in one of these ways and returns the addresses of home pages and replay.
func albums(t *testing.T, way string) (home, pages string) {
	t.Helper()
	listen := func() (net.Listener, string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l, "http://" + l.Addr().String()
	}
	a, b := "http://one.example", "http://two.example"
	one, two := album(t, a), album(t, b)
	o := site.Options{Searcher: pictured{a, b}, Collections: []site.Collection{
		{Collection: &replay.Collection{Name: "one", Records: one.Records()}, Searcher: pictured{a}},
		{Collection: &replay.Collection{Name: "two", Records: two.Records()}, Searcher: pictured{b}}}}
	homeAt, home := listen()
	serve := map[net.Listener]http.Handler{}
	if way == "one origin" {
		s, err := site.New(o)
		if err != nil {
			t.Fatal(err)
		}
		at, all := s.HomeHandler(), s.ReplayHandler()
		serve[homeAt] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p := r.URL.Path; p == "/" || p == "/find" || strings.HasPrefix(p, "/c/") {
				at.ServeHTTP(w, r)
				return
			}
			all.ServeHTTP(w, r)
		})
		pages = home
	} else {
		var pagesAt net.Listener
		pagesAt, pages = listen()
		o.HomeAddr, o.ReplayAddr = home, pages
		if way != "two origins" {
			_, port, _ := net.SplitHostPort(pagesAt.Addr().String())
			o.CollectionHost = "*.localhost:" + port
		}
		s, err := site.New(o)
		if err != nil {
			t.Fatal(err)
		}
		serve[homeAt], serve[pagesAt] = s.HomeHandler(), s.ReplayHandler()
	}
	for l, h := range serve {
		server := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
		server.Start()
		t.Cleanup(server.Close)
	}
	return home, pages
}

// widths are those of a page's pictures by the ends of their addresses, once all have come or failed.
const widths = `Promise.all([...document.images].map(i => { i.loading = "eager"; return i.complete || new Promise(done => { i.onload = i.onerror = done }) })).then(() =>
	[...document.images].map(i => i.src.replace(/.*\/\//, "") + " " + i.naturalWidth + " " + (i.getBoundingClientRect().right <= i.closest("li").getBoundingClientRect().right + 1)))`

// spilt are the parts of a page of results whose text is drawn beyond the results' own column.
const spilt = `(() => { const edge = document.querySelector(".results").getBoundingClientRect()
	return [...document.querySelectorAll(".results *")].filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.right > edge.right + 1 || b.left < edge.left - 1) || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX == "visible" && e.clientWidth }).map(e => e.outerHTML.slice(0, 100)) })()`

// TestPicturesAreDrawn searches for pictures: those that are open are drawn, closed ones are not, and what they say stays
// in its column.
func TestPicturesAreDrawn(t *testing.T) {
	ctx := tab(t)
	for _, way := range origins {
		home, _ := albums(t, way)
		for coll, want := range map[string][]string{"one": {"one.example"}, "two": {"two.example"}, "web": {"one.example", "two.example"}} {
			for _, lang := range []string{"en", "fa"} {
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(home+"/c/"+coll+"/search?q=x&kind=image&lang="+lang)); err != nil {
					t.Fatal(err)
				}
				got, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](widths, chromedp.EvalAwaitPromise))
				if err != nil {
					t.Fatal(err)
				}
				var all []string
				for _, host := range want {
					all = append(all, host+"/open.png 40 true", host+"/closed.png 0 true")
				}
				if !slices.Equal(got, all) {
					t.Errorf("%s, %s: pictures %q, want %q", way, coll, got, all)
				}
				out, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](spilt))
				if err != nil || len(out) > 0 {
					t.Errorf("%s, %s in %s: beyond its column: %q %v", way, coll, lang, out, err)
				}
			}
		}
	}
}

// TestNothingIsRefused loads each kind of page in each way of serving: no part of one is refused by its policy, and none
// fails to come.
func TestNothingIsRefused(t *testing.T) {
	ctx := tab(t)
	var seen struct {
		sync.Mutex
		trouble []string
		closed  map[network.RequestID]bool // requests for pictures that nobody may see: these are refused
	}
	seen.closed = map[network.RequestID]bool{}
	note := func(format string, args ...any) {
		seen.Lock()
		defer seen.Unlock()
		seen.trouble = append(seen.trouble, fmt.Sprintf(format, args...))
	}
	err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			seen.Lock()
			seen.closed[ev.RequestID] = strings.HasSuffix(ev.Request.URL, "/closed.png")
			seen.Unlock()
		case *network.EventResponseReceived:
			if ev.Response.Status >= 400 && ev.Type != network.ResourceTypeDocument && !strings.HasSuffix(ev.Response.URL, "/closed.png") {
				note("%d for %s", ev.Response.Status, ev.Response.URL)
			}
		case *network.EventLoadingFailed:
			seen.Lock()
			closed := seen.closed[ev.RequestID]
			seen.Unlock()
			if !ev.Canceled && !closed {
				note("%s %s", ev.ErrorText, ev.BlockedReason)
			}
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
	check := func(way, name, address string) {
		t.Helper()
		if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
			t.Fatalf("%s, %s: %v", way, name, err)
		}
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`Promise.all([...document.images].map(i => { i.loading = "eager"; return i.complete || new Promise(done => { i.onload = i.onerror = done }) })).then(() => [])`, chromedp.EvalAwaitPromise)); err != nil {
			t.Fatalf("%s, %s: %v", way, name, err)
		}
		seen.Lock()
		for _, v := range seen.trouble {
			t.Errorf("%s, %s: %s", way, name, v)
		}
		seen.trouble = nil
		seen.Unlock()
	}
	home, pages := serve(t)
	for name, address := range addresses(home, pages) {
		check("the library", name, strings.ReplaceAll(address, "LANG", "fa"))
	}
	for _, way := range origins {
		home, pages := albums(t, way)
		for _, coll := range []string{"one", "web"} {
			c, url := home+"/c/"+coll, "http://one.example/"
			for name, address := range map[string]string{"home": home + "/", "collection": c, "addresses": c + "/pages", "hosts": c + "/hosts", "host": c + "/host?host=one.example", "pictures": c + "/search?q=x&kind=image",
				"capture": c + "/capture?url=" + url + "&time=20160301080000", "picture's capture": c + "/capture?url=" + url + "open.png&time=20160301080000",
				"calendar": pages + "/" + coll + "/*/" + url, "comparison": pages + "/" + coll + "/20160301080000-20160301080000/" + url,
				"page": pages + "/" + coll + "/20160301080000/" + url, "error": pages + "/" + coll + "/*/http://none.example/", "nowhere": home + "/nowhere"} {
				check(way, coll+" "+name, address)
			}
		}
	}
}

// loose are the addresses, hosts and digests in a page's text that the text around them may turn round, and the parts of addresses
// that are drawn out of order.
const loose = `(() => {
	const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	for (let n = walk.nextNode(); n; n = walk.nextNode())
		if (/:\/\/|\.example|\.warc|sha(1|256):/.test(n.data.replace(/\u2066[^\u2069]*\u2069/g, "")) && !n.parentElement.closest("bdi, [dir=ltr], [dir=auto], script, h3, b")) out.push(n.data)
	for (const url of document.querySelectorAll(".url")) {
		const parts = document.createTreeWalker(url, NodeFilter.SHOW_TEXT)
		let end = -1, line = -1
		for (let n = parts.nextNode(); n; n = parts.nextNode())
			for (const part of n.data.matchAll(/[^/?&=#;]+/g)) {
				const r = document.createRange()
				r.setStart(n, part.index), r.setEnd(n, part.index + part[0].length)
				if (r.getClientRects().length != 1) { end = -1; continue } // over lines
				const box = r.getBoundingClientRect()
				if (Math.abs(box.top - line) < 3 && box.left < end - 1) out.push(url.textContent)
				line = box.top, end = box.right
			}
	}
	return out
})()`

// TestAddressesStayInOrder looks at the addresses in every page in Persian: each stands from left to right, all of its parts too.
func TestAddressesStayInOrder(t *testing.T) {
	ctx := tab(t)
	home, pages := serve(t)
	for name, address := range addresses(home, pages) {
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(strings.ReplaceAll(address, "LANG", "fa"))); err != nil {
			t.Fatal(err)
		}
		if out, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](loose)); err != nil || len(out) > 0 {
			t.Errorf("%s: %q %v", name, out, err)
		}
	}
}

// TestFormsArrive sends each form of each kind of page: what it leads to is shown, whatever origin that lies on.
func TestFormsArrive(t *testing.T) {
	ctx := tab(t)
	for _, way := range origins {
		home, pages := albums(t, way)
		for name, address := range map[string]string{"home": home + "/", "collection": home + "/c/one", "calendar": pages + "/one/*/http://one.example/open.png", "error": pages + "/one/*/http://none.example/"} {
			if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
				t.Fatal(err)
			}
			within, cancel := context.WithTimeout(ctx, 5*time.Second)
			if err := chromedp.Do(within, chromedp.SendKeys(`input[name=q]`, "http://one.example/\r"), chromedp.WaitVisible(`.switch[href$="/http://one.example/"]`)); err != nil {
				t.Errorf("%s, %s: %v", way, name, err)
			}
			cancel()
		}
	}
}
