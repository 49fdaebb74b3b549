package recipe

// This file is the recipe of schedules: webs that change, visited again and again.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"kavosh/lab"
	"kavosh/lab/changing"
)

// schedules are those that the recipe compares, beside the oracle. The published ones have every form in which their
// formula can be read.
var schedules = [...]string{"round-robin", "uniform", "frequency", "urgency,form=literal", "urgency,form=rate", "urgency,form=integral",
	"coherence-advanced", "sharc", "freshness", "pattern,form=sum", "pattern,form=product", "pattern",
	"importance-pattern,form=sum", "importance-pattern,form=product", "importance-pattern,spread=no", "importance-pattern", "importance-pattern,fair=0.3", "gain,signals=no", "gain,fair=0.3", "gain"}

const (
	oracle = "(who knows all changes)"
	theirs = "importance-pattern"
	ours   = "gain"
)

// gaps are the gains of importance-pattern that were published: weighted completeness and coherence, over others.
var gaps = [...]struct{ over, completeness, coherence string }{
	{"pattern", "+4 %", "about +3 %"}, {"sharc", "+6 %", "about +3 %"}, {"coherence-advanced", "+6 %", "about +3 %"}, {"frequency", "+25 %", "lost"},
}

// kind is webs that are alike in all but chance.
type kind struct {
	name   lab.Words
	webs   []func() (*changing.Web, error)
	period time.Duration
	shares []int // pages for each visit of a period: the settings
	learn  int   // … before the time that is measured
	each   bool  // whether a table shows each web
}

// revisit compares schedules on webs made of numbers. Ben Saad and Gançarski print their gains without pages, budgets or
// times; ours are 240 pages of 6 sites. Seeds 1 to 20 were for choosing parameters, these are others.
func revisit(ctx context.Context, b *workspace) (*lab.Report, error) {
	const seeds, firstSeed = 30, 101
	var kinds []kind
	for _, of := range []struct {
		name     lab.Words
		strength float64
		poisson  bool
	}{
		{lab.Words{En: "rhythms of full strength", Fa: "آهنگ‌های تمام‌قوت"}, 1, false},
		{lab.Words{En: "rhythms of half the strength", Fa: "آهنگ‌های نیم‌قوت"}, 0.5, false},
		{lab.Words{En: "no rhythms", Fa: "بی‌آهنگ"}, 0, false},
		{lab.Words{En: "Poisson, the control: no rhythms, all changes matter alike", Fa: "پواسون، شاهد: بی‌آهنگ و با تغییرهای هم‌اهمیت"}, 0, true},
	} {
		k := kind{name: of.name, period: time.Hour, shares: []int{20, 10, 5}, learn: 4}
		for seed := range uint64(seeds) {
			k.webs = append(k.webs, func() (*changing.Web, error) {
				return changing.Synthetic{Pages: 240, Sites: 6, Strength: of.strength, Poisson: of.poisson, Weeks: 2, Seed: firstSeed + seed}.Make(), nil
			})
		}
		kinds = append(kinds, k)
	}
	report := &lab.Report{Title: lab.Words{
		En: "When to look again: schedules on webs that change, made of numbers",
		Fa: "کِی دوباره باید دید: زمان‌بندی‌ها در وب‌هایی که از عدد ساخته شده‌اند و تغییر می‌کنند"}}
	return report, b.schedules(ctx, report, kinds)
}

// histories compares schedules on the histories of real sites in the data folder: six hours a period, as their pages change
// once in weeks.
func histories(ctx context.Context, b *workspace) (*lab.Report, error) {
	files, err := filepath.Glob(filepath.Join(b.Data, "*"+changing.HistoryEnding))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no histories of sites: make them by make lab-histories, and name their folder by --data", b.Data)
	}
	k := kind{name: lab.Words{En: "histories of real sites", Fa: "پیشینهٔ سایت‌های واقعی"}, period: 6 * time.Hour, shares: []int{100, 50, 25}, learn: 10, each: true}
	for _, file := range files {
		k.webs = append(k.webs, func() (*changing.Web, error) { return changing.ReadHistory(file) })
	}
	report := &lab.Report{Title: lab.Words{
		En: "When to look again: schedules on the histories of real sites",
		Fa: "کِی دوباره باید دید: زمان‌بندی‌ها بر پیشینهٔ سایت‌های واقعی"}}
	return report, b.schedules(ctx, report, []kind{k})
}

// measured is the qualities of all runs.
type measured map[lab.Run]changing.Quality

// schedules runs all schedules on all webs, and adds tables to the report.
func (b *workspace) schedules(ctx context.Context, report *lab.Report, kinds []kind) error {
	for _, k := range kinds {
		all := measured{}
		names, errs := make([]string, len(k.webs)), make([]error, len(k.webs))
		done := 0
		var mu sync.Mutex
		var running sync.WaitGroup
		free := make(chan struct{}, runtime.GOMAXPROCS(0))
		for n, open := range k.webs {
			free <- struct{}{}
			running.Go(func() {
				defer func() { <-free }()
				w, of, err := k.measure(ctx, open)
				mu.Lock()
				defer mu.Unlock()
				if errs[n] = err; err != nil {
					return
				}
				names[n] = w.Name
				maps.Copy(all, of)
				done++
				b.say("%s: %s: %d of %d webs", b.name, k.name.En, done, len(k.webs))
			})
		}
		running.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		report.Tables = append(report.Tables, all.levels(k), all.gains(k, theirs), all.gains(k, ours))
		if k.each {
			report.Tables = append(report.Tables, all.each(k, names))
		}
	}
	return nil
}

