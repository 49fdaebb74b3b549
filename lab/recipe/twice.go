package recipe

// This file is the recipe of crawls of two rounds: in which order the second keeps most pages coherent.

import (
	"context"
	"fmt"
	"slices"

	"kavosh/lab"
	"kavosh/lab/changing"
)

// foresight is the row beside those of changing.Orders.
const foresight = "(who knows all changes)"

// rising is in the place of what is known, of runs whose first round goes from the least changing page to the most, as SHARC's.
const rising changing.Knowledge = "rising"

// hoursOf are the lengths of a round.
var hoursOf = [...]float64{6, 24, 96}

// twice compares orders of the second round on webs made of numbers, 240 pages each, with seeds of their own.
func twice(ctx context.Context, b *workspace) (*lab.Report, error) {
	const seeds, firstSeed = 30, 201
	report := &lab.Report{Title: lab.Words{
		En: "Each page twice: orders of the second round, by the share of pages that do not change between their visits",
		Fa: "هر صفحه دو بار: ترتیب‌های دورِ دوم، به سهمِ صفحه‌هایی که میان دو دیدار تغییر نمی‌کنند"}}
	for _, kind := range []struct {
		name    lab.Words
		poisson bool
	}{
		{lab.Words{En: "constant rates (Poisson)", Fa: "آهنگِ ثابت (پواسون)"}, true},
		{lab.Words{En: "rhythms of full strength", Fa: "آهنگ‌های تمام‌قوت"}, false},
	} {
		shares := map[lab.Run]float64{}
		for seed := range uint64(seeds) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			strength := 1.0
			if kind.poisson {
				strength = 0
			}
			w := changing.Synthetic{Pages: 240, Sites: 6, Strength: strength, Poisson: kind.poisson, Weeks: 2, Seed: firstSeed + seed}.Make()
			for _, hours := range hoursOf {
				runTwice(shares, &changing.Twice{Web: w, Hours: hours}, firstSeed+seed)
			}
			b.say("%s: %s: %d of %d webs", b.name, kind.name.En, seed+1, seeds)
		}
		report.Tables = append(report.Tables,
			orderTable(shares, changing.Daily, lab.Words{En: kind.name.En + ", first round as links are found", Fa: kind.name.Fa + "، دورِ نخست به ترتیبِ یافتنِ پیوندها"}, seeds),
			orderTable(shares, rising, lab.Words{En: kind.name.En + ", first round from the least changing page to the most, as SHARC's", Fa: kind.name.Fa + "، دورِ نخست از کم‌تغییرترین صفحه، چنان‌که در SHARC"}, seeds),
			knowledgeTable(shares, kind.name, seeds))
	}
	return report, nil
}

// modeOf names what a run knows, and how long its rounds are.
func modeOf(of changing.Knowledge, hours float64) string { return fmt.Sprint(of, " ", hours) }

// runTwice adds the shares of all orders on a web.
func runTwice(shares map[lab.Run]float64, c *changing.Twice, seed uint64) {
	add := func(of changing.Knowledge, first []int, rates []float64) {
		run := lab.Run{Web: c.Web.Name, Mode: modeOf(of, c.Hours)}
		for _, run.Order = range changing.Orders() {
			shares[run] = c.Unchanged(first, c.Order(run.Order, first, rates, seed))
		}
		run.Order = foresight
		shares[run] = c.Oracle(first)
	}
	first := c.First(seed)
	for _, of := range []changing.Knowledge{changing.Nil, changing.Modified, changing.Daily, changing.All} {
		add(of, first, c.Rates(of, first))
	}
	rates := c.Rates(changing.Daily, first)
	add(rising, c.Order("least changing first", first, rates, seed), rates)
}

// meanOf returns the mean share of an order over all webs.
func meanOf(shares map[lab.Run]float64, order, mode string) string {
	sum, n := 0.0, 0
	for run, share := range shares {
		if run.Order == order && run.Mode == mode {
			sum, n = sum+share, n+1
		}
	}
	return fmt.Sprintf("%.3f", sum/float64(max(n, 1)))
}

// over returns how much more one order has than another, with an interval over the webs.
func over(shares map[lab.Run]float64, a, b, mode string) string {
	var results []lab.Result
	for run := range shares {
		results = append(results, lab.Result{Run: run})
	}
	return more(lab.Paired(results, mode, a, b, func(r *lab.Result) float64 { return shares[r.Run] }))
}

// orderTable has the shares of all orders, and how much more that of crawls has.
func orderTable(shares map[lab.Run]float64, of changing.Knowledge, kind lab.Words, webs int) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("%s: means over %d webs, rates by seven daily crawls before; how much more loss has, with 95 %% over the webs", kind.En, webs),
			Fa: fmt.Sprintf("%s: میانگین %d وب، آهنگ از هفت خزشِ روزانهٔ پیش؛ و برتریِ loss با ۹۵٪ روی وب‌ها", kind.Fa, webs)},
		Heads: []lab.Words{{En: "second round", Fa: "دورِ دوم"}},
	}
	for _, hours := range hoursOf {
		t.Heads = append(t.Heads, lab.Words{En: fmt.Sprintf("rounds of %g h", hours), Fa: fmt.Sprintf("دورهای %g ساعته", hours)}, lab.Words{En: "loss has more", Fa: "برتریِ loss"})
	}
	for _, order := range append(slices.Clone(changing.Orders()), foresight) {
		row := []string{order}
		for _, hours := range hoursOf {
			mode, gain := modeOf(of, hours), ""
			if order != "loss" {
				gain = over(shares, "loss", order, mode)
			}
			row = append(row, meanOf(shares, order, mode), gain)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// knowledgeTable has what the order of crawls gains by what is known.
func knowledgeTable(shares map[lab.Run]float64, kind lab.Words, webs int) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("%s: loss by what is known of rates, and how much more it has than pages as visited, %d webs", kind.En, webs),
			Fa: fmt.Sprintf("%s: loss با آنچه از آهنگ‌ها دانسته است، و برتری‌اش بر ترتیبِ دیدار، %d وب", kind.Fa, webs)},
		Heads: []lab.Words{{En: "known", Fa: "دانسته"}},
	}
	for _, hours := range hoursOf {
		t.Heads = append(t.Heads, lab.Words{En: fmt.Sprintf("rounds of %g h", hours), Fa: fmt.Sprintf("دورهای %g ساعته", hours)}, lab.Words{En: "more than as visited", Fa: "برتری بر ترتیبِ دیدار"})
	}
	for _, of := range []changing.Knowledge{changing.Nil, changing.Modified, changing.Daily, changing.All} {
		row := []string{string(of)}
		for _, hours := range hoursOf {
			row = append(row, meanOf(shares, "loss", modeOf(of, hours)), over(shares, "loss", "as visited", modeOf(of, hours)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
