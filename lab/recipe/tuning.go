package recipe

// This file chooses the numbers of orders by trials on other units than those of the test.

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"kavosh/frontier/order"
	"kavosh/lab"
)

// trials is how many sets of numbers are tried for each order that has numbers: its defaults, then random ones.
const trials = 8

// tunedShare is the share of the reachable pages that a trial fetches.
const tunedShare = 0.25

// tuned is the result of an order's trials on the units for tuning.
type tuned struct {
	name      string
	spec      string  // the specification with the best mean area
	area      float64 // its mean area
	byDefault float64 // mean area of the defaults
	trials    int
}

// tune finds the best numbers for every policy of order.List that is not made of others, on the units
// with the role tuning.
func (b *workspace) tune(ctx context.Context) ([]tuned, error) {
	s := study{dir: "tuning", units: b.of(tuning), share: tunedShare, brief: true}
	var all []tuned
	specs := map[string][]string{}
	for _, e := range order.List() {
		if e.Parts == 0 {
			specs[e.Name] = draws(&e)
			s.orders = append(s.orders, specs[e.Name]...)
			all = append(all, tuned{name: e.Name, trials: len(specs[e.Name])})
		}
	}
	results, err := b.run(ctx, s)
	if err != nil {
		return nil, err
	}
	areas := meanAreas(results)
	for i := range all {
		t := &all[i]
		t.byDefault = areas[t.name]
		t.spec, t.area = t.name, areas[t.name]
		for _, spec := range specs[t.name] {
			if areas[spec] > t.area {
				t.spec, t.area = spec, areas[spec]
			}
		}
	}
	return all, nil
}

// meanAreas returns the mean areas of orders over the units that count, or over all units if none does.
func meanAreas(results []lab.Result) map[string]float64 {
	left := map[lab.Run]bool{}
	bounds := slices.DeleteFunc(slices.Clone(results), func(r lab.Result) bool {
		return r.Order != "breadth" && r.Order != lab.OracleOrder && r.Order != lab.AllOrder
	})
	if c, err := lab.Compare(bounds, "graph", false); err == nil && c.Units > 0 {
		for _, l := range c.Left {
			left[lab.Run{Web: l.Web, Relevant: l.Relevant, Start: l.Start}] = true
		}
	}
	sums, counts := map[string]float64{}, map[string]float64{}
	for i := range results {
		r := &results[i]
		if !left[lab.Run{Web: r.Web, Relevant: r.Relevant, Start: r.Start}] {
			sums[r.Order] += r.Area
			counts[r.Order]++
		}
	}
	for o := range sums {
		sums[o] /= counts[o]
	}
	return sums
}

// draws returns an order's trials: its defaults, and random numbers around them, seeded by its name. An order without
// numbers has one trial; one with only a yes or no has two.
func draws(e *order.Entry) []string {
	specs := []string{e.Name}
	if len(e.Params) == 0 {
		return specs
	}
	h := fnv.New64a()
	io.WriteString(h, e.Name)
	rng := rand.New(rand.NewPCG(h.Sum64(), seed))
	scale := 1.0 // for numbers that are 0 by default
	for _, p := range e.Params {
		scale = max(scale, p.Default)
	}
	for tries := 0; len(specs) < trials && tries < 100; tries++ {
		spec := e.Name
		for i := range e.Params {
			p := &e.Params[i]
			if v := draw(p, scale, rng); v != p.Default {
				spec += "," + p.Name + "=" + strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		if !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// draw draws a number: yes or no evenly; a share evenly; a number that is 0 by default stays 0 half the time; any other
// is between a quarter and four times its default.
func draw(p *order.Param, scale float64, rng *rand.Rand) float64 {
	around := math.Exp2(4*rng.Float64() - 2)
	coin := float64(rng.IntN(2))
	even := rng.Float64()
	v := p.Default * around
	switch {
	case p.Least == 0 && p.Most == 1 && p.WholeNumber:
		return coin
	case p.Least == 0 && p.Most == 1:
		return math.Round(even*100) / 100
	case p.Default < 0:
		return p.Default // unbounded, such as the floor of reinforce: a trial changes what an order does, not whether there is a floor
	case p.Default == 0:
		v = coin * scale * around
	}
	if p.WholeNumber {
		v = math.Round(v)
	} else {
		v = math.Round(v*100) / 100
	}
	return min(max(v, p.Least), p.Most)
}

// tuningTable says which numbers were chosen.
func tuningTable(all []tuned, units int) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("The numbers of each order that had the best mean area on %d units for tuning",
			units), Fa: fmt.Sprintf("پارامترهای هر ترتیب که در %d واحدِ تنظیم بهترین میانگینِ مساحت را داشت", units)},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "trials", Fa: "آزمون‌ها"},
			{En: "area by default", Fa: "مساحت با پیش‌فرض"}, {En: "area of the chosen", Fa: "مساحت با برگزیده"}, {En: "chosen", Fa: "برگزیده"}},
	}
	for _, x := range all {
		chosen := strings.TrimPrefix(strings.TrimPrefix(x.spec, x.name), ",")
		if chosen == "" {
			chosen = "defaults"
		}
		t.Rows = append(t.Rows, []string{x.name, strconv.Itoa(x.trials), fmt.Sprintf("%.3f", x.byDefault), fmt.Sprintf("%.3f", x.area), chosen})
	}
	return t
}
