package frontier

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// restAfter leases the next task, lets took pass, ends the lease by a, and returns how long after its end the host is
// asked again.
func restAfter(t *testing.T, f *Frontier, took time.Duration, a Answer) time.Duration {
	t.Helper()
	l := next(t, f)
	<-time.After(took)
	end := time.Now()
	l.Answered(a)
	apply(t, f, Update{Task: l.Task})
	again := next(t, f)
	again.Later(0)
	return time.Since(end)
}

// A host sends so many bytes a second on average, however fast it answers; one that is slower is not held up.
func TestHostRate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		f.SetPace(Pace{Delay: time.Second, HostRate: 1000})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 6)
		for _, test := range []struct {
			took, want time.Duration
			bytes      int64
		}{{2 * time.Second, 8 * time.Second, 10_000}, {20 * time.Second, time.Second, 10_000}, {0, time.Second, 10}, {0, time.Hour, 1 << 60}} {
			if got := restAfter(t, f, test.took, Answer{Status: 200, Bytes: test.bytes}); got != test.want {
				t.Errorf("%d bytes in %v at 1,000 a second: asked again after %v, want %v", test.bytes, test.took, got, test.want)
			}
		}
	})
}

// All hosts together send so many bytes a second on average.
func TestRate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		f.SetPace(Pace{Rate: 1000})
		skipRobots(t, f, "http://a.test", "http://b.test", "http://c.test")
		for _, origin := range []string{"http://a.test", "http://b.test", "http://c.test"} {
			pages(t, f, origin, 10)
		}
		start := time.Now()
		for range 30 {
			l := next(t, f)
			l.Answered(Answer{Status: 200, Bytes: 5000})
			apply(t, f, Update{Task: l.Task})
		}
		if took := time.Since(start); took != 145*time.Second { // the last of 30 answers of 5 s each has come
			t.Errorf("150,000 bytes at 1,000 a second took %v", took)
		}
		f.SetPace(Pace{})
		pages(t, f, "http://d.test", 1)
		skipRobots(t, f, "http://d.test")
		if next(t, f); time.Since(start) != 145*time.Second {
			t.Error("without a rate the crawl still rests")
		}
	})
}

// A rest is longer by a random time within the spread, another one each time.
func TestSpread(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		f.SetPace(Pace{Delay: time.Second, Spread: 2 * time.Second})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 50)
		seen := map[time.Duration]bool{}
		var least, most time.Duration = time.Hour, 0
		for range 40 {
			rest := restAfter(t, f, 0, Answer{Status: 200})
			seen[rest] = true
			least, most = min(least, rest), max(most, rest)
		}
		if least < time.Second || most > 3*time.Second || most-least < time.Second || len(seen) < 35 {
			t.Errorf("%d different rests from %v to %v", len(seen), least, most)
		}
	})
}

// A host that takes much longer than usual rests longer, until it is itself again; one that was always slow does not.
func TestStrain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		f.SetPace(Pace{Delay: time.Second})
		skipRobots(t, f, "http://a.test", "http://b.test")
		pages(t, f, "http://a.test", 90)
		rest := func(waited time.Duration) time.Duration {
			return restAfter(t, f, waited, Answer{Status: 200, Waited: waited})
		}
		for range 5 {
			if got := rest(100 * time.Millisecond); got != time.Second {
				t.Fatalf("asked again after %v", got)
			}
		}
		for i, want := range []time.Duration{2, 4, 8, 8} {
			if got := rest(2 * time.Second); got != want*time.Second {
				t.Errorf("slow answer %d: asked again after %v, want %v s", i+1, got, want)
			}
		}
		if why := reasonOf(f, "a.test"); why != "it answers much slower than usual" {
			t.Errorf("the reason is %q", why)
		}
		for i, want := range []time.Duration{4, 2, 1, 1} {
			if got := rest(100 * time.Millisecond); got != want*time.Second {
				t.Errorf("quick answer %d: asked again after %v, want %v s", i+1, got, want)
			}
		}
		last := time.Duration(0)
		for range 60 {
			last = rest(2 * time.Second)
		}
		if last != time.Second {
			t.Errorf("a host that stays slow rests %v", last)
		}
	})
}

func reasonOf(f *Frontier, host string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.bench.hosts[host].restReason()
}

// Failures without an answer say nothing of how soon a host answers.
func TestStrainWithoutAnswer(t *testing.T) {
	var p pulse
	p.beat(100 * time.Millisecond)
	p.beat(0)
	if p.strain != 0 || p.usual != 100*time.Millisecond {
		t.Errorf("%+v", p)
	}
}

// TestPaceChanged sets each part of the pace while a host is asked, and takes it away: it holds at once, also for the host
// that rests; what waits says so; and whoever opens the frontier again and sets it has it again.
func TestPaceChanged(t *testing.T) {
	for name, test := range map[string]struct {
		pace Pace
		rest time.Duration // after an answer of 1,000 bytes that took two seconds
		why  string
	}{
		"delay":        {Pace{Delay: 30 * time.Second}, 30 * time.Second, "its host rests until 2000-01-01 00:01:04 UTC, as the delay says"},
		"spread":       {Pace{Delay: 30 * time.Second, Spread: time.Nanosecond}, 30 * time.Second, "as the delay says"},
		"delay-factor": {Pace{Delay: time.Second, Factor: 5}, 10 * time.Second, "as --delay-factor says"},
		"host-rate":    {Pace{Delay: time.Second, HostRate: 100}, 8 * time.Second, "as --host-rate says"},
		"rate":         {Pace{Rate: 100}, 8 * time.Second, "the crawl rests until 2000-01-01 00:00:12 UTC, as --rate says"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := Options{FS: vfs.NewMem()}
				f := open(t, o)
				skipRobots(t, f, "http://a.test")
				pages(t, f, "http://a.test", 9)
				ask := func() {
					l := next(t, f)
					<-time.After(2 * time.Second)
					l.Answered(Answer{Status: 200, Bytes: 1000})
					apply(t, f, Update{Task: l.Task})
				}
				rested := func(want time.Duration) {
					t.Helper()
					start := time.Now()
					next(t, f).Later(0)
					if got := time.Since(start).Round(time.Second); got != want {
						t.Errorf("it is asked again after %v, want %v", got, want)
					}
				}
				ask()
				rested(0)
				f.SetPace(test.pace)
				ask()
				if w, found, err := f.Waits("http://a.test/8", false); !found || err != nil || w.State != WaitRest || !strings.Contains(w.Why, test.why) {
					t.Errorf("it waits because %+v, %v; want %q", w.Wait, err, test.why)
				}
				rested(test.rest)
				ask()
				f.SetPace(Pace{})
				rested(0)
				f.Close()
				f = open(t, o)
				f.SetPace(test.pace)
				next(t, f).Later(0) // a host that may have been asked just now rests first
				ask()
				rested(test.rest)
			})
		})
	}
}
