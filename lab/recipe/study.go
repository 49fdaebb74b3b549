package recipe

// This file runs orders over the units of a recipe, and stores the runs.

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lab"
)

// study is runs of orders over units, stored in their own folder.
type study struct {
	dir    string // below Out, after the recipe's name
	units  []unit
	orders []string // context-graph is left out if no other web can train it
	pace   lab.Pace
	share  float64 // share of the reachable pages; 0 means all
	floor  float64 // see lab.Walk
	brief  bool    // store only the ends of curves
	flag   bool    // verdicts are yes or no
}

// seed is the same for all runs, so that everybody gets the same results.
const seed = 1

// run makes the missing runs and returns all stored ones.
func (b *workspace) run(ctx context.Context, s study) ([]lab.Result, error) {
	dir := b.dir(s)
	results, err := lab.ReadResults(dir)
	if err != nil {
		return nil, err
	}
	had := map[lab.Run]bool{}
	for i := range results {
		had[results[i].Run] = true
	}
	groups := grouped(s.units)
	for n, group := range groups {
		u := &group[0]
		wanted := s.missing(b, group, had)
		if wanted == 0 {
			continue
		}
		j, err := b.judge(u)
		if err != nil {
			return nil, err
		}
		if j == nil {
			b.note(u.web+", "+u.relevant+": left out, no other web has pages enough to train a judge on",
				u.web+"، "+u.relevant+": کنار گذاشته شد؛ وب دیگری صفحهٔ کافی برای آموزش داور ندارد")
			continue
		}
		if s.flag {
			j = flag{j}
		}
		web, err := b.open(u.web)
		if err != nil {
			return nil, err
		}
		e := lab.Experiment{
			Dir: dir, Web: web, Relevant: []string{u.relevant}, Judge: func(string) (judge.Judge, error) { return j, nil },
			Orders: s.orders, Pace: s.pace, Share: s.share, Floor: s.floor, Seed: seed, Had: had, Brief: s.brief,
		}
		if slices.ContainsFunc(s.orders, needsGraph) {
			g, err := b.contextGraph(u)
			if err != nil {
				return nil, err
			}
			e.Levels = map[string]*order.ContextGraph{u.relevant: g}
			if g == nil {
				e.Orders = slices.DeleteFunc(slices.Clone(s.orders), needsGraph)
			}
		}
		for _, u := range group {
			e.Starts = append(e.Starts, u.start)
		}
		done := 0
		e.Done = func(r lab.Result) {
			if done++; done%100 == 0 {
				b.say("%s %s: %s, %s: %d of %d runs", b.name, s.dir, u.web, u.relevant, done, wanted)
			}
		}
		if err := e.Run(ctx); err != nil {
			return nil, err
		}
		b.say("%s %s: %d of %d: %s, %s: %d runs", b.name, s.dir, n+1, len(groups), u.web, u.relevant, done)
	}
	if results, err = lab.ReadResults(dir); err != nil {
		return nil, err
	}
	return s.own(b, results), nil
}

// dir returns the folder for the runs of a study.
func (b *workspace) dir(s study) string { return filepath.Join(b.Out, b.name+"-"+s.dir) }

func needsGraph(spec string) bool { return strings.HasPrefix(spec, "context-graph") }

// each calls f with every run of a group.
func (s *study) each(b *workspace, group []unit, f func(lab.Run)) {
	mode := "graph"
	if s.pace != (lab.Pace{}) {
		mode = "polite"
	}
	for _, u := range group {
		for _, spec := range slices.Concat([]string{lab.AllOrder, lab.OracleOrder}, s.orders) {
			f(lab.Run{Web: filepath.Base(b.files[u.web]), Relevant: u.relevant, Start: u.start, Order: spec, Mode: mode, Seed: seed})
		}
	}
}

func (s *study) missing(b *workspace, group []unit, had map[lab.Run]bool) (n int) {
	s.each(b, group, func(r lab.Run) {
		if !had[r] {
			n++
		}
	})
	return n
}

// own returns the results of this study: the folder may also have those of another list or other numbers.
func (s *study) own(b *workspace, results []lab.Result) []lab.Result {
	mine := map[lab.Run]bool{}
	s.each(b, s.units, func(r lab.Run) { mine[r] = true })
	return slices.DeleteFunc(results, func(r lab.Result) bool { return !mine[r.Run] })
}

// grouped returns groups of units with the same web, topic and judge, in the order of the list.
func grouped(units []unit) (groups [][]unit) {
	at := map[unit]int{}
	for _, u := range units {
		key := u
		key.start = ""
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

// everywhere returns the results of the orders that ran on every unit, and the names of the others.
func everywhere(results []lab.Result) (all []lab.Result, partial []string) {
	units := map[lab.Run]int{}
	runs := map[string]int{}
	for i := range results {
		r := results[i].Run
		runs[r.Order]++
		r.Order = ""
		units[r]++
	}
	for name, n := range runs {
		if n < len(units) {
			partial = append(partial, name)
		}
	}
	slices.Sort(partial)
	return slices.DeleteFunc(slices.Clone(results), func(r lab.Result) bool { return slices.Contains(partial, r.Order) }), partial
}
