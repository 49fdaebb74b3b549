package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"go.uber.org/goleak"

	"kavosh"
	"kavosh/frontier/order"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// TestClasses asks guesses last, whatever their score, and robots.txt first.
func TestClasses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		depth, err := order.Parse("depth", order.Setup{})
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, Options{Order: depth})
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 404, "")
		finish(t, f, next(t, f), 200, "",
			kavosh.Link{URL: "http://a.test/guess", Kind: kavosh.Speculative},
			kavosh.Link{URL: "http://a.test/img", Kind: kavosh.Embed},
			kavosh.Link{URL: "http://a.test/next", Kind: kavosh.Navigation},
			kavosh.Link{URL: "http://b.test/", Kind: kavosh.Navigation})
		got := drain(t, f, "")
		want := []string{"http://a.test/next", "http://b.test/", "http://a.test/img", "http://a.test/guess"}
		if !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

// TestLongQueues has more tasks than memory holds of a host, and of all hosts, come in the right order.
func TestLongQueues(t *testing.T) {
	const hosts, each = 20, 1000
	f := open(t, Options{Order: order.Func(func(c *order.Candidate) (float64, string) { return float64(len(c.Link.URL) % 7), "" })})
	var ls []kavosh.Link
	for i := range hosts * each {
		ls = append(ls, kavosh.Link{URL: fmt.Sprintf("http://h%d.test/%s%d", i%hosts, strings.Repeat("x", i%13), i)})
	}
	apply(t, f, Update{Links: ls})
	for i := range hosts {
		skipRobots(t, f, fmt.Sprintf("http://h%d.test", i))
	}
	if f.mu.bench.loaded > hosts*windowSize {
		t.Errorf("%d tasks are in memory, want at most %d", f.mu.bench.loaded, hosts*windowSize)
	}
	last := rank{}
	for n := range hosts * each {
		l := next(t, f)
		if r := rankOf(&l.Task); r.less(last) {
			t.Fatalf("task %d, %s of rank %+v comes after %+v", n, l.Task.URL, r, last)
		} else {
			last = r
		}
		l.Answered(Answer{Status: 200})
		if n%100 == 0 {
			apply(t, f, Update{Task: l.Task})
		}
	}
}

