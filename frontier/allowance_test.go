package frontier

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// asked leases, answers and applies n pages, and returns how many each host had of them.
func asked(t *testing.T, f *Frontier, n int) map[string]int {
	t.Helper()
	had := map[string]int{}
	for range n {
		l := next(t, f)
		had[l.host.name]++
		finish(t, f, l, 200, "")
	}
	return had
}

func want(t *testing.T, had map[string]int, text string) {
	t.Helper()
	if got := fmt.Sprint(had); got != "map["+text+"]" {
		t.Errorf("the hosts had %s, want %s", got, text)
	}
}

// TestHostBudget gives each host three pages a round, over a restart in the midst of one, although the first is asked for
// first; nothing is lost.
func TestHostBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem(), HostBudget: 3, Workbench: 2}
		f := open(t, o)
		for i, n := range []int{20, 7, 4, 7} { // ids rise, and so the first host's pages rank first
			origin := fmt.Sprintf("http://h%d.test", i)
			skipRobots(t, f, origin)
			pages(t, f, origin, n)
		}
		want(t, asked(t, f, 7), "h0.test:3 h1.test:3 h2.test:1")
		f.Close()
		if w, _, err := Look(o.FS, "frontier", "http://h1.test/5", false); err != nil || w.Why != "its host's budget of 3 pages in this round is spent" || w.State != WaitBudget {
			t.Errorf("of a host beyond its budget: %q, %v", w.Why, err)
		}
		if w, _, err := Look(o.FS, "frontier", "http://h2.test/3", false); err != nil || w.Why != "" {
			t.Errorf("of a host within its budget: %q, %v", w.Why, err)
		}
		f = open(t, o)
		want(t, asked(t, f, 5), "h2.test:2 h3.test:3")
		want(t, asked(t, f, 10), "h0.test:3 h1.test:3 h2.test:1 h3.test:3")
		f.Close()
		o.HostBudget = 0 // a crawl that goes on without a budget
		f = open(t, o)
		if left := drain(t, f, ""); len(left) != 20+7+4+7-22 {
			t.Errorf("%d pages are left: %v", len(left), left)
		}
	})
}

// TestDomainBudget gives all hosts of a domain together four pages a round, with more hosts than memory holds, and
// retries counted but not robots.txt nor what is refused.
func TestDomainBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{DomainBudget: 4, Workbench: 3, MaxPerHost: 1})
		for i := range 30 {
			pages(t, f, fmt.Sprintf("http://s%d.farm.test", i), 2)
		}
		pages(t, f, "http://www.small.test", 3)
		var got []string
		for len(got) < 7 {
			l := next(t, f)
			switch {
			case l.Task.Kind == kavosh.Prerequisite && strings.HasPrefix(l.Task.URL, "http://s0."):
				finish(t, f, l, 200, "User-agent: *\nDisallow: /")
			case l.Task.Kind == kavosh.Prerequisite:
				finish(t, f, l, 404, "")
			case l.Refused != nil:
				apply(t, f, Update{Task: l.Task})
			case l.Task.URL == "http://s1.farm.test/0" && l.Task.Attempt == 0:
				got = append(got, l.Task.URL)
				l.Answered(Answer{Status: 500})
				apply(t, f, Update{Task: l.Task, Retry: time.Now().Add(24 * time.Hour)})
			default:
				got = append(got, l.Task.URL)
				finish(t, f, l, 200, "")
			}
		}
		farm := 0
		for _, url := range got {
			if strings.Contains(url, ".farm.") {
				farm++
			}
		}
		if farm != 4 {
			t.Errorf("the domain had %d pages in the first round, want 4: %v", farm, got)
		}
		// Of 63 pages two were refused and seven were had, one of which comes again.
		if left := drain(t, f, ""); len(left) != 63-2-7+1 {
			t.Errorf("%d pages are left: %v", len(left), left)
		}
	})
}

// TestRoundWaits lets a round wait for a host within its budget that rests for less than a minute, and not for longer.
func TestRoundWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, test := range []struct {
			rest string
			want string
		}{
			{"50", "busy.test:2 slow.test:2"},
			{"500", "busy.test:3 slow.test:1"},
		} {
			for _, bench := range []int{1, 100} { // the host that rests is in line, or in memory
				f := open(t, Options{HostBudget: 2, Delay: time.Second, Workbench: bench})
				skipRobots(t, f, "http://slow.test", "http://busy.test")
				pages(t, f, "http://slow.test", 5)
				pages(t, f, "http://busy.test", 5)
				l := next(t, f)
				l.Answered(Answer{Status: 429, RetryAfter: test.rest})
				apply(t, f, Update{Task: l.Task})
				had := asked(t, f, 3)
				had[l.host.name]++
				want(t, had, test.want)
				f.Close()
			}
		}
	})
}

