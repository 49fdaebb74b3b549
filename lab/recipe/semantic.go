package recipe

// This file is a recipe: it tests published orders that look for RDF.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kavosh/frontier/order"
	"kavosh/lab"
)

// The orders of the source, and ours.
const (
	broad     = "breadth,filter=1"
	proposed  = "rdf-rhr"
	learned   = "rdf-learn"
	everyLink = "rdf-rhr,keep=1" // ranks N last instead of dropping it: it labels what all crawls together fetch
)

var semanticOrders = []string{
	broad, "breadth", "rdf-r", proposed, "rdf-rhr,relabel=1", "rdf-umbrich", "rdf-urldist", "swse", "biocrawler",
	"ldspider-pld", "multicrawler", "sindice", "reinforce-linear", learned, everyLink,
}

// publishedFinds is what the source's crawler and a breadth-first one found on each of four sites, in 2,000 fetches.
var publishedFinds = [...]struct {
	site       string
	found, bfs int
}{{"dbtune.org", 89, 17}, {"openlylocal.com", 726, 2}, {"deri.org", 326, 2}, {"rossettiarchive.org", 975, 4}}

// publishedPrecision is the published precision of labels R, HR and N, in hundredths.
var publishedPrecision = [...]struct {
	label     string
	precision float64
}{{"R", 83.08}, {"HR", 86.29}, {"N", 86.34}}

// publishedRules are the published support and confidence of rules, in hundredths, read off a damaged figure.
var publishedRules = map[string][2]float64{
	"ex1": {80.89, 99.88}, "ty1": {83.96, 100}, "ti1": {34.34, 100}, "an1": {15.33, 75.88}, "co1": {}, "ty2": {83.96, 100},
	"ti2": {3.64, 100}, "an2": {},
	"co2": {15.99, 66.67}, "pa2": {15.52, 74.72}, "r1": {100, 72.45}, "r2": {},
}

// Which sites and budgets the claims are about.
const (
	semanticBudget = 0.20 // share of the reachable pages
	scarce         = 0.05 // greatest share of RDF among them
)

// semantic repeats the experiment of a thesis at Ferdowsi University about a focused crawler for RDF behind HTML, on
// sites that others can get too. Sites for tuning are shown but left out of all means.
func semantic(ctx context.Context, b *workspace) (*lab.Report, error) {
	results, err := b.run(ctx, study{dir: "results", units: b.units, orders: semanticOrders})
	if err != nil {
		return nil, err
	}
	recognised, err := b.run(ctx, study{dir: "recognised", units: b.declared(), orders: []string{broad}})
	if err != nil {
		return nil, err
	}
	all := semanticSites(b, results, recognised)
	unseen := slices.DeleteFunc(slices.Clone(results), func(r lab.Result) bool {
		return r.Order == everyLink || slices.ContainsFunc(all, func(s semanticSite) bool { return s.tuning && s.of[broad].Web == r.Web })
	})
	report := &lab.Report{Title: lab.Words{En: "RDF among HTML, on real sites", Fa: "آر‌دی‌اف در میان صفحه‌ها، در سایت‌های واقعی"}}
	if report.Compared, err = lab.Compare(unseen, "graph", true); err != nil {
		return nil, err
	}
	report.Tables = append(report.Tables, semanticClaims(all, unseen), semanticFinds(all), semanticRecall(all),
		semanticBudgets(all, unseen), labelPrecision(all), rulePrecision(all))
	return report, nil
}

// declared returns the units with the RDF that a server's Content-Type declares as relevant: what a crawler recognises
// that relies on it.
func (b *workspace) declared() (units []unit) {
	for _, u := range b.units {
		if u.relevant = "label=declared"; b.labels[u.web]["declared"] > 0 {
			units = append(units, u)
		}
	}
	return units
}

// semanticSite is the result for one site.
type semanticSite struct {
	name       string
	tuning     bool
	of         map[string]*lab.Result // by order
	rdf        int                    // documents that can be reached
	recognised int                    // found by breadth-first within the budget, by Content-Type
}

func (s *semanticSite) share() float64 { return float64(s.rdf) / float64(s.of[broad].Reachable) }

