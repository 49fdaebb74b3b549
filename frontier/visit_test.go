package frontier

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"kavosh"
)

// A claim comes before what waits in the queue, after the robots.txt of its origin and its host's delay, and shares its
// host's turn and address with the rest of its visit alone.
func TestClaim(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second, AddressDelay: 100 * time.Millisecond})
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 404, "")
		page := next(t, f)
		addr := netip.MustParseAddr("192.0.2.1")
		if wait := page.Address(addr); wait > 0 {
			<-time.After(wait)
		}
		page.Answered(Answer{Status: 200})
		v := f.NewVisit()
		pages(t, f, "http://a.test", 10)
		apply(t, f, Update{Parent: &page.Task, Links: links(kavosh.Embed, "http://a.test/part1", "http://a.test/part2")})
		start := time.Now()
		claim := func(url string) *Lease {
			t.Helper()
			l, err := v.Claim(t.Context(), url)
			if err != nil {
				t.Fatalf("%s: %v", url, err)
			}
			if wait := l.Address(addr); wait > 0 {
				t.Fatalf("%s: its address is to be left alone for %v", url, wait)
			}
			return l
		}
		one, two := claim("http://a.test/part1"), claim("http://a.test/part2")
		if d := time.Since(start); d != time.Second {
			t.Errorf("the page's first parts were leased %v after it", d)
		}
		if one.Task.Via != "http://a.test/" || one.Task.Kind != kavosh.Embed {
			t.Errorf("claimed %+v", one.Task)
		}
		if l, wait, err := f.Poll(); l != nil || wait <= 0 || err != nil {
			t.Errorf("beside the visit %v was leased, %v", l, err)
		}
		finish(t, f, one, 200, "")
		if l, _, _ := f.Poll(); l != nil {
			t.Errorf("%s was leased while the visit has another request under way", l.Task.URL)
		}
		finish(t, f, two, 200, "")
		if _, err := v.Claim(t.Context(), "http://a.test/part1"); !errors.Is(err, ErrDone) {
			t.Errorf("claiming what is done: %v", err)
		}
		if _, err := v.Claim(t.Context(), "http://a.test/unknown"); !errors.Is(err, ErrUnfit) {
			t.Errorf("claiming what is not queued: %v", err)
		}
		ended := time.Now()
		apply(t, f, Update{Parent: &page.Task, Links: links(kavosh.Embed, "http://b.test/part")})
		robots, err := v.Claim(t.Context(), "http://b.test/part")
		if err != nil || robots.Task.Kind != kavosh.Prerequisite {
			t.Fatalf("the first lease at another host is %+v, %v", robots, err)
		}
		finish(t, f, robots, 200, "User-agent: *\nDisallow: /part\n")
		if l, err := v.Claim(t.Context(), "http://b.test/part"); err != nil || l.Refused == nil {
			t.Errorf("what robots.txt forbids was leased: %v", err)
		} else {
			apply(t, f, Update{Task: l.Task})
		}
		post, err := v.Join(t.Context(), kavosh.Task{URL: "http://a.test/api"})
		if err != nil {
			t.Fatal(err)
		}
		post.Answered(Answer{Status: 200})
		post.Drop()
		if s, err := f.State("http://a.test/api", false); s != Unseen || err != nil {
			t.Errorf("the URL of a request in no queue is %s, %v", s, err)
		}
		posted := time.Now()
		if l := next(t, f); time.Since(posted) != time.Second || time.Since(ended) < time.Second {
			t.Errorf("%s was leased %v after the visit's last answer", l.Task.URL, time.Since(posted))
		} else {
			l.Later(0)
		}
		apply(t, f, Update{Task: page.Task})
	})
}

// Of two visits the second waits for the first's turn at a host to be over; a claim whose caller gives up leaves the host
// to others.
func TestVisitsTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://a.test", "http://x.test")
		addSeeds(t, f, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		first, second := f.NewVisit(), f.NewVisit()
		l, err := first.Claim(t.Context(), "http://a.test/1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := second.Claim(ctx, "http://a.test/2"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("leased beside another visit: %v", err)
		}
		end := time.Now()
		finish(t, f, l, 200, "")
		if l, err = second.Claim(t.Context(), "http://a.test/2"); err != nil || time.Since(end) < time.Second {
			t.Errorf("leased %v after the other visit's answer, %v", time.Since(end), err)
		}
		finish(t, f, l, 200, "")
		if got := drain(t, f, ""); len(got) != 1 || got[0] != "http://a.test/3" {
			t.Errorf("what is left: %q", got)
		}
	})
}

// begun is what was asked of a host, and when.
type begun struct {
	url   string
	at    time.Duration
	alone bool // nothing else was under way there
}