// measure opens a web and runs all schedules on it.
func (k *kind) measure(ctx context.Context, open func() (*changing.Web, error)) (*changing.Web, measured, error) {
	w, err := open()
	if err != nil {
		return nil, nil, err
	}
	all := measured{}
	for _, share := range k.shares {
		o := changing.Setting{Period: k.period, Budget: max(1, len(w.Pages)/share), Learn: max(1, len(w.Pages)/k.learn), Seed: seed}
		run := lab.Run{Web: w.Name, Mode: fmt.Sprint(share), Order: oracle}
		all[run] = changing.Measure(w, changing.Oracle(w, o))
		for _, run.Order = range schedules {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			captures, err := changing.Run(w, run.Order, o)
			if err != nil {
				return nil, nil, err
			}
			all[run] = changing.Measure(w, captures)
		}
	}
	return w, all, nil
}

// results returns the runs in the form of package lab, which computes intervals.
func (m measured) results() (results []lab.Result) {
	for run := range m {
		results = append(results, lab.Result{Run: run})
	}
	return results
}

// levels is a table of the measures of all schedules: means over webs and settings.
func (m measured) levels(k kind) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("%s: means over %d webs and %d budgets", k.name.En, len(k.webs), len(k.shares)),
			Fa: fmt.Sprintf("%s: میانگین %d وب و %d بودجه", k.name.Fa, len(k.webs), len(k.shares))},
		Heads: append([]lab.Words{{En: "schedule", Fa: "زمان‌بندی"}}, changing.Heads()...),
	}
	for _, name := range append([]string{oracle}, schedules[:]...) {
		var of []changing.Quality
		for _, run := range slices.SortedFunc(maps.Keys(m), func(a, b lab.Run) int { return cmp.Or(cmp.Compare(a.Web, b.Web), cmp.Compare(a.Mode, b.Mode)) }) {
			if run.Order == name {
				of = append(of, m[run])
			}
		}
		t.Rows = append(t.Rows, append([]string{name}, changing.Row(of)...))
	}
	return t
}

// each is a table of the weighted completeness on each web, with the most visits.
func (m measured) each(k kind, names []string) lab.Table {
	shown := []string{oracle, "round-robin", "frequency", "sharc", "freshness", "pattern", theirs, "gain,fair=0.3", ours}
	share := k.shares[len(k.shares)-1]
	t := lab.Table{Title: lab.Words{En: fmt.Sprintf("%s: weighted completeness of each, 1 in %d", k.name.En, share),
		Fa: fmt.Sprintf("%s: کاملیِ وزن‌دارِ هر یک، ۱ از %d", k.name.Fa, share)}, Heads: []lab.Words{{En: "web", Fa: "وب"}}}
	for _, s := range shown {
		t.Heads = append(t.Heads, lab.Words{En: s, Fa: s})
	}
	for _, name := range names {
		row := []string{name}
		for _, s := range shown {
			row = append(row, fmt.Sprintf("%.3f", m[lab.Run{Web: name, Mode: fmt.Sprint(share), Order: s}].WeightedCompleteness))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// gains is a table of how much more a schedule has than others, with intervals over the webs, for each budget.
func (m measured) gains(k kind, of string) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("%s: %s over others, weighted completeness and coherence: paired ratios with 95 %% over the webs", k.name.En, of),
			Fa: fmt.Sprintf("%s: %s در برابرِ دیگران، کاملی و هم‌زمانیِ وزن‌دار: نسبت‌های جفت‌شده با ۹۵٪ روی وب‌ها", k.name.Fa, of)},
		Heads: []lab.Words{{En: "over", Fa: "در برابرِ"}},
	}
	if of == theirs {
		t.Heads = append(t.Heads, lab.Words{En: "published", Fa: "منتشرشده"})
	}
	for _, share := range k.shares {
		t.Heads = append(t.Heads, lab.Words{En: fmt.Sprintf("complete, 1 in %d", share), Fa: fmt.Sprintf("کاملی، ۱ از %d", share)},
			lab.Words{En: fmt.Sprintf("coherent, 1 in %d", share), Fa: fmt.Sprintf("هم‌زمانی، ۱ از %d", share)})
	}
	results := m.results()
	for _, over := range schedules {
		if over == of || strings.HasPrefix(over, "gain") && of == theirs {
			continue
		}
		row := []string{over}
		if of == theirs {
			said := ""
			for _, g := range gaps {
				if g.over == over {
					said = g.completeness + "; " + g.coherence
				}
			}
			row = append(row, said)
		}
		for _, share := range k.shares {
			mode := fmt.Sprint(share)
			complete := lab.Paired(results, mode, of, over, func(r *lab.Result) float64 { return m[r.Run].WeightedCompleteness })
			coherent := lab.Paired(results, mode, of, over, func(r *lab.Result) float64 { return m[r.Run].WeightedCoherence })
			row = append(row, more(complete), more(coherent))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// more writes a ratio as how much more it is, with its interval.
func more(i lab.Interval) string {
	return fmt.Sprintf("%+.1f %% (%+.1f to %+.1f)", 100*(i.Mean-1), 100*(i.Low-1), 100*(i.High-1))
}
