package frontier

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh"
)

// again finishes a lease; its URL waits again until at.
func again(t testing.TB, f *Frontier, l *Lease, at time.Time) {
	t.Helper()
	l.Answered(Answer{Status: 200})
	apply(t, f, Update{Task: l.Task, Again: at})
}

// wantAgain expects a URL to be done, and to wait until at; at may be zero for never.
func wantAgain(t testing.TB, f *Frontier, url string, at time.Time) {
	t.Helper()
	s, err := f.State(url, false)
	w, _, err2 := f.Waits(url, false)
	if s != Done || err != nil || err2 != nil || !w.Until.Equal(at) || !at.IsZero() && (w.Task.URL != url || w.State != WaitAgain) {
		t.Errorf("%s is %s, and waits as %+v: %v, %v; want done until %v", url, s, w, err, err2, at)
	}
}

func TestAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const url, other = "http://a.example/", "http://b.example/"
		o := Options{FS: vfs.NewMem(), Dir: "frontier", Delay: time.Second, GoesOn: true}
		f := open(t, o)
		addSeeds(t, f, url)
		finish(t, f, next(t, f), 404, "")
		l := next(t, f)
		at := time.Now().Add(40 * 24 * time.Hour) // more than waits of hosts may be
		again(t, f, l, at)
		wantAgain(t, f, url, at)
		if s := f.Stats(); s.Known != 1 || s.Finished != 1 || s.Queued != 0 || !s.Revisit.Equal(at) {
			t.Errorf("it counts as %+v, want done", s)
		}
		if r := apply(t, f, Update{Links: links(kavosh.Navigation, url)}); len(r[0].Queued) != 0 {
			t.Error("a link to it queued it")
		}
		at = at.Add(time.Hour)
		if r := apply(t, f, Update{Task: l.Task, Again: at}); !r[0].Known {
			t.Error("it counts as new when its time is changed")
		}
		wantAgain(t, f, url, at)

		f.Close()
		w, found, err := Look(o.FS, o.Dir, url, false)
		if err != nil || !found || !w.Until.Equal(at) || w.Task.URL != url {
			t.Errorf("who looks sees %+v, found %v, %v; want it to wait until %v", w, found, err, at)
		}
		o.GoesOn = false
		f = open(t, o)
		if l, err := f.Next(context.Background()); err != io.EOF {
			t.Errorf("a crawl that does not go on has %v, %v, want its end", l, err)
		}
		f.Close()
		o.GoesOn = true
		f = open(t, o)
		addSeeds(t, f, other) // others are asked meanwhile
		finish(t, f, next(t, f), 404, "")
		if l = next(t, f); l.Task.URL != other {
			t.Errorf("%s came before its time", l.Task.URL)
		}
		finish(t, f, l, 200, "")
		l, err = f.Next(context.Background())
		for err == nil && l.Task.Kind == kavosh.Prerequisite { // a robots.txt holds for a day
			finish(t, f, l, 404, "")
			l, err = f.Next(context.Background())
		}
		if err != nil || l.Task.URL != url || l.Task.Attempt != 0 || time.Now().Before(at) || time.Since(at) > time.Minute {
			t.Fatalf("at %v came %+v, %v; want %s from %v on", time.Now(), l, err, url, at)
		}
		if s := f.Stats(); s.Known != 2 || s.Finished != 1 || s.Queued != 1 || !s.Revisit.IsZero() {
			t.Errorf("while it is asked it counts as %+v, want queued", s)
		}
		finish(t, f, l, 200, "")
		wantAgain(t, f, url, time.Time{})
		if l, err := f.Next(context.Background()); err != io.EOF {
			t.Errorf("then comes %v, %v, want the end", l, err)
		}
	})
}

// TestManyAgain lets more URLs wait for one time than are queued in one write.
func TestManyAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 2*againAtOnce + 10
		f := open(t, Options{MaxPerHost: 8, GoesOn: true})
		at := time.Now().Add(time.Hour)
		for i := range n {
			url := fmt.Sprintf("http://h%d.example/%d", i%5, i)
			apply(t, f, Update{Task: kavosh.Task{URL: url, Kind: kavosh.Navigation}, Again: at})
		}
		urls := drain(t, f, "")
		slices.Sort(urls)
		if urls = slices.Compact(urls); len(urls) != n {
			t.Errorf("%d URLs came again, want %d", len(urls), n)
		}
	})
}