// TestRoundWaitsForAddress lets a round wait for a host within its budget whose address rests.
func TestRoundWaitsForAddress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{HostBudget: 2, AddressDelay: 10 * time.Second})
		skipRobots(t, f, "http://slow.test", "http://busy.test")
		pages(t, f, "http://slow.test", 2)
		pages(t, f, "http://busy.test", 3)
		l := next(t, f)
		l.Address(netip.MustParseAddr("192.0.2.1"))
		finish(t, f, l, 200, "")
		want(t, asked(t, f, 3), "busy.test:2 slow.test:1")
	})
}

// TestRoundWaitsForLease lets a round wait for a host within its budget that is being asked.
func TestRoundWaitsForLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{HostBudget: 2, MaxPerHost: 1})
		skipRobots(t, f, "http://slow.test", "http://busy.test")
		pages(t, f, "http://slow.test", 2)
		pages(t, f, "http://busy.test", 3)
		l := next(t, f)
		want(t, asked(t, f, 2), "busy.test:2")
		if l, _, err := f.Poll(); l != nil || err != nil {
			t.Errorf("while a host within its budget is being asked, %+v comes, %v", l, err)
		}
		finish(t, f, l, 200, "")
		want(t, asked(t, f, 1), "slow.test:1")
	})
}

// TestRoundWaitsForAgain begins no round while another caller of Next is about to queue a page that waits again, of a host
// within its budget.
func TestRoundWaitsForAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{HostBudget: 1, GoesOn: true})
		skipRobots(t, f, "http://busy.test", "http://slow.test")
		again := time.Now().Add(time.Minute)
		apply(t, f, Update{Links: links(kavosh.Seed, "http://slow.test/")})
		l := next(t, f)
		l.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: l.Task, Again: again})
		f.mu.Lock()
		f.mu.sums.round++ // in which slow.test may be asked
		f.mu.Unlock()
		pages(t, f, "http://busy.test", 2)
		want(t, asked(t, f, 1), "busy.test:1")
		<-time.After(time.Until(again))
		f.mu.Lock()
		err := f.unlocked(func() error { // as the other caller does
			if l, _, err := f.Poll(); l != nil || err != nil {
				t.Errorf("while a page is about to be queued again, %+v comes, %v", l, err)
			}
			return f.queueAgain()
		})
		f.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		want(t, asked(t, f, 1), "slow.test:1")
	})
}

// TestRoundTurns gives who is new when a round has begun its place in it: before those of lower scores.
func TestRoundTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{HostBudget: 1})
		skipRobots(t, f, "http://a.test", "http://b.test", "http://c.test")
		pages(t, f, "http://a.test", 2)
		pages(t, f, "http://b.test", 2)
		want(t, asked(t, f, 3), "a.test:2 b.test:1") // the second round has begun
		apply(t, f, Update{Links: links(kavosh.Seed, "http://c.test/")})
		if _, err := f.Reprioritise([]Change{{URL: "http://c.test/", Score: 9}}); err != nil {
			t.Fatal(err)
		}
		want(t, asked(t, f, 1), "c.test:1")
	})
}

// TestRefusedIsNotSpent counts what robots.txt forbids against no budget, and lets the other hosts of a domain have what
// one of them did not use.
func TestRefusedIsNotSpent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, o := range []Options{{HostBudget: 2}, {DomainBudget: 2}} {
			f := open(t, o)
			skipRobots(t, f, "http://b.test")
			pages(t, f, "http://a.test", 5)
			pages(t, f, "http://b.test", 5)
			finish(t, f, next(t, f), 200, "User-agent: *\nDisallow: /0\nDisallow: /1\nDisallow: /2\n")
			var got []string
			for range 5 {
				l := next(t, f)
				got = append(got, l.Task.URL)
				if l.Refused == nil {
					l.Answered(Answer{Status: 200})
				}
				apply(t, f, Update{Task: l.Task})
			}
			if last := got[3:]; !slices.Equal(last, []string{"http://a.test/3", "http://a.test/4"}) {
				t.Errorf("%+v: after three refusals came %v", o, last)
			}
			f.Close()
		}
		f := open(t, Options{DomainBudget: 1})
		skipRobots(t, f, "http://a.farm.test", "http://b.farm.test", "http://c.test")
		pages(t, f, "http://a.farm.test", 1)
		pages(t, f, "http://b.farm.test", 1)
		pages(t, f, "http://c.test", 1)
		a := next(t, f)
		if l, wait, err := f.Poll(); err != nil || l == nil || l.host.name != "c.test" {
			t.Fatalf("while the budget of a domain is taken: %+v, %v, %v", l, wait, err)
		} else {
			l.Later(0)
		}
		a.Refuse(Refusal{Text: "not wanted"})
		apply(t, f, Update{Task: a.Task})
		if l := next(t, f); l.host.name != "b.farm.test" {
			t.Errorf("after the budget of a domain was given back comes %s", l.Task.URL)
		}
	})
}

