package frontier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

func setLimits(t testing.TB, f *Frontier, l Limits) {
	t.Helper()
	if err := f.SetLimits(l); err != nil {
		t.Fatal(err)
	}
}

// limited is what waits beyond limits, in words.
func limited(t testing.TB, f *Frontier) string {
	t.Helper()
	list, all, err := f.Limited(100)
	if err != nil || all != len(list) {
		t.Fatalf("%d limits of %d, %v", len(list), all, err)
	}
	var words []string
	for _, l := range list {
		words = append(words, fmt.Sprintf("%s %s %s %d", l.Kind, l.Name, l.Reached, l.Waiting))
	}
	return strings.Join(words, "; ")
}

// TestLimitsAreExact lets many workers crawl under limits of URLs by host, domain, seed and crawl. They give some leases
// back, fail, and refuse, and the crawl is killed in between: as many URLs are taken as the limits say, neither more nor
// fewer.
func TestLimitsAreExact(t *testing.T) {
	const hosts, each, workers = 12, 60, 16
	for name, test := range map[string]struct {
		limits Limits
		taken  int
		one    int // most URLs of one host
	}{
		"host":   {Limits{Host: Limit{URLs: 25}, Hosts: map[string]Limit{"h3.d3.test": {URLs: 40}, "h4.d0.test": {}}}, 25*(hosts-2) + 40 + each, each},
		"domain": {Limits{Domain: Limit{URLs: 50}}, 50 * 4, 50},
		"seed":   {Limits{Seed: Limit{URLs: 100}, Seeds: map[string]Limit{"http://seed1.test/": {URLs: 33}}}, 100 + 33, each},
		"crawl":  {Limits{Crawl: Limit{URLs: 111}}, 111, each},
		"all":    {Limits{Crawl: Limit{URLs: 150}, Host: Limit{URLs: 20}, Domain: Limit{URLs: 50}}, 150, 20},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{FS: vfs.NewMem(), Workbench: 5, MaxPerHost: 4, RetryWait: time.Nanosecond}
			f := open(t, o)
			for h := range hosts {
				origin := fmt.Sprintf("http://h%d.d%d.test", h, h%4)
				skipRobots(t, f, origin)
				var urls []string
				for i := range each {
					urls = append(urls, fmt.Sprintf("%s/%d", origin, i))
				}
				seed := fmt.Sprintf("http://seed%d.test/", h%2)
				apply(t, f, Update{Links: links(kavosh.Navigation, urls...), Parent: &kavosh.Task{URL: seed, Seed: seed}})
			}
			var mu sync.Mutex
			done := map[string]bool{}
			work := func(f *Frontier, most int) {
				var crew sync.WaitGroup
				ctx, cancel := context.WithCancel(t.Context())
				for w := range workers {
					rng := rand.New(rand.NewPCG(uint64(w), 1))
					crew.Go(func() {
						for {
							l, err := f.Next(ctx)
							if errors.Is(err, io.EOF) || ctx.Err() != nil {
								return
							}
							if err != nil {
								t.Error(err)
								return
							}
							switch roll := rng.IntN(10); {
							case roll == 0:
								l.Later(0)
								continue
							case roll == 1 && l.Task.Attempt == 0:
								l.Answered(Answer{Status: 200})
								apply(t, f, Update{Task: l.Task, Retry: time.Now()})
								continue
							}
							l.Answered(Answer{Status: 200})
							apply(t, f, Update{Task: l.Task})
							mu.Lock()
							done[l.Task.URL] = true
							if len(done) >= most {
								cancel()
							}
							mu.Unlock()
						}
					})
				}
				crew.Wait()
				cancel()
			}
			setLimits(t, f, test.limits)
			work(f, test.taken/2)
			for range 3 { // leases that are out when the crawl is killed
				if _, _, err := f.Poll(); err != nil {
					t.Fatal(err)
				}
			}
			f.Close()
			f = open(t, o)
			setLimits(t, f, test.limits)
			work(f, 1<<30)
			byHost := map[string]int{}
			for url := range done {
				byHost[hostName(url)]++
			}
			s := f.Stats()
			retries := 0
			if test.limits.Crawl.URLs > 0 { // retries wait, too, when the whole crawl has reached its limit
				retries = int(f.mu.limits.crawl.urls) - len(done)
			}
			if len(done)+retries != test.taken || s.Queued != int64(hosts*each-len(done)) || s.Limited != s.Queued {
				t.Errorf("%d URLs done and %d to be tried again, want %d; %d wait, %d of them beyond limits: %s", len(done), retries, test.taken, s.Queued, s.Limited, limited(t, f))
			}
			for host, n := range byHost {
				if n > test.one {
					t.Errorf("%s had %d, at most %d", host, n, test.one)
				}
			}
			setLimits(t, f, Limits{})
			work(f, 1<<30)
			if s := f.Stats(); len(done) != hosts*each || s.Queued != 0 || s.Limited != 0 || limited(t, f) != "" {
				t.Errorf("without limits %d URLs of %d are done: %+v; %s", len(done), hosts*each, s, limited(t, f))
			}
		})
	}
}

