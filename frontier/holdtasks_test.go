package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// waiting are the tasks that wait, those of which pick says so.
func waiting(t *testing.T, f *Frontier, pick func(*Waits) bool) (all []kavosh.Task) {
	t.Helper()
	err := f.List("", func(Stats) {}, func(w *Waits) (bool, error) {
		if pick(w) {
			all = append(all, w.Task)
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestHoldTasks holds URLs in all places where they wait (their turn, a retry, beyond a limit, on hold), over a restart;
// they are asked for when they are released, and a crawl of which nothing else is left waits for that.
func TestHoldTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem(), Dir: "frontier", CountPages: true, Workbench: 2}
		f := open(t, o)
		for _, origin := range []string{"http://a.test", "http://b.test", "http://c.test"} {
			skipRobots(t, f, origin)
		}
		setLimits(t, f, Limits{Hosts: map[string]Limit{"b.test": {URLs: 1}, "c.test": {URLs: 1}}})
		pages(t, f, "http://c.test", 1)
		finish(t, f, next(t, f), 200, "", links(kavosh.Embed, "http://c.test/part.png")...)
		pages(t, f, "http://a.test", 4)
		l := next(t, f)
		l.Answered(Answer{Status: 503})
		apply(t, f, Update{Task: l.Task, Retry: time.Now().Add(time.Hour)})
		pages(t, f, "http://b.test", 3)
		out := next(t, f)
		hold := func(part, why string, want int) {
			t.Helper()
			n, err := f.HoldTasks(waiting(t, f, func(w *Waits) bool { return strings.Contains(w.Task.URL, part) }), why)
			if n != want || err != nil {
				t.Errorf("%d of %q are held, want %d: %v", n, part, want, err)
			}
		}
		all := int(f.Stats().Queued)
		hold("", "its owner called", all-1) // not the one that is asked for
		hold("", "its owner called", 0)
		hold("b.test", "lunch", 2) // of 3
		finish(t, f, out, 200, "", links(kavosh.Navigation, "http://a.test/0", "http://a.test/1", "http://a.test/2", "http://a.test/3")...)
		v := f.NewVisit()
		if _, err := v.Claim(t.Context(), "http://c.test/part.png"); err != ErrUnfit {
			t.Errorf("a page in the browser has it all the same: %v", err)
		}
		l, wait, err := f.Poll()
		if s := f.Stats(); l != nil || err != nil || wait < time.Minute || s.OnHold != int64(all-1) || s.Limited != 0 {
			t.Errorf("while all are on hold: %v, %v, %v, %+v", l, wait, err, s)
		}
		f.Close()
		words, _ := listed(t, func(begin func(Stats), yield func(*Waits) (bool, error)) error {
			return ListStored(o.FS, o.Dir, "", begin, yield)
		})
		if len(words) != all-1 || strings.Count(fmt.Sprint(words), " held") != all-1 {
			t.Errorf("after a stop there wait %v", words)
		}
		f = open(t, o)
		setLimits(t, f, Limits{Hosts: map[string]Limit{"b.test": {URLs: 1}}})
		if l, _, err := f.Poll(); l != nil || err != nil || f.Stats().OnHold != int64(all-1) {
			t.Errorf("after a restart: %v, %v, %+v", l, err, f.Stats())
		}
		list, _, err := f.Limited(10)
		if err != nil || len(list) != 2 || list[0].Kind != TaskHold || list[0].Name != "its owner called" || list[1].Name != "lunch" {
			t.Errorf("of the report: %+v, %v", list, err)
		}
		w, found, err := f.Waits("http://c.test/part.png", false)
		if !found || err != nil || w.Wait != (Wait{State: WaitHeld, Why: "it is on hold until it is released (its owner called)", By: "URL (its owner called)"}) {
			t.Errorf("why it waits: %+v, %v", w.Wait, err)
		}
		if n, err := f.Reprioritise([]Change{{URL: "http://c.test/part.png", Score: 5}}); n != 1 || err != nil {
			t.Errorf("%d have another score: %v", n, err)
		}
		drop := waiting(t, f, func(w *Waits) bool { return w.Task.URL == "http://a.test/3" })
		gone, err := f.Withdraw(drop, &Refusal{Text: "dropped"})
		if len(gone) != 1 || err != nil {
			t.Fatalf("%d are dropped: %v", len(gone), err)
		}
		apply(t, f, Update{Task: gone[0].Task})
		release := waiting(t, f, func(*Waits) bool { return true })
		if n, err := f.ReleaseTasks(release); n != all-2 || err != nil {
			t.Errorf("%d are released: %v", n, err)
		}
		if n, err := f.ReleaseTasks(release); n != 0 || err != nil {
			t.Errorf("%d are released again: %v", n, err)
		}
		asked := drain(t, f, "")
		s := f.Stats()
		if s.OnHold != 0 || s.Queued != s.Limited || len(asked) != all-2-int(s.Limited) || limited(t, f) != fmt.Sprintf("host b.test 1 URL %d", s.Limited) {
			t.Errorf("then %v are asked for, and %+v is left: %s", asked, s, limited(t, f))
		}
		setLimits(t, f, Limits{})
		if drain(t, f, ""); f.Stats().Queued != 0 {
			t.Errorf("without limits %+v is left", f.Stats())
		}
	})
}