// TestCrashAgain cuts the power before each write in turn while URLs are done, wait an hour, are queued anew and done again: what
// was to wait does so or is queued, and in the end all are done.
func TestCrashAgain(t *testing.T) {
	const visits = 3
	for cut := 1; ; cut++ {
		ended := false
		bubble(t, func(t *testing.T) {
			c := &crasher{mem: vfs.NewCrashableMem(), rng: rand.New(rand.NewPCG(uint64(cut), 7)), left: cut, owed: ledger{queued: map[string]bool{}, done: map[string]bool{}}}
			crawl := func(f *Frontier, came map[string]int) {
				defer f.Close()
				apply(t, f, Update{Links: links(kavosh.Seed, "http://a.test/1", "http://a.test/2", "http://b.test/1")})
				for !c.cut() || f.o.FS == vfs.FS(c.picked) {
					l, err := f.Next(context.Background())
					if err == io.EOF {
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if l.Task.Kind == kavosh.Prerequisite {
						finish(t, f, l, 404, "")
						continue
					}
					came[l.Task.URL]++
					var at time.Time
					if came[l.Task.URL] < visits {
						at = time.Now().Add(time.Hour)
					}
					again(t, f, l, at)
					c.owe(func(o *ledger) { o.done[fmt.Sprint(l.Task.URL, " ", came[l.Task.URL])] = true })
				}
			}
			o := Options{FS: errorfs.Wrap(c.mem, c), Dir: "f", GoesOn: true, Workbench: cut % 3, seenTable: 10}
			crawl(open(t, o), map[string]int{})
			if ended = !c.cut(); ended {
				return
			}
			o.FS = c.picked
			f := open(t, o)
			came := map[string]int{}
			for _, url := range []string{"http://a.test/1", "http://a.test/2", "http://b.test/1"} {
				for c.at.done[fmt.Sprint(url, " ", came[url]+1)] {
					came[url]++
				}
				state, err := f.State(url, false)
				w, _, err2 := f.Waits(url, false)
				until := w.Until
				if err != nil || err2 != nil || came[url] > 0 && state != Done && state != Waiting || 0 < came[url] && came[url] < visits-1 && state == Done && until.IsZero() {
					t.Errorf("cut %d: %s, done %d times, is %s until %v: %v, %v", cut, url, came[url], state, until, err, err2)
				}
				if came[url] == visits-1 && state == Done && until.IsZero() {
					came[url]++ // the last time was durable, and nobody had been told yet
				}
			}
			checkLines(t, f)
			crawl(f, came)
			f = open(t, o)
			for url, n := range came {
				if wantAgain(t, f, url, time.Time{}); n < visits {
					t.Errorf("cut %d: %s came %d times", cut, url, n)
				}
			}
			if s := f.Stats(); s.Known != 3 || s.Finished != 3 || s.Queued != 0 {
				t.Errorf("cut %d: at the end %+v", cut, s)
			}
		})
		if ended {
			if cut < 30 {
				t.Errorf("%d cuts: too few to prove anything", cut)
			}
			return
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

// TestForeign offers links of hosts that another frontier owns: they are told once, for the caller to hand over, and the other one
// queues them as its own. When the host changes hands, so do its links.
func TestForeign(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const near, far = "http://near.test/", "http://far.test/"
		fs := vfs.NewMem()
		f := open(t, Options{FS: fs, Owns: func(host string) bool { return host == "near.test" }})
		page := kavosh.Task{URL: "http://near.test/page", Seed: "http://near.test/", Kind: kavosh.Navigation, Path: "L", Hops: 1}
		found := links(kavosh.Navigation, near, far)
		r := apply(t, f, Update{Task: page, Links: found})[0]
		if !slices.Equal(r.Foreign, []int{1}) || len(r.Queued) != 1 {
			t.Fatalf("first: %+v, want the second link to be another's", r)
		}
		if r := apply(t, f, Update{Parent: &page, Links: found})[0]; len(r.Foreign) != 0 || len(r.Queued) != 0 {
			t.Errorf("once more: %+v, want nothing", r)
		}
		other := open(t, Options{Owns: func(host string) bool { return host == "far.test" }})
		apply(t, other, Update{Parent: &page, Links: []kavosh.Link{found[r.Foreign[0]]}})
		task, queued, err := other.Task(far, false)
		if err != nil || !queued || task.Via != page.URL || task.Hops != 2 || task.Seed != page.Seed {
			t.Errorf("its owner has %+v, queued %v, %v", task, queued, err)
		}
		f.Close()
		f = open(t, Options{FS: fs})
		if r := apply(t, f, Update{Parent: &page, Links: found})[0]; len(r.Queued) != 1 || r.Queued[0].Link != 1 {
			t.Errorf("when all hosts are ours: %+v, want it queued", r)
		}
	})
}
