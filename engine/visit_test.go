package engine

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch/browser"
	"kavosh/frontier/scope"
	"kavosh/index"
	"kavosh/internal/fakeweb"
	"kavosh/lib/cdx"
)

// script is what a page asks for when it is loaded, in steps: what stands in one is asked for at once. "POST url" posts.
type script [][]string

// fakeBrowser runs scripts in place of a browser.
type fakeBrowser struct {
	scripts func(url string) script
	html    string
	notes   []string

	mu struct {
		sync.Mutex
		got map[string]string // body given for a request, "-" for none; by page and what was asked
	}
}

func newFakeBrowser(scripts func(url string) script) *fakeBrowser {
	b := &fakeBrowser{scripts: scripts}
	b.mu.got = map[string]string{}
	return b
}

// Load is as browser.Browser has it.
func (b *fakeBrowser) Load(ctx context.Context, url string, reloads int, ask browser.Asker) (*browser.Loaded, error) {
	for _, step := range append(script{{url}}, b.scripts(url)...) {
		var wg sync.WaitGroup
		for _, what := range step {
			wg.Go(func() {
				r := &browser.Request{URL: what, Ask: kavosh.Ask{Method: "GET"}}
				if to, ok := strings.CutPrefix(what, "POST "); ok {
					header := kavosh.Header{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}}
					r = &browser.Request{URL: to, Ask: kavosh.Ask{Method: "POST", Header: header, Body: []byte("q=1")}}
				}
				got := "-"
				ask(ctx, r, func(x *kavosh.Exchange) {
					body := make([]byte, x.Payload.Size())
					x.Payload.ReadAt(body, 0)
					got = strings.TrimSpace(string(body))
				})
				b.mu.Lock()
				b.mu.got[url+" "+what] = got
				b.mu.Unlock()
			})
		}
		wg.Wait()
	}
	made := []kavosh.Rendering{{Kind: kavosh.ViewPicture, Data: []byte("picture of " + url)}, {Kind: kavosh.RenderedText, Data: []byte("text of " + url)}}
	return &browser.Loaded{HTML: b.html, Renderings: made, Notes: b.notes}, ctx.Err()
}

const scriptedWeb = `
-- a.test/robots.txt --
User-agent: *
Disallow: /private
-- a.test/ --
<title>a</title><a href=/second>second</a>
-- a.test/second --
<title>second</title>
-- a.test/made --
made by a script
-- host a.test wait=50ms --
-- a.test/part/** expand --
part {rest}
-- a.test/private/x --
secret
-- a.test/api --
answer
-- a.test/moved status=302 Location=/part/target --
-- b.test/lib.js --
library
-- excluded.test/x --
out
-- host private.test addr=10.0.0.1 --
-- private.test/ --
inside
-- host slow.test wait=20s --
-- slow.test/x --
slow
`

