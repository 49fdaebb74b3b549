package quality

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// weekly makes a series of crawls of a site that grows, some of whose pages change and some of whose pages go.
func weekly(random *rand.Rand, n int) []Crawled {
	series := make([]Crawled, n)
	pages, busy := 200+random.Float64()*5000, 0.02+random.Float64()*0.3
	pace := 0.5 + random.Float64()
	for i := range series {
		about := func(mean float64) int64 { return int64(mean*(0.7+0.6*random.Float64()) + 0.5) }
		c := Crawled{New: about(pages * 0.01), Changed: about(pages * busy), Gone: about(pages * 0.004), Moved: about(pages * 0.03), Failed: about(pages * 0.01)}
		c.Unchanged = max(0, int64(pages)-c.Changed)
		c.Answers = c.New + c.Changed + c.Unchanged + c.Gone + c.Moved
		c.Seconds = float64(c.Answers) * pace * (0.9 + 0.2*random.Float64())
		if i == 0 {
			c = Crawled{Answers: int64(pages), Seconds: pages * pace}
		}
		series[i] = c
		pages *= 1.005
	}
	return series
}

// A redesign and a crawl that was cut short, in 120 weekly crawls, are both found and told apart, and nothing else is odd.
func TestAnomalies(t *testing.T) {
	for name, put := range map[string]func(r *rand.Rand, c *Crawled) Odd{
		"nothing": func(*rand.Rand, *Crawled) Odd { return Usual },
		"all pages look otherwise": func(_ *rand.Rand, c *Crawled) Odd {
			c.Changed, c.Unchanged = c.Changed+c.Unchanged, 0
			return Redesigned
		},
		"all pages have another year at their end": func(_ *rand.Rand, c *Crawled) Odd {
			c.Changed, c.Slight, c.Unchanged = c.Changed+c.Unchanged, c.Unchanged, 0
			return Usual
		},
		"other pages stand in the place of most": func(r *rand.Rand, c *Crawled) Odd {
			gone := int64(float64(c.Unchanged) * (0.6 + 0.3*r.Float64()))
			c.Unchanged, c.Gone, c.New = c.Unchanged-gone, c.Gone+gone, c.New+gone
			return Redesigned
		},
		"half of the pages are errors": func(_ *rand.Rand, c *Crawled) Odd {
			half, changed := c.Unchanged/2, c.Changed/2
			c.Unchanged, c.Changed, c.Gone = c.Unchanged-half, c.Changed-changed, c.Gone+half+changed
			c.Seconds *= 0.6
			return Cut
		},
		"a third was asked for": func(_ *rand.Rand, c *Crawled) Odd {
			c.New, c.Changed, c.Unchanged, c.Gone, c.Answers, c.Seconds = c.New/3, c.Changed/3, c.Unchanged/3, c.Gone/3, c.Answers/3, c.Seconds/3
			return Cut
		},
		"nobody answers": func(_ *rand.Rand, c *Crawled) Odd {
			*c = Crawled{Failed: c.Answers, Seconds: c.Seconds * 2}
			return Down
		},
		"all is redirected": func(_ *rand.Rand, c *Crawled) Odd {
			*c = Crawled{Gone: c.Unchanged + c.Changed, Moved: c.Answers, Answers: c.Answers, Seconds: c.Seconds}
			return Away
		},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 7))
			wrong := 0
			for range 200 {
				series := weekly(random, 120)
				want := make([]Odd, len(series))
				at := 20 + random.IntN(90)
				want[at] = put(random, &series[at])
				if got := Anomalies(series); !slices.Equal(got, want) {
					wrong++
					t.Log(fmt.Sprint("at ", at, ": ", got[at], fmt.Sprintf(" %+v", series[at])))
				}
			}
			if wrong > 0 {
				t.Errorf("%d of 200 series are told wrong", wrong)
			}
		})
	}
	t.Run("a redesign, and a crawl cut short later", func(t *testing.T) {
		random := rand.New(rand.NewPCG(5, 7))
		for range 200 {
			series := weekly(random, 120)
			c := &series[52]
			c.Changed, c.Unchanged = c.Changed+c.Unchanged, 0
			c = &series[93]
			half := c.Unchanged * 2 / 3
			c.Unchanged, c.Gone, c.Seconds = c.Unchanged-half, c.Gone+half, c.Seconds*0.5
			if got := Anomalies(series); got[52] != Redesigned || got[93] != Cut || slices.ContainsFunc(slices.Concat(got[:52], got[53:93], got[94:]), func(o Odd) bool { return o != Usual }) {
				t.Error(got)
			}
		}
	})
	t.Run("a site that is wholly made anew at each third crawl", func(t *testing.T) {
		random := rand.New(rand.NewPCG(5, 7))
		for range 50 {
			series, told := weekly(random, 120), 0
			for k := 20; k < len(series); k += 3 {
				c := &series[k]
				c.Changed, c.Unchanged = c.Changed+c.Unchanged, 0
			}
			for k, odd := range Anomalies(series) {
				if odd != Usual {
					told++
				}
				if k > 30 && odd != Usual {
					t.Fatal(k, odd)
				}
			}
			if told == 0 || told > 2 {
				t.Fatalf("told %d times", told)
			}
		}
	})
	t.Run("a site that becomes smaller, with a redesign or without", func(t *testing.T) {
		random := rand.New(rand.NewPCG(5, 7))
		for range 50 {
			series, want := weekly(random, 120), make([]Odd, 120)
			for k := 40; k < len(series); k++ {
				c := &series[k]
				c.Changed, c.Unchanged, c.New, c.Answers = c.Changed/2, c.Unchanged/2, c.New/2, c.Answers/2
			}
			c := &series[40]
			c.Gone = c.Changed + c.Unchanged
			want[40], want[41], want[42] = Cut, Cut, Cut
			if random.IntN(2) == 0 {
				c.Changed, c.Unchanged = c.Changed+c.Unchanged, 0
				want[40], want[41], want[42] = Redesigned, Usual, Usual
			} else {
				c.Seconds /= 2
			}
			if got := Anomalies(series); !slices.Equal(got, want) {
				t.Fatal(got)
			}
		}
	})
}