// TestRetryBesideLimit asks a URL again that failed, although its host has reached its limit meanwhile: it has its place.
func TestRetryBesideLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem(), Delay: time.Second}
		f := open(t, o)
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 5)
		setLimits(t, f, Limits{Host: Limit{URLs: 2}})
		l := next(t, f)
		l.Answered(Answer{Status: 503})
		apply(t, f, Update{Task: l.Task, Retry: time.Now().Add(time.Minute)})
		if got := drain(t, f, ""); fmt.Sprint(got) != "[http://a.test/1 http://a.test/0]" {
			t.Errorf("asked %v", got)
		}
		if got, want := limited(t, f), "host a.test 2 URLs 3"; got != want {
			t.Errorf("beyond limits: %q, want %q", got, want)
		}
		w, found, err := f.Waits("http://a.test/4", false)
		why := Wait{State: WaitLimit, Why: "host a.test has reached its limit of 2 URLs (--host-limit)", By: "host a.test 2 URLs"}
		if w.Wait != why || !found || err != nil {
			t.Errorf("why it waits: %+v, %v", w, err)
		}
		f.Close()
		if w, found, err := Look(o.FS, "frontier", "http://a.test/4", false); !found || err != nil || w.Wait != why {
			t.Errorf("why it waits, of a crawl that does not run: %+v, %v, %v", w, found, err)
		}
		f = open(t, o)
		setLimits(t, f, Limits{Host: Limit{URLs: 4}})
		if got := drain(t, f, ""); fmt.Sprint(got) != "[http://a.test/2 http://a.test/3]" {
			t.Errorf("with a higher limit: %v", got)
		}
	})
}

// TestLimitsOfBytesAndTime stops a host at its bytes and another at its time, which counts while the crawl runs alone.
func TestLimitsOfBytesAndTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem(), Delay: time.Minute}
		f := open(t, o)
		skipRobots(t, f, "http://a.test")
		skipRobots(t, f, "http://b.test")
		pages(t, f, "http://a.test", 20)
		limits := Limits{Hosts: map[string]Limit{"a.test": {Bytes: 1000}, "b.test": {Time: 10*time.Minute + time.Second}}}
		setLimits(t, f, limits)
		n := 0
		step := func() bool {
			l, err := f.Next(t.Context())
			if errors.Is(err, io.EOF) {
				return false
			}
			l.Answered(Answer{Status: 200})
			apply(t, f, Update{Task: l.Task, Bytes: 300})
			n++
			return true
		}
		for step() {
		}
		if got := limited(t, f); n != 4 || got != "host a.test 1.0 kB 16" {
			t.Errorf("%d URLs, then %q", n, got)
		}
		pages(t, f, "http://b.test", 20)
		for n = 0; n < 5; n++ {
			finish(t, f, next(t, f), 200, "")
		}
		f.Close()
		<-time.After(20 * time.Hour)
		f = open(t, o)
		setLimits(t, f, limits)
		for step() {
		}
		if got := limited(t, f); n < 10 || n > 11 || !strings.HasSuffix(got, "; host b.test 10m1s "+fmt.Sprint(20-n)) {
			t.Errorf("%d URLs, then %q", n, got)
		}
	})
}

