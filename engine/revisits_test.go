package engine

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/internal/simulation"
	"kavosh/schedule"
)

// changingWeb is hosts with pages that change under a known script, each served from a connection in memory.
type changingWeb struct {
	hosts, pages int // pages a host
	began        time.Time
	mu           sync.Mutex
	asked        map[string][]time.Time // by URL, without robots.txt
	conditional  int                    // requests that were conditional
	gone         map[string]bool
	feed         bool                                                    // of each host, which tells when pages changed; pages have no validators then
	script       func(r *http.Request, url string, now time.Time) string // answers for pages, if it is not nil
}

func newChangingWeb(hosts, pages int) *changingWeb {
	return &changingWeb{hosts: hosts, pages: pages, began: time.Now(), asked: map[string][]time.Time{}, gone: map[string]bool{}}
}

// every returns how often a page changes: the first of ten hourly, the second daily, the others never.
func (w *changingWeb) every(page int) time.Duration {
	switch page % 10 {
	case 0:
		return time.Hour
	case 1:
		return 24 * time.Hour
	}
	return 1 << 62
}

func (w *changingWeb) Resolve(_ context.Context, host string) (fetch.Resolution, error) {
	var n byte
	if _, err := fmt.Sscanf(host, "h%d.test", &n); err != nil || int(n) >= w.hosts {
		return fetch.Resolution{Failure: "no such host", Gone: true}, nil
	}
	return fetch.Resolution{Addrs: []netip.Addr{netip.AddrFrom4([4]byte{198, 18, 0, n + 1})}}, nil
}

func (w *changingWeb) Dial(_ context.Context, addr netip.AddrPort) (net.Conn, error) {
	client, server := net.Pipe()
	local := net.TCPAddrFromAddrPort(addr)
	go func() {
		defer server.Close()
		in := bufio.NewReader(server)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if _, err := server.Write([]byte(w.answer(r))); err != nil {
				return
			}
		}
	}()
	return named{client, local}, nil
}

// named is a connection with an address.
type named struct {
	net.Conn
	addr net.Addr
}

func (n named) RemoteAddr() net.Addr { return n.addr }

func (w *changingWeb) answer(r *http.Request) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if r.URL.Path == "/robots.txt" {
		return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	}
	url := "http://" + r.Host + r.URL.Path
	w.asked[url] = append(w.asked[url], now)
	if w.script != nil {
		return w.script(r, url, now)
	}
	page := 0
	fmt.Sscanf(r.URL.Path, "/p%d", &page)
	if w.gone[url] {
		return "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"
	}
	if r.URL.Path == "/feed" {
		body := "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"
		for i := range w.pages {
			changed := w.began.Add(now.Sub(w.began).Truncate(w.every(i))).UTC()
			body += fmt.Sprintf("<url><loc>http://%s/p%d</loc><lastmod>%s</lastmod></url>", r.Host, i, changed.Format(time.RFC3339))
		}
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s", len(body)+9, body+"</urlset>")
	}
	version := int64(now.Sub(w.began) / w.every(page))
	tag := fmt.Sprintf("%q", fmt.Sprint("v", version))
	if had := r.Header.Get("If-None-Match"); had != "" {
		if w.conditional++; had == tag {
			return "HTTP/1.1 304 Not Modified\r\nETag: " + tag + "\r\n\r\n"
		}
	}
	body := fmt.Sprintf("<title>%s %d</title>", url, version)
	for i := 1; i < w.pages && page == 0; i++ {
		body += fmt.Sprintf("<a href=/p%d>%d</a>", i, i)
	}
	if w.feed && page == 0 {
		body += "<link rel=alternate type=application/rss+xml href=/feed>"
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: %s\r\nContent-Length: %d\r\n\r\n%s", tag, len(body), body)
}

func (w *changingWeb) seeds() (urls []string) {
	for i := range w.hosts {
		urls = append(urls, fmt.Sprintf("http://h%d.test/", i))
	}
	return urls
}

