package recipe

// This file is the recipe (the repeatable experiment) "orders": which order of fetching finds the wanted pages soonest?
// It runs every order on stored webs, stores the runs in the recipe's folder, and makes the tables of the report.
//
// A unit is one web with a start and what is wanted there. Most orders have numbers that can be set. They are tuned
// first, on units of their own.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kavosh/frontier/order"
	"kavosh/lab"
)

// untuned are orders with the numbers that they have by default: that of crawls with a judge, and orders made of others.
var untuned = []string{
	order.ForTopic, "mix(reinforce-linear,best,answered=1)", "mix(3*best,1*random)", "sum(2*best,1*opic)",
	"then(host-majority,best)", "quota(5,best)",
}

// publishedHits is a result of Meybodi et al.: when 12 % of the pages were fetched, 16.87 % of these were relevant.
// Breadth-first over everything had 6.93 %.
const publishedHits = 16.87 / 6.93

// orders compares all orders over the units for results: by the number of fetches, and by hours in a crawl that is
// polite to hosts. Each order runs with the numbers that were best on the units for tuning.
func orders(ctx context.Context, b *workspace) (*lab.Report, error) {
	tunings, err := b.tune(ctx)
	if err != nil {
		return nil, err
	}
	s := study{dir: "results", units: b.of(result)}
	for _, t := range tunings {
		s.orders = append(s.orders, t.spec)
	}
	s.orders = append(s.orders, untuned...)
	report := &lab.Report{Title: lab.Words{En: "Which order finds what is wanted soonest?", Fa: "کدام ترتیب آنچه را می‌خواهیم زودتر می‌یابد؟"}}
	if report.Compared, err = b.compare(ctx, s); err != nil {
		return nil, err
	}
	s.pace = lab.Polite()
	polite, err := b.compare(ctx, s)
	if err != nil {
		return nil, err
	}
	if report.Compared.Units > 0 {
		report.Tables = append(report.Tables, claims(report.Compared))
		report.Findings = append(report.Findings, found("By fetches", "به شمار گرفتن‌ها", report.Compared))
	}
	if polite.Units > 0 {
		report.Tables = append(report.Tables, hours(polite))
		report.Findings = append(report.Findings, found("By hours under politeness", "به ساعت، با رعایت ادب", polite))
		for i := range report.Compared.Curves {
			c := &report.Compared.Curves[i]
			if k := slices.IndexFunc(polite.Curves, func(p lab.Curve) bool { return p.Order == c.Order }); k >= 0 {
				c.Timed = polite.Curves[k].Timed
			}
		}
	}
	report.Tables = append(report.Tables, tuningTable(tunings, len(b.of(tuning))))
	return report, nil
}

// compare runs a study and compares the orders that ran on every unit. An order that another web must train cannot run
// on all of them. The report then has a note of how it did on those on which it ran.
func (b *workspace) compare(ctx context.Context, s study) (*lab.Comparison, error) {
	results, err := b.run(ctx, s)
	if err != nil {
		return nil, err
	}
	mode := "graph"
	if s.pace != (lab.Pace{}) {
		mode = "polite"
	}
	all, partial := everywhere(results)
	c, err := lab.Compare(all, mode, false)
	if err != nil || len(partial) == 0 {
		return c, err
	}
	some, err := lab.Compare(results, mode, false)
	if err != nil {
		return nil, err
	}
	for _, o := range partial {
		i := slices.IndexFunc(some.Orders, func(x lab.Score) bool { return x.Order == o })
		if i < 0 {
			b.note(o+": compared on no unit that counts, for want of a model from another web",
				o+": به‌سبب نبودِ مدلی از وبی دیگر روی هیچ واحدِ به‌شمارآمده‌ای سنجیده نشد")
			continue
		}
		x := &some.Orders[i]
		b.note(fmt.Sprintf("%s (%s): on the %d of %d units where another web can train its model, area %.3f, %v that of %s",
			o, mode, some.Units, c.Units, x.Area, x.Against, some.Finding.Best[0]),
			fmt.Sprintf("%s (%s): روی %d واحد از %d واحد که وبی دیگر مدلش را آموزش می‌دهد، مساحت %.3f، %v برابر %s", o, mode,
				some.Units, c.Units, x.Area, x.Against, some.Finding.Best[0]))
	}
	return c, nil
}

// found says in words which order is best, or which are equally good.
func found(en, fa string, c *lab.Comparison) lab.Words {
	f := &c.Finding
	w := lab.Words{En: en + ": " + f.String(), Fa: fa + ": «" + strings.Join(f.Best, "»، «") + "»"}
	if len(f.Best) == 1 {
		w.Fa += " بهترین است"
	} else {
		w.Fa += " برابرند"
	}
	if f.Area != nil {
		w.Fa += fmt.Sprintf("؛ مساحت «%s» %v برابر آن است", f.RunnerUp, f.Area)
	}
	return w
}

// claims returns a table of the best order's results, beside the published ones and those that we want.
func claims(c *lab.Comparison) lab.Table {
	first := func() *lab.Score {
		for i := range c.Orders {
			if c.Orders[i].Order == c.Finding.Best[0] {
				return &c.Orders[i]
			}
		}
		return nil
	}()
	t := lab.Table{
		Title: lab.Words{En: "The first order, " + first.Order + ", beside what was published",
			Fa: "نخستین ترتیب، «" + first.Order + "»، در کنارِ آنچه منتشر شده"},
		Heads: []lab.Words{{En: "measure", Fa: "سنجه"}, {En: "published", Fa: "منتشرشده"}, {En: "wanted", Fa: "هدف"}, {En: "here", Fa: "این‌جا"}},
	}
	row := func(name, published, wanted, here string) {
		t.Rows = append(t.Rows, []string{name, published, wanted, here})
	}
	row("units that count", "11", "60", strconv.Itoa(c.Units))
	row("webs", "1", "", strconv.Itoa(c.Webs))
	row("hits at 12 %, × breadth-first's", fmt.Sprintf("%.2f", publishedHits), "2.4", first.Hits.String())
	row("recall at 12 %, × the oracle's", "", "0.8", first.Oracle.String())
	row("webs where 80 % take at most 1.5 × the oracle's fetches", "", "2", strconv.Itoa(first.Near80))
	return t
}

// hours returns a table of the polite runs: what each order had found after some shares of breadth-first's time.
func hours(c *lab.Comparison) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: "By hours: a second a host, 64 workers", Fa: "به ساعت: هر میزبان یک ثانیه، ۶۴ کارگر"},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"},
			{En: "recall after 5 % of breadth-first's time", Fa: "بازیابی پس از ۵٪ زمانِ سطح‌به‌سطح"}, {En: "12 %", Fa: "۱۲٪"},
			{En: "25 %", Fa: "۲۵٪"}, {En: "50 %", Fa: "۵۰٪"}, {En: "hours to 80 %", Fa: "ساعت تا ۸۰٪"},
			{En: "× breadth-first's", Fa: "× سطح‌به‌سطح"}, {En: "area, × the best's", Fa: "مساحت، × بهترین"}},
	}
	curves := map[string][]float64{}
	for _, x := range c.Curves {
		curves[x.Order] = x.Timed
	}
	for i := range c.Orders {
		x := &c.Orders[i]
		timed := curves[x.Order]
		if timed == nil {
			continue
		}
		row := []string{x.Order}
		for _, at := range []int{5, 12, 25, 50} {
			row = append(row, fmt.Sprintf("%.3f", timed[at]))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f", x.Hours80), x.Hours80B.String(), x.Against.String()))
	}
	return t
}
