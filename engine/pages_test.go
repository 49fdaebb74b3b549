package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/judge"
)

// partsWeb is a site of n pages, each with parts of its own behind styles, frames, redirects and another host, and parts
// that others link to as if they were pages. Its sitemap and its feed name pictures of all pages.
func partsWeb(n int) string {
	var b strings.Builder
	b.WriteString("-- a.test/robots.txt --\nSitemap: http://a.test/sitemap.xml\n-- a.test/sitemap.xml --\n<urlset xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n")
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>http://a.test/%d</loc><image:image><image:loc>http://a.test/big/%d.png</image:loc></image:image></url>\n", i, i)
	}
	b.WriteString("</urlset>\n-- a.test/feed Content-Type=application/rss+xml --\n<rss version=\"2.0\"><channel><title>f</title>")
	for i := range n {
		fmt.Fprintf(&b, "<item><link>http://a.test/%d</link><image href=\"http://a.test/big/%d.png\"/></item>", i, i)
	}
	b.WriteString("</channel></rss>\n")
	for i := range n {
		fmt.Fprintf(&b, "-- a.test/%d --\n<!doctype html><title>%d</title><link rel=alternate Content-Type=application/rss+xml href=/feed><link rel=stylesheet href=/%d.css>", i, i, i)
		for to := range n {
			fmt.Fprintf(&b, "<a href=/%d>%d</a><a href=/photo/%d.png>picture</a>", to, to, to)
		}
		fmt.Fprintf(&b, "<p>rose %d<img src=/photo/%d.png><img src=/moved/%d><img src=http://cdn.test/%d.png><iframe src=/frame/%d></iframe>\n", i, i, i, i, i)
		fmt.Fprintf(&b, "-- a.test/%d.css --\n@import url(/more/%d.css);\n-- a.test/more/%d.css --\n@font-face { src: url(/font/%d.woff2) }\n", i, i, i, i)
		fmt.Fprintf(&b, "-- a.test/moved/%d status=302 Location=/there/%d.png --\n-- a.test/frame/%d --\n<img src=/in/frame/%d.png><a href=/from/frame/%d>on</a>\n", i, i, i, i, i)
	}
	b.WriteString("-- a.test/from/frame/** expand --\n{rest}\n-- a.test/photo/** expand Content-Type=image/png --\nphoto {rest}\n-- a.test/there/** expand Content-Type=image/png --\nthere {rest}\n")
	b.WriteString("-- a.test/font/** expand Content-Type=font/woff2 --\nfont {rest}\n-- a.test/in/frame/** expand Content-Type=image/png --\nin {rest}\n-- a.test/big/** expand Content-Type=image/png --\nbig {rest}\n")
	b.WriteString("-- cdn.test/** expand Content-Type=image/png --\ncdn {rest}\n-- host a.test wait=30ms --\n")
	return b.String()
}

// partsOf are the URLs that page i of partsWeb shows.
func partsOf(i int) []string {
	var all []string
	for _, f := range []string{"a.test/%d.css", "a.test/more/%d.css", "a.test/font/%d.woff2", "a.test/photo/%d.png", "a.test/moved/%d", "a.test/there/%d.png",
		"cdn.test/%d.png", "a.test/frame/%d", "a.test/in/frame/%d.png"} {
		all = append(all, fmt.Sprintf("http://"+f, i))
	}
	return all
}

// wholePages wants exactly n pages of partsWeb, each with all its parts, and nothing else but what leads there.
func wholePages(t *testing.T, fs vfs.FS, n, of int) {
	t.Helper()
	all := outcomes(t, fs)
	got, pages := map[string]bool{}, 0
	for i := range of {
		if all[fmt.Sprintf("http://a.test/%d", i)].Outcome != archive.Recorded {
			continue
		}
		pages++
		for _, part := range partsOf(i) {
			if got[part] = true; all[part].Outcome != archive.Recorded {
				t.Errorf("page %d lacks %s: %q %s", i, part, all[part].Outcome, all[part].Reason)
			}
		}
	}
	for url, l := range all {
		other := strings.Contains(url, "/photo/") || strings.Contains(url, "/from/") // links that count as pages
		switch {
		case l.Outcome != archive.Recorded || strings.Contains(url, "robots.txt"):
		case other && l.Kind == kavosh.Navigation.String():
			pages++
		case got[url]:
		case strings.Contains(url, "/big/") || strings.HasSuffix(url, "/sitemap.xml") || strings.HasSuffix(url, "/feed"):
		case strings.Count(url, "/") > 3 || strings.Contains(url, ".css"):
			t.Errorf("%s belongs to no page that was captured", url)
		}
	}
	if pages != n {
		t.Errorf("%d pages, want %d", pages, n)
	}
	recordedOnce(t, fs)
}