func revisitsOf(t *testing.T, spec string, rules ...RevisitRule) *Revisits {
	t.Helper()
	p, err := schedule.ParsePlan(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &Revisits{Plan: p, Rules: rules}
}

// check says what a crawl that goes on did wrong: more visits in a round than its budget, requests of a host too close together,
// pages that waited too long. A visit that a crash left without a record is made again, and counts once.
func (w *changingWeb) check(t *testing.T, fs vfs.FS, ended time.Time, budget int, delay, longest time.Duration) {
	t.Helper()
	met, visits := map[string]bool{}, map[int]int{}
	for l, err := range archive.ReadLog(fs, "archive", "") {
		switch {
		case err != nil:
			t.Fatal(err)
		case l.Outcome == archive.Retry || l.Kind == kavosh.Prerequisite.String():
			continue
		case met[l.URL]:
			visits[l.Round]++
		}
		met[l.URL] = true
	}
	for n, made := range visits {
		if made > budget {
			t.Errorf("round %d has %d visits, and a budget of %d", n, made, budget)
		}
	}
	byHost := map[string][]time.Time{}
	for url, times := range w.asked {
		host := strings.Split(url, "/")[2]
		byHost[host] = append(byHost[host], times...)
		for i, at := range times {
			wait := ended.Sub(at)
			if i+1 < len(times) {
				wait = times[i+1].Sub(at)
			}
			if wait > longest && !w.gone[url] {
				t.Errorf("%s waited %s after %s", url, wait, at)
			}
		}
	}
	for host, times := range byHost {
		slices.SortFunc(times, time.Time.Compare)
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap < delay {
				t.Errorf("%s was asked twice within %s", host, gap)
			}
		}
	}
}

// A crawl that goes on visits its pages again within its budget, those that change more often than the others, and conditionally.
func TestRevisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newChangingWeb(2, 20)
		o := options(nil, vfs.NewMem(), w.seeds()...)
		o.Web, o.Revisits = w, revisitsOf(t, "gain,budget=10,period=1h")
		ctx, cancel := context.WithTimeout(t.Context(), 10*24*time.Hour)
		defer cancel()
		r, err := Run(ctx, o)
		if err != nil || r.End != "interrupted" {
			t.Fatalf("%+v, %v", r, err)
		}
		w.check(t, o.FS, time.Now(), 10, time.Second, 3*24*time.Hour)
		often, seldom := len(w.asked["http://h0.test/p10"]), len(w.asked["http://h0.test/p12"])
		if often < 3*seldom {
			t.Errorf("the page that changes hourly had %d visits, one that never changes %d", often, seldom)
		}
		all := 0
		for _, times := range w.asked {
			all += len(times)
		}
		if all < 10*24*10*9/10 {
			t.Errorf("%d requests in ten days of 24 × 10 visits", all)
		}
		if w.conditional < all*9/10 {
			t.Errorf("%d of %d requests were conditional", w.conditional, all)
		}
		rounds := 0
		for l, err := range archive.ReadLog(o.FS, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Kind != kavosh.Prerequisite.String() && l.Round != int(l.Time.Sub(r.Started.Truncate(time.Second))/time.Hour)+1 {
				t.Fatalf("a line of round %d at %s: %+v", l.Round, l.Time.Sub(r.Started), l)
			}
			rounds = max(rounds, l.Round)
		}
		if rounds != 240 && rounds != 241 { // what was under way may end a moment later
			t.Errorf("%d rounds in ten days of hours", rounds)
		}
	})
}

