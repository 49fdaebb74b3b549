package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// ratio is one comparison that matters, with its target.
type ratio struct {
	Site  string  `json:"site"`
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Want  float64 `json:"want,omitempty"`    // 0 = no target
	Most  bool    `json:"at_most,omitempty"` // Want is an upper bound
	Met   bool    `json:"met"`
}

// ratios compares kavosh with wget and with the ceiling on each site.
func ratios(r *result) (all []ratio) {
	for _, s := range r.Sites {
		add := func(what string, value, want float64, most bool) {
			all = append(all, ratio{s.Name, what, value, want, most, value >= want && !most || value <= want && most})
		}
		ours, wget := s.run("kavosh"), s.run("wget")
		if wget != nil {
			add("pages a CPU-second, kavosh / wget", ours.CPURate/wget.CPURate, 3, false)
			add("pages a second, kavosh / wget", ours.WallRate/wget.WallRate, 4, false)
			add("bytes of WARC a page, kavosh / wget", perPage(ours)/perPage(wget), 1.25, true)
		}
		least := 0.6
		if strings.HasSuffix(s.Name, "TLS") {
			least = 0.5
		}
		add("pages a CPU-second, kavosh / ceiling", ours.CPURate/s.run("ceiling").CPURate, least, false)
		add("peak memory of kavosh in MB", float64(ours.RSS)/1e6, 200, true)
		if lean := s.run("ceiling, lean scan"); lean != nil {
			add("pages a CPU-second, kavosh / ceiling with a lean scan", ours.CPURate/lean.CPURate, 0, false)
		}
		if six := s.run(kavosh(level6...).name); six != nil {
			add("pages a CPU-second at level 6, kavosh / ceiling", six.CPURate/s.run("ceiling, level 6").CPURate, 0, false)
			if wget != nil {
				add("pages a CPU-second at level 6, kavosh / wget", six.CPURate/wget.CPURate, 0, false)
				add("bytes of WARC a page at level 6, kavosh / wget", perPage(six)/perPage(wget), 0, false)
			}
		}
	}
	return all
}

func perPage(r *run) float64 { return float64(r.WARC) / float64(r.Pages) }

// run returns a crawler's run on the site; nil if it did not run.
func (s *siteRun) run(crawler string) *run {
	for i := range s.Runs {
		if s.Runs[i].Crawler == crawler {
			return &s.Runs[i]
		}
	}
	return nil
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "%d × %s, %s\n", r.Cores, r.CPU, r.System)
	for _, s := range r.Sites {
		fmt.Fprintf(w, "\n%s: %d pages of %.1f kB on %d hosts\n\n", s.Name, s.Pages, float64(s.Bytes)/float64(s.Pages)/1e3, s.Hosts)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "crawler\tpages\trequests\tpages/CPU-s\tpages/s\tuser s\tsystem s\twall s\tpeak MB\tWARC MB\t  keeps")
		for _, u := range s.Runs {
			warc := "–"
			if u.WARC > 0 {
				warc = fmt.Sprintf("%.1f", float64(u.WARC)/1e6)
			}
			note := ""
			if u.TimedOut {
				note = ", stopped by -limit"
			}
			fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%s\t  %s%s\n", u.Crawler, u.Pages, u.Requests, u.CPURate, u.WallRate,
				u.User, u.System, u.Wall, float64(u.RSS)/1e6, warc, u.Keeps, note)
		}
		t.Flush()
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "site\t\tmeasured\twanted\t")
	for _, q := range r.Ratios {
		wanted, verdict := fmt.Sprintf("≥ %g", q.Want), "met"
		if q.Most {
			wanted = fmt.Sprintf("≤ %g", q.Want)
		}
		if !q.Met {
			verdict = "NOT MET"
		}
		if q.Want == 0 {
			wanted, verdict = "–", ""
		}
		fmt.Fprintf(t, "%s\t%s\t%.3g\t%s\t%s\n", q.Site, q.What, q.Value, wanted, verdict)
	}
	t.Flush()
	for _, m := range r.Missing {
		fmt.Fprintln(w, "\n"+m)
	}
}
