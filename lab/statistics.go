package lab

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Ratio is how two orders compare over the same units: the geometric mean of the ratios, and an interval that holds the
// truth with the confidence asked for.
type Ratio struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Differs reports whether 1 lies outside of the interval.
func (r Ratio) Differs() bool { return r.Low > 1 || r.High < 1 }

// pair is one unit: what two orders came to on the same web, topic and start.
type pair struct {
	web  string
	a, b float64
}

// meanRatio is the geometric mean of the ratios. floor is added to both sides, so that a zero is no infinity.
func meanRatio(pairs []pair, floor float64) float64 {
	sum := 0.0
	for _, p := range pairs {
		sum += p.log(floor)
	}
	return math.Exp(sum / float64(max(len(pairs), 1)))
}

func (p *pair) log(floor float64) float64 { return math.Log((p.a + floor) / (p.b + floor)) }

// ratio compares by paired log-ratios with a bootstrap clustered by web: webs are drawn with replacement, and of each all
// of its units, since units of one web resemble each other. Of one web alone its units are drawn, which says nothing
// about other webs. The same pairs give the same interval.
func ratio(pairs []pair, confidence, floor float64) Ratio {
	const rounds = 4000
	byWeb := map[string][]float64{}
	var names []string
	for _, p := range pairs {
		if _, ok := byWeb[p.web]; !ok {
			names = append(names, p.web)
		}
		byWeb[p.web] = append(byWeb[p.web], p.log(floor))
	}
	if len(pairs) == 0 {
		return Ratio{1, 0, math.Inf(1)}
	}
	var clusters [][]float64
	slices.Sort(names)
	for _, n := range names {
		clusters = append(clusters, byWeb[n])
	}
	if len(clusters) == 1 {
		all := clusters[0]
		clusters = nil
		for i := range all {
			clusters = append(clusters, all[i:i+1])
		}
	}
	rng := rand.New(rand.NewPCG(uint64(len(pairs)), 4))
	means := make([]float64, rounds)
	for i := range means {
		total, n := 0.0, 0
		for range clusters {
			for _, d := range clusters[rng.IntN(len(clusters))] {
				total += d
				n++
			}
		}
		means[i] = total / float64(n)
	}
	slices.Sort(means)
	tail := (1 - confidence) / 2
	return Ratio{
		Mean: meanRatio(pairs, floor),
		Low:  math.Exp(means[int(tail*(rounds-1))]),
		High: math.Exp(means[int((1-tail)*(rounds-1))]),
	}
}