// What the scripts of two pages ask for is had once, by the gate and by robots.txt, and given to whoever asks.
func TestVisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, scriptedWeb)
		o := options(s, fs, "http://a.test/")
		o.Scope.Exclude = []string{"excluded"}
		b := newFakeBrowser(func(url string) script {
			if url == "http://a.test/second" {
				return script{{"http://b.test/lib.js", "http://a.test/part/0", "http://a.test/moved"}}
			}
			if url != "http://a.test/" {
				return nil
			}
			first := []string{"http://b.test/lib.js", "http://a.test/private/x", "http://excluded.test/x", "http://private.test/", "http://a.test/moved"}
			for i := range 20 {
				first = append(first, fmt.Sprintf("http://a.test/part/%d", i))
			}
			return script{first, {"POST http://a.test/api", "http://b.test/lib.js"}, {"POST http://a.test/api", "POST http://excluded.test/y"}}
		})
		b.html = `<a href=/made>m</a>`
		o.Browser = b
		r := crawlNow(t, o)
		if r.End != "done" {
			t.Errorf("end %q", r.End)
		}
		want := map[string]string{
			"http://a.test/ http://a.test/":             `<title>a</title><a href=/second>second</a>`,
			"http://a.test/ http://b.test/lib.js":       "library",
			"http://a.test/ http://a.test/part/19":      "part 19",
			"http://a.test/ http://a.test/private/x":    "-",
			"http://a.test/ http://excluded.test/x":     "-",
			"http://a.test/ http://private.test/":       "-",
			"http://a.test/second http://b.test/lib.js": "library",
			"http://a.test/second http://a.test/part/0": "part 0",
			"http://a.test/second http://a.test/second": "<title>second</title>",
		}
		for what, body := range want {
			if got := b.mu.got[what]; got != body {
				t.Errorf("%s: the page got %q, want %q", what, got, body)
			}
		}
		all := map[string]string{}
		posts := 0
		for l, err := range archive.ReadLog(fs, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(l.Notes, "POST") && l.Outcome == archive.Recorded {
				posts++
				continue
			}
			all[l.URL] = l.Outcome + " " + string(l.Failure)
		}
		for url, outcome := range map[string]string{
			"http://a.test/part/7": "recorded ", "http://a.test/private/x": "refused robots", "http://excluded.test/x": "refused ", "http://excluded.test/y": "refused ",
			"http://private.test/": "refused blocked-address", "http://a.test/made": "recorded ", "http://a.test/moved": "recorded ",
			"http://a.test/part/target": "recorded ",
		} {
			if all[url] != outcome {
				t.Errorf("%s: %q in the log, want %q", url, all[url], outcome)
			}
		}
		if posts != 1 {
			t.Errorf("%d posts in the log, want the two alike as one", posts)
		}
		recordedOnce(t, fs)
		turns(t, s, "a.test", 27)
		live := index.OpenLive(fs, "archive/index", "archive/log")
		n := 0
		for e, err := range live.Query(t.Context(), cdx.Query{URL: cdx.WithMethod("http://a.test/api", "__wb_method=POST&q=1"), MatchType: cdx.Exact}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if e.URL != "http://a.test/api" || e.Get("method") != "POST" {
				t.Errorf("the POST in the index: %+v", e)
			}
		}
		if n != 1 {
			t.Errorf("%d captures of the POST in the index", n)
		}
		before := indexLines(t, fs)
		if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
			t.Fatal(err)
		}
		if after := indexLines(t, fs); !bytes.Equal(before, after) {
			t.Errorf("a rebuild makes another index:\n%s\nfrom\n%s", after, before)
		}
	})
}

// turns fails unless the requests to a host came in turns: at most 6 at a time, and a second between the last answer of
// one turn and the first request of the next. A pause of half a second ends a turn.
func turns(t *testing.T, s *fakeweb.Server, host string, least int) {
	t.Helper()
	var asked []fakeweb.Request
	for _, q := range requests(s) {
		if q.Host == host {
			asked = append(asked, q)
		}
	}
	if len(asked) < least {
		t.Errorf("%s was asked %d times, want at least %d", host, len(asked), least)
	}
	slices.SortStableFunc(asked, func(x, y fakeweb.Request) int { return x.Began.Compare(y.Began) })
	var last time.Time
	for i, q := range asked {
		under := 0
		for _, p := range asked[:i] {
			if p.Ended.After(q.Began) {
				under++
			}
		}
		if under >= 6 {
			t.Errorf("%s%s: %d others were under way", host, q.Path, under)
		}
		if gap := q.Began.Sub(last); i > 0 && gap > 500*time.Millisecond && gap < time.Second {
			t.Errorf("%s%s was asked for %v after the answer before it", host, q.Path, gap)
		}
		if q.Ended.After(last) {
			last = q.Ended
		}
	}
}

// A page whose loading was stopped is loaded when the crawl resumes, and the crawl counts as unfinished until then.
func TestVisitStoppedAndResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, scriptedWeb)
		o := options(s, fs, "http://a.test/second")
		o.Scope.Mode = scope.Page
		o.Browser = newFakeBrowser(func(string) script {
			return script{{"http://a.test/part/1"}, {"http://slow.test/x"}, {"http://a.test/part/2"}}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if r, err := Run(ctx, o); err != nil || r.End != "interrupted" {
			t.Fatalf("stopped: %+v, %v", r, err)
		}
		o.Browser.(*fakeBrowser).notes = []string{"browser: not at rest after 1m0s"}
		o.Seeds, o.Resume = nil, true
		r := crawlNow(t, o)
		if r.End != "done" {
			t.Errorf("resumed: end %q", r.End)
		}
		told := 0
		for l, err := range archive.ReadLoads(fs, o.Archive, r.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if told++; l.URL != "http://a.test/second" || l.Why == "" || len(l.Notes) != 1 {
				t.Errorf("browser.log has %+v", l)
			}
		}
		if told != 1 {
			t.Errorf("browser.log has %d lines", told)
		}
		for _, url := range []string{"http://a.test/part/1", "http://slow.test/x", "http://a.test/part/2"} {
			if l := outcomes(t, fs)[url]; l.Outcome != archive.Recorded {
				t.Errorf("%s: %q %s", url, l.Outcome, l.Reason)
			}
		}
		recordedOnce(t, fs)
	})
}