// TestChangesWhileOthersAsk lets people hold, release, drop and rank URLs and change limits while many workers crawl, and
// opens the frontier again in between: each URL is asked for once, or was dropped, and in the end nothing waits.
func TestChangesWhileOthersAsk(t *testing.T) {
	const hosts, each, workers, rounds = 8, 60, 6, 4
	o := Options{FS: vfs.NewMem(), Workbench: 3, MaxPerHost: 4, RetryWait: time.Nanosecond, CountPages: true}
	f := open(t, o)
	for h := range hosts {
		origin := fmt.Sprintf("http://h%d.d%d.test", h, h%3)
		skipRobots(t, f, origin)
		pages(t, f, origin, each)
	}
	var mu sync.Mutex
	done := map[string]int{}
	for round := range rounds {
		last := round == rounds-1
		limits := Limits{Host: Limit{URLs: int64(10 * (round + 1))}, Domain: Limit{URLs: 100}}
		if last {
			limits = Limits{}
		}
		setLimits(t, f, limits)
		ctx, cancel := context.WithCancel(t.Context())
		var crew, people sync.WaitGroup
		for w := range workers {
			rng := rand.New(rand.NewPCG(uint64(w), uint64(round)))
			crew.Go(func() {
				for {
					l, err := f.Next(ctx)
					if err != nil {
						if !errors.Is(err, io.EOF) && ctx.Err() == nil {
							t.Error(err)
						}
						return
					}
					l.Answered(Answer{Status: 200})
					if rng.IntN(8) == 0 && l.Task.Attempt == 0 {
						apply(t, f, Update{Task: l.Task, Retry: time.Now()})
						continue
					}
					apply(t, f, Update{Task: l.Task})
					mu.Lock()
					done[l.Task.URL]++
					mu.Unlock()
				}
			})
		}
		for p := range 3 {
			rng := rand.New(rand.NewPCG(uint64(p), uint64(100+round)))
			people.Go(func() {
				for range 8 {
					some := waiting(t, f, func(*Waits) bool { return rng.IntN(3) == 0 })
					var err error
					switch rng.IntN(5) {
					case 0, 1:
						_, err = f.HoldTasks(some, fmt.Sprint("why ", p))
					case 2:
						_, err = f.ReleaseTasks(some)
					case 3:
						var changes []Change
						for i := range some {
							changes = append(changes, Change{URL: some[i].URL, Score: float64(rng.IntN(9))})
						}
						_, err = f.Reprioritise(changes)
					case 4:
						var gone []*Lease
						gone, err = f.Withdraw(some[:min(len(some), 3)], &Refusal{Text: "dropped"})
						for _, l := range gone {
							apply(t, f, Update{Task: l.Task})
							mu.Lock()
							done[l.Task.URL]++
							mu.Unlock()
						}
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		people.Wait()
		if _, err := f.ReleaseTasks(waiting(t, f, func(*Waits) bool { return last })); err != nil {
			t.Fatal(err)
		}
		if last {
			crew.Wait()
		}
		cancel()
		crew.Wait()
		listed := waiting(t, f, func(*Waits) bool { return true })
		if s := f.Stats(); int(s.Queued) != len(listed) || s.Queued+int64(len(done)) != hosts*each || last && s.Queued+s.OnHold != 0 {
			t.Fatalf("round %d: %d are listed, %d are done: %+v; %s", round, len(listed), len(done), s, limited(t, f))
		}
		f.Close()
		f = open(t, o)
	}
	for url, n := range done {
		if n != 1 {
			t.Errorf("%s: %d times", url, n)
		}
	}
}
