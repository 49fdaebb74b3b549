package lab

// This file computes confidence intervals.

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a value over units with its confidence interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Differs reports whether 1 is outside the interval.
func (i Interval) Differs() bool { return i.Low > 1 || i.High < 1 }

// pair is one unit: the results of two orders for the same web, topic and start.
type pair struct {
	*Result // of the first order
	a, b    float64
}

// sums holds what a unit adds to the two sums of a value.
type sums struct{ a, b float64 }

// pairedRatio returns the geometric mean of the ratios a/b. floor is added to both, so that no zero becomes infinite.
func pairedRatio(pairs []pair, confidence, floor float64) Interval {
	return bootstrap(pairs, confidence, func(p pair) sums { return sums{math.Log((p.a + floor) / (p.b + floor)), 1} },
		func(s sums) float64 { return math.Exp(s.a / s.b) })
}

// ratioOfMeans returns the mean of a divided by the mean of b, so that no unit with a small b dominates.
func ratioOfMeans(pairs []pair, confidence float64) Interval {
	return bootstrap(pairs, confidence, func(p pair) sums { return sums{p.a, p.b} }, func(s sums) float64 { return s.a / max(s.b, 1e-9) })
}

func mean(pairs []pair, confidence float64) Interval {
	return bootstrap(pairs, confidence, func(p pair) sums { return sums{p.a, 1} }, func(s sums) float64 { return s.a / s.b })
}

// bootstrap returns a value of sums over units with its interval: percentiles of 20,000 draws (Efron 1979), clustered
// by web. It draws webs with replacement and takes all units of each, because units of one web resemble each other.
// With one web it draws topics, and with one topic starts; this says nothing about other webs. The same pairs give the
// same interval. Without pairs the interval says nothing.
func bootstrap(pairs []pair, confidence float64, of func(pair) sums, value func(sums) float64) Interval {
	if len(pairs) == 0 {
		return Interval{1, 0, math.Inf(1)}
	}
	var all sums
	var clusters []sums
	for _, like := range []func(*Result) string{
		func(r *Result) string { return r.Web },
		func(r *Result) string { return r.Relevant },
		func(r *Result) string { return r.Start },
	} {
		all, clusters = sums{}, nil
		number := map[string]int{}
		for _, p := range pairs {
			n, ok := number[like(p.Result)]
			if !ok {
				n = len(clusters)
				number[like(p.Result)] = n
				clusters = append(clusters, sums{})
			}
			s := of(p)
			clusters[n].a, clusters[n].b = clusters[n].a+s.a, clusters[n].b+s.b
			all.a, all.b = all.a+s.a, all.b+s.b
		}
		if len(clusters) > 1 {
			break
		}
	}
	const rounds = 20_000
	rng := rand.New(rand.NewPCG(uint64(len(pairs)), 4))
	values := make([]float64, rounds)
	for i := range values {
		var drawn sums
		for range clusters {
			c := clusters[rng.IntN(len(clusters))]
			drawn.a, drawn.b = drawn.a+c.a, drawn.b+c.b
		}
		values[i] = value(drawn)
	}
	slices.Sort(values)
	tail := (1 - confidence) / 2
	return Interval{Mean: value(all), Low: values[int(tail*(rounds-1))], High: values[int(math.Ceil((1-tail)*(rounds-1)))]}
}

// Paired compares two orders by a measure above 0, over the units of one mode on which both were run. It returns the
// geometric mean of a's value divided by b's, with a 95 % interval.
func Paired(results []Result, mode, a, b string, of func(*Result) float64) Interval {
	other := map[Run]*Result{}
	for i := range results {
		if r := &results[i]; r.Mode == mode && r.Order == b {
			other[r.unit()] = r
		}
	}
	var pairs []pair
	for i := range results {
		r := &results[i]
		if o := other[r.unit()]; r.Mode == mode && r.Order == a && o != nil {
			pairs = append(pairs, pair{r, of(r), of(o)})
		}
	}
	return pairedRatio(pairs, 0.95, leastArea)
}
