package frontier

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kavosh"
	"kavosh/frontier/order"
)

// patient opens a frontier in which the URLs of good.test score more than those of poor.test. Four of each wait, whose
// robots.txt are there; one of good.test was just fetched, as the first of 100 pages, so that it rests for a second.
func patient(t *testing.T, wait time.Duration) *Frontier {
	f := open(t, Options{Delay: time.Second, Order: order.Func(func(c *order.Candidate) (float64, string) {
		if strings.HasPrefix(c.Task.URL, "http://good.test/") {
			return 2, ""
		}
		return 1, ""
	})})
	skipRobots(t, f, "http://good.test", "http://poor.test")
	pages(t, f, "http://good.test", 5)
	pages(t, f, "http://poor.test", 4)
	<-time.After(time.Minute)
	f.SetBudget(Budget{All: 100, Of: "pages", Wait: wait})
	take(t, f, "http://good.test/", 0)
	f.SetBudget(Budget{Spent: 1, All: 100, Of: "pages", Wait: wait})
	return f
}

// take takes the next lease, which is of a URL below prefix and comes after that time, and finishes it.
func take(t *testing.T, f *Frontier, prefix string, after time.Duration) {
	t.Helper()
	began := time.Now()
	l := next(t, f)
	if waited := time.Since(began); !strings.HasPrefix(l.Task.URL, prefix) || waited != after {
		t.Errorf("%s came after %s, want one of %s after %s", l.Task.URL, waited, prefix, after)
	}
	finish(t, f, l, 200, "")
}

// With a budget, nothing is asked for while a host that rests has a better URL, and whoever asks why is told. When the
// better ones are used up, the others come.
func TestWaitsForBetter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := patient(t, time.Hour)
		go func() {
			<-time.After(time.Second / 2)
			w, _, err := f.Waits("http://poor.test/1", false)
			const want = "the crawl waits for better ones: 99 of its 100 pages are left, and good.test, which is asked again soon, has URLs that score more"
			if w.State != WaitReady || w.Why != want || err != nil {
				t.Errorf("it waits for %q (%s, %v), want %q", w.Why, w.State, err, want)
			}
		}()
		for range 4 {
			take(t, f, "http://good.test/", time.Second)
		}
		take(t, f, "http://poor.test/", 0)
		for range 3 {
			take(t, f, "http://poor.test/", time.Second)
		}
		if w, _, err := f.Waits("http://poor.test/1", false); w.Why != "" || err != nil {
			t.Errorf("at the end something waits for %q (%v)", w.Why, err)
		}
	})
}

// Without a budget, and when it is spent, workers take what they get.
func TestTakesWhatThereIs(t *testing.T) {
	for name, b := range map[string]Budget{"none": {}, "spent": {Spent: 100, All: 100, Wait: time.Hour}, "no time": {Spent: 1, All: 100}} {
		bubble(t, func(t *testing.T) {
			f := patient(t, time.Hour)
			f.SetBudget(b)
			began := time.Now()
			take(t, f, "http://poor.test/", 0)
			if waited := time.Since(began); waited != 0 {
				t.Errorf("%s: it waited for %s", name, waited)
			}
		})
	}
}

// The crawl waits for as much of its time as it has spent of its budget, and for no host longer than waitAtOnce: not
// for one that does not answer, nor for one with a long delay.
func TestPatienceEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := patient(t, 30*time.Second) // of which a hundredth may be used
		take(t, f, "http://poor.test/", 300*time.Millisecond)
		take(t, f, "http://good.test/", 700*time.Millisecond)
	})
	bubble(t, func(t *testing.T) {
		f := patient(t, time.Hour)
		<-time.After(time.Second)
		silent := next(t, f)
		take(t, f, "http://poor.test/", waitAtOnce)
		silent.Answered(Answer{Failure: kavosh.TimeoutFailure})
		apply(t, f, Update{Task: silent.Task})
		f.SetPace(Pace{Delay: time.Minute})
		<-time.After(time.Minute)
		take(t, f, "http://good.test/", 0)
		take(t, f, "http://poor.test/", 0)
	})
}

// Whatever waits is fetched in the end, no later than the time to wait allows, with many workers and hosts.
func TestPatienceStarvesNobody(t *testing.T) {
	spent := func(wait time.Duration) (took time.Duration) {
		bubble(t, func(t *testing.T) {
			f := open(t, Options{Delay: time.Second, Order: order.Func(func(c *order.Candidate) (float64, string) {
				return float64(len(c.Task.URL) * len(c.Task.URL) % 7), ""
			})})
			const hosts, each = 30, 20
			for i := range hosts {
				skipRobots(t, f, fmt.Sprintf("http://%d.test", i*i*i))
				pages(t, f, fmt.Sprintf("http://%d.test", i*i*i), each)
			}
			began := time.Now()
			var mu sync.Mutex // guards done and took
			var done int64
			f.SetBudget(Budget{All: hosts * each, Wait: wait})
			for range 10 {
				go func() {
					for {
						l, err := f.Next(t.Context())
						if errors.Is(err, io.EOF) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						<-time.After(300 * time.Millisecond)
						l.Answered(Answer{Status: 200})
						apply(t, f, Update{Task: l.Task})
						mu.Lock()
						done++
						f.SetBudget(Budget{Spent: done, All: hosts * each, Wait: wait})
						took = time.Since(began)
						mu.Unlock()
					}
				}()
				synctest.Wait()
			}
			<-time.After(time.Hour)
			mu.Lock()
			defer mu.Unlock()
			if done != hosts*each {
				t.Errorf("with %s to wait, %d URLs were fetched of %d", wait, done, hosts*each)
			}
		})
		return took
	}
	without, with := spent(0), spent(time.Minute)
	if with <= without || with > without+time.Minute {
		t.Errorf("it took %s, and without waiting %s: want up to a minute more", with, without)
	}
}