// TestUpgrade queues what was out of scope once a later link brings it in, and tells each rejection once.
func TestUpgrade(t *testing.T) {
	f := open(t, Options{})
	rs := apply(t, f,
		Update{Rejected: []string{"http://a.test/1", "http://a.test/1", "http://a.test/2"}},
		Update{Rejected: []string{"http://a.test/2", "http://a.test/3"}, Links: links(kavosh.Navigation, "http://a.test/2")})
	if !slices.Equal(rs[0].Rejected, []int{0, 2}) || !slices.Equal(rs[1].Rejected, []int{1}) || len(rs[1].Queued) != 1 {
		t.Errorf("results %+v", rs)
	}
	rs = apply(t, f, Update{Rejected: []string{"http://a.test/2"}, Links: links(kavosh.Navigation, "http://a.test/1", "http://a.test/1")})
	if len(rs[0].Rejected) != 0 || len(rs[0].Queued) != 1 {
		t.Errorf("results %+v", rs)
	}
	if s := f.Stats(); s.Known != 2 || s.Rejected != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestQueryBudget(t *testing.T) {
	fs := vfs.NewMem()
	o := Options{FS: fs, QueryBudget: 5}
	f := open(t, o)
	offer := func(from, to int) (queued, trapped int, rule string) {
		var urls []string
		for i := from; i < to; i++ {
			urls = append(urls, fmt.Sprintf("http://a.test/list?page=%d", i))
		}
		r := apply(t, f, Update{Links: links(kavosh.Navigation, urls...)})[0]
		for _, x := range r.Trapped {
			rule = x.Rule
		}
		return len(r.Queued), len(r.Trapped), rule
	}
	if q, n, _ := offer(0, 3); q != 3 || n != 0 {
		t.Errorf("first: %d queued, %d trapped", q, n)
	}
	f.Close()
	f = open(t, o)
	if q, n, rule := offer(0, 8); q != 2 || n != 3 || rule != "trap: more than 5 different queries of http://a.test/list" {
		t.Errorf("after a restart: %d queued, %d trapped (%s)", q, n, rule)
	}
	if q, n, _ := offer(0, 8); q != 0 || n != 0 {
		t.Errorf("again: %d queued, %d trapped; a trapped link is told once", q, n)
	}
	r := apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/list", "http://a.test/other?page=9", "https://a.test/list?page=9")})[0]
	if len(r.Queued) != 3 {
		t.Errorf("other paths and origins: %+v", r)
	}
	for _, kind := range []kavosh.Kind{kavosh.Seed, kavosh.Sitemap, kavosh.Embed} {
		if r := apply(t, f, Update{Links: links(kind, fmt.Sprintf("http://a.test/list?%s", kind))})[0]; len(r.Queued) != 1 {
			t.Errorf("a %s: %+v", kind, r)
		}
	}
}

func TestSessionBudget(t *testing.T) {
	f := open(t, Options{})
	var urls []string
	for i := range 20 {
		urls = append(urls, fmt.Sprintf("http://a.test/shop.jsp;jsessionid=%032X?item=1", i*7919))
	}
	if r := apply(t, f, Update{Links: links(kavosh.Navigation, urls...)})[0]; len(r.Queued) != sessionBudget || len(r.Trapped) != 20-sessionBudget {
		t.Errorf("%d queued, %+v trapped", len(r.Queued), r.Trapped)
	}
}

// TestSeal writes what the caller's logs have come to in the same write, or nothing at all.
func TestSeal(t *testing.T) {
	fs := vfs.NewMem()
	f := open(t, Options{FS: fs})
	if _, err := f.Apply([]Update{{Links: links(kavosh.Seed, "http://a.test/")}}, func(rs []Result) ([]byte, error) {
		return fmt.Appendf(nil, "%d", len(rs[0].Queued)), nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := f.Put("cookies", []byte("c")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the log is full")
	if _, err := f.Apply([]Update{{Links: links(kavosh.Seed, "http://b.test/")}}, func([]Result) ([]byte, error) { return nil, full }); !errors.Is(err, full) {
		t.Errorf("Apply: %v", err)
	}
	if _, err := f.Next(t.Context()); !errors.Is(err, full) {
		t.Errorf("Next after a failed Apply: %v", err)
	}
	f.Close()
	f = open(t, Options{FS: fs})
	for name, want := range map[string]string{Mark: "1", "cookies": "c", "none": ""} {
		if v, err := f.Get(name); string(v) != want || err != nil {
			t.Errorf("%s is %q, %v, want %q", name, v, err, want)
		}
	}
	if s, _ := f.State("http://b.test/", false); s != Unseen {
		t.Errorf("a link of the failed Apply is %s", s)
	}
}

func TestEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{})
		if _, err := f.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("Next of an empty frontier: %v", err)
		}
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 404, "")
		l := next(t, f)
		var ended atomic.Int32
		for range 5 {
			go func() {
				if _, err := f.Next(t.Context()); errors.Is(err, io.EOF) {
					ended.Add(1)
				}
			}()
		}
		l.Answered(Answer{Status: 200})
		<-time.After(time.Hour)
		if n := ended.Load(); n != 0 {
			t.Errorf("%d workers went home while a page's links may still come", n)
		}
		if !f.Hungry() {
			t.Error("five wait, and it is not hungry")
		}
		select {
		case <-f.Starving():
		default:
			t.Error("five wait for an Apply, and it does not starve")
		}
		apply(t, f, Update{Task: l.Task})
		<-time.After(time.Second)
		if n := ended.Load(); n != 5 {
			t.Errorf("%d of 5 workers know that it is over", n)
		}
	})
}

func TestCancelAndClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Hour})
		addSeeds(t, f, "http://a.test/")
		l := next(t, f)
		ctx, cancel := context.WithCancel(t.Context())
		var got [2]error
		var wg sync.WaitGroup
		wg.Go(func() { _, got[0] = f.Next(ctx) })
		wg.Go(func() { _, got[1] = f.Next(t.Context()) })
		<-time.After(time.Minute)
		cancel()
		<-time.After(time.Minute)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if !errors.Is(got[0], context.Canceled) || !errors.Is(got[1], ErrClosed) {
			t.Errorf("workers heard %v and %v", got[0], got[1])
		}
		l.Answered(Answer{Status: 503, RetryAfter: "9999"}) // too late, and harmless
		if _, err := f.Apply([]Update{{Task: l.Task}}, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Apply: %v", err)
		}
		if _, err := f.Get("x"); !errors.Is(err, ErrClosed) {
			t.Errorf("Get: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	})
}

// TestForgets drops hosts from memory when there is nothing left to know of them, and brings them back with their past.
func TestForgets(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second, AddressDelay: time.Second})
		for i := range 50 {
			origin := fmt.Sprintf("http://h%d.test", i)
			skipRobots(t, f, origin)
			pages(t, f, origin, 2)
		}
		for {
			l, err := f.Next(t.Context())
			if err != nil {
				break
			}
			if w := l.Address(addrOf(l.host.name)); w > 0 {
				l.Later(w)
				continue
			}
			a := Answer{Status: 200}
			if l.host.name == "h7.test" {
				a = Answer{Status: 503, RetryAfter: "7200"}
			}
			l.Answered(a)
			apply(t, f, Update{Task: l.Task})
		}
		<-time.After(10 * time.Second)
		if _, err := f.Next(t.Context()); !errors.Is(err, io.EOF) { // whoever asks tidies up
			t.Errorf("Next: %v", err)
		}
		if n, m := len(f.mu.bench.hosts), len(f.mu.addrs.byAddr); n != 0 || m != 0 {
			t.Errorf("%d hosts and %d addresses are remembered", n, m)
		}
		start := time.Now()
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://h7.test/new")})
		if next(t, f); time.Since(start) < 3500*time.Second {
			t.Errorf("a host that asked for two hours is asked after %v more", time.Since(start))
		}
	})
}

