package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Comparison is what results say of orders, over the units that count and that all of them were run on.
type Comparison struct {
	Mode    string  `json:"mode"`
	Units   int     `json:"units"` // web × topic × start
	Webs    int     `json:"webs"`
	Left    []Left  `json:"left_out,omitempty"`
	Orders  []Score `json:"orders"` // the best first, bounds before all
	Finding Finding `json:"finding"`
	Curves  []Curve `json:"curves"` // means over the units
}

// Finding is who is best. Best has one order where its interval against the runner-up excludes 1; else all that are tied.
type Finding struct {
	Best     []string `json:"best"`
	RunnerUp string   `json:"runner_up,omitempty"` // the best of the others; of tied ones, the second
	Area     *Ratio   `json:"area,omitempty"`      // of the runner-up, to the best
}

// String is the finding as one sentence.
func (f *Finding) String() string {
	switch {
	case len(f.Best) == 0:
		return "no unit counts"
	case f.Area == nil:
		return "nothing to compare: one order was run"
	}
	word := "tied"
	if len(f.Best) == 1 {
		word = "best"
	}
	return fmt.Sprintf("%s: %s; the area of %s is %.2f times that of %s (%.2f to %.2f)", word, strings.Join(f.Best, ", "), f.RunnerUp, f.Area.Mean, f.Best[0],
		f.Area.Low, f.Area.High)
}

// Left is a unit that does not count, and why.
type Left struct {
	Web      string `json:"web"`
	Relevant string `json:"relevant"`
	Start    string `json:"start"`
	Why      string `json:"why"`
}

// Score is an order's means over the units.
type Score struct {
	Order   string     `json:"order"`
	Recall  [4]float64 `json:"recall"`
	Harvest [4]float64 `json:"harvest"`
	Hits    [4]float64 `json:"hits_to_breadth"` // recall to that of breadth, geometric mean; 0 when breadth was not run
	To80    float64    `json:"to_80_to_oracle"` // fetches to 80 % by the oracle's, geometric mean of the units where it was reached; 0 for none
	Got80   int        `json:"units_with_80"`
	Area    float64    `json:"area"`
	Hosts10 float64    `json:"hosts_10"`
	Rank10  float64    `json:"rank_10"`
	In10    float64    `json:"inward_10"`
	Missing float64    `json:"missing"` // requests without an answer, for each that had one
	Hours80 float64    `json:"hours_80,omitempty"`
	Against *Ratio     `json:"against_best,omitempty"` // area to the best order's, corrected for the number of orders
}

// Curve is mean recall by the share of the reachable pages that was fetched.
type Curve struct {
	Order  string    `json:"order"`
	Share  []float64 `json:"share"`
	Recall []float64 `json:"recall"`
	Hours  []float64 `json:"hours,omitempty"`
}

// counts says why a unit does not count, "" when it does: no page that links to over a fifth of the web, between 0.5 and
// 20 % relevant, and breadth-first needs three times the oracle's fetches, at least.
func counts(oracle, breadth *Result, all *Result) string {
	share := float64(all.Curve[len(all.Curve)-1].Pages) / float64(max(oracle.Reachable, 1))
	switch {
	case share < 0.005 || share > 0.20:
		return fmt.Sprintf("%.1f %% of the pages are relevant: 0.5 to 20 are wanted", 100*share)
	case oracle.Widest > oracle.Pages/5:
		return fmt.Sprintf("one page links to %d of %d pages", oracle.Widest, oracle.Pages)
	case breadth == nil:
		return "breadth was not run on it"
	case breadth.To[1] > 0 && breadth.To[1] < 3*oracle.To[1]:
		return fmt.Sprintf("breadth-first needs %d fetches to 80 %%, the oracle %d: that is too easy", breadth.To[1], oracle.To[1])
	}
	return ""
}

