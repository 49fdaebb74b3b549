package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// result is the content of the JSON file.
type result struct {
	Began   time.Time `json:"began"`
	Hosts   uint64    `json:"hosts"`
	Time    float64   `json:"seconds"`      // how long kavosh was to crawl
	Late    float64   `json:"late_seconds"` // how much later it ended
	Status  int       `json:"exit_status"`
	PeakRSS int64     `json:"peak_rss"` // bytes
	Samples []sample  `json:"samples"`
	Trends  []trend   `json:"trends"`
}

// trend is the change of one quantity over the judged time: a line fitted by least squares.
type trend struct {
	What   string  `json:"what"`
	Mean   float64 `json:"mean"`
	Slope  float64 `json:"percent_a_minute"` // of the mean
	Change float64 `json:"percent_in_all"`   // of the mean, over the whole judged time
	Wanted string  `json:"wanted"`           // the target, for people; "" if the trend is only shown
	Flat   bool    `json:"flat"`
}

// From minute judgedFrom on, memory may rise and pages per CPU second may fall by mostSlope percent of their means per
// minute; goroutines and open files may rise by mostLeak percent in total. The rate by wall time is only shown: it
// depends on other programs.
const (
	judgedFrom = 2
	mostSlope  = 2
	mostLeak   = 10
)

// trends judges a run.
func trends(samples []sample) []trend {
	fit := func(what string, of func(sample) float64) (t trend, ok bool) {
		var n, sx, sy, sxx, sxy, first, last float64
		for _, s := range samples {
			if s.Minutes < judgedFrom {
				continue
			}
			if n == 0 {
				first = s.Minutes
			}
			x, y := s.Minutes, of(s)
			n, sx, sy, sxx, sxy, last = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y, x
		}
		t.What = what
		d := n*sxx - sx*sx
		if n < 3 || d <= 0 || sy <= 0 {
			return t, false
		}
		t.Mean = sy / n
		t.Slope = 100 * (n*sxy - sx*sy) / d / t.Mean
		t.Change = t.Slope * (last - first)
		return t, true
	}
	var all []trend
	judge := func(what, wanted string, of func(sample) float64, flat func(trend) bool) {
		t, ok := fit(what, of)
		t.Wanted, t.Flat = wanted, ok && flat(t)
		all = append(all, t)
	}
	rising := fmt.Sprintf("at most %+d %% a minute", mostSlope)
	leaking := fmt.Sprintf("at most %+d %% in all", mostLeak)
	judge("pages a second", "", func(s sample) float64 { return s.Rate }, func(trend) bool { return true })
	judge("pages a CPU-second", fmt.Sprintf("at least %+d %% a minute", -mostSlope),
		func(s sample) float64 { return s.CPURate }, func(t trend) bool { return t.Slope >= -mostSlope })
	judge("resident memory, MB", rising, func(s sample) float64 { return float64(s.RSS) / 1e6 },
		func(t trend) bool { return t.Slope <= mostSlope })
	judge("goroutines", leaking, func(s sample) float64 { return float64(s.Goroutines) }, func(t trend) bool { return t.Change <= mostLeak })
	judge("open files", leaking, func(s sample) float64 { return float64(s.Files) }, func(t trend) bool { return t.Change <= mostLeak })
	return all
}

// flat reports whether everything stayed constant.
func (r *result) flat() bool {
	return len(r.Trends) > 0 && !slices.ContainsFunc(r.Trends, func(t trend) bool { return !t.Flat })
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "\nkavosh ended %.1f s after its time, exit status %d, peak memory %.0f MB\n\n", r.Late, r.Status, float64(r.PeakRSS)/1e6)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, q := range r.Trends {
		verdict := "wanted " + q.Wanted + "\tflat"
		switch {
		case q.Mean == 0:
			verdict = "\ttoo few minutes to tell"
		case q.Wanted == "":
			verdict = "\t"
		case !q.Flat:
			verdict = "wanted " + q.Wanted + "\tNOT FLAT"
		}
		fmt.Fprintf(t, "  %s\tmean %.4g\t%+.2f %% a minute\t%+.1f %% in all\t%s\n", q.What, q.Mean, q.Slope, q.Change, verdict)
	}
	t.Flush()
}