// --max-urls counts parts too, and ends a crawl whose pages ask for more.
func TestVisitWithinMaxURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, scriptedWeb)
		o := options(s, fs, "http://a.test/")
		o.Limits.URLs = 5
		o.Browser = newFakeBrowser(func(string) script {
			var all []string
			for i := range 20 {
				all = append(all, fmt.Sprintf("http://a.test/part/%d", i))
			}
			return script{all}
		})
		if r := crawlNow(t, o); r.Fetched != 5 || r.End != "urls" {
			t.Errorf("fetched %d of at most 5, end %q", r.Fetched, r.End)
		}
		o.Seeds, o.Resume, o.Limits.URLs = nil, true, 0
		if r := crawlNow(t, o); r.End != "done" || r.Fetched != 22 {
			t.Errorf("resumed: fetched %d, end %q", r.Fetched, r.End)
		}
		recordedOnce(t, fs)
	})
}

// With --max-pages, a page has all that its scripts ask for, whatever that was a link to before.
func TestVisitWithinMaxPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, scriptedWeb), fs, "http://a.test/")
		o.Limits.Pages = 1
		o.Browser = newFakeBrowser(func(string) script {
			return script{{"http://a.test/part/1", "http://a.test/second"}, {"http://a.test/moved", "POST http://a.test/api"}}
		})
		if r := crawlNow(t, o); r.Pages != 1 || r.Fetched != 6 {
			t.Errorf("%d pages, %d URLs, end %q", r.Pages, r.Fetched, r.End)
		}
		for _, url := range []string{"http://a.test/part/1", "http://a.test/second", "http://a.test/moved", "http://a.test/part/target"} {
			if l := outcomes(t, fs)[url]; l.Outcome != archive.Recorded {
				t.Errorf("%s: %q %s", url, l.Outcome, l.Reason)
			}
		}
	})
}

// TestVisitPowerCuts cuts the power again and again while pages are loaded, and wants every part, once.
func TestVisitPowerCuts(t *testing.T) {
	const pages = 6
	var text strings.Builder
	for i := range pages {
		fmt.Fprintf(&text, "-- a.test/%d --\n<title>%d</title><a href=/%d>next</a>\n", i, i, (i+1)%pages)
	}
	text.WriteString("-- host a.test wait=30ms --\n-- a.test/part/** expand --\npart {rest}\n-- b.test/** expand --\nshared {rest}\n")
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 7))
				fs := vfs.NewCrashableMem()
				s := serve(t, text.String())
				o := options(s, fs, "http://a.test/0")
				o.Delay, o.AddressDelay, o.MaxFile = 250*time.Millisecond, 0, 4<<10
				o.Browser = newFakeBrowser(func(url string) script {
					n := url[len(url)-1:]
					return script{{"http://a.test/part/" + n + "/1", "http://a.test/part/" + n + "/2"}, {"http://b.test/shared"}, {"http://a.test/part/" + n + "/3"}}
				})
				for range 8 {
					ctx, cancel := context.WithCancel(t.Context())
					snap := make(chan *vfs.MemFS, 1)
					go func() {
						<-time.After(time.Duration(rng.IntN(1500)) * time.Millisecond)
						cancel()
						snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
					}()
					_, _ = Run(ctx, o) // it may well have ended before the cut
					fs = <-snap
					o.FS, o.Resume, o.Seeds = fs, true, nil
					crawls, _ := archive.Crawls(fs, "archive")
					if len(crawls) == 0 {
						o.Resume = false // cut before anything of the crawl was durable
						o.Seeds = options(s, fs, "http://a.test/0").Seeds
					} else if !crawls[0].Unfinished() {
						break
					}
				}
				if crawls, _ := archive.Crawls(fs, "archive"); len(crawls) == 0 || crawls[0].Unfinished() {
					crawlNow(t, o)
				}
				all := outcomes(t, fs)
				wanted := []string{"http://b.test/shared"}
				for i := range pages {
					wanted = append(wanted, fmt.Sprintf("http://a.test/%d", i))
					for part := 1; part <= 3; part++ {
						wanted = append(wanted, fmt.Sprintf("http://a.test/part/%d/%d", i, part))
					}
				}
				for _, url := range wanted {
					if all[url].Outcome != archive.Recorded {
						t.Errorf("%s: outcome %q %s", url, all[url].Outcome, all[url].Reason)
					}
				}
				recordedOnce(t, fs)
				lines := string(indexLines(t, fs))
				for i := range pages {
					if n := strings.Count(lines, fmt.Sprintf("{\"url\": \"urn:view:http://a.test/%d\"", i)); n != 1 {
						t.Errorf("page %d has %d pictures in the index", i, n)
					}
				}
			})
		})
	}
}