// found returns the RDF documents that an order had after a share of the pages. recall counts distinct ones.
func (s *semanticSite) found(order string, share float64) int { return s.of[order].After(share).Pages }
func (s *semanticSite) recall(order string, share float64) float64 {
	return semanticRecallOf(s.of[order], share)
}

func semanticRecallOf(r *lab.Result, share float64) float64 {
	return float64(r.After(share).Texts) / float64(max(r.Texts, 1))
}

// semanticSites returns the sites in the order of the list.
func semanticSites(b *workspace, results, recognised []lab.Result) (all []semanticSite) {
	for _, u := range b.units {
		s := semanticSite{name: u.web, tuning: u.role == tuning, of: map[string]*lab.Result{}}
		for i := range results {
			if r := &results[i]; strings.HasPrefix(r.Web, u.web+".") && r.Start == u.start {
				s.of[r.Order] = r
			}
		}
		for i := range recognised {
			if r := &recognised[i]; r.Order == broad && strings.HasPrefix(r.Web, u.web+".") && r.Start == u.start {
				s.recognised = r.After(semanticBudget).Pages
			}
		}
		if s.of[lab.AllOrder] != nil {
			s.rdf = s.of[lab.AllOrder].After(1).Pages
			all = append(all, s)
		}
	}
	return all
}

// shown returns a site's name, marked if it was used for tuning.
func (s *semanticSite) shown() string {
	if s.tuning {
		return s.name + " (tuning)"
	}
	return s.name
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// semanticFinds returns the source's table of what was found.
func semanticFinds(all []semanticSite) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "RDF documents found with a fifth of the pages (published: with 2,000)",
			Fa: "سندهای آر‌دی‌اف که با یک‌پنجمِ صفحه‌ها یافته شد (منتشرشده: با ۲۰۰۰)"},
		Heads: []lab.Words{{En: "site", Fa: "سایت"}, {En: "pages", Fa: "صفحه‌ها"}, {En: "RDF", Fa: "آر‌دی‌اف"},
			{En: "share", Fa: "سهم"}, {En: "fetches", Fa: "گرفته"},
			{En: "breadth-first, as it recognised", Fa: "سطح‌به‌سطح، به تشخیص خودش"}, {En: "breadth-first", Fa: "سطح‌به‌سطح"},
			{En: "R+HR", Fa: "R+HR"}, {En: "harvest", Fa: "برداشت"}, {En: "× breadth-first", Fa: "× سطح‌به‌سطح"},
			{En: learned, Fa: learned}, {En: "harvest", Fa: "برداشت"}, {En: lab.OracleOrder, Fa: lab.OracleOrder}},
	}
	times := func(a, b int) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.1f", float64(a)/float64(b))
	}
	for i := range all {
		s := &all[i]
		n := int(semanticBudget * float64(s.of[broad].Reachable))
		found, bfs := s.found(proposed, semanticBudget), s.found(broad, semanticBudget)
		ours := s.found(learned, semanticBudget)
		t.Rows = append(t.Rows, []string{s.shown(), strconv.Itoa(s.of[broad].Reachable), strconv.Itoa(s.rdf),
			fmt.Sprintf("%.2f %%", 100*s.share()), strconv.Itoa(n),
			strconv.Itoa(s.recognised), strconv.Itoa(bfs), strconv.Itoa(found), percent(float64(found) / float64(max(n, 1))), times(found, bfs),
			strconv.Itoa(ours), percent(float64(ours) / float64(max(n, 1))), strconv.Itoa(s.found(lab.OracleOrder, semanticBudget))})
	}
	for _, p := range publishedFinds {
		t.Rows = append(t.Rows, []string{p.site + " (published)", "", "", "", "2000", strconv.Itoa(p.bfs), "",
			strconv.Itoa(p.found), percent(float64(p.found) / 2000), times(p.found, p.bfs), "", "", ""})
	}
	return t
}

