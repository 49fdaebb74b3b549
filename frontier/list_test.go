package frontier

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// listed returns what List, or ListStored, yields: "url state" each.
func listed(t *testing.T, list func(begin func(Stats), yield func(*Waits) (bool, error)) error) (all []string, queued int64) {
	t.Helper()
	err := list(func(s Stats) { queued = s.Queued }, func(w *Waits) (bool, error) {
		all = append(all, strings.TrimPrefix(w.Task.URL, "http://")+" "+w.State)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, queued
}

// What waits is listed by host, in the order of turns, with why; between two runs it is the same.
func TestList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem(), Dir: "frontier", Delay: time.Hour, RetryWait: time.Hour}
		f := open(t, o)
		for _, origin := range []string{"http://b.test", "http://a.test", "http://x.a.test"} {
			skipRobots(t, f, origin)
			pages(t, f, origin, 2)
		}
		if _, err := f.Reprioritise([]Change{{URL: "http://a.test/1", Score: 5}}); err != nil {
			t.Fatal(err)
		}
		if err := f.Hold("b.test", time.Time{}, "why not"); err != nil {
			t.Fatal(err)
		}
		l := next(t, f)
		if l.Task.URL != "http://a.test/1" {
			t.Fatalf("%s comes first", l.Task.URL)
		}
		want := func(f *Frontier, host, text string) {
			t.Helper()
			all, _ := listed(t, func(begin func(Stats), yield func(*Waits) (bool, error)) error { return f.List(host, begin, yield) })
			if got := strings.Join(all, ", "); got != text {
				t.Errorf("of %q there waits\n%s\nwant\n%s", host, got, text)
			}
		}
		want(f, "", "a.test/1 asked, a.test/0 rest, b.test/0 held, b.test/1 held, x.a.test/0 ready, x.a.test/1 ready")
		l.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: l.Task, Retry: time.Now().Add(2 * time.Hour)})
		want(f, "a.test", "a.test/0 rest, a.test/1 retry")
		want(f, ".a.test", "a.test/0 rest, a.test/1 retry, x.a.test/0 ready, x.a.test/1 ready")
		want(f, "c.test", "")
		l = next(t, f) // of x.a.test
		l.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: l.Task, Again: time.Now().Add(time.Hour)})
		want(f, ".test", "a.test/0 rest, a.test/1 retry, b.test/0 held, b.test/1 held, x.a.test/1 rest, x.a.test/0 again")

		n := 0
		err := f.List("", func(Stats) { finish(t, f, next(t, f), 200, "") }, func(w *Waits) (bool, error) {
			n++
			return n < 2, nil
		})
		if err != nil || n != 2 {
			t.Errorf("when two are enough: %d, %v", n, err)
		}
		f.Close()
		if err := f.List("", func(Stats) {}, nil); err != ErrClosed {
			t.Errorf("when it is closed: %v", err)
		}
		all, queued := listed(t, func(begin func(Stats), yield func(*Waits) (bool, error)) error {
			return ListStored(o.FS, o.Dir, "", begin, yield)
		})
		if got := strings.Join(all, ", "); queued != 5 || !strings.Contains(got, "b.test/0 held, b.test/1 held") {
			t.Errorf("afterwards %d wait: %s", queued, got)
		}
	})
}

// Many hosts, most of them on disk alone, are listed once each while the crawl goes on.
func TestListMany(t *testing.T) {
	const hosts, each = 3000, 7
	f := open(t, Options{Workbench: 64, Delay: time.Hour})
	var found []kavosh.Link
	for h := range hosts {
		for i := range each {
			found = append(found, kavosh.Link{URL: fmt.Sprintf("http://h%d.test/%d", h, i), Kind: kavosh.Navigation})
		}
	}
	apply(t, f, Update{Links: found})
	seen := map[string]bool{}
	last := ""
	err := f.List("", func(s Stats) {
		if s.Queued != hosts*each {
			t.Errorf("%d are queued", s.Queued)
		}
		for range 100 { // tasks that come and go meanwhile
			finish(t, f, next(t, f), 404, "")
		}
		apply(t, f, Update{Links: []kavosh.Link{{URL: "http://h5.test/new"}}})
	}, func(w *Waits) (bool, error) {
		if seen[w.Task.URL] || w.Host < last || w.Task.URL == "http://h5.test/new" {
			t.Errorf("%s of %s after %s", w.Task.URL, w.Host, last)
		}
		seen[w.Task.URL], last = true, w.Host
		return true, nil
	})
	if err != nil || len(seen) != hosts*each {
		t.Errorf("%d were listed, want %d: %v", len(seen), hosts*each, err)
	}
}

// What is withdrawn is asked for by nobody and leaves the queue, of hosts on disk too; what is leased is left alone.
func TestWithdraw(t *testing.T) {
	const hosts, each = 300, 4
	f := open(t, Options{Workbench: 16})
	var found []kavosh.Link
	for h := range hosts {
		skipRobots(t, f, fmt.Sprintf("http://h%d.test", h))
		for i := range each {
			found = append(found, kavosh.Link{URL: fmt.Sprintf("http://h%d.test/%d", h, i), Kind: kavosh.Navigation})
		}
	}
	apply(t, f, Update{Links: found})
	out := next(t, f)
	var tasks []kavosh.Task
	err := f.List("", func(Stats) {}, func(w *Waits) (bool, error) {
		if !strings.HasSuffix(w.Task.URL, "/3") {
			tasks = append(tasks, w.Task)
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := f.Withdraw(tasks, &Refusal{Text: "no more"})
	if err != nil || len(gone) != len(tasks)-1 {
		t.Fatalf("%d of %d were withdrawn: %v", len(gone), len(tasks), err)
	}
	if again, err := f.Withdraw(tasks, &Refusal{}); err != nil || len(again) != 0 {
		t.Errorf("once more: %d, %v", len(again), err)
	}
	updates := make([]Update, len(gone))
	for i, l := range gone {
		if updates[i].Task = l.Task; l.Task.URL == out.Task.URL || l.Refused.Text != "no more" {
			t.Errorf("%s was withdrawn: %+v", l.Task.URL, l.Refused)
		}
	}
	apply(t, f, updates...)
	finish(t, f, out, 200, "")
	left := 0
	for f.Stats().Queued > 0 {
		l := next(t, f)
		if !strings.HasSuffix(l.Task.URL, "/3") {
			t.Errorf("%s is asked for", l.Task.URL)
		}
		finish(t, f, l, 200, "")
		left++
	}
	if left != hosts {
		t.Errorf("%d were left, want %d", left, hosts)
	}
}