// TestNewURLsBeyondLimit puts what is found beyond a limit into its list at once, and takes the best when it is raised.
// What people give another score, and robots.txt forbids, is as ever.
func TestNewURLsBeyondLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		setLimits(t, f, Limits{Host: Limit{URLs: 1}})
		addSeeds(t, f, "http://a.test/")
		l := next(t, f)
		finish(t, f, l, 200, "User-agent: *\nDisallow: /no")
		l = next(t, f)
		finish(t, f, l, 200, "", links(kavosh.Navigation, "http://a.test/1", "http://a.test/no", "http://a.test/2", "http://a.test/3", "http://b.test/")...)
		if got := limited(t, f); got != "host a.test 1 URL 4" {
			t.Errorf("beyond limits: %q", got)
		}
		var listed []string
		err := f.List("a.test", func(Stats) {}, func(w *Waits) (bool, error) {
			listed = append(listed, w.Task.URL+" "+w.State)
			return true, nil
		})
		if want := "[http://a.test/1 limit http://a.test/no limit http://a.test/2 limit http://a.test/3 limit]"; fmt.Sprint(listed) != want || err != nil {
			t.Errorf("the queue of the host is %v, %v, want %s", listed, err, want)
		}
		if n, err := f.Reprioritise([]Change{{URL: "http://a.test/no", Score: 9}, {URL: "http://a.test/3", Score: 8}}); n != 2 || err != nil {
			t.Errorf("%d have another score, %v", n, err)
		}
		v := f.NewVisit()
		if _, err := v.Claim(t.Context(), "http://a.test/1"); err != ErrUnfit {
			t.Errorf("a page in the browser has it all the same: %v", err)
		}
		if _, err := v.Join(t.Context(), kavosh.Task{URL: "http://a.test/post", Kind: kavosh.Embed, Seed: "http://a.test/"}); err != ErrUnfit {
			t.Errorf("a request of a page's script: %v", err)
		}
		if got := drain(t, f, ""); fmt.Sprint(got) != "[http://b.test/]" {
			t.Errorf("asked %v", got)
		}
		setLimits(t, f, Limits{Host: Limit{URLs: 2}})
		if got := drain(t, f, ""); fmt.Sprint(got) != "[-http://a.test/no http://a.test/3]" {
			t.Errorf("with a higher limit: %v", got)
		}
		setLimits(t, f, Limits{Host: Limit{URLs: 1}, Hosts: map[string]Limit{"a.test": {URLs: 3}}})
		if got := drain(t, f, ""); fmt.Sprint(got) != "[http://a.test/1]" {
			t.Errorf("with a limit of its own: %v", got)
		}
		last, _, err := f.Waits("http://a.test/2", false)
		if err != nil {
			t.Fatal(err)
		}
		gone, err := f.Withdraw([]kavosh.Task{last.Task}, &Refusal{Text: "dropped"})
		if len(gone) != 1 || err != nil {
			t.Fatalf("%d tasks are withdrawn, %v", len(gone), err)
		}
		setLimits(t, f, Limits{}) // while it is
		apply(t, f, Update{Task: gone[0].Task})
		if s := f.Stats(); s.Queued != 0 || s.Limited != 0 || len(drain(t, f, "")) != 0 {
			t.Errorf("after what waited was dropped: %+v", s)
		}
	})
}

// TestBeyondTheLimitOfAnother keeps what waits beyond the limit of a seed with that seed, although a page of another seed
// shows it as its part; and finds the list of a domain that a newer list of public suffixes cuts otherwise.
func TestBeyondTheLimitOfAnother(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem(), CountPages: true}
		f := open(t, o)
		for _, origin := range []string{"http://a.test", "http://b.test", "http://x.test"} {
			skipRobots(t, f, origin)
		}
		setLimits(t, f, Limits{Seeds: map[string]Limit{"http://a.test/": {URLs: 1}}, Domains: map[string]Limit{"x.test": {URLs: 1}}})
		addSeeds(t, f, "http://a.test/", "http://b.test/", "http://x.test/")
		finish(t, f, next(t, f), 200, "", links(kavosh.Navigation, "http://x.test/1.png")...)
		finish(t, f, next(t, f), 200, "", links(kavosh.Embed, "http://x.test/1.png")...)
		finish(t, f, next(t, f), 200, "", links(kavosh.Embed, "http://x.test/2.png")...)
		if got := limited(t, f); got != "domain x.test 1 URL 1; seed http://a.test/ 1 URL 1" {
			t.Errorf("beyond limits: %q", got)
		}
		v, err := f.db.value([]byte("udx.test"))
		if err != nil || v == nil {
			t.Fatal(v, err)
		}
		f.Close()
		f = open(t, o)
		b := f.db.NewBatch()
		if err := cmp.Or(b.Set([]byte("udtest"), v, nil), b.Delete([]byte("udx.test"), nil), f.db.commit(b, pebble.Sync)); err != nil {
			t.Fatal(err)
		}
		setLimits(t, f, Limits{})
		if got := drain(t, f, ""); fmt.Sprint(got) != "[http://x.test/2.png http://x.test/1.png]" || f.Stats().Limited != 0 {
			t.Errorf("without limits %v, %+v", got, f.Stats())
		}
	})
}

