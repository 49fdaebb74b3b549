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
	page := 0
	fmt.Sscanf(r.URL.Path, "/p%d", &page)
	if w.gone[url] {
		return "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"
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
		if rounds != 240 {
			t.Errorf("%d rounds in ten days of hours", rounds)
		}
	})
}

// Kills and power cuts leave a schedule as it was: its budget, its pages, and what it learned.
func TestRevisitsSurviveKills(t *testing.T) {
	kills := 0
	for seed := range uint64(3) {
		synctest.Test(t, func(t *testing.T) {
			const days = 10
			world := simulation.New(simulation.Options{Seed: seed, Calm: true, Quiet: synctest.Wait})
			defer world.Stop()
			w := newChangingWeb(2, 20)
			o, rng := options(nil, nil, w.seeds()...), rand.New(rand.NewPCG(seed, 3))
			o.Web, o.Revisits = w, revisitsOf(t, "gain,budget=10,period=1h")
			disk, end := simulation.NewDisk(), w.began.Add(days*24*time.Hour)
			for time.Now().Before(end) {
				crawls, _ := archive.Crawls(disk, "archive")
				if len(crawls) > 0 {
					o.Resume, o.Seeds = true, nil
				}
				l := world.Live(disk, simulation.Plan{KillAt: 200 + rng.Int64N(4000), Power: rng.IntN(2) == 0})
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
			w.check(t, disk, end, 10, time.Second, 3*24*time.Hour)
			if often, seldom := len(w.asked["http://h0.test/p10"]), len(w.asked["http://h0.test/p12"]); often < 3*seldom {
				t.Errorf("the page that changes hourly had %d visits, one that never changes %d", often, seldom)
			}
		})
	}
	if kills < 30 {
		t.Errorf("only %d kills", kills)
	}
}