// semanticRecall returns recall at the budget, one site per row.
func semanticRecall(all []semanticSite) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "Recall of RDF with a fifth of the pages", Fa: "بازیابیِ آر‌دی‌اف با یک‌پنجمِ صفحه‌ها"},
		Heads: []lab.Words{{En: "site", Fa: "سایت"}},
	}
	orders := append([]string{lab.OracleOrder}, semanticOrders[:len(semanticOrders)-1]...)
	for _, o := range orders {
		t.Heads = append(t.Heads, lab.Words{En: o, Fa: o})
	}
	for i := range all {
		row := []string{all[i].shown()}
		for _, o := range orders {
			row = append(row, fmt.Sprintf("%.3f", all[i].recall(o, semanticBudget)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// semanticBudgets returns means over the sites that count.
func semanticBudgets(all []semanticSite, unseen []lab.Result) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "Means over the sites that count: recall by budget, × the published method's with a fifth (95 %), and fetches to 0.99 of the RDF ÷ the oracle's", Fa: "میانگینِ سایت‌های شمرده: بازیابی به بودجه، × روشِ منتشرشده با یک‌پنجم (۹۵٪)، و گرفته‌ها تا ۰٫۹۹ آر‌دی‌اف ÷ دانای کل"},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "5 %", Fa: "۵٪"}, {En: "10 %", Fa: "۱۰٪"},
			{En: "20 %", Fa: "۲۰٪"}, {En: "50 %", Fa: "۵۰٪"}, {En: "100 %", Fa: "۱۰۰٪"},
			{En: "× " + proposed, Fa: "× " + proposed}, {En: "area", Fa: "مساحت"}, {En: "0.99 ÷ oracle", Fa: "۰٫۹۹ ÷ دانای کل"},
			{En: "reached", Fa: "رسیده"}},
	}
	for _, o := range append([]string{lab.OracleOrder}, semanticOrders[:len(semanticOrders)-1]...) {
		row := []string{o}
		sites, area, far, reached := 0.0, 0.0, 0.0, 0
		var sums [5]float64
		for i := range all {
			s := &all[i]
			if s.tuning {
				continue
			}
			sites++
			for k, share := range [...]float64{0.05, 0.10, semanticBudget, 0.50, 1} {
				sums[k] += s.recall(o, share)
			}
			area += s.of[o].Area
			if to, best := s.of[o].To[3], s.of[lab.OracleOrder].To[3]; to > 0 && best > 0 {
				far += math.Log(float64(to) / float64(best))
				reached++
			}
		}
		for _, sum := range sums {
			row = append(row, fmt.Sprintf("%.3f", sum/sites))
		}
		against := ""
		if o != proposed && o != lab.OracleOrder {
			ratio := lab.Paired(unseen, "graph", o, proposed, func(r *lab.Result) float64 { return semanticRecallOf(r, semanticBudget) })
			against = ratio.String()
		}
		ratio := "–"
		if reached > 0 {
			ratio = fmt.Sprintf("%.2f", math.Exp(far/float64(reached)))
		}
		t.Rows = append(t.Rows, append(row, against, fmt.Sprintf("%.3f", area/sites), ratio, fmt.Sprintf("%d/%.0f", reached, sites)))
	}
	return t
}

// tallyOf returns the tally of a label or rule on a site, over all that was fetched.
func (s *semanticSite) tallyOf(name string) order.Tally {
	for _, t := range s.of[everyLink].Tallies {
		if t.Name == name {
			return t
		}
	}
	return order.Tally{}
}

// labelPrecision covers the merged graph of all orders: everyLink leaves nothing out, so it fetched what any order did.
func labelPrecision(all []semanticSite) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "Precision of labels over the merged graph: right / fetched", Fa: "دقتِ برچسب‌ها در گراف ادغام‌شده: درست / گرفته"},
		Heads: []lab.Words{{En: "site", Fa: "سایت"}},
	}
	for _, p := range publishedPrecision {
		t.Heads = append(t.Heads, lab.Words{En: p.label, Fa: p.label}, lab.Words{En: "precision", Fa: "دقت"})
	}
	means := make([][2]float64, len(publishedPrecision)) // sum of precisions, and number of sites
	for i := range all {
		row := []string{all[i].shown()}
		for k, p := range publishedPrecision {
			y := all[i].tallyOf(p.label)
			if y.Applied == 0 {
				row = append(row, "0", "–")
				continue
			}
			precision := float64(y.Correct) / float64(y.Applied)
			row = append(row, fmt.Sprintf("%d / %d", y.Correct, y.Applied), percent(precision))
			if !all[i].tuning {
				means[k][0], means[k][1] = means[k][0]+precision, means[k][1]+1
			}
		}
		t.Rows = append(t.Rows, row)
	}
	mean, said := []string{"mean of those that count"}, []string{"published"}
	for k, p := range publishedPrecision {
		mean = append(mean, "", percent(means[k][0]/max(means[k][1], 1)))
		said = append(said, "", fmt.Sprintf("%.2f %%", p.precision))
	}
	t.Rows = append(t.Rows, mean, said)
	return t
}

