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
	"kavosh/fetch/browser"
	"kavosh/plan"
)

const (
	challenge = "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt = {cType: 'managed'}</script>"
	townPage  = "<!doctype html><title>A town</title><h1>A town</h1><p>Much to read of it. <a href=/next>next</a>"
)

// walled is a browser that shows the last answer that it got for a page's own URL, for which it asks again if it is a
// challenge, so often as it may; or instead what shows has for the URL.
type walled struct{ shows map[string]string }

func (b walled) Load(ctx context.Context, url string, reloads int, ask browser.Asker) (*browser.Loaded, error) {
	html := ""
	for n := 0; n <= reloads && (n == 0 || strings.Contains(html, "_cf_chl_")); n++ {
		ask(ctx, &browser.Request{URL: url, Ask: kavosh.Ask{Method: "GET", Cookie: fmt.Sprint("n=", n)}}, func(x *kavosh.Exchange) {
			body := make([]byte, x.Payload.Size())
			x.Payload.ReadAt(body, 0)
			html = string(body)
		})
	}
	select { // as a browser waits until the page is at rest
	case <-time.After(1500 * time.Millisecond):
	case <-ctx.Done():
	}
	if shown, ok := b.shows[url]; ok {
		html = shown
	}
	return &browser.Loaded{HTML: html}, ctx.Err()
}

// byOutcome are the lines of crawl.log about a URL, by their outcome.
func byOutcome(t *testing.T, fs vfs.FS, url string) map[string][]archive.Line {
	t.Helper()
	all := map[string][]archive.Line{}
	for l, err := range archive.ReadLog(fs, "archive", "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.URL == url {
			all[l.Outcome] = append(all[l.Outcome], l)
		}
	}
	return all
}