// TestRobotsIsNotSpent counts a robots.txt that is a link, too, against no budget, after a crash neither.
func TestRobotsIsNotSpent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, crash := range []bool{false, true} {
			o := Options{FS: vfs.NewMem(), HostBudget: 1}
			f := open(t, o)
			skipRobots(t, f, "http://b.test")
			addSeeds(t, f, "http://a.test/robots.txt", "http://a.test/", "http://b.test/")
			l := next(t, f)
			if crash {
				f.Close()
				f = open(t, o)
			} else {
				l.Answered(Answer{Status: 404})
			}
			apply(t, f, Update{Task: l.Task, Robots: &Robots{Origin: l.Origin, Status: 404}})
			want(t, asked(t, f, 1), "a.test:1")
			f.Close()
		}
	})
}

// TestDomainsInMemory keeps what a domain has spent while any of its hosts is in memory, and not longer.
func TestDomainsInMemory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{DomainBudget: 2})
		skipRobots(t, f, "http://a.farm.test", "http://b.farm.test", "http://c.farm.test", "http://z.test")
		pages(t, f, "http://a.farm.test", 1)
		pages(t, f, "http://b.farm.test", 3)
		pages(t, f, "http://z.test", 1)
		want(t, asked(t, f, 1), "a.farm.test:1") // its host is forgotten
		pages(t, f, "http://c.farm.test", 1)
		want(t, asked(t, f, 2), "b.farm.test:1 z.test:1")
		drain(t, f, "")
		if n := len(f.budgets.domains); n != 0 {
			t.Errorf("%d domains are in memory when nothing is queued", n)
		}
	})
}

// TestPriority moves hosts and domains before and behind others, whether they are in memory or in line, and over a
// restart.
func TestPriority(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, bench := range []int{1, 100} {
			o := Options{FS: vfs.NewMem(), Workbench: bench}
			f := open(t, o)
			for _, host := range []string{"a.test", "b.test", "x.c.test", "y.c.test"} {
				skipRobots(t, f, "http://"+host)
				pages(t, f, "http://"+host, 3)
			}
			set := func(name string, add float64) {
				t.Helper()
				if err := f.SetPriority(Priority{Name: name, Add: add, Why: "asked for"}); err != nil {
					t.Fatal(err)
				}
			}
			set(".c.test", 2)
			set("y.c.test", 3) // its own counts before its domain's
			set("a.test", -1)
			want(t, asked(t, f, 3), "y.c.test:3")
			f.Close()
			if w, _, err := Look(o.FS, "frontier", "http://x.c.test/0", false); err != nil || w.Add != 2 {
				t.Errorf("of a host with a priority: %+v, %v", w, err)
			}
			f = open(t, o)
			if all := f.Priorities(); len(all) != 3 || all[0].Name != ".c.test" || all[0].Add != 2 || all[0].Why != "asked for" || all[0].Since.IsZero() {
				t.Errorf("the priorities after a restart: %+v", all)
			}
			want(t, asked(t, f, 2), "x.c.test:2")
			set(".c.test", -2)
			want(t, asked(t, f, 4), "a.test:1 b.test:3")
			pages(t, f, "http://z.c.test", 1) // comes behind a.test, as its domain does
			set("a.test", 0)
			set("y.c.test", 0)
			want(t, asked(t, f, 2), "a.test:2")
			if all := f.Priorities(); len(all) != 1 {
				t.Errorf("the priorities that are left: %+v", all)
			}
			if got := drain(t, f, ""); !slices.Equal(got, []string{"http://x.c.test/2", "http://z.c.test/0"}) {
				t.Errorf("left are %v", got)
			}
			for _, p := range []Priority{{Name: "http://a.test"}, {Name: "."}, {Name: "a.test:80", Add: 1}, {Name: "a.test", Add: scoreOf(0)}} {
				if err := f.SetPriority(p); err == nil {
					t.Errorf("priority %+v is set", p)
				}
			}
			f.Close()
		}
	})
}