// load lets every one of visits claim all its urls at once, each answered after took, and tells what was asked in order; it
// fails when more than most were under way at once.
func load(t *testing.T, f *Frontier, took time.Duration, most int, visits ...[]string) (all []begun) {
	t.Helper()
	addr := netip.MustParseAddr("192.0.2.1")
	start := time.Now()
	var mu sync.Mutex
	under := 0
	var wg sync.WaitGroup
	for _, urls := range visits {
		v := f.NewVisit()
		for _, url := range urls {
			wg.Go(func() {
				for {
					l, err := v.Claim(t.Context(), url)
					if err != nil {
						t.Errorf("%s: %v", url, err)
						return
					}
					if wait := l.Address(addr); wait > 0 {
						l.Later(wait)
						continue
					}
					mu.Lock()
					all = append(all, begun{url, time.Since(start), under == 0})
					if under++; under > most {
						t.Errorf("%s is the %dth request under way", url, under)
					}
					mu.Unlock()
					<-time.After(took)
					mu.Lock()
					under--
					mu.Unlock()
					finish(t, f, l, 200, "")
					return
				}
			})
		}
	}
	wg.Wait()
	return all
}

// parts are n URLs of parts at an origin, queued.
func parts(t *testing.T, f *Frontier, origin string, n int) (urls []string) {
	t.Helper()
	for i := range n {
		urls = append(urls, fmt.Sprintf("%s/part%d", origin, i))
	}
	apply(t, f, Update{Parent: &kavosh.Task{URL: origin + "/"}, Links: links(kavosh.Embed, urls...)})
	return urls
}

// Of one host a visit has six requests at once, and the host then rests a delay for each, whoever asks next; other visits do
// not join, and the last turn counts for what waits in the queue, too.
func TestVisitRests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://a.test", "http://x.test")
		<-time.After(time.Minute)
		all := load(t, f, 100*time.Millisecond, 6, parts(t, f, "http://a.test", 15))
		var at []time.Duration
		for i, b := range all {
			if b.alone != (i%6 == 0) {
				t.Errorf("request %d: %+v", i, b)
			}
			if i%6 == 0 {
				at = append(at, b.at)
			}
		}
		if want := []time.Duration{0, 6100 * time.Millisecond, 12200 * time.Millisecond}; !slices.Equal(at, want) {
			t.Errorf("turns at %v, not %v", at, want)
		}
		pages(t, f, "http://a.test", 1)
		end := time.Now()
		l := next(t, f)
		if d := time.Since(end); d != 3*time.Second {
			t.Errorf("%s was leased %v after a turn of three", l.Task.URL, d)
		}
		finish(t, f, l, 200, "")
		<-time.After(time.Minute)
		urls := parts(t, f, "http://x.test", 8)
		all = load(t, f, 100*time.Millisecond, 4, urls[:4], urls[4:])
		if len(all) != 8 || all[3].at != 0 || all[4].at != 4100*time.Millisecond {
			t.Errorf("two visits of one host: %+v", all)
		}
	})
}

// With a Crawl-delay, or at a host that asked for time, parts are asked one after the other.
func TestVisitOneAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: 100 * time.Millisecond})
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 200, "User-agent: *\nCrawl-delay: 5\n")
		finish(t, f, next(t, f), 200, "")
		for i, b := range load(t, f, 50*time.Millisecond, 1, parts(t, f, "http://a.test", 4)) {
			if want := 5*time.Second*time.Duration(i+1) + 50*time.Millisecond*time.Duration(i); b.at != want {
				t.Errorf("part %d was asked after %v, not %v", i, b.at, want)
			}
		}
		skipRobots(t, f, "http://b.test")
		addSeeds(t, f, "http://b.test/")
		l := next(t, f)
		l.Answered(Answer{Status: 503, RetryAfter: "20"})
		apply(t, f, Update{Task: l.Task})
		all := load(t, f, 50*time.Millisecond, 6, parts(t, f, "http://b.test", 8))
		if all[0].at != 20*time.Second || all[1].alone != true || all[1].at < all[0].at+150*time.Millisecond || all[2].alone {
			t.Errorf("after a Retry-After: %+v", all)
		}
	})
}

// Hosts at one address share its six.
func TestVisitAtOneAddress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second, AddressDelay: 500 * time.Millisecond})
		skipRobots(t, f, "http://a.test", "http://b.test", "http://c.test")
		<-time.After(time.Minute)
		var urls []string
		for _, origin := range []string{"http://a.test", "http://b.test", "http://c.test"} {
			urls = append(urls, parts(t, f, origin, 4)...)
		}
		all := load(t, f, 100*time.Millisecond, 6, urls)
		for i := 1; i < len(all); i++ {
			if all[i].alone && all[i].at-all[i-1].at < 600*time.Millisecond {
				t.Errorf("request %d came %v after the one before", i, all[i].at-all[i-1].at)
			}
		}
		if len(all) != 12 || all[11].at < 3*time.Second {
			t.Errorf("of one address: %+v", all)
		}
	})
}

// With no delay there is no rest, and still no more than six at once.
func TestVisitWithoutDelay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		skipRobots(t, f, "http://a.test")
		urls := parts(t, f, "http://a.test", 24)
		if all := load(t, f, time.Second, 6, urls[:12], urls[12:]); len(all) != 24 || all[23].at != 3*time.Second {
			t.Errorf("without a delay: %+v", all)
		}
	})
}