// TestLimitsChanged sets, reaches, keeps over a kill and raises a limit of each kind in each measure while a crawl runs.
// What waits says so, is listed, and stands in the report.
func TestLimitsChanged(t *testing.T) {
	const seed = "http://www.a.test/0"
	kinds := map[string]func(Limit) Limits{
		"seed " + seed:    func(l Limit) Limits { return Limits{Seed: l} },
		"host www.a.test": func(l Limit) Limits { return Limits{Host: l} },
		"domain a.test":   func(l Limit) Limits { return Limits{Domain: l} },
		"the crawl":       func(l Limit) Limits { return Limits{Crawl: l} },
	}
	for name, of := range kinds {
		for reached, limit := range map[string]struct{ now, raised Limit }{
			"3 URLs": {Limit{URLs: 3}, Limit{URLs: 5}},
			"900 B":  {Limit{Bytes: 900}, Limit{Bytes: 1500}},
			"2s":     {Limit{Time: 2 * time.Second}, Limit{Time: 4 * time.Second}},
		} {
			t.Run(name+" "+reached, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					o := Options{FS: vfs.NewMem(), Delay: time.Second}
					f := open(t, o)
					skipRobots(t, f, "http://www.a.test")
					addSeeds(t, f, seed)
					var more []string
					for i := range 9 {
						more = append(more, fmt.Sprint("http://www.a.test/", i+1))
					}
					step := func(found ...kavosh.Link) bool {
						l, err := f.Next(t.Context())
						if errors.Is(err, io.EOF) {
							return false
						}
						l.Answered(Answer{Status: 200})
						apply(t, f, Update{Task: l.Task, Bytes: 300, Links: found})
						return true
					}
					setLimits(t, f, of(Limit{URLs: 1_000_000})) // so that what comes now is counted
					step(links(kavosh.Navigation, more...)...)
					step()
					setLimits(t, f, of(limit.now))
					short := strings.TrimPrefix(name, "the ")
					kind, _, _ := strings.Cut(short, " ")
					check := func(f *Frontier, least, most int) {
						t.Helper()
						done := int(f.Stats().Finished)
						if done < least || done > most {
							t.Errorf("%d are done, want %d", done, most)
						}
						if got, want := strings.Join(strings.Fields(limited(t, f)), " "), fmt.Sprintf("%s %s %d", short, reached, 10-done); got != want {
							t.Errorf("the report has %q, want %q", got, want)
						}
						w, found, err := f.Waits("http://www.a.test/9", false)
						if want := name + " has reached its limit of " + reached + " (--" + kind + "-limit)"; !found || err != nil || w.State != WaitLimit || w.Why != want {
							t.Errorf("it waits because %+v, %v; want %q", w.Wait, err, want)
						}
						all := waiting(t, f, func(w *Waits) bool { return w.State == WaitLimit })
						if len(all) != 10-done || f.Stats().Limited != int64(10-done) {
							t.Errorf("%d are listed: %+v", len(all), f.Stats())
						}
					}
					for step() {
					}
					check(f, 3, 3)
					f.Close()
					<-time.After(time.Hour)
					f = open(t, o)
					setLimits(t, f, of(limit.now))
					if step() {
						t.Error("after a restart there is more")
					}
					check(f, 3, 3)
					setLimits(t, f, of(limit.raised))
					for step() {
					}
					reached = map[string]string{"3 URLs": "5 URLs", "900 B": "1.5 kB", "2s": "4s"}[reached]
					check(f, 4, 5) // of time, the rest after the restart is part
					setLimits(t, f, Limits{})
					for step() {
					}
					if s := f.Stats(); s.Finished != 10 || s.Queued != 0 {
						t.Errorf("without limits %+v", s)
					}
				})
			})
		}
	}
}

// While the last requests that the limit of the crawl allows are under way, nobody looks for more again and again.
func TestNothingIsDueBeyondTheCrawl(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		for _, origin := range []string{"http://a.test", "http://b.test"} {
			skipRobots(t, f, origin)
			pages(t, f, origin, 3)
		}
		setLimits(t, f, Limits{Crawl: Limit{URLs: 2}})
		finish(t, f, next(t, f), 200, "")
		out := next(t, f)
		<-time.After(time.Minute)
		if l, wait, err := f.Poll(); l != nil || err != nil || wait < time.Hour {
			t.Errorf("while the last one is out: %v, look again in %v, %v", l, wait, err)
		}
		out.Later(0)
		if l, _, err := f.Poll(); l == nil || err != nil {
			t.Errorf("after it gave its place back: %v, %v", l, err)
		}
	})
}

// While tasks come back from a list, a caller that finds nothing to do neither ends the crawl nor opens the list again:
// its tasks would come back twice.
func TestListsComeBackOnce(t *testing.T) {
	f := open(t, Options{FS: vfs.NewMem()})
	skipRobots(t, f, "http://a.test")
	setLimits(t, f, Limits{Host: Limit{URLs: 1}})
	pages(t, f, "http://a.test", 3)
	if got := drain(t, f, ""); len(got) != 1 {
		t.Fatalf("%v are asked for under a limit of one", got)
	}
	setLimits(t, f, Limits{Host: Limit{URLs: 2}})
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.unlocked(func() error {
		of, room, err := f.nextOpen()
		if of == nil || room != 1 || err != nil {
			t.Errorf("%v has room for %d, %v", of, room, err)
		}
		f.mu.Lock()
		f.reopen(of)
		f.mu.Unlock()
		if l, _, err := f.Poll(); l != nil || err != nil {
			t.Errorf("while tasks come back: %v, %v", l, err)
		}
		if of, _, err := f.nextOpen(); of != nil || err != nil {
			t.Errorf("%v comes back again, %v", of, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
