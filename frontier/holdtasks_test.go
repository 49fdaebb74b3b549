package frontier

import (
	"fmt"
	"strings"
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
		if !found || err != nil || w.Wait != (Wait{State: WaitHeld, Why: "it is on hold until it is released (its owner called)"}) {
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
