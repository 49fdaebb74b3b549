package quality

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// What a sample says of all pages is true in at least 94 % of 2,000 samples, although looking stops as soon as enough is known; and
// few are looked at where nearly all are alike.
func TestSharesCover(t *testing.T) {
	const all, samples = 30_000, 2000
	for _, test := range []struct {
		share, margin float64
		most          int // pages that are looked at on average
	}{{0, 0.02, 250}, {0.005, 0.02, 350}, {0.03, 0.02, 1000}, {0.5, 0.05, 1600}, {0.8, 0.05, 850}, {0.97, 0.02, 1000}, {0.998, 0.02, 350}, {1, 0.02, 250}} {
		t.Run(fmt.Sprint(test.share), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, 11))
			truth, held, seen := float64(int(test.share*all))/all, 0, 0
			for range samples {
				s, have := NewShare(all), int(test.share*all)
				for i := 0; i < all && !s.Within(test.margin); i++ {
					has := random.IntN(all-i) < have
					if s.Add(has); has {
						have--
					}
					seen++
				}
				if s.Low <= truth && truth <= s.High {
					held++
				}
			}
			if held < samples*94/100 || seen/samples > test.most {
				t.Errorf("true in %d of %d samples, after %d pages on average", held, samples, seen/samples)
			}
		})
	}
}

// What a sample says of a mean is true whenever one stops.
func TestMeansCover(t *testing.T) {
	const all, samples, margin = 3000, 500, 0.05
	for name, number := range map[string]func(*rand.Rand) float64{
		"damage of some": func(r *rand.Rand) float64 { return max(0, r.Float64()-0.8) * 5 * r.Float64() },
		"great damage":   func(r *rand.Rand) float64 { return 1 - r.Float64()*r.Float64() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, 11))
			numbers, truth := make([]float64, all), 0.0
			for i := range numbers {
				numbers[i] = number(random)
				truth += numbers[i] / all
			}
			held := 0
			for range samples {
				m := NewMean(all)
				for i := 0; i < all && m.High-m.Low > 2*margin; i++ {
					j := i + random.IntN(all-i)
					numbers[i], numbers[j] = numbers[j], numbers[i]
					m.Add(numbers[i])
				}
				if m.Low <= truth+1e-9 && truth <= m.High+1e-9 {
					held++
				}
			}
			if held < samples*94/100 {
				t.Errorf("true in %d of %d samples", held, samples)
			}
		})
	}
}

// Each of many has the same chance to be picked, and to be first.
func TestPick(t *testing.T) {
	const all, most, times = 100, 10, 4000
	in, first := make([]int, all), make([]int, all)
	random := rand.New(rand.NewPCG(1, 2))
	for range times {
		picked, n, err := pick(func(yield func(int, error) bool) {
			for i := range all {
				if !yield(i, nil) {
					return
				}
			}
		}, most, random)
		if n != all || len(picked) != most || err != nil {
			t.Fatal(n, picked, err)
		}
		first[picked[0]]++
		for _, i := range picked {
			in[i]++
		}
	}
	for i := range all { // 400 and 40 are expected; these bounds are five standard deviations away
		if in[i] < 300 || in[i] > 500 || first[i] < 8 || first[i] > 72 {
			t.Errorf("%d was picked %d times, and was first %d times", i, in[i], first[i])
		}
	}
}

// When all pages were looked at, nothing is left to guess.
func TestMeanOfAll(t *testing.T) {
	for _, numbers := range [][]float64{{1}, {0}, {0, 1, 0.25}, {0.5, 0.5, 0.5, 0.5}} {
		m, sum := NewMean(len(numbers)), 0.0
		s, has := NewShare(len(numbers)), 0
		for _, x := range numbers {
			m.Add(x)
			if s.Add(x > 0.4); x > 0.4 {
				has++
			}
			sum += x
		}
		if truth := sum / float64(len(numbers)); math.Abs(m.Low-truth) > 1e-9 || math.Abs(m.High-truth) > 1e-9 {
			t.Errorf("of %v: %v to %v", numbers, m.Low, m.High)
		}
		if share := float64(has) / float64(len(numbers)); s.Low != share || s.High != share {
			t.Errorf("of %v: %v to %v above 0.4", numbers, s.Low, s.High)
		}
	}
}