// rulePrecision adds up the sites that count, except those that contain several of the others.
func rulePrecision(all []semanticSite) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "Rules over the merged graph of the sites that count", Fa: "قاعده‌ها در گرافِ ادغام‌شدهٔ سایت‌های شمرده"},
		Heads: []lab.Words{{En: "rule", Fa: "قاعده"}, {En: "applied", Fa: "به‌کاررفته"}, {En: "correct", Fa: "درست"},
			{En: "support", Fa: "پشتیبان"}, {En: "published", Fa: "منتشرشده"}, {En: "confidence", Fa: "اطمینان"}, {En: "published", Fa: "منتشرشده"}},
	}
	sum := map[string]order.Tally{}
	for i := range all {
		if all[i].tuning || all[i].name == manySites {
			continue
		}
		for _, y := range all[i].of[everyLink].Tallies {
			z := sum[y.Name]
			sum[y.Name] = order.Tally{Name: y.Name, Label: y.Label, Applied: z.Applied + y.Applied, Correct: z.Correct + y.Correct}
		}
	}
	share := func(a, b int) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f %%", 100*float64(a)/float64(b))
	}
	for _, rule := range []string{"ex1", "ty1", "ti1", "an1", "co1", "ty2", "ti2", "an2", "co2", "pa2", "r1", "r2"} {
		y, said := sum[rule], publishedRules[rule]
		t.Rows = append(t.Rows, []string{rule, strconv.Itoa(y.Applied), strconv.Itoa(y.Correct),
			share(y.Correct, sum[y.Label].Correct), fmt.Sprintf("%.2f %%", said[0]),
			share(y.Correct, y.Applied), fmt.Sprintf("%.2f %%", said[1])})
	}
	return t
}

// manySites is the web of all sites that count.
const manySites = "sites"

// semanticClaims lists the claims, and whether each holds.
func semanticClaims(all []semanticSite, unseen []lab.Result) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "What is wanted", Fa: "آنچه خواسته شده"},
		Heads: []lab.Words{{En: "claim", Fa: "ادعا"}, {En: "here", Fa: "این‌جا"}, {En: "met", Fa: "برآورده"}},
	}
	row := func(claim, here string, met bool) {
		said := "not met"
		if met {
			said = "met"
		}
		t.Rows = append(t.Rows, []string{claim, here, said})
	}
	row("ten real sites or more", strconv.Itoa(len(all)), len(all) >= 10)
	var behind []string
	for i := range all {
		s := &all[i]
		if s.tuning {
			continue
		}
		if s.recall(learned, semanticBudget) < s.recall(proposed, semanticBudget) {
			behind = append(behind, s.name)
		}
		if s.share() > scarce {
			continue
		}
		times := s.recall(proposed, semanticBudget) / max(s.recall(broad, semanticBudget), 1e-9)
		bound := s.recall(proposed, semanticBudget) / max(s.recall(lab.OracleOrder, semanticBudget), 1e-9)
		here := fmt.Sprintf("%.1f × breadth-first, %.2f of the oracle", min(times, 9999), bound)
		row(fmt.Sprintf("%s, %.2f %% RDF: R+HR has 5 × breadth-first's recall, or 0.8 of the oracle's", s.name,
			100*s.share()), here, times >= 5 || bound >= 0.8)
	}
	row(learned+" at least R+HR on each site", "behind on "+listed(behind, "none"), len(behind) == 0)
	ahead := lab.Paired(unseen, "graph", learned, proposed, func(r *lab.Result) float64 { return r.Area })
	row(learned+" ahead of R+HR overall: area, paired", ahead.String(), ahead.Low > 1)
	for i := range all {
		if s := &all[i]; s.name == manySites {
			to, best := s.of[learned].To[3], s.of[lab.OracleOrder].To[3]
			row("many sites: 0.99 of the RDF before 1.5 × the oracle's fetches", fmt.Sprintf("%d, the oracle %d", to, best),
				to > 0 && float64(to) <= 1.5*float64(best))
		}
	}
	return t
}
