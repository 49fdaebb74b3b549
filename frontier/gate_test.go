package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// skipRobots makes every origin's robots.txt known as one that forbids nothing, without asking.
func skipRobots(t testing.TB, f *Frontier, origins ...string) {
	t.Helper()
	for _, o := range origins {
		apply(t, f, Update{Task: kavosh.Task{URL: o + "/robots.txt", Kind: kavosh.Prerequisite}, Robots: &Robots{Origin: o, Status: 404}})
	}
}

// pages queues n pages of a host.
func pages(t testing.TB, f *Frontier, origin string, n int) {
	t.Helper()
	var urls []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("%s/%d", origin, i))
	}
	apply(t, f, Update{Links: links(kavosh.Navigation, urls...)})
}

// gapAfter answers the next lease with a and says how long it then takes until the host is asked again.
func gapAfter(t testing.TB, f *Frontier, a Answer) time.Duration {
	t.Helper()
	l := next(t, f)
	<-time.After(3 * time.Second) // the answer takes its time; the gap counts from its end
	end := time.Now()
	l.Answered(a)
	apply(t, f, Update{Task: l.Task})
	l = next(t, f)
	l.Later(0)
	return time.Since(end)
}

func TestGap(t *testing.T) {
	day := 24 * time.Hour
	for _, test := range []struct {
		name   string
		answer Answer
		want   time.Duration
	}{
		{"delay", Answer{Status: 200}, 2 * time.Second},
		{"not found", Answer{Status: 404}, 2 * time.Second},
		{"truncated", Answer{Status: 200, Failure: kavosh.TruncatedAnswer}, 2 * time.Second},
		{"not HTTP", Answer{Failure: kavosh.ProtocolFailure}, 2 * time.Second},
		{"seconds", Answer{Status: 503, RetryAfter: "120"}, 120 * time.Second},
		{"zero seconds", Answer{Status: 429, RetryAfter: "0"}, 4 * time.Second},
		{"a date", Answer{Status: 503, RetryAfter: "Sat, 01 Jan 2000 00:10:03 GMT"}, 10 * time.Minute},
		{"an old date", Answer{Status: 503, RetryAfter: "Fri, 31 Dec 1999 00:00:00 GMT"}, 4 * time.Second},
		{"rfc 850", Answer{Status: 503, RetryAfter: "Saturday, 01-Jan-00 00:10:03 GMT"}, 10 * time.Minute},
		{"asctime", Answer{Status: 503, RetryAfter: "Sat Jan  1 00:10:03 2000"}, 10 * time.Minute},
		{"a week", Answer{Status: 503, RetryAfter: "604800"}, day},
		{"for ever", Answer{Status: 503, RetryAfter: "99999999999999999999999"}, day},
		{"nonsense", Answer{Status: 503, RetryAfter: "soon"}, 4 * time.Second},
		{"a redirect", Answer{Status: 301, RetryAfter: "60"}, time.Minute},
		{"an answer that is fine", Answer{Status: 200, RetryAfter: "60"}, 2 * time.Second},
		{"too many", Answer{Status: 429}, 4 * time.Second},
		{"error", Answer{Status: 500}, 4 * time.Second},
		{"timeout", Answer{Failure: kavosh.TimeoutFailure}, 4 * time.Second},
		{"reset", Answer{Failure: kavosh.ResetFailure}, 4 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) { // it begins at midnight UTC, 2000-01-01
				f := open(t, Options{Delay: 2 * time.Second})
				skipRobots(t, f, "http://a.test")
				pages(t, f, "http://a.test", 2)
				if got := gapAfter(t, f, test.answer); got != test.want {
					t.Errorf("asked again after %v, want %v", got, test.want)
				}
			})
		})
	}
}

// A host rests so many times as long as its answer took, if that is longer than the delay, and at most a minute.
func TestDelayFactor(t *testing.T) {
	for _, test := range []struct {
		delay time.Duration
		n     int
		want  time.Duration // the answer takes 3 s
	}{{2 * time.Second, 5, 15 * time.Second}, {20 * time.Second, 5, 20 * time.Second}, {0, 2, 6 * time.Second}, {time.Second, 1000, time.Minute}, {2 * time.Second, 0, 2 * time.Second}} {
		bubble(t, func(t *testing.T) {
			f := open(t, Options{})
			f.SetPace(Pace{Delay: test.delay, Factor: test.n})
			skipRobots(t, f, "http://a.test")
			pages(t, f, "http://a.test", 4)
			if got := gapAfter(t, f, Answer{Status: 200}); got != test.want {
				t.Errorf("delay %v, factor %d: asked again after %v, want %v", test.delay, test.n, got, test.want)
			}
			f.SetPace(Pace{Delay: test.delay, Factor: 4})
			if got, want := gapAfter(t, f, Answer{Status: 200}), max(test.delay, 12*time.Second); got != want {
				t.Errorf("delay %v, factor 4 from then on: asked again after %v, want %v", test.delay, got, want)
			}
		})
	}
}

