package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/internal/clock"
	"kavosh/internal/fakeweb"
)

// requests is what the web was asked for, once no request is being answered: the far side writes its log after the last byte
// of an answer, so a crawl may end before it.
func requests(s *fakeweb.Server) []fakeweb.Request {
	synctest.Wait()
	return s.Requests()
}

// asked are the paths that a host was asked for, in order.
func asked(s *fakeweb.Server, host string) (paths []string) {
	for _, q := range requests(s) {
		if q.Host == host {
			paths = append(paths, q.Path)
		}
	}
	return paths
}

func TestMaxBytesAndMaxTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		var web strings.Builder
		for i := range 40 {
			fmt.Fprintf(&web, "-- a.test/%d --\n<a href=/%d>on</a> <a href=/%d>on</a>%s\n", i, 2*i+1, 2*i+2, strings.Repeat(" ", 1000))
		}
		s := serve(t, web.String())
		o := options(s, fs, "http://a.test/0")
		o.Limits.Bytes = 10_000
		r := crawlNow(t, o)
		if r.End != "bytes" || r.Bytes < 10_000 || r.Bytes > 10_000+int64(o.Workers)*1100 || r.Queued == 0 {
			t.Errorf("--max-bytes 10000: end %q with %d bytes, %d queued", r.End, r.Bytes, r.Queued)
		}
		o.Resume, o.Seeds = true, nil
		if again := crawlNow(t, o); again.End != "bytes" || again.Fetched != r.Fetched {
			t.Errorf("resumed at the limit: end %q, fetched %d after %d", again.End, again.Fetched, r.Fetched)
		}
		o.Limits = Limits{Time: 5500 * time.Millisecond}
		began := time.Now()
		if r := crawlNow(t, o); r.End != "time" || time.Since(began) > 7*time.Second {
			t.Errorf("--max-time 5.5s: end %q after %v", r.End, time.Since(began))
		}
		o.Limits = Limits{Time: time.Hour, Pages: 81, Bytes: 1 << 30}
		if r := crawlNow(t, o); r.End != "done" || r.Queued != 0 {
			t.Errorf("limits that were not reached: end %q, %d queued", r.End, r.Queued)
		}
		recordedOnce(t, fs)
	})
}