// With --robots record, what a page in the browser asks for against robots.txt has the rule in its line.
func TestVisitAgainstRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/robots.txt --\nUser-agent: *\nDisallow: /private\n-- a.test/ --\n<title>a</title>\n-- a.test/** --\nx\n")
		o := options(s, fs, "http://a.test/")
		o.RecordRobots = "the law"
		o.Browser = newFakeBrowser(func(string) script {
			return script{{"http://a.test/private/part", "http://a.test/part"}, {"POST http://a.test/private/api"}}
		})
		r := crawlNow(t, o)
		all := outcomes(t, fs)
		for url, forbidden := range map[string]bool{"http://a.test/private/part": true, "http://a.test/private/api": true, "http://a.test/part": false, "http://a.test/": false} {
			if l := all[url]; l.Outcome != archive.Recorded || (l.Forbids == "robots.txt line 2: Disallow: /private") != forbidden {
				t.Errorf("%s: %+v", url, l)
			}
		}
		if r.Forbidden != 2 {
			t.Errorf("the report counts %d", r.Forbidden)
		}
	})
}

// A crawl of a browser's that is made anew from its records knows the way to what only scripts asked for, and begins no new
// steps there.
func TestVisitMadeAnewKnowsTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, "-- a.test/ --\n<title>a</title>\n-- a.test/frame --\n<a href=/deep>on</a>\n-- a.test/api --\nanswer\n-- a.test/deep --\ndeep\n-- a.test/slow wait=60s --\nslow\n"), fs, "http://a.test/")
		o.Scope.MaxHops = 0
		b := newFakeBrowser(func(url string) script {
			if url == "http://a.test/" {
				return script{{"http://a.test/frame"}, {"http://a.test/slow"}}
			}
			return nil
		})
		o.Browser = b
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r, err := Run(ctx, o)
		if err != nil || r.End != "interrupted" {
			t.Fatalf("stopped: %+v, %v", r, err)
		}
		way := func() map[string]string {
			all := map[string]string{}
			for l, err := range archive.ReadLog(fs, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if l.Outcome == archive.Recorded && l.Path == "E" && l.URL != "http://a.test/slow" {
					all[l.URL] = fmt.Sprint(l.Kind, " ", l.Via, " ", l.Seed, " ", l.Path, l.Hops)
				}
			}
			return all
		}
		before := way()
		if err := fs.RemoveAll("archive/crawls/" + r.ID + "/frontier"); err != nil {
			t.Fatal(err)
		}
		o.Seeds, o.Resume = nil, true
		clear(b.mu.got)
		crawlNow(t, o)
		if after := way(); len(before) != 1 || !maps.Equal(before, after) {
			t.Errorf("the way to what scripts asked for was %v, and is %v", before, after)
		}
		if _, is := b.mu.got["http://a.test/frame http://a.test/frame"]; is {
			t.Error("a frame was loaded as a page")
		}
		if l := outcomes(t, fs)["http://a.test/deep"]; l.Outcome != archive.Refused {
			t.Errorf("behind the frame: %+v", l)
		}
	})
}

// Pages that are loaded again, since their crawl is made anew from its records, send nothing a second time; the links that
// their scripts make are found again.
func TestVisitMadeAnewPostsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, scriptedWeb)
		o := options(s, fs, "http://a.test/")
		b := newFakeBrowser(func(url string) script {
			if url == "http://a.test/" {
				return script{{"POST http://a.test/api"}, {"http://slow.test/x"}}
			}
			return nil
		})
		b.html = `<a href=/made>m</a>`
		o.Browser = b
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r, err := Run(ctx, o)
		if err != nil || r.End != "interrupted" {
			t.Fatalf("stopped: %+v, %v", r, err)
		}
		if err := fs.RemoveAll("archive/crawls/" + r.ID + "/frontier"); err != nil {
			t.Fatal(err)
		}
		o.Seeds, o.Resume = nil, true
		if r := crawlNow(t, o); r.End != "done" {
			t.Errorf("end %q", r.End)
		}
		posts := 0
		for _, q := range requests(s) {
			if q.Path == "/api" {
				posts++
			}
		}
		if posts != 1 {
			t.Errorf("the POST was sent %d times", posts)
		}
		if l := outcomes(t, fs)["http://a.test/made"]; l.Outcome != archive.Recorded {
			t.Errorf("what scripts link to: %+v", l)
		}
		recordedOnce(t, fs)
	})
}