// A host that rests by the time of its answers alone is asked for one thing at a time, by the pages in a browser too.
func TestDelayFactorAndVisits(t *testing.T) {
	for n, want := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			f := open(t, Options{})
			f.SetPace(Pace{Factor: n})
			skipRobots(t, f, "http://a.test")
			pages(t, f, "http://a.test", 2)
			l := next(t, f)
			f.mu.Lock()
			if got := l.host.joins(f.NewVisit()); got != want {
				t.Errorf("factor %d: a visit may ask beside another request: %v, want %v", n, got, want)
			}
			f.mu.Unlock()
			l.Later(0)
		})
	}
}

func TestBackoff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 40)
		var got []time.Duration
		for range 10 {
			got = append(got, gapAfter(t, f, Answer{Status: 503}))
		}
		s := time.Second
		if want := []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, 300 * s, 300 * s}; !slices.Equal(got, want) {
			t.Errorf("gaps %v, want %v", got, want)
		}
		if got := gapAfter(t, f, Answer{Status: 200}); got != s {
			t.Errorf("after a success: %v", got)
		}
		if got := gapAfter(t, f, Answer{Status: 503}); got != 2*s {
			t.Errorf("after the next failure: %v", got)
		}
	})
}

// TestDown has a host that stops to answer: tried at growing intervals, then refused, each URL with its outcome, and
// tried again a day later.
func TestDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := Options{FS: fs, Delay: time.Second}
		f := open(t, o)
		skipRobots(t, f, "http://a.test", "http://b.test")
		pages(t, f, "http://a.test", 30)
		start := time.Now()
		requests, refused := 0, 0
		for {
			l, err := f.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			u := Update{Task: l.Task}
			if l.Refused != nil {
				refused++
				if l.Refused.Failure != kavosh.ConnectFailure || l.Refused.Text == "" {
					t.Errorf("refused: %+v", l.Refused)
				}
			} else {
				requests++
				a := Answer{Failure: kavosh.ConnectFailure}
				l.Answered(a)
				if at, again := f.Retry(&l.Task, a); again {
					u.Retry = at
				}
			}
			apply(t, f, u)
		}
		if requests != deadAfter || requests+refused < 30 {
			t.Errorf("%d requests and %d refusals, want %d and the rest", requests, refused, deadAfter)
		}
		if took := time.Since(start); took < 21*time.Minute || took > 40*time.Minute {
			t.Errorf("given up after %v", took)
		}
		// A link to it is refused at once, also after a restart; other hosts are not concerned.
		f.Close()
		f = open(t, o)
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/new", "http://b.test/")})
		if got := drain(t, f, ""); !slices.Equal(got, []string{"-http://a.test/new", "http://b.test/"}) {
			t.Errorf("after a restart: %v", got)
		}
		<-time.After(deadFor)
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/later", "http://a.test/last")})
		skipRobots(t, f, "http://a.test")
		if got := drain(t, f, ""); !slices.Equal(got, []string{"http://a.test/later", "http://a.test/last"}) {
			t.Errorf("a day later: %v", got)
		}
	})
}

// TestConcurrent asks a host without a delay several times at once, until it asks for less.
func TestConcurrent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{MaxPerHost: 3})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 20)
		ls := []*Lease{next(t, f), next(t, f), next(t, f)}
		none(t, f, time.Minute)
		for _, l := range ls { // all three fail: that is one trouble, not three
			l.Answered(Answer{Status: 503})
			apply(t, f, Update{Task: l.Task})
		}
		start := time.Now()
		l := next(t, f)
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("backed off for %v, want 2s", took)
		}
		none(t, f, time.Minute)
		finish(t, f, l, 200, "")
		for range 3 {
			next(t, f)
		}
		none(t, f, time.Minute)
	})
}

// TestDelayLearned has several requests under way when another origin of the host turns out to want a delay.
func TestDelayLearned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{MaxPerHost: 3})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 2)
		a, b := next(t, f), next(t, f)
		pages(t, f, "https://a.test", 2)
		finish(t, f, next(t, f), 200, "User-agent: *\nCrawl-delay: 30")
		none(t, f, time.Minute) // two are under way: too many already
		a.Answered(Answer{Status: 200})
		none(t, f, time.Minute)
		b.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: a.Task}, Update{Task: b.Task})
		start := time.Now()
		for range 2 {
			finish(t, f, next(t, f), 200, "")
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("two requests took %v, want two delays", took)
		}
	})
}

