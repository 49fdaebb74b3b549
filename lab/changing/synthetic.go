package changing

// This file makes webs of numbers.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/schedule/pattern"
)

// Synthetic is the recipe of a web. Its sites have one of four rhythms each, and are in a zone and a calendar of their own
// time.
type Synthetic struct {
	Pages, Sites int
	Strength     float64 // of the rhythms: 0 is changes at all hours alike, 1 is none outside of a rhythm's hours
	Poisson      bool    // the control: changes come at constant rates, and all matter alike
	Weeks        int     // that are measured, after two to learn from
	Seed         uint64
}

// ParseSynthetic reads pages=N,sites=N,strength=SHARE,weeks=N,seed=N,poisson=0|1; what is left out is as in the recipe
// revisit. The error says what may be there.
func ParseSynthetic(spec string) (Synthetic, error) {
	numbers := map[string]float64{"pages": 240, "sites": 6, "strength": 0.5, "weeks": 2, "seed": 1, "poisson": 0}
	most := map[string]float64{"pages": 100_000, "sites": 100_000, "strength": 1, "weeks": 100, "seed": 1 << 50, "poisson": 1}
	for part := range strings.SplitSeq(spec, ",") {
		if part == "" {
			continue
		}
		name, text, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(text, 64)
		if _, ok := numbers[name]; !ok || err != nil || !(v >= 0 && v <= most[name]) {
			return Synthetic{}, fmt.Errorf("synthetic web: %q is not understood: write pages=N, sites=N, strength=SHARE, weeks=N, seed=N or poisson=1, with commas between", part)
		}
		numbers[name] = v
	}
	return Synthetic{Pages: max(1, int(numbers["pages"])), Sites: max(1, int(numbers["sites"])), Strength: numbers["strength"], Poisson: numbers["poisson"] == 1,
		Weeks: max(1, int(numbers["weeks"])), Seed: uint64(numbers["seed"])}, nil
}

// Rhythms are the hours at which pages change: for each kind of day, how much more than usual in each.
func rhythms() [4][pattern.Bins]float64 {
	var all [4][pattern.Bins]float64
	for i, r := range [...]struct {
		from, to int        // hours of the day
		days     [3]float64 // workdays, the lesser half of the weekend, days of rest
	}{{6, 10, [3]float64{1, 0.5, 0.3}}, {9, 17, [3]float64{1, 0.1, 0}}, {17, 23, [3]float64{1, 1, 1.5}}, {11, 14, [3]float64{1, 0.6, 0.6}}} {
		sum := 0.0
		for b := range pattern.Bins {
			if h := b % 24; h >= r.from && h < r.to {
				all[i][b] = r.days[b/24]
			}
			sum += all[i][b] * [3]float64{5, 1, 1}[b/24] / (7 * 24)
		}
		for b := range pattern.Bins {
			all[i][b] /= sum
		}
	}
	return all
}

// Make makes the web. The same recipe makes the same web.
func (s Synthetic) Make() *Web {
	const hour = 3600
	begin := time.Date(2024, 2, 5, 0, 0, 0, 0, time.UTC).Unix() // a Monday
	calendar, _ := pattern.Named("world", time.UTC)             // which is there
	w := &Web{Name: fmt.Sprintf("synthetic, strength %g, seed %d", s.Strength, s.Seed), Begin: begin, Start: begin + 14*24*hour, Calendar: calendar}
	if s.Poisson {
		w.Name = fmt.Sprintf("synthetic, Poisson, seed %d", s.Seed)
	}
	w.End = w.Start + int64(s.Weeks)*7*24*hour
	rng := rand.New(rand.NewPCG(s.Seed, 20))
	lognormal := func(median, spread float64) float64 { return median * math.Exp(spread*rng.NormFloat64()) }
	shapes := rhythms()
	ofSite := make([]int, s.Sites)
	tells := make([]Tells, s.Sites)
	w.Listings = make([]bool, s.Sites)
	for i := range ofSite {
		ofSite[i] = rng.IntN(len(shapes))
		tells[i] = []Tells{Nothing, Truth, JustNow}[rng.IntN(3)]
		w.Listings[i] = tells[i] != Nothing
	}
	bins := make([]uint8, (w.End-begin)/hour)
	for h := range bins {
		bins[h] = calendar.Bin(instant(begin + int64(h)*hour))
	}
	for i := range s.Pages {
		p := Page{Site: uint32(i % s.Sites), Worth: 1, Tells: tells[i%s.Sites]}
		rate := min(lognormal(1, 1.2), 24) / 24 // of news, an hour
		trifles := 0.0
		meanE := 0.5
		if !s.Poisson {
			p.Worth = lognormal(1, 0.5)
			meanE = 0.1 + 0.8*rng.Float64()
			if rng.IntN(2) == 0 {
				trifles = min(lognormal(2, 1), 24) / 24 // adverts, counters
			}
		}
		for h, bin := range bins {
			now := rate * (1 - s.Strength + s.Strength*shapes[ofSite[p.Site]][bin])
			if s.Poisson {
				now = rate
			}
			at := func() int64 { return begin + int64(h)*hour + rng.Int64N(hour) }
			for range poisson(rng, now) {
				e := meanE
				if !s.Poisson {
					e = min(max(meanE*(0.5+rng.Float64()), 0.05), 1)
				}
				p.Changes = append(p.Changes, Change{at(), e})
			}
			for range poisson(rng, trifles) {
				p.Changes = append(p.Changes, Change{at(), 0.02})
			}
		}
		slices.SortStableFunc(p.Changes, func(a, b Change) int { return int(a.At - b.At) })
		w.Pages = append(w.Pages, p)
	}
	return w
}

// poisson draws a count with a small mean (Knuth).
func poisson(rng *rand.Rand, mean float64) (n int) {
	least := math.Exp(-mean)
	for left := rng.Float64(); left > least; left *= rng.Float64() {
		n++
	}
	return n
}
