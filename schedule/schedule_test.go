package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/schedule/pattern"
)

var begin = time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC) // a Monday

// web is pages that change at constant rates, and what visits of them find.
type web struct {
	rng     *rand.Rand
	rates   []float64 // an hour
	next    []time.Time
	changed []bool
}

func newWeb(seed uint64, rates ...float64) *web {
	w := &web{rng: rand.New(rand.NewPCG(seed, 7)), rates: rates, next: make([]time.Time, len(rates)), changed: make([]bool, len(rates))}
	for i := range rates {
		w.next[i] = begin.Add(w.wait(i))
	}
	return w
}

func (w *web) wait(i int) time.Duration {
	return time.Duration(w.rng.ExpFloat64() / w.rates[i] * float64(time.Hour))
}

func (w *web) visit(v Visit) Observation {
	i := int(v.Page)
	changed := false
	for !w.next[i].After(v.At) {
		changed = true
		w.next[i] = w.next[i].Add(w.wait(i))
	}
	return Observation{At: v.At, Changed: changed, E: 0.5}
}

// run makes the visits of some periods, and returns them.
func run(t *testing.T, spec string, w *web, o Options, hours int) (*Schedule, []Visit) {
	t.Helper()
	c, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	o.Start = begin
	s := New(c, o)
	for range w.rates {
		s.Add(Page{})
	}
	var visits []Visit
	for {
		v, ok := s.Next()
		if !ok || !v.At.Before(begin.Add(time.Duration(hours)*time.Hour)) {
			return s, visits
		}
		visits = append(visits, v)
		s.Observe(v.Page, w.visit(v))
	}
}

func counts(visits []Visit, pages int) []int {
	n := make([]int, pages)
	for _, v := range visits {
		n[v.Page]++
	}
	return n
}

// Every policy keeps the budget of each period, visits in the order of time, starves no page, says why, and does the same
// when it is run again.
func TestEveryPolicy(t *testing.T) {
	const pages, budget, hours = 40, 7, 24 * 21
	rates := make([]float64, pages)
	for i := range rates {
		rates[i] = math.Exp2(float64(i%8)) / 200
	}
	rates[3] = 1e-4
	specs := []string{"urgency,form=literal", "urgency,form=integral", "pattern,form=sum", "importance-pattern,form=product", "gain,spread=no,monitor=0.2"}
	for _, e := range List() {
		specs = append(specs, e.Name)
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			s, visits := run(t, spec, newWeb(1, rates...), Options{Budget: budget}, hours)
			perHour := map[time.Time]int{}
			last := begin
			for _, v := range visits {
				perHour[v.At.Truncate(time.Hour)]++
				if v.At.Before(last) {
					t.Fatalf("%v comes after %v", v.At, last)
				}
				last = v.At
			}
			for at, n := range perHour {
				if n != budget {
					t.Fatalf("%d visits in the hour of %v, of %d", n, at, budget)
				}
			}
			if len(visits) != budget*hours {
				t.Errorf("%d visits in %d hours", len(visits), hours)
			}
			if n := counts(visits[len(visits)/2:], pages); slices.Min(n) < 2 {
				t.Errorf("a page was starved: visits %v", n)
			}
			if why := s.Why(5); why == "" {
				t.Error("no reason")
			}
			_, again := run(t, spec, newWeb(1, rates...), Options{Budget: budget}, hours)
			if !slices.Equal(visits, again) {
				t.Error("another run made other visits")
			}
		})
	}
}

// Freshness by urgency is what the convex optimum has: the level of the water, found by bisection.
func TestFreshnessIsTheOptimum(t *testing.T) {
	const budget, hours = 20, 24 * 60
	rates := make([]float64, 100)
	for i := range rates {
		rates[i] = math.Exp2(float64(i)/10) / 500
	}
	fresh := func(rate, often float64) float64 { // the share of time that a page visited so often is fresh
		return often / rate * (1 - math.Exp(-rate/often))
	}
	often := func(level float64) (all []float64, sum float64) {
		for _, r := range rates {
			least, most := 1e-9, 1e6
			for range 100 {
				f := math.Sqrt(least * most)
				if x := r / f; (1-(1+x)*math.Exp(-x))/r > level {
					least = f
				} else {
					most = f
				}
			}
			all = append(all, least)
			sum += least
		}
		return all, sum
	}
	low, high := 1e-9, 1e9
	for range 200 {
		if level := math.Sqrt(low * high); func() bool { _, sum := often(level); return sum > budget }() {
			low = level
		} else {
			high = level
		}
	}
	best, _ := often(low)
	w := newWeb(2, rates...)
	_, visits := run(t, "freshness,fair=0", w, Options{Budget: budget}, hours)
	got := counts(visits[len(visits)/2:], len(rates))
	have, want, same := 0.0, 0.0, 0.0
	for i, r := range rates {
		have += fresh(r, max(float64(got[i]), 0.01)/(hours/2))
		want += fresh(r, best[i])
		same += fresh(r, budget/100.0)
	}
	if have < 0.99*want || same > 0.98*want {
		t.Errorf("freshness %.2f, of %.2f at best; %.2f with equal visits", have, want, same)
	}
}

