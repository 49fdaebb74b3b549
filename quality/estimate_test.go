package quality

import (
	"math/rand/v2"
	"testing"
)

// Of crawls that find pages by chance, the truth lies between the bounds in at least 94 of 100 cases.
func TestRecaptureCoversTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for _, c := range []struct {
		pages         int
		first, second float64
	}{{300, 0.9, 0.8}, {300, 0.5, 0.5}, {1000, 0.3, 0.6}, {1000, 0.2, 0.2}} {
		const trials = 2000
		covered, sum := 0, 0.0
		for range trials {
			var first, second, both int64
			for range c.pages {
				a, b := rng.Float64() < c.first, rng.Float64() < c.second
				if a {
					first++
				}
				if b {
					second++
				}
				if a && b {
					both++
				}
			}
			e := Recapture(first, second, both)
			if sum += e.Pages; e.Least <= int64(c.pages) && int64(c.pages) <= e.Most {
				covered++
			}
		}
		if mean := sum / trials; covered < trials*94/100 || mean < 0.99*float64(c.pages) || mean > 1.01*float64(c.pages) {
			t.Errorf("%+v: covered %d of %d, %.1f on average", c, covered, trials, mean)
		}
	}
	if e := Recapture(10, 10, 10); e.Pages != 10 || e.Least != 10 || e.Most != 11 || e.Share != 1 {
		t.Errorf("%+v", e)
	}
}
