package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/fakeweb"
	"kavosh/record"
)

// testWeb is a fakeweb as the crawl's web.
type testWeb struct{ *fakeweb.Server }

func (w testWeb) Resolve(_ context.Context, host string) (fetch.Resolution, error) {
	addr, err := w.Lookup(host)
	if err != nil {
		return fetch.Resolution{Failure: err.Error(), Gone: true}, nil
	}
	return fetch.Resolution{Addrs: []netip.Addr{addr}}, nil
}

func (w testWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	return w.Server.Dial(ctx, addr)
}

func serve(t *testing.T, text string) *fakeweb.Server {
	t.Helper()
	w, err := fakeweb.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := fakeweb.NewServer(w, clock.Real{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func options(s *fakeweb.Server, fs vfs.FS, seeds ...string) Options {
	o := Options{
		Archive: "archive", FS: fs, Web: testWeb{s}, Workers: 4, Pace: frontier.Pace{Delay: time.Second, AddressDelay: 100 * time.Millisecond},
		Scope: scope.Options{Mode: scope.Host, MaxHops: -1},
		Fetch: fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("198.18.0.0/15")}},
	}
	o.Seeds = SeedURLs(seeds...)
	return o
}

func crawlNow(t *testing.T, o Options) *archive.Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcomes is the final outcome of each URL that the log knows, robots.txt included; twice is an error.
func outcomes(t *testing.T, fs vfs.FS) map[string]archive.Line {
	t.Helper()
	all := map[string]archive.Line{}
	for l, err := range archive.ReadLog(fs, "archive", "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.Outcome == archive.Retry {
			continue
		}
		if old, twice := all[l.URL]; twice && old.Outcome != archive.Refused {
			t.Errorf("%s has two outcomes: %s %q, then %s %q", l.URL, old.Outcome, old.Reason, l.Outcome, l.Reason)
		}
		all[l.URL] = l
	}
	return all
}

const smallWeb = `
-- a.test/robots.txt --
User-agent: *
Disallow: /private
Sitemap: http://a.test/sitemap.xml
-- a.test/sitemap.xml --
<urlset><url><loc>http://a.test/from-sitemap</loc></url></urlset>
-- a.test/ ETag="\"v1\"" --
<!doctype html><title>Start</title><link rel=stylesheet href=/style.css>
<a href=/one>one</a> <a href=/private/x>no</a> <a href=http://b.test/>away</a> <a href=/gone>gone</a> <a href=/moved>moved</a>
<a href=/nofollow rel=nofollow>sponsored</a> <img src=http://b.test/logo.png>
-- a.test/style.css --
body { background: url(/bg.png) }
-- a.test/bg.png png=2x2 --
-- a.test/one --
<p>One. One page with enough text that it counts as an original when it comes again under another name. <a href=two>two</a>
<p>Text text text text text text text text text text text text text text text text text text text text text text text text text text
-- a.test/two --
<p>One. One page with enough text that it counts as an original when it comes again under another name. <a href=two>two</a>
<p>Text text text text text text text text text text text text text text text text text text text text text text text text text text
-- a.test/from-sitemap --
<p>Listed.
-- a.test/moved status=301 Location=/target --
-- a.test/target --
<p>Target.
-- b.test/logo.png png=2x2 --
-- b.test/ --
<p>Not in scope.
`

func TestCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		r := crawlNow(t, options(s, fs, "http://a.test/"))
		all := outcomes(t, fs)
		for url, want := range map[string]string{
			"http://a.test/":             "recorded 200 ",
			"http://a.test/one":          "recorded 200 L",
			"http://a.test/two":          "recorded 200 LL",
			"http://a.test/style.css":    "recorded 200 E",
			"http://a.test/bg.png":       "recorded 200 EE",
			"http://b.test/logo.png":     "recorded 200 E",
			"http://a.test/moved":        "recorded 301 L",
			"http://a.test/target":       "recorded 200 LR",
			"http://a.test/gone":         "recorded 404 L",
			"http://a.test/private/x":    "refused 0 L",
			"http://b.test/":             "refused 0 L",
			"http://a.test/nofollow":     "refused 0 L",
			"http://a.test/from-sitemap": "recorded 200 ",
			"http://a.test/robots.txt":   "recorded 200 ",
			"http://b.test/robots.txt":   "recorded 404 ",
		} {
			l, ok := all[url]
			if got := fmt.Sprintf("%s %d %s", l.Outcome, l.Status, l.Path); !ok || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q (%s), want %q", url, got, l.Reason, want)
			}
		}
		if l := all["http://a.test/private/x"]; l.Failure != kavosh.RobotsFailure || !strings.Contains(l.Reason, "/private") {
			t.Errorf("the refusal by robots.txt says %q", l.Reason)
		}
		if r.End != "done" || r.Recorded != 11 || r.Revisits != 1 || r.Failed[kavosh.RobotsFailure] != 1 || r.SeedsKept != 1 || r.Queued != 0 {
			t.Errorf("report: %+v", r)
		}
	})
}