func TestSHARC(t *testing.T) {
	s, _ := run(t, "sharc,hopeless=0.2", newWeb(3, 0.01, 0.08, 0.02, 0.04, 20), Options{Budget: 2}, 24*30)
	if got, want := s.Sweeper.Sweep(s.pages, &s.look), []ID{4, 2, 1, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, not %v: the hopeless page at an end, the others by rate towards the middle", got, want)
	}
}

// Rules hold whatever the policy: weekly until the election, then monthly, then no more.
func TestRules(t *testing.T) {
	day := 24 * time.Hour
	election, end := begin.Add(28*day), begin.Add(120*day)
	rules := []Rule{{}, {Name: "election", Spans: []Span{{Until: election, Least: 7 * day, Greatest: 7 * day}, {Until: end, Least: 30 * day, Greatest: 30 * day}}}}
	for _, spec := range []string{"gain", "frequency"} {
		c, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		s := New(c, Options{Start: begin, Budget: 3, Rules: rules})
		for range 10 {
			s.Add(Page{})
		}
		ruled := s.Add(Page{Rule: 1})
		w := newWeb(4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5)
		var at []string
		for {
			v, _ := s.Next()
			if v.At.After(begin.Add(150 * day)) {
				break
			}
			s.Observe(v.Page, w.visit(v))
			if v.Page == ruled {
				at = append(at, fmt.Sprint(math.Round(v.At.Sub(begin).Hours()/24)))
			}
		}
		if got := strings.Join(at, " "); got != "0 7 14 21 51 81 111" {
			t.Errorf("%s: visited on days %s", spec, got)
		}
		if why := s.Why(ruled); !strings.Contains(why, "election: ended") {
			t.Errorf("why: %s", why)
		}
	}
}

// A site that tells the truth about its changes is soon believed, one whose pages always changed just now is not.
func TestTrust(t *testing.T) {
	c, _ := Parse("gain")
	s := New(c, Options{Start: begin, Budget: 2})
	s.Add(Page{})
	s.Add(Page{Site: 1})
	w := newWeb(5, 0.3, 0.3)
	var changed [2]time.Time
	for range 200 {
		v, _ := s.Next()
		o := w.visit(v)
		if o.Changed {
			changed[v.Page] = o.At.Add(-time.Minute)
		}
		if o.Modified = changed[v.Page]; v.Page == 1 {
			o.Modified = o.At.Add(-time.Minute)
		}
		s.Observe(v.Page, o)
	}
	if honest, liar := s.Trust(0), s.Trust(1); honest < 0.9 || liar > 0.1 {
		t.Errorf("trust %.2f in the honest site, %.2f in the other", honest, liar)
	}
	p := s.Page(0)
	last := instant(p.Last)
	s.Signal(0, last.Add(2*time.Hour), last.Add(90*time.Minute))
	s.Signal(1, last.Add(2*time.Hour), last.Add(90*time.Minute))
	s.now.at = p.Last + 3*3600
	a, _ := s.now.Told(&s.pages[0])
	b, _ := s.now.Told(&s.pages[1])
	if a < 0.9 || b > a-0.2 {
		t.Errorf("after both said that they changed, the chances are %.2f and %.2f", a, b)
	}
}

func TestParse(t *testing.T) {
	for spec, want := range map[string]string{
		"nonsens":                  "there is no schedule nonsens",
		"gain,x=1":                 `unknown parameter "x"; gain takes monitor, fair, spread`,
		"gain,fair=0.1,fair=0.2":   `parameter "fair" is given twice; keep one`,
		"pattern,form=other":       "must be one of sum, product, integral",
		"importance-pattern,fair=": "must be a number from 0 to 1",
		"sharc,hopeless=2":         "must be a number from 0 to 1",
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", spec, err, want)
		}
	}
	for _, e := range List() {
		if !strings.Contains(Help(), e.About) {
			t.Errorf("the help does not tell of %s", e.Name)
		}
	}
}

// A clock that jumps, and words that cannot be, change nothing but what is known.
func TestOddTimes(t *testing.T) {
	c, _ := Parse("gain")
	s := New(c, Options{Start: begin, Budget: 1, Calendar: calendar(t, "iran")})
	id := s.Add(Page{})
	for i, at := range []time.Time{begin, begin.Add(-time.Hour), {}, time.Unix(1<<40, 0), begin.Add(10 * 365 * 24 * time.Hour)} {
		s.Next()
		s.Observe(id, Observation{At: at, Changed: i%2 == 0, E: math.Inf(1), Modified: time.Unix(-5, 0)})
		s.Signal(id, at, time.Time{})
	}
	if v, ok := s.Next(); !ok || v.Page != id {
		t.Error("the schedule ended")
	}
}

func calendar(t *testing.T, name string) *pattern.Calendar {
	zone, err := time.LoadLocation("Asia/Tehran")
	if err != nil {
		t.Fatal(err)
	}
	c, err := pattern.Named(name, zone)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
