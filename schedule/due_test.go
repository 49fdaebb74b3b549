package schedule

import (
	"testing"
	"time"
)

// started is a schedule of pages, a hundred a site, all visited as it begins.
func started(t *testing.T, spec string, budget, sites int, rules ...Rule) *Schedule {
	t.Helper()
	c, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	s := New(c, Options{Start: begin, Budget: budget, Rules: rules})
	for i := range 100 * sites {
		id := s.Add(Page{Site: uint32(i % sites)})
		s.Observe(id, Observation{At: begin.Add(-time.Hour)})
	}
	return s
}

// visitsOf lets time pass from one time to another, and yields the visits that are due.
func visitsOf(s *Schedule, from, to time.Time, visit func(v Visit)) {
	for now := from; now.Before(to); {
		v, next, due := s.Due(now)
		if due {
			visit(v)
			continue
		}
		now = next
	}
}

// A page that is out is not handed out again, and is part of the budget of the period in which it is still out.
func TestDueCountsWhatIsOut(t *testing.T) {
	for _, spec := range []string{"gain", "uniform"} {
		s := started(t, spec, 10, 1)
		out := map[ID]bool{}
		for hour := range 5 {
			n := 0
			visitsOf(s, begin.Add(time.Duration(hour)*time.Hour), begin.Add(time.Duration(hour+1)*time.Hour), func(v Visit) {
				if n++; out[v.Page] {
					t.Errorf("%s: page %d is handed out twice", spec, v.Page)
				}
				out[v.Page] = true
			})
			if n > 10 || s.Out() > 10 {
				t.Errorf("%s: %d visits in an hour, %d out, and a budget of 10", spec, n, s.Out())
			}
		}
		for id := range out {
			s.Observe(id, Observation{At: begin.Add(5 * time.Hour)})
		}
		n := 0
		visitsOf(s, begin.Add(6*time.Hour), begin.Add(16*time.Hour), func(v Visit) {
			n++
			s.Observe(v.Page, Observation{At: v.At})
		})
		if n < 60 {
			t.Errorf("%s: %d visits in ten hours in which nothing stays out", spec, n)
		}
	}
}

// A site that takes few visits does not take those of others.
func TestDueLeavesSlowSites(t *testing.T) {
	s := started(t, "gain", 60, 2)
	made := [2]int{}
	waits := []ID{} // of the slow site, which answers once an hour
	for hour := range 24 {
		at := begin.Add(time.Duration(hour) * time.Hour)
		if len(waits) > 0 {
			s.Observe(waits[0], Observation{At: at})
			waits, made[0] = waits[1:], made[0]+1
		}
		visitsOf(s, at, at.Add(time.Hour), func(v Visit) {
			if s.Page(v.Page).Site == 0 {
				waits = append(waits, v.Page)
				return
			}
			made[1]++
			s.Observe(v.Page, Observation{At: v.At})
		})
	}
	if made[0] < 20 || made[1] < 24*60*8/10 {
		t.Errorf("%d visits of the slow site and %d of the other in 24 hours of 60", made[0], made[1])
	}
}

// A clock that is set back or forward stops no visits.
func TestDueWhenTheClockJumps(t *testing.T) {
	s := started(t, "round-robin", 10, 1)
	for _, at := range []time.Time{begin, begin.Add(100 * time.Hour), begin.Add(-50 * time.Hour), begin.Add(-49 * time.Hour)} {
		n := 0
		visitsOf(s, at, at.Add(time.Hour), func(v Visit) {
			n++
			s.Observe(v.Page, Observation{At: v.At})
		})
		if n != 10 {
			t.Errorf("%d visits in the hour of %s", n, at)
		}
	}
}

// What is stored of a schedule lets another go on as the first does.
func TestStored(t *testing.T) {
	week := Rule{Name: "week", Spans: []Span{{Greatest: 7 * 24 * time.Hour}}}
	s := started(t, "gain", 10, 3, week)
	learn := func(s *Schedule, from, to time.Time) (ids []ID) {
		visitsOf(s, from, to, func(v Visit) {
			ids = append(ids, v.Page)
			s.Observe(v.Page, Observation{At: v.At, Changed: v.Page%4 == 0, E: 0.5, Modified: v.At.Add(-time.Minute)})
		})
		return ids
	}
	day := begin.Add(24 * time.Hour)
	learn(s, begin, day)
	v, _, due := s.Due(day) // is out when it is stored
	if !due {
		t.Fatal("nothing is due")
	}
	c, _ := Parse("gain")
	other := New(c, Options{Start: begin, Budget: 10, Rules: []Rule{week}})
	for n := range uint32(3) {
		if err := other.LoadSite(n, s.AppendSite(nil, n)); err != nil {
			t.Fatal(err)
		}
	}
	for id := range ID(s.Pages()) {
		if got, err := other.LoadPage(s.AppendPage(nil, id)); err != nil || got != id || other.pages[id] != s.pages[id] {
			t.Fatalf("page %d is %+v, %v, was %+v", id, other.pages[got], err, s.pages[id])
		}
	}
	if err := other.LoadBegun(s.AppendBegun(nil)); err != nil {
		t.Fatal(err)
	}
	if other.Out() != 1 || other.Trust(1) != s.Trust(1) {
		t.Errorf("%d are out, trust %v", other.Out(), other.Trust(1))
	}
	rest := learn(other, day, day.Add(time.Hour))
	if len(rest) != 9 {
		t.Errorf("%d visits in the rest of a period of ten, of which one is out", len(rest))
	}
	for _, id := range rest {
		if id == v.Page {
			t.Errorf("page %d, which is out, is handed out", id)
		}
	}
	if _, err := other.LoadPage(nil); err == nil {
		t.Error("a page of no bytes is read")
	}
}

// When the rules of all pages have ended, nothing is visited, and the schedule is over.
func TestOver(t *testing.T) {
	s := started(t, "gain", 10, 1, Rule{Name: "election", Spans: []Span{{Until: begin.Add(3 * time.Hour)}}})
	n := 0
	visitsOf(s, begin, begin.Add(10*time.Hour), func(v Visit) {
		n++
		s.Observe(v.Page, Observation{At: v.At})
	})
	if n != 30 || !s.Over(begin.Add(10*time.Hour)) || s.Over(begin) {
		t.Errorf("%d visits until the end, over %v", n, s.Over(begin.Add(10*time.Hour)))
	}
}