// politeness from the server's side: 1 s from the end of an answer to the next request of a host.
func TestPoliteness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, smallWeb)
		o := options(s, vfs.NewMem(), "http://a.test/", "http://b.test/")
		o.Workers = 16
		crawlNow(t, o)
		last := map[string]time.Time{}
		for _, q := range requests(s) {
			if end, ok := last[q.Host]; ok && q.Began.Sub(end) < time.Second {
				t.Errorf("%s%s was asked for %v after the answer before it", q.Host, q.Path, q.Began.Sub(end))
			}
			last[q.Host] = q.Ended
		}
	})
}

func TestSecondCrawlRevisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		first := crawlNow(t, options(s, fs, "http://a.test/"))
		<-time.After(time.Hour) // in the bubble's time
		second := crawlNow(t, options(s, fs, "http://a.test/"))
		if second.Recorded != first.Recorded {
			t.Errorf("the second crawl recorded %d URLs, the first %d", second.Recorded, first.Recorded)
		}
		profiles := map[string]string{}
		for l, err := range archive.ReadLog(fs, "archive", second.ID) {
			if err != nil {
				t.Fatal(err)
			}
			profiles[l.URL] = l.Revisit
		}
		if profiles["http://a.test/"] != "not-modified" || profiles["http://a.test/one"] != "identical" {
			t.Errorf("revisits: %v", profiles)
		}
	})
}

// A payload is stored once when it is long enough for a revisit to be shorter; a shorter one each time.
func TestLeastPayloadOfARevisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		line := func(n int) string { return strings.Repeat("x", n-1) + "\n" } // as long as the file that has it
		s := serve(t, "-- a.test/ --\n<a href=/s1>1</a><a href=/s2>2</a><a href=/l1>1</a><a href=/l2>2</a>\n"+
			"-- a.test/s1 --\n"+line(255)+"-- a.test/s2 --\n"+line(255)+"-- a.test/l1 --\n"+line(256)+"-- a.test/l2 --\n"+line(256))
		crawlNow(t, options(s, fs, "http://a.test/"))
		lines, sizes := map[string]int{}, map[string]int64{}
		for l, err := range archive.ReadLog(fs, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Revisit != "" {
				lines[l.URL[:len(l.URL)-1]]++
			}
			sizes[l.URL] = l.Size
		}
		if len(lines) != 1 || lines["http://a.test/l"] != 1 || sizes["http://a.test/s2"] != 255 || sizes["http://a.test/l2"] != 256 {
			t.Errorf("revisits of short and long payloads: %v; sizes %v", lines, sizes)
		}
	})
}

func TestMaxURLsIsExactAndResumable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		o := options(s, fs, "http://a.test/")
		o.Limits.URLs = 3
		if r := crawlNow(t, o); r.Fetched != 3 || r.End != "urls" {
			t.Errorf("fetched %d of at most 3, end %q", r.Fetched, r.End)
		}
		o = options(s, fs)
		o.Resume = true
		r := crawlNow(t, o)
		if r.End != "done" || r.Recorded != 11 {
			t.Errorf("resumed: recorded %d, end %q", r.Recorded, r.End)
		}
		outcomes(t, fs)
	})
}

// bigWeb has n pages on each of a few hosts, each linking on.
func bigWeb(hosts, n int) string {
	var b strings.Builder
	for h := range hosts {
		fmt.Fprintf(&b, "-- host h%d.test wait=30ms --\n", h)
		for i := range n {
			fmt.Fprintf(&b, "-- h%d.test/%d --\n<title>%d of %d</title>", h, i, i, h)
			for _, to := range []int{2*i + 1, 2*i + 2, (i * 7) % n} {
				if to < n {
					fmt.Fprintf(&b, "<a href=/%d>%d</a> ", to, to)
				}
			}
			fmt.Fprintf(&b, "<a href=http://h%d.test/0>next host</a> <a href=http://elsewhere.example/%d>out</a>\n", (h+1)%hosts, i)
		}
	}
	return b.String()
}