// none fails when Next gives something within d.
func none(t testing.TB, f *Frontier, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if l, err := f.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Next: %+v, %v, want nothing for %v", l, err, d)
	}
}

func TestAddress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		f := open(t, Options{Delay: time.Second, AddressDelay: 10 * time.Second})
		hosts := []string{"http://a.test", "http://b.test", "http://c.test"}
		skipRobots(t, f, hosts...)
		for _, h := range hosts {
			pages(t, f, h, 3)
		}
		a, b := next(t, f), next(t, f)
		if w := a.Address(one); w != 0 {
			t.Fatalf("a free address: wait %v", w)
		}
		if w := b.Address(netip.MustParseAddr("::ffff:192.0.2.1")); w <= 0 {
			t.Fatalf("a busy address in another form: wait %v", w)
		} else {
			b.Later(w)
		}
		c := next(t, f)
		if w := c.Address(two); c.Task.URL != "http://c.test/0" || w != 0 {
			t.Fatalf("another address for %s: wait %v", c.Task.URL, w)
		}
		none(t, f, time.Hour) // a and c are under way, b waits for a's address
		start := time.Now()
		finish(t, f, a, 200, "")
		// Of a and b, which share an address, b has waited longer in rank order only if its page is the better one:
		// both have pages of equal score, so that the one queued first comes.
		l := next(t, f)
		if took := time.Since(start); took != 10*time.Second || l.host.addr != one {
			t.Errorf("%s comes after %v, want one of a and b after 10s", l.Task.URL, took)
		}
		if w := l.Address(one); w != 0 {
			t.Errorf("its address is kept for it, but wait %v", w)
		}
		none(t, f, time.Hour)
		// It turns out to be elsewhere: the first address is free for the other.
		c.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: c.Task})
		<-time.After(time.Minute)
		c = next(t, f)
		if c.Task.URL != "http://c.test/1" {
			t.Fatalf("%s comes, want c", c.Task.URL)
		}
		l.Later(0) // never asked: its address need not rest
		start = time.Now()
		if next(t, f); time.Since(start) != 0 {
			t.Errorf("after Later the address rested for %v", time.Since(start))
		}
	})
}

// TestLater lets a host wait without counting it as asked.
func TestLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Minute})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 2)
		start := time.Now()
		l := next(t, f)
		l.Later(0)
		l = next(t, f)
		if time.Since(start) != 0 || l.Task.URL != "http://a.test/0" {
			t.Errorf("%s after %v, want the same at once", l.Task.URL, time.Since(start))
		}
		l.Later(time.Second)
		l.Later(time.Hour) // a second call does nothing
		l = next(t, f)
		if time.Since(start) != time.Second || l.Task.URL != "http://a.test/0" {
			t.Errorf("%s after %v, want the same after 1s", l.Task.URL, time.Since(start))
		}
	})
}

func TestRetry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 2)
		start := time.Now()
		var at []time.Duration
		for {
			l, err := f.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if l.Task.URL == "http://a.test/1" {
				finish(t, f, l, 200, "")
				continue
			}
			at = append(at, time.Since(start))
			if l.Task.Attempt != len(at)-1 {
				t.Errorf("attempt %d says it is %d", len(at), l.Task.Attempt+1)
			}
			a := Answer{Failure: kavosh.ResetFailure}
			l.Answered(a)
			u := Update{Task: l.Task}
			if when, again := f.Retry(&l.Task, a); again {
				u.Retry = when
			}
			apply(t, f, u)
		}
		if want := []time.Duration{0, 10 * time.Second, 50 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("asked at %v, want %v", at, want)
		}
		if s := f.Stats(); s.Finished != 2 || s.Queued != 0 {
			t.Errorf("at the end: %+v", s)
		}
	})
}

