package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"
)

// result is what the JSON file holds.
type result struct {
	Began   time.Time `json:"began"`
	Hosts   uint64    `json:"hosts"`
	Time    float64   `json:"seconds"`      // that kavosh was to crawl
	Late    float64   `json:"late_seconds"` // by which it ended after that
	Status  int       `json:"exit_status"`
	PeakRSS int64     `json:"peak_rss"` // bytes
	Samples []sample  `json:"samples"`
	Trends  []trend   `json:"trends"`
}

// trend is where one quantity goes over the time that is judged: a line fitted by least squares.
type trend struct {
	What   string  `json:"what"`
	Mean   float64 `json:"mean"`
	Slope  float64 `json:"percent_a_minute"` // of the mean
	Change float64 `json:"percent_in_all"`   // of the mean, from the first to the last minute that is judged
	Least  float64 `json:"least_percent"`    // what Change may be
	Most   float64 `json:"most_percent"`
	Flat   bool    `json:"flat"`
}

// warmUp is the part of the time that is not judged: caches fill, the web opens up.
const warmUp = 0.2

// trends judges a run. What may fall freely is not held from below, what may rise freely not from above.
func trends(samples []sample) []trend {
	if len(samples) == 0 {
		return nil
	}
	from := max(2, warmUp*samples[len(samples)-1].Minutes)
	judge := func(what string, least, most float64, of func(sample) float64) trend {
		var n, sx, sy, sxx, sxy, first, last float64
		for _, s := range samples {
			if s.Minutes < from {
				continue
			}
			if n == 0 {
				first = s.Minutes
			}
			x, y := s.Minutes, of(s)
			n, sx, sy, sxx, sxy, last = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y, x
		}
		t := trend{What: what, Least: least, Most: most}
		if d := n*sxx - sx*sx; n >= 3 && d > 0 && sy > 0 {
			t.Mean = sy / n
			t.Slope = 100 * (n*sxy - sx*sy) / d / t.Mean
			t.Change = t.Slope * (last - first)
			t.Flat = t.Change >= least && t.Change <= most
		}
		return t
	}
	const free = 1e9
	return []trend{
		judge("pages a second", -10, free, func(s sample) float64 { return s.Rate }),
		judge("pages a CPU-second", -10, free, func(s sample) float64 { return s.CPURate }),
		judge("resident memory, MB", -free, 10, func(s sample) float64 { return float64(s.RSS) / 1e6 }),
		judge("goroutines", -free, 5, func(s sample) float64 { return float64(s.Goroutines) }),
		judge("open files", -free, 10, func(s sample) float64 { return float64(s.Files) }),
	}
}

// print writes the verdict.
func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "\nkavosh ended %.1f s after its time, exit status %d, peak memory %.0f MB\n\n", r.Late, r.Status, float64(r.PeakRSS)/1e6)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, q := range r.Trends {
		bound := fmt.Sprintf("at least %+.0f %%", q.Least)
		if math.Abs(q.Least) > math.Abs(q.Most) {
			bound = fmt.Sprintf("at most %+.0f %%", q.Most)
		}
		verdict := "flat"
		switch {
		case q.Mean == 0:
			verdict = "too few minutes to tell"
		case !q.Flat:
			verdict = "NOT FLAT"
		}
		fmt.Fprintf(t, "  %s\tmean %.4g\t%+.2f %% a minute\t%+.1f %% in all\twanted %s\t%s\n", q.What, q.Mean, q.Slope, q.Change, bound, verdict)
	}
	t.Flush()
}