// robots.txt over redirects, missing, failing for a while, and with a delay of its own.
func TestRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<a href=http://moved.test/no>a</a> <a href=http://moved.test/yes>b</a> <a href=http://busy.test/x>d</a>
<a href=http://slow.test/1>e</a> <a href=http://slow.test/2>f</a> <a href=http://gone.test/x>g</a> <a href=http://down.test/x>h</a>
-- moved.test/robots.txt status=301 Location=http://www.moved.test/r1 --
-- www.moved.test/r1 status=302 Location=/r2 --
-- www.moved.test/r2 status=307 Location=/rules --
-- www.moved.test/rules --
User-agent: kavosh
Disallow: /no
-- moved.test/no --
no
-- moved.test/yes --
yes
-- busy.test/robots.txt status=429 Retry-After=20 times=1 --
-- busy.test/robots.txt --
User-agent: *
Allow: /
-- busy.test/x --
x
-- slow.test/robots.txt --
User-agent: *
Crawl-delay: 7
-- slow.test/1 --
1
-- slow.test/2 --
2
-- gone.test/robots.txt status=403 --
-- gone.test/x --
x
-- down.test/robots.txt status=503 --
-- down.test/x --
x
`)
		o := options(s, fs, "http://a.test/")
		o.Scope.Mode = scope.Any
		r := crawlNow(t, o)
		all := outcomes(t, fs)
		for url, want := range map[string]string{
			"http://moved.test/no": "refused robots", "http://moved.test/yes": "recorded ",
			"http://busy.test/x": "recorded ", "http://slow.test/1": "recorded ", "http://gone.test/x": "recorded ", "http://down.test/x": "refused robots",
			"http://busy.test/robots.txt": "recorded ", "http://down.test/robots.txt": "recorded ",
		} {
			if l := all[url]; l.Outcome+" "+string(l.Failure) != want {
				t.Errorf("%s: %s %s (%s), want %s", url, l.Outcome, l.Failure, l.Reason, want)
			}
		}
		if r.Failed[kavosh.RobotsFailure] != 2 {
			t.Errorf("failed: %v", r.Failed)
		}
		var end time.Time
		for _, q := range requests(s) {
			switch q.Host + q.Path {
			case "slow.test/1", "slow.test/2":
				if gap := q.Began.Sub(end); !end.IsZero() && gap < 7*time.Second {
					t.Errorf("slow.test was asked again after %v, it wants 7 s", gap)
				}
				end = q.Ended
			}
		}
		if q := asked(s, "busy.test"); !slices.Equal(q, []string{"/robots.txt", "/robots.txt", "/x"}) {
			t.Errorf("busy.test was asked for %v", q)
		}
		recordedOnce(t, fs)
	})
}

// A robots.txt that leads to itself, perhaps to set a cookie, is asked for eleven times; then there is none.
func TestRobotsLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, "-- a.test/robots.txt status=301 Location=/robots.txt --\n-- a.test/ --\na\n")
		if r := crawlNow(t, options(s, vfs.NewMem(), "http://a.test/")); r.Recorded != 1 || r.Hosts != 1 {
			t.Errorf("report: %+v", r)
		}
		if n := len(asked(s, "a.test")); n != 12 {
			t.Errorf("%d requests", n)
		}
	})
}

// Nothing of a host is asked before its Retry-After, across an end and a beginning too.
func TestRetryAfterOverARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/ --\n<a href=/busy>b</a>\n<a href=/next>n</a>\n-- a.test/busy status=503 Retry-After=120 times=1 --\n-- a.test/busy --\nfree\n-- a.test/next --\nn\n")
		o := options(s, fs, "http://a.test/")
		o.Limits.Time = 30 * time.Second
		if r := crawlNow(t, o); r.End != "time" {
			t.Fatalf("end %q", r.End)
		}
		o.Resume, o.Seeds, o.Limits = true, nil, Limits{}
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 3 {
			t.Errorf("end %q, recorded %d", r.End, r.Recorded)
		}
		var busy time.Time
		for _, q := range requests(s) {
			if !busy.IsZero() && q.Began.Sub(busy) < 120*time.Second {
				t.Errorf("%s was asked for %v after a 503 that said 120 s", q.Path, q.Began.Sub(busy))
			}
			if q.Status == 503 {
				busy = q.Ended
			}
		}
		recordedOnce(t, fs)
	})
}

// An answer that a stop cuts off is heard as far as it came.
func TestRetryAfterOfACutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, "-- a.test/ --\n<a href=/busy>b</a>\n-- a.test/busy status=503 Retry-After=120 times=1 stall=900 --\n"+strings.Repeat("busy ", 400)+"\n-- a.test/busy --\nfree\n")
		o := options(s, fs, "http://a.test/")
		o.Limits.Time = 4 * time.Second
		if r := crawlNow(t, o); r.End != "time" || r.Recorded != 1 || r.Queued != 1 {
			t.Fatalf("end %q, recorded %d, queued %d", r.End, r.Recorded, r.Queued)
		}
		o.Resume, o.Seeds, o.Limits = true, nil, Limits{}
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 2 {
			t.Errorf("end %q, recorded %d", r.End, r.Recorded)
		}
		var busy []time.Time
		for _, q := range requests(s) {
			if q.Path == "/busy" {
				busy = append(busy, q.Began)
			}
		}
		if len(busy) != 2 || busy[1].Sub(busy[0]) < 120*time.Second {
			t.Errorf("asked at %v, with a Retry-After of 120 s", busy)
		}
		recordedOnce(t, fs)
	})
}

func TestRedirectsAndCookies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<a href=/loop>l</a> <a href=/chain/1>c</a> <a href=/login>i</a>
-- a.test/loop status=302 Location=/loop2 --
-- a.test/loop2 status=302 Location=/loop --
-- a.test/chain/** status=302 Location=/chain/{n+1} expand --
-- a.test/login status=302 Location=/members Set-Cookie="name=ali; Path=/" --
-- a.test/members cookie=name=ali --
<a href=/inside>in</a>
-- a.test/members status=401 --
-- a.test/inside cookie=name=ali --
in
-- a.test/inside status=401 --
`)
		crawlNow(t, options(s, fs, "http://a.test/"))
		all := outcomes(t, fs)
		for url, want := range map[string]string{
			"http://a.test/loop": "recorded 302", "http://a.test/loop2": "recorded 302", "http://a.test/chain/11": "recorded 302",
			"http://a.test/chain/12": "refused 0", "http://a.test/members": "recorded 200", "http://a.test/inside": "recorded 200",
		} {
			if l := all[url]; fmt.Sprint(l.Outcome, " ", l.Status) != want {
				t.Errorf("%s: %s %d (%s), want %s", url, l.Outcome, l.Status, l.Reason, want)
			}
		}
		if l := all["http://a.test/chain/12"]; l.Reason != "more than 10 redirects in a row" {
			t.Errorf("the end of the chain: %q", l.Reason)
		}
	})
}