// Pages that are gone are asked for three times more, a week apart each; rules bound the others; a crawl whose rules have all
// ended is done; and whoever asks why is told.
func TestRevisitsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newChangingWeb(1, 5)
		o := options(nil, vfs.NewMem(), w.seeds()...)
		end := time.Now().Add(30 * 24 * time.Hour)
		o.Web, o.Revisits = w, revisitsOf(t, "round-robin,budget=10,period=1h",
			RevisitRule{schedule.Rule{Name: "often", Spans: []schedule.Span{{Least: 10 * time.Hour, Greatest: 12 * time.Hour, Until: end}}}, func(url, _ string) bool { return strings.HasSuffix(url, "/p2") }},
			RevisitRule{schedule.Rule{Name: "all", Spans: []schedule.Span{{Until: end}}}, func(string, string) bool { return true }})
		w.gone["http://h0.test/p3"] = false
		go func() {
			<-time.After(2 * 24 * time.Hour)
			w.mu.Lock()
			w.gone["http://h0.test/p3"] = true
			w.mu.Unlock()
		}()
		r := crawlNow(t, o)
		if r.End != "done" || r.Ended.Sub(end).Abs() > 2*time.Hour {
			t.Errorf("it ended %q at %s, want done at %s", r.End, r.Ended, end)
		}
		if r.Schedule.Pages != 5 || r.Schedule.Visits < 1000 || r.Schedule.Changed == 0 || r.Schedule.Budget != 10 {
			t.Errorf("the report says %+v", r.Schedule)
		}
		often := w.asked["http://h0.test/p2"]
		for i := 2; i < len(often); i++ {
			if wait := often[i].Sub(often[i-1]); wait < 10*time.Hour || wait > 14*time.Hour {
				t.Errorf("a page bounded by 10 to 12 hours was visited again after %s", wait)
			}
		}
		after := 0
		for _, at := range w.asked["http://h0.test/p3"] {
			if at.Sub(w.began) > 2*24*time.Hour {
				after++
			}
		}
		if after != 3 {
			t.Errorf("a page that is gone was asked for %d times, want 3", after)
		}
	})
}

// A sitemap that tells the truth is read, and believed: what it says of pages takes the place of visits.
func TestRevisitsBelieve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newChangingWeb(1, 40)
		w.feed = true
		o := options(nil, vfs.NewMem(), w.seeds()...)
		o.Web, o.Revisits = w, revisitsOf(t, "gain,budget=5,period=1h")
		ctx, cancel := context.WithTimeout(t.Context(), 8*24*time.Hour)
		defer cancel()
		if r, err := Run(ctx, o); err != nil || r.Schedule.Pages != 42 { // the seed and the sitemap among them
			t.Fatalf("%+v, %v", r, err)
		}
		if n := len(w.asked["http://h0.test/feed"]); n < 20 {
			t.Errorf("the sitemap was read %d times in eight days", n)
		}
		if often, seldom := len(w.asked["http://h0.test/p10"]), len(w.asked["http://h0.test/p12"]); often < 5*seldom {
			t.Errorf("the page that changes hourly had %d visits, one that never changes %d", often, seldom)
		}
	})
}

// Kills and power cuts leave a schedule as it was: its budget, its pages, and what it learned.
func TestRevisitsSurviveKills(t *testing.T) {
	kills, seeds := 0, uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		kills += simulateRevisits(t, revisiting{seed: seed, hosts: 2, pages: 20, days: 10, budget: 10, longest: 3 * 24 * time.Hour, lives: 4000})
	}
	if kills < 10*int(seeds) {
		t.Errorf("only %d kills", kills)
	}
}

// revisiting is a crawl that goes on, and is killed now and then.
type revisiting struct {
	seed                       uint64
	hosts, pages, days, budget int           // pages of a host; visits an hour
	longest                    time.Duration // that a page may wait
	lives                      int64         // a life has so many changes of the disk at most
}