// Compare compares the orders of results of one mode. Units that do not count are left out unless everything is wanted.
func Compare(results []Result, mode string, everything bool) (*Comparison, error) {
	units := map[string]map[string]*Result{}
	var names, orders []string
	for i := range results {
		r := &results[i]
		if r.Mode != mode {
			continue
		}
		u := r.unit()
		if units[u] == nil {
			units[u] = map[string]*Result{}
			names = append(names, u)
		}
		units[u][r.Order] = r
		if !slices.Contains(orders, r.Order) {
			orders = append(orders, r.Order)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no runs of mode %q are kept there: make some by kavosh lab run", mode)
	}
	slices.Sort(names)
	c := &Comparison{Mode: mode}
	var counted []map[string]*Result
	webs := map[string]bool{}
	for _, n := range names {
		u := units[n]
		oracle, all := u[OracleOrder], u[AllOrder]
		why := ""
		var any *Result
		for _, o := range orders {
			if any = u[o]; any == nil {
				why = "not all orders were run on it"
				any = cmp.Or(oracle, all, u["breadth"])
				break
			}
		}
		if why == "" && !everything {
			why = counts(oracle, u["breadth"], all)
		}
		if why != "" {
			if any != nil {
				c.Left = append(c.Left, Left{any.Web, any.Relevant, any.Start, why})
			}
			continue
		}
		counted = append(counted, u)
		webs[oracle.Web] = true
	}
	c.Units, c.Webs = len(counted), len(webs)
	if len(counted) == 0 {
		return c, nil
	}
	for _, o := range orders {
		c.Orders = append(c.Orders, score(o, counted))
		c.Curves = append(c.Curves, curve(o, counted))
	}
	bound := func(o string) bool { return o == AllOrder || o == OracleOrder }
	slices.SortStableFunc(c.Orders, func(a, b Score) int {
		if bound(a.Order) != bound(b.Order) {
			if bound(a.Order) {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Area, a.Area)
	})
	c.find(counted, bound)
	return c, nil
}

// find says who is best: an order is only where its interval against the runner-up, corrected for as many comparisons as
// there are others (Bonferroni), excludes 1.
func (c *Comparison) find(counted []map[string]*Result, bound func(string) bool) {
	first := slices.IndexFunc(c.Orders, func(s Score) bool { return !bound(s.Order) })
	if first < 0 {
		return
	}
	best, others := c.Orders[first].Order, c.Orders[first+1:]
	c.Finding.Best = []string{best}
	if len(others) == 0 {
		return
	}
	for i := range others {
		o := &others[i]
		var pairs []pair
		for _, u := range counted {
			pairs = append(pairs, pair{u[best].Web, u[o.Order].Area, u[best].Area})
		}
		r := ratio(pairs, 1-0.05/float64(len(others)), 0.001)
		o.Against = &r
	}
	c.Finding.RunnerUp, c.Finding.Area = others[0].Order, others[0].Against
	for i := 0; i < len(others) && !others[i].Against.Differs(); i++ {
		c.Finding.Best = append(c.Finding.Best, others[i].Order)
	}
}

// score is the means of an order.
func score(o string, counted []map[string]*Result) Score {
	s := Score{Order: o}
	n := float64(len(counted))
	var to80 []pair
	var hits [4][]pair
	for _, u := range counted {
		r, oracle := u[o], u[OracleOrder]
		for i := range shares {
			s.Recall[i] += r.Recall[i] / n
			s.Harvest[i] += r.Harvest[i] / n
			if b := u["breadth"]; b != nil {
				hits[i] = append(hits[i], pair{r.Web, r.Recall[i], b.Recall[i]})
			}
		}
		s.Area += r.Area / n
		s.Hosts10 += r.Hosts10 / n
		s.Rank10 += r.Rank10 / n
		s.In10 += r.In10 / n
		s.Missing += float64(r.Missing) / float64(max(r.Fetches, 1)) / n
		if r.To[1] > 0 && oracle.To[1] > 0 {
			s.Got80++
			s.Hours80 += r.ToHours[1]
			to80 = append(to80, pair{r.Web, float64(r.To[1]), float64(oracle.To[1])})
		}
	}
	for i := range shares {
		if len(hits[i]) > 0 {
			s.Hits[i] = meanRatio(hits[i], 0.005)
		}
	}
	if s.Got80 > 0 {
		s.To80 = meanRatio(to80, 0)
		s.Hours80 /= float64(s.Got80)
	}
	return s
}

// curve is the mean of an order's curves.
func curve(o string, counted []map[string]*Result) Curve {
	const steps = 100
	c := Curve{Order: o, Share: make([]float64, steps+1), Recall: make([]float64, steps+1), Hours: make([]float64, steps+1)}
	timed := false
	for _, u := range counted {
		r := u[o]
		k := 0
		for i := range c.Share {
			c.Share[i] = float64(i) / steps
			n := int(c.Share[i] * float64(r.Reachable))
			for k+1 < len(r.Curve) && r.Curve[k+1].Fetches <= n {
				k++
			}
			p := r.Curve[k]
			c.Recall[i] += float64(p.Texts) / float64(max(r.Texts, 1)) / float64(len(counted))
			c.Hours[i] += p.Hours / float64(len(counted))
			timed = timed || p.Hours > 0
		}
	}
	if !timed {
		c.Hours = nil
	}
	return c
}