func TestRetryWhat(t *testing.T) {
	f := open(t, Options{})
	for _, test := range []struct {
		a    Answer
		want bool
	}{
		{Answer{Status: 200}, false},
		{Answer{Status: 200, Failure: kavosh.TruncatedAnswer}, false},
		{Answer{Status: 301, RetryAfter: "3"}, false},
		{Answer{Status: 404}, false},
		{Answer{Status: 408}, true},
		{Answer{Status: 429}, true},
		{Answer{Status: 500}, true},
		{Answer{Status: 501}, false},
		{Answer{Status: 503}, true},
		{Answer{Failure: kavosh.DNSFailure}, true},
		{Answer{Failure: kavosh.ConnectFailure}, true},
		{Answer{Failure: kavosh.TimeoutFailure}, true},
		{Answer{Failure: kavosh.ResetFailure}, true},
		{Answer{Failure: kavosh.TLSFailure}, false},
		{Answer{Failure: kavosh.ProtocolFailure}, false},
		{Answer{Failure: kavosh.LimitFailure}, false},
		{Answer{Failure: kavosh.BlockedAddress}, false},
	} {
		if _, got := f.Retry(&kavosh.Task{}, test.a); got != test.want {
			t.Errorf("%+v is worth another request: %v, want %v", test.a, got, test.want)
		}
		if _, got := f.Retry(&kavosh.Task{Attempt: 2}, test.a); got {
			t.Errorf("%+v is worth a fourth request", test.a)
		}
		if _, got := f.Retry(&kavosh.Task{Kind: kavosh.Prerequisite}, test.a); got {
			t.Errorf("%+v: a robots.txt is asked for again by the frontier itself", test.a)
		}
	}
	end := time.Now()
	if at, _ := f.Retry(&kavosh.Task{}, Answer{End: end, Status: 503, RetryAfter: "3600"}); at.Sub(end) != time.Hour {
		t.Errorf("asked again %v after the answer, want what Retry-After says", at.Sub(end))
	}
}

// TestResumeGates opens a frontier again and expects the servers to notice nothing: neither a gap too short nor a
// Retry-After forgotten, however it was left.
func TestResumeGates(t *testing.T) {
	for _, applied := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			o := Options{FS: mem, Delay: 5 * time.Second}
			f := open(t, o)
			for _, h := range []string{"a", "b", "c"} {
				pages(t, f, "http://"+h+".test", 3)
			}
			robots := map[string]string{"http://b.test": "User-agent: *\nCrawl-delay: 40"}
			for range 3 {
				l := next(t, f)
				finish(t, f, l, 200, robots[l.Origin])
			}
			for n := 0; n < 2; {
				l := next(t, f)
				switch l.host.name {
				case "a.test":
					l.Answered(Answer{Status: 503, RetryAfter: "900"})
				default:
					l.Answered(Answer{Status: 200})
				}
				n++
				if applied {
					apply(t, f, Update{Task: l.Task})
				}
			}
			fs := mem.CrashClone(vfs.CrashCloneCfg{}) // what was not synced is lost
			cut := time.Now()
			f.Close()
			<-time.After(time.Second) // until it is started again
			o.FS = fs
			f = open(t, o)
			first := map[string]time.Duration{}
			for len(first) < 3 {
				l := next(t, f)
				if first[l.host.name] == 0 {
					first[l.host.name] = time.Since(cut)
				}
				finish(t, f, l, 200, "")
			}
			if first["a.test"] < 900*time.Second || first["a.test"] > 905*time.Second {
				t.Errorf("applied %v: a is asked %v after the cut, its Retry-After was 900s", applied, first["a.test"])
			}
			if first["b.test"] < 41*time.Second {
				t.Errorf("applied %v: b is asked %v after the cut, its Crawl-delay is 40s", applied, first["b.test"])
			}
			if first["c.test"] < 6*time.Second {
				t.Errorf("applied %v: c is asked %v after the cut", applied, first["c.test"])
			}
		})
	}
}

// jumpy is a clock whose wall time can be set.
type jumpy struct{ offset *time.Duration }

func (c jumpy) Now() time.Time {
	now := time.Now()
	return now.Add(*c.offset)
}

func (c jumpy) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestClockJump sets the clock between two runs: back by ten years, a deadline must not hold for ten years.
func TestClockJump(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fs := vfs.NewMem()
		offset := 10 * 365 * 24 * time.Hour
		o := Options{FS: fs, Clock: jumpy{&offset}, Delay: time.Second}
		f := open(t, o)
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 2)
		l := next(t, f)
		l.Answered(Answer{Status: 503, RetryAfter: "60"})
		at, _ := f.Retry(&l.Task, Answer{Status: 503})
		apply(t, f, Update{Task: l.Task, Retry: at})
		f.Close()
		offset = 0
		f = open(t, o)
		start := time.Now()
		for range 2 {
			l := next(t, f)
			if l.Origin != "" { // known ten years from now, that is: asked again
				t.Errorf("robots.txt is asked again: %+v", l.Task)
			}
			finish(t, f, l, 200, "")
		}
		if took := time.Since(start); took < time.Minute || took > longestWait+time.Minute {
			t.Errorf("asked again %v after the clock went back", took)
		}
	})
}