func TestMaxPagesTakesTheirPartsAlong(t *testing.T) {
	const n = 12
	rose, err := new(judge.Reader).Parse([]string{"keyword=rose"})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"one worker":  func(o *Options) { o.Workers = 1 },
		"many":        func(o *Options) { o.Workers, o.Delay = 16, 0 },
		"budget":      func(o *Options) { o.HostBudget, o.DomainBudget = 2, 3 },
		"depth":       func(o *Options) { o.Order = "depth" },
		"reinforce":   func(o *Options) { o.Order, o.Judge = "reinforce-linear", rose },
		"no delay":    func(o *Options) { o.Delay, o.AddressDelay = 0, 0 },
		"one request": func(o *Options) { o.Workers, o.AddressDelay = 8, 3*time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.NewMem()
				o := options(serve(t, partsWeb(n)), fs, "http://a.test/0")
				o.Limits.Pages = 3
				change(&o)
				if r := crawlNow(t, o); r.Pages != 3 || r.End != "pages" || r.Queued == 0 {
					t.Errorf("%d pages, end %q, %d queued", r.Pages, r.End, r.Queued)
				}
				wholePages(t, fs, 3, n)
				if name == "depth" && outcomes(t, fs)[fmt.Sprintf("http://a.test/big/%d.png", n-1)].URL != "" {
					t.Error("pictures that the sitemap alone names were asked for")
				}
				o.Seeds, o.Resume, o.ID = nil, true, ""
				if r := crawlNow(t, o); r.Pages != 3 || r.End != "pages" {
					t.Errorf("resumed at the limit: %d pages, end %q", r.Pages, r.End)
				}
				o.Limits.Pages = 5
				if r := crawlNow(t, o); r.Pages != 5 || r.End != "pages" {
					t.Errorf("resumed with a higher limit: %d pages, end %q", r.Pages, r.End)
				}
				wholePages(t, fs, 5, n)
				o.Limits.Pages = 0
				r := crawlNow(t, o)
				if r.Pages < 2*n || r.End != "done" {
					t.Errorf("resumed without one: %d pages, end %q", r.Pages, r.End)
				}
				wholePages(t, fs, int(r.Pages), n)
			})
		})
	}
}

// TestMaxPagesAndPowerCuts cuts the power again and again, before and after the last page.
func TestMaxPagesAndPowerCuts(t *testing.T) {
	const n = 10
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 3))
				fs := vfs.NewCrashableMem()
				o := options(serve(t, partsWeb(n)), fs, "http://a.test/0")
				o.Limits.Pages, o.Delay, o.AddressDelay = 4, 250*time.Millisecond, 0
				for range 8 {
					ctx, cancel := context.WithCancel(t.Context())
					snap := make(chan *vfs.MemFS, 1)
					go func() {
						<-time.After(time.Duration(rng.IntN(4000)) * time.Millisecond)
						cancel()
						snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
					}()
					if r, err := Run(ctx, o); ctx.Err() == nil {
						if err != nil || r.Pages != 4 {
							t.Fatalf("%+v, %v", r, err)
						}
						<-snap
						break
					}
					fs = <-snap
					o.FS, o.Resume = fs, true
					if crawls, _ := archive.Crawls(fs, "archive"); len(crawls) == 0 {
						o.Resume = false
					}
					if o.Seeds = nil; !o.Resume {
						o.Seeds = SeedURLs("http://a.test/0")
					}
				}
				if r := crawlNow(t, o); r.Pages != 4 || r.End != "pages" {
					t.Errorf("%d pages, end %q", r.Pages, r.End)
				}
				wholePages(t, fs, 4, n)
			})
		})
	}
}