// TestDiskFails makes each kind of write fail from some point on: an error comes back, soon, and what was applied
// before is there when the disk works again.
func TestDiskFails(t *testing.T) {
	for _, after := range []int32{0, 1, 2, 5, 20, 50} {
		mem := vfs.NewMem()
		var broken atomic.Bool
		var left atomic.Int32
		left.Store(after)
		fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if broken.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose && left.Add(-1) < 0 {
				return syscall.ENOSPC
			}
			return nil
		}))
		f, err := Open(Options{FS: fs, Dir: "frontier"})
		if err != nil {
			t.Fatal(err)
		}
		broken.Store(true)
		applied := 0
		for i := range 1000 {
			if _, err = f.Apply([]Update{{Links: links(kavosh.Seed, fmt.Sprintf("http://h%d.test/", i))}}, nil); err != nil {
				break
			}
			applied++
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Fatalf("after %d writes: %v, want one line", after, err)
		}
		if _, err := f.Next(t.Context()); err == nil {
			t.Error("Next goes on without a disk")
		}
		if err := f.Put("x", nil); err == nil {
			t.Error("Put goes on without a disk")
		}
		f.Close()
		f, err = Open(Options{FS: mem, Dir: "frontier"})
		if err != nil {
			t.Fatalf("after %d writes, with the disk back: %v", after, err)
		}
		for i := range applied {
			if s, err := f.State(fmt.Sprintf("http://h%d.test/", i), false); s != Waiting || err != nil {
				t.Errorf("after %d writes, URL %d of %d is %s, %v", after, i, applied, s, err)
			}
		}
		f.Close()
	}
}

// TestConcurrentUse has workers, committer and onlookers at it together, for the race detector.
func TestConcurrentUse(t *testing.T) {
	f := open(t, Options{FS: vfs.NewMem(), MaxPerHost: 2})
	apply(t, f, Update{Links: []kavosh.Link{page(0)}})
	s := newServer(t, 0, 0)
	stop := make(chan struct{})
	var onlookers sync.WaitGroup
	onlookers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				f.Stats()
				f.State(page(3).URL, false)
				f.Put("cookies", []byte("x"))
				runtime.Gosched()
			}
		}
	})
	const size = 300
	for i := range 11 {
		host := fmt.Sprintf("h%d.example", i)
		s.addrs[host] = append(s.addrs[host], addrOf(host))
	}
	finished := s.crawl(f, 8, func(task *kavosh.Task) []kavosh.Link { return site(task, size) })
	close(stop)
	onlookers.Wait()
	n := 0
	for _, times := range finished {
		n += times
	}
	if n != size {
		t.Errorf("%d pages were finished, want %d", n, size)
	}
}

// addrOf is an address for a host.
func addrOf(host string) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 0, 2, byte(len(host)) + host[1]})
}

func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://a.test")
		pages(t, f, "http://a.test", 2)
		l, _, err := f.Poll()
		if l == nil || err != nil {
			t.Fatalf("nothing to ask: %v", err)
		}
		if other, wait, err := f.Poll(); other != nil || wait < time.Hour || err != nil {
			t.Errorf("with the host asked: lease %v, wait %v, %v", other, wait, err)
		}
		finish(t, f, l, 200, "")
		if l, wait, err := f.Poll(); l != nil || wait != time.Second || err != nil {
			t.Errorf("after an answer: lease %v, wait %v, %v", l, wait, err)
		}
		<-time.After(time.Second)
		if l, _, err = f.Poll(); l == nil || err != nil {
			t.Fatalf("after the delay: %v", err)
		}
		finish(t, f, l, 200, "")
		if _, _, err := f.Poll(); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
	})
}