// TestPowerCuts cuts the power again and again, losing what was not synced, and wants the archive of a quiet crawl.
func TestPowerCuts(t *testing.T) {
	const hosts, pages = 5, 40
	text := bigWeb(hosts, pages)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 3))
				fs := vfs.NewCrashableMem()
				s := serve(t, text)
				o := options(s, fs, "http://h0.test/0")
				o.Scope.Mode, o.Workers, o.Delay, o.AddressDelay = scope.Any, 8, 250*time.Millisecond, 0 // longer than all cuts
				o.Scope.Exclude = []string{"elsewhere"}
				o.MaxFile = 20 << 10
				for range 6 {
					ctx, cancel := context.WithCancel(t.Context())
					snap := make(chan *vfs.MemFS, 1)
					go func() {
						<-time.After(time.Duration(rng.IntN(1500)) * time.Millisecond)
						cancel()
						// While the crawl writes what it still can, or after that: the machine decides.
						snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
					}()
					_, err := Run(ctx, o)
					if ctx.Err() == nil {
						t.Fatalf("the crawl ended before the cut: %v", err)
					}
					fs = <-snap
					o.FS, o.Resume, o.Seeds = fs, true, nil
					if crawls, _ := archive.Crawls(fs, "archive"); len(crawls) == 0 {
						o.Resume = false // cut before anything of the crawl was durable
						o.Seeds = options(s, fs, "http://h0.test/0").Seeds
					}
				}
				r := crawlNow(t, o)
				if r.End != "done" {
					t.Errorf("the last run ended %q", r.End)
				}
				all := outcomes(t, fs)
				for h := range hosts {
					for i := range pages {
						if l := all[fmt.Sprintf("http://h%d.test/%d", h, i)]; l.Outcome != archive.Recorded {
							t.Errorf("page %d of host %d: outcome %q %s", i, h, l.Outcome, l.Reason)
						}
					}
				}
				if n := len(all); n != hosts*pages+pages+hosts {
					t.Errorf("%d URLs in the log, want each page, each URL out of scope and each robots.txt: %d", n, hosts*pages+pages+hosts)
				}
				recordedOnce(t, fs)
			})
		})
	}
}

// recordedOnce reads the WARC files: no URL has two captures in a crawl.
func recordedOnce(t *testing.T, fs vfs.FS) {
	t.Helper()
	files, err := record.Files(fs, "archive/warc")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, name := range files {
		data, err := disk.ReadFile(fs, "archive/warc/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if err := record.Captures(bytes.NewReader(data), name, func(c kavosh.Capture) error {
			what := c.Method + c.URL
			if c.Variant {
				what += " as RDF"
			}
			_, rendering := kavosh.RenderedPage(c.URL)
			if where, twice := seen[what]; twice && (c.Type != "resource" || rendering) {
				t.Errorf("%s is recorded in %s and in %s", what, where, name)
			}
			seen[what] = name
			return nil
		}, func(at int64, err error) { t.Errorf("%s at %d: %v", name, at, err) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRebuildMakesTheSameIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		crawlNow(t, options(s, fs, "http://a.test/"))
		<-time.After(time.Hour) // in the bubble's time
		crawlNow(t, options(s, fs, "http://a.test/"))
		before := indexLines(t, fs)
		if n := bytes.Count(before, []byte("\n")); n != 26 {
			t.Errorf("%d lines in the index, want 11 URLs and 2 robots.txt twice", n)
		}
		for _, dir := range []string{"log", "index", "derived"} {
			if err := fs.RemoveAll("archive/" + dir); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Run(t.Context(), options(s, fs, "http://a.test/")); err == nil || !strings.Contains(err.Error(), "kavosh rebuild") {
			t.Errorf("a crawl into an archive without its log: %v", err)
		}
		if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
			t.Fatal(err)
		}
		after := indexLines(t, fs)
		if diff := cmp.Diff(strings.Split(string(before), "\n"), strings.Split(string(after), "\n")); diff != "" {
			t.Errorf("the rebuilt index differs (-before +after):\n%s", diff)
		}
		if !slices.IsSorted(strings.Split(strings.TrimSpace(string(after)), "\n")) {
			t.Error("the index is not sorted")
		}
	})
}

// indexLines is the text of the index, which is one segment once a crawl or a rebuild has ended.
func indexLines(t *testing.T, fs vfs.FS) []byte {
	t.Helper()
	names, err := fs.List("archive/index")
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, name := range names {
		if !strings.HasSuffix(name, ".cdxj.gz") {
			continue
		}
		data, err := disk.ReadFile(fs, "archive/index/"+name)
		if err != nil || text != nil {
			t.Fatalf("%v: %v", names, err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			text, err = io.ReadAll(z)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return text
}

func TestAgentOf(t *testing.T) {
	for userAgent, want := range map[string]string{
		"": "kavosh", "Mozilla/5.0 (compatible; kavosh/0.1; +https://a.test)": "kavosh", "our-crawler/2.0 (+https://a.test)": "our-crawler",
		"Mozilla/5.0 (compatible;bot)": "bot", "Mozilla/5.0 (X11; Linux)": "Mozilla", "/x": "kavosh",
	} {
		if got := agentOf(userAgent); got != want {
			t.Errorf("agentOf(%q) = %q, want %q", userAgent, got, want)
		}
	}
}

// One host without a delay but with one for its address: the workers take turns, and the crawl ends.
func TestAddressDelayAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, bigWeb(2, 50))
		o := options(s, vfs.NewMem(), "http://h0.test/0")
		o.Delay, o.Workers = 0, 16
		if r := crawlNow(t, o); r.Recorded != 50 {
			t.Errorf("recorded %d pages of 50", r.Recorded)
		}
	})
}