// A browser passes a wall by asking again with the cookie that it got: the URL comes to what came then.
func TestBrowserPassesByAskingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/robots.txt status=404 --\n-- a.test/ status=503 times=1 Content-Type=text/html --\n"+challenge+"\n-- a.test/** Content-Type=text/html --\n"+townPage+"\n")
		o := options(s, fs, "http://a.test/")
		o.Browser = walled{}
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 2 || r.Walls != 1 || len(r.StandIns) != 0 {
			t.Errorf("%+v", r)
		}
		lines := byOutcome(t, fs, "http://a.test/")
		if len(lines[archive.Retry]) != 1 || len(lines[archive.Recorded]) != 1 {
			t.Fatalf("%+v", lines)
		}
		first, last := lines[archive.Retry][0], lines[archive.Recorded][0]
		if first.StandIn != kavosh.Wall || first.File == "" || first.Status != 503 || last.StandIn != kavosh.NoStandIn || last.Title != "A town" || last.Status != 200 || last.Links != 1 && last.Links != 2 {
			t.Errorf("%+v, then %+v", first, last)
		}
		if outcomes(t, fs)["http://a.test/next"].Outcome != archive.Recorded {
			t.Error("its link is not followed")
		}
		sound(t, fs)
	})
}

// A wall's page of which scripts make the site's page is no wall for a browser; one that still stands there is, whatever
// came before scripts ran. Its URL waits, and is asked again.
func TestWhatTheBrowserShowsTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/robots.txt status=404 --\n-- a.test/made Content-Type=text/html --\n"+challenge+
			"\n-- a.test/app Content-Type=text/html --\n<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>\n-- a.test/gone Content-Type=text/html --\n<!doctype html><title>App</title><p>Wait\n-- a.test/app.js --\nx\n")
		o := options(s, fs, "http://a.test/made", "http://a.test/app", "http://a.test/gone")
		o.Browser = walled{map[string]string{
			"http://a.test/made": townPage, "http://a.test/app": challenge, "http://a.test/gone": "<title>App</title><h1>Page not found</h1><p>This page does not exist.",
		}}
		r := crawlNow(t, o)
		if r.End != "done" || r.Walls != 5 || r.StandIns["wall"] != 1 || r.StandIns["notfound"] != 1 {
			t.Errorf("%+v", r)
		}
		made, app := byOutcome(t, fs, "http://a.test/made"), byOutcome(t, fs, "http://a.test/app")
		if l := made[archive.Recorded]; len(l) != 1 || l[0].StandIn != kavosh.NoStandIn || !strings.Contains(fmt.Sprint(l[0].Notes), "the browser passed a bot wall: Cloudflare") {
			t.Errorf("made: %+v", l)
		}
		if len(app[archive.Retry]) != 2 || app[archive.Retry][0].File == "" || app[archive.Recorded][0].StandIn != kavosh.Wall {
			t.Errorf("app: %+v", app)
		}
		sound(t, fs)
	})
}

// Hosts whose wall a browser does not pass at once are held. A power cut at any time loses no URL, and after the release
// all are asked again. Nor does one while a browser passes, at once or when a request broke off.
func TestBrowserAtAWallPowerCuts(t *testing.T) {
	const page = " Content-Type=text/html expand --\n<!doctype html><title>{n}</title><h1>{n}</h1><p>Much to read.\n"
	held := "-- a.test/** times=9 Content-Type=text/html --\n" + challenge + "\n-- a.test/**" + page
	passed := ""
	for n := 1; n <= 4; n++ {
		passed += fmt.Sprintf("-- a.test/%d times=1 status=403 Content-Type=text/html --\n%s\n-- a.test/%d%s", n, challenge, n, strings.ReplaceAll(page, "{n}", fmt.Sprint(n)))
	}
	broken := "-- a.test/** cookie=n=1 reset=0 --\n" + passed
	cuts := 120
	if testing.Short() {
		cuts = 30
	}
	for i := range cuts {
		cut, web := 300*time.Millisecond+time.Duration(i/6)*700*time.Millisecond, []string{held, passed, broken}[i%3]
		synctest.Test(t, func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			s := serve(t, "-- host a.test wait=200ms --\n-- a.test/robots.txt status=404 --\n-- b.test/robots.txt status=404 --\n-- b.test/** Content-Type=text/plain --\nso that there is something to commit\n"+web)
			seeds := []string{"http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4"}
			for n := range 20 {
				seeds = append(seeds, fmt.Sprintf("http://b.test/%d", n))
			}
			o := options(s, fs, seeds...)
			o.Browser = walled{}
			ctx, cancel := context.WithCancel(t.Context())
			snap := make(chan *vfs.MemFS, 1)
			go func() {
				<-time.After(cut)
				snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100 * (i % 2), RNG: rand.New(rand.NewPCG(uint64(i), 1))})
				cancel()
			}()
			_, _ = Run(ctx, o)
			fs = <-snap
			o.FS, o.Resume, o.Seeds, o.Commands = fs, true, nil, []Command{{Who: "ali", Name: "release", Host: "a.test"}}
			o.Limits.Time = time.Hour
			for range 3 { // the wall may hold it again
				if crawls, _ := archive.Crawls(fs, "archive"); len(crawls) == 0 {
					return
				} else if crawls[0].Unfinished() {
					crawlNow(t, o)
				}
			}
			for n := 1; n <= 4; n++ {
				lines := byOutcome(t, fs, fmt.Sprintf("http://a.test/%d", n))
				done := lines[archive.Recorded]
				if len(done) == 1 && web == held && done[0].StandIn == kavosh.Wall && done[0].Attempt == 2 {
					continue // how many walls came in a row is forgotten in a power cut, and three attempts are the most
				}
				if len(done) != 1 || done[0].StandIn != kavosh.NoStandIn || done[0].Title != fmt.Sprint(n) {
					t.Errorf("cut after %v: %d: %+v", cut, n, lines)
				}
			}
			sound(t, fs)
		})
	}
}

// A power cut while the browser is at a wall that holds its host after the last attempt loses nothing.
func TestPowerCutAtAWallThatHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		s := serve(t, "-- a.test/robots.txt status=404 --\n-- b.test/robots.txt status=404 --\n-- b.test/** Content-Type=text/plain --\nso that there is something to commit\n"+
			"-- a.test/x times=12 Content-Type=text/html --\n"+challenge+"\n-- a.test/x Content-Type=text/html --\n"+townPage+"\n")
		seeds := []string{"http://a.test/x"}
		for n := range 400 {
			seeds = append(seeds, fmt.Sprintf("http://b.test/%d", n))
		}
		o := options(s, fs, seeds...)
		o.Browser, o.Limits.Time = walled{}, 3*time.Minute
		crawlNow(t, o) // three attempts, each with two more requests
		release := []Command{{Who: "ali", Name: "release", Host: "a.test"}}
		o.Resume, o.Seeds, o.Limits.Time, o.Commands = true, nil, time.Hour, release
		ctx, cancel := context.WithCancel(t.Context())
		snap := make(chan *vfs.MemFS, 1)
		go func() {
			asked := func() (n int) {
				for _, q := range s.Requests() {
					n += strings.Count(q.Path, "/x")
				}
				return n
			}
			for asked() < 11 {
				<-time.After(100 * time.Millisecond)
			}
			<-time.After(1200 * time.Millisecond)
			snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
			cancel()
		}()
		_, _ = Run(ctx, o)
		o.FS = <-snap
		for range 2 {
			if crawls, _ := archive.Crawls(o.FS, "archive"); crawls[0].Unfinished() {
				crawlNow(t, o)
			}
		}
		lines := byOutcome(t, o.FS, "http://a.test/x")
		if done := lines[archive.Recorded]; len(done) != 1 || done[0].Title != "A town" {
			t.Errorf("%+v", lines)
		}
		sound(t, o.FS)
	})
}

// passWeb is a host with one page, before which a bot wall stands for the first request; then comes what is given.
func passWeb(then string) string {
	return "-- a.test/robots.txt status=404 --\n-- b.test/robots.txt status=404 --\n-- b.test/** Content-Type=text/plain --\nb\n" +
		"-- a.test/x times=1 status=403 Content-Type=text/html --\n" + challenge + "\n" + then
}

// What comes when a wall's page asks again may be no page either. Then the URL waits as it would without a browser; and a
// redirect leads on.
func TestWhatComesWhenAWallAsksAgain(t *testing.T) {
	const page = "-- a.test/x Content-Type=text/html --\n" + townPage + "\n"
	for _, test := range []struct {
		name, then string
		lines      string // of the page: outcome, status, failure, and what it stands in for
		notes      string
	}{
		{"broken off", "-- a.test/x cookie=n=1 reset=0 --\n-- a.test/x cookie=n=2 reset=0 --\n" + page, "retry 0 reset; retry 0 reset; retry 403 wall; recorded 200", ""},
		{"in trouble", "-- a.test/x times=2 status=503 Content-Type=text/html --\n<title>Busy</title>\n" + page, "retry 503; retry 403 wall; retry 503; recorded 200", ""},
		{"missing", "-- a.test/x status=404 Content-Type=text/html --\n<title>Missing</title>\n", "retry 403 wall; recorded 404", "the browser passed a bot wall: Cloudflare challenge"},
		{"moved", "-- a.test/x status=302 Location=/in --\n-- a.test/in Content-Type=text/html --\n" + townPage + "\n", "retry 403 wall; recorded 302", "the browser passed a bot wall: Cloudflare challenge"},
		{"at the second time", "-- a.test/x times=1 Content-Type=text/html --\n" + challenge + "\n" + page, "retry 200 wall; retry 403 wall; recorded 200", "the browser passed a bot wall: Cloudflare challenge"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.NewMem()
				o := options(serve(t, passWeb(test.then)), fs, "http://a.test/x")
				o.Browser = walled{}
				if r := crawlNow(t, o); r.End != "done" {
					t.Errorf("%+v", r)
				}
				var lines []string
				notes := ""
				for l, err := range archive.ReadLog(fs, "archive", "") {
					if err != nil {
						t.Fatal(err)
					}
					if l.URL == "http://a.test/x" {
						lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(l.Outcome, " ", l.Status, " ", l.Failure, " ", l.StandIn)), " "))
						notes += strings.Join(l.Notes, "; ")
					}
				}
				if got := strings.Join(lines, "; "); got != test.lines || notes != test.notes {
					t.Errorf("%s, notes %q\nwant %s, notes %q", got, notes, test.lines, test.notes)
				}
				if all := outcomes(t, fs); test.name == "moved" && all["http://a.test/in"].Title != "A town" {
					t.Errorf("its target: %+v", all["http://a.test/in"])
				}
				sound(t, fs)
			})
		})
	}
}

// A wall that is told by its status and its header is one, whatever a browser shows of it. If nobody passes it, it is recorded
// in the end, and nothing is asked of whom it leads to.
func TestWallOfStatusStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, passWeb("-- a.test/y status=403 Content-Type=text/html --\n<title>Sorry</title><p>Much to read of what went wrong here.<div class=\"h-captcha\"></div><a href=/vendor>vendor</a>\n"+
			"-- a.test/** Content-Type=text/plain --\nso that the wall is not met several times in a row\n"))
		seeds := []string{"http://a.test/y"}
		for n := range 200 {
			seeds = append(seeds, fmt.Sprintf("http://a.test/%d", n))
		}
		o := options(s, fs, seeds...)
		o.Browser = walled{}
		crawlNow(t, o)
		lines := byOutcome(t, fs, "http://a.test/y")
		if len(lines[archive.Retry]) != 2 || len(lines[archive.Recorded]) != 1 || lines[archive.Recorded][0].StandIn != kavosh.Wall {
			t.Errorf("%+v", lines)
		}
		if l, asked := outcomes(t, fs)["http://a.test/vendor"]; asked {
			t.Errorf("%+v", l)
		}
		sound(t, fs)
	})
}

// A page of which scripts make all pages of a site is told at its second URL, and is none from then on.
func TestApplicationIsNoWallInABrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		home, shows := "", map[string]string{}
		for n := range 8 {
			home += fmt.Sprintf("<a href=/%d>%d</a> ", n, n)
			shows[fmt.Sprintf("http://a.test/%d", n)] = fmt.Sprintf("<title>%d</title><h1>Page %d</h1><p>Much to read of it. <a href=/0>first</a>", n, n)
		}
		s := serve(t, "-- a.test/robots.txt status=404 --\n-- a.test/app.js --\nx\n-- a.test/ Content-Type=text/html --\n<title>home</title>"+home+
			"\n-- a.test/** Content-Type=text/html --\n<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>\n")
		o := options(s, fs, "http://a.test/")
		o.Browser, o.Workers = walled{shows}, 1
		r := crawlNow(t, o)
		if r.End != "done" || r.Walls != 0 || len(r.StandIns) != 0 {
			t.Errorf("%+v", r)
		}
		passed := 0
		for _, l := range outcomes(t, fs) {
			passed += strings.Count(fmt.Sprint(l.Notes), "passed a bot wall")
		}
		if passed > 1 {
			t.Errorf("%d pages were taken for a wall", passed)
		}
	})
}

// Asking again is polite, is one URL under all limits, and counts in bytes.
func TestAskingAgainUnderLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/robots.txt --\nUser-agent: *\nCrawl-delay: 7\n-- a.test/x times=1 status=403 Content-Type=text/html --\n"+challenge+"\n-- a.test/x Content-Type=text/html --\n"+townPage+"\n")
		o := options(s, fs, "http://a.test/x")
		o.Browser, o.Limits.URLs, o.Limits.Pages, o.HostLimit = walled{}, 1, 1, []plan.HostLimit{{NamedLimit: plan.NamedLimit{Limit: plan.Limit{URLs: 1}}}}
		r := crawlNow(t, o)
		if r.Recorded != 1 || r.Fetched != 1 || r.Walls != 1 || r.Bytes != int64(len(challenge)+len(townPage)+2) {
			t.Errorf("%+v", r)
		}
		var last time.Time
		for _, q := range s.Requests() {
			if wait := q.Began.Sub(last); wait < 7*time.Second {
				t.Errorf("%s came %v after the one before", q.Path, wait)
			}
			last = q.Ended
			if q.Path == "/x" && q.Status == 200 && q.Header.Get("Cookie") != "n=1" {
				t.Errorf("its page did not ask again: %v", q.Header)
			}
		}
	})
}

// A stop after the wall let the page in keeps what came; what its scripts ask for comes when the crawl goes on.
func TestStopAfterAWallLetsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, passWeb("-- a.test/** Content-Type=text/html --\n"+townPage+"\n"))
		o := options(s, fs, "http://a.test/x")
		o.Browser = walled{}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for len(s.Requests()) < 3 {
				<-time.After(100 * time.Millisecond)
			}
			<-time.After(time.Second)
			cancel()
		}()
		if _, err := Run(ctx, o); err != nil {
			t.Fatal(err)
		}
		o.Resume, o.Seeds = true, nil
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 2 {
			t.Errorf("%+v", r)
		}
		asked := 0
		for _, q := range s.Requests() {
			if q.Path == "/x" {
				asked++
			}
		}
		lines := byOutcome(t, fs, "http://a.test/x")
		if asked != 2 || len(lines[archive.Retry]) != 1 || len(lines[archive.Recorded]) != 1 || lines[archive.Recorded][0].Title != "A town" {
			t.Errorf("asked %d times: %+v", asked, lines)
		}
		sound(t, fs)
	})
}

// With --only, what a wall lets through is kept if it is wanted.
func TestOnlyBehindAWall(t *testing.T) {
	for _, test := range []struct{ page, want, records string }{
		{"<title>t</title><p>A rose.", archive.Recorded, "response request response request"},
		{"<title>t</title><p>A tulip.", archive.Dropped, "response request metadata"},
	} {
		synctest.Test(t, func(t *testing.T) {
			fs := vfs.NewMem()
			s := serve(t, passWeb("-- a.test/x Content-Type=text/html --\n"+test.page+"\n"))
			o := options(s, fs, "http://a.test/x")
			o.Browser, o.Only = walled{}, roses(t)
			crawlNow(t, o)
			if lines := byOutcome(t, fs, "http://a.test/x"); len(lines[archive.Retry]) != 1 || len(lines[test.want]) != 1 {
				t.Errorf("%+v", lines)
			}
			if got := recordsOf(t, fs)["http://a.test/x"]; got != test.records {
				t.Errorf("records %q, want %q", got, test.records)
			}
			sound(t, fs)
		})
	}
}

// The rest of a body is asked for again when a wall answers, with a browser too.
func TestWallBeforeTheRestOfABody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/robots.txt status=404 --\n-- a.test/x ranges repeat=8000 cut=40000 times=1 ETag=\"\\\"v\\\"\" --\nline {i}\n"+
			"-- a.test/x times=1 status=403 Content-Type=text/html --\n"+challenge+"\n-- a.test/x ranges repeat=8000 ETag=\"\\\"v\\\"\" --\nline {i}\n")
		o := options(s, fs, "http://a.test/x")
		o.Browser = walled{}
		crawlNow(t, o)
		lines := byOutcome(t, fs, "http://a.test/x")
		if done := lines[archive.Recorded]; len(lines[archive.Retry]) != 2 || len(done) != 1 || done[0].Reason != "the body came in 2 pieces" {
			t.Errorf("%+v", lines)
		}
		sound(t, fs)
	})
}