// A page that was not sent again still leads to what it links to.
func TestStoredPagesAreReadForLinks(t *testing.T) {
	for _, rebuilt := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			fs := vfs.NewMem()
			s := serve(t, "-- a.test/ ETag=\"\\\"v\\\"\" gzip --\n<a href=/new>new</a>\n-- a.test/new --\nnew\n")
			o := options(s, fs, "http://a.test/")
			o.Scope.Mode = scope.Page
			crawlNow(t, o)
			if rebuilt {
				if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
					t.Fatal(err)
				}
			}
			<-time.After(time.Hour) // in the bubble's time
			r := crawlNow(t, options(s, fs, "http://a.test/"))
			if r.Revisits != 1 || r.Recorded != 2 || r.Status["304"] != 1 {
				t.Errorf("rebuilt %v: %d revisits of %d recorded, %v", rebuilt, r.Revisits, r.Recorded, r.Status)
			}
		})
	}
}

// The hosts that misbehave: the crawl ends, and says of each trap why it was left.
func TestRoughWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		web, err := fakeweb.Rough()
		if err != nil {
			t.Fatal(err)
		}
		s, err := fakeweb.NewServer(web, clock.Real{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		o := options(s, fs, "http://links.rough.example/", "http://trap.rough.example/a/a/b/a/b/b/a/b/")
		o.Scope.Mode, o.Workers, o.Delay = scope.Domain, 8, 100*time.Millisecond
		o.Fetch.MaxBody = 32 << 10
		o.Scope.MaxHops = 6 // the calendar that counts its days up looks like any site that does, and ends by this
		r := crawlNow(t, o)
		if r.End != "done" || r.SeedsKept != 2 || r.Queued != 0 {
			t.Errorf("report: %+v", r)
		}
		all := map[string]archive.Line{} // no two for one URL, but that robots.txt is asked for again after a day
		for l, err := range archive.ReadLog(fs, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Outcome != archive.Retry {
				all[l.URL] = l
			}
		}
		for url, want := range map[string]string{
			"http://bodies.rough.example/endless": "recorded limit length", "http://bodies.rough.example/bomb": "recorded limit length",
			"http://bodies.rough.example/short": "recorded truncated disconnect", "http://bodies.rough.example/stall": "recorded truncated time",
			"http://nowhere.rough.example/": "refused dns ", "http://closed.rough.example/": "refused connect ", "https://notls.rough.example/": "refused tls ",
			"http://status.rough.example/busy": "recorded  ", "http://status.rough.example/many": "recorded  ",
		} {
			if l := all[url]; fmt.Sprintf("%s %s %s", l.Outcome, l.Failure, l.Cut) != want {
				t.Errorf("%s: %s %s %s (%s), want %s", url, l.Outcome, l.Failure, l.Cut, l.Reason, want)
			}
		}
		rules := map[string]int{}
		for url, l := range all {
			if l.Failure == kavosh.TrapFailure {
				for _, rule := range []string{"times in a row in the path", "pages in a row of trap.rough.example/a/…, whose path repeats itself"} {
					if strings.Contains(l.Reason, rule) {
						rules[rule]++
					}
				}
			}
			if l.Outcome == "" || l.Outcome == archive.Refused && l.Reason == "" {
				t.Errorf("%s: outcome %q without a reason", url, l.Outcome)
			}
		}
		if len(rules) != 2 || r.Failed[kavosh.TrapFailure] == 0 {
			t.Errorf("%d traps in the report, by the rules %v", r.Failed[kavosh.TrapFailure], rules)
		}
	})
}