// simulateRevisits runs it, and checks what was asked for. It returns how often it was killed.
func simulateRevisits(t *testing.T, r revisiting) (kills int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		world := simulation.New(simulation.Options{Seed: r.seed, Calm: true, Quiet: synctest.Wait})
		defer world.Stop()
		w := newChangingWeb(r.hosts, r.pages)
		o, rng := options(nil, nil, w.seeds()...), rand.New(rand.NewPCG(r.seed, 3))
		o.Web, o.Revisits = w, revisitsOf(t, fmt.Sprintf("gain,budget=%d,period=1h", r.budget))
		disk, end := simulation.NewDisk(), w.began.Add(time.Duration(r.days)*24*time.Hour)
		for time.Now().Before(end) {
			crawls, _ := archive.Crawls(disk, "archive")
			if len(crawls) > 0 {
				o.Resume, o.Seeds = true, nil
			}
			l := world.Live(disk, simulation.Plan{KillAt: 200 + rng.Int64N(r.lives), Power: rng.IntN(2) == 0})
			o.FS, o.Clock = l.Disk(), l
			ctx, cancel := context.WithDeadline(l.Context(), end)
			_, err := Run(ctx, o)
			cancel()
			var killed bool
			if disk, killed = l.End(); killed {
				kills++
				<-time.After(time.Duration(rng.IntN(40)) * time.Minute)
			} else if err != nil {
				t.Fatal(err)
			}
		}
		w.check(t, disk, end, r.budget, time.Second, r.longest)
		often, seldom, all := len(w.asked["http://h0.test/p10"]), len(w.asked["http://h0.test/p12"]), 0
		if often < 3*seldom {
			t.Errorf("the page that changes hourly had %d visits, one that never changes %d", often, seldom)
		}
		for _, times := range w.asked {
			all += len(times)
		}
		t.Logf("%d requests of %d URLs in %d days of 24 × %d visits, %d kills; a page that changes hourly had %d visits, one that never changes %d", all, len(w.asked), r.days, r.budget, kills, often, seldom)
	})
	return kills
}

// Styles and scripts are asked for again, daily while they change, and ever more seldom while they do not; pictures are not.
func TestRevisitParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newChangingWeb(1, 2)
		w.script = func(r *http.Request, url string, now time.Time) string {
			kind, body := "text/html", "<link rel=stylesheet href=/new.css><link rel=stylesheet href=/old.css><script src=/s.js></script><img src=/p.png>"
			switch r.URL.Path {
			case "/new.css":
				kind, body = "text/css", fmt.Sprintf("p { order: %d }", now.Sub(w.began)/(24*time.Hour))
			case "/old.css":
				kind, body = "text/css", strings.Repeat("p { color: red } ", 100)
			case "/s.js":
				kind, body = "application/javascript", strings.Repeat("one();\n", 200)
			case "/p.png":
				kind, body = "image/png", fmt.Sprint(now)
			}
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(body), body)
		}
		fs := vfs.NewMem()
		o := options(nil, fs, "http://h0.test/")
		o.Web, o.Revisits = w, revisitsOf(t, "gain,budget=10,period=1h")
		for _, days := range []time.Duration{7, 33} { // stopped in between
			ctx, cancel := context.WithTimeout(t.Context(), days*24*time.Hour)
			if _, err := Run(ctx, o); err != nil {
				t.Fatal(err)
			}
			cancel()
			o.Seeds, o.Resume = nil, true
		}
		for path, want := range map[string][2]int{"/new.css": {35, 41}, "/old.css": {5, 7}, "/s.js": {5, 7}, "/p.png": {1, 1}} {
			if n := len(w.asked["http://h0.test"+path]); n < want[0] || n > want[1] {
				t.Errorf("%s was asked for %d times in 40 days, want %v", path, n, want)
			}
		}
		if got := versions(t, fs, "http://h0.test/new.css"); got < 35 {
			t.Errorf("%d versions of the style that changes daily", got)
		}
	})
}

// versions counts the different contents that the log has of a URL.
func versions(t *testing.T, fs vfs.FS, url string) int {
	digests := map[string]bool{}
	for l, err := range archive.ReadLog(fs, "archive", "") {
		if err != nil {
			t.Fatal(err)
		}
		if l.URL == url && l.Outcome == archive.Recorded {
			digests[l.Digest] = true
		}
	}
	return len(digests)
}
