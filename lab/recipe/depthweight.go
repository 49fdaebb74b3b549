package recipe

// This file is a recipe: it tests a published order by depth.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kavosh/lab"
)

// depthWeight tests TianWang's claim: after a tenth of all pages, most of the sites were reached. Source: the crawl
// strategy of TianWang 2.0, Peking University.
func depthWeight(ctx context.Context, b *workspace) (*lab.Report, error) {
	s := study{dir: "results", units: b.of(result),
		orders: []string{"breadth", "random", "opic", "tianwang", "tianwang,n=1", "tianwang,links=1", "indegree", "quota(1,breadth)"}}
	results, err := b.run(ctx, s)
	if err != nil {
		return nil, err
	}
	report := &lab.Report{
		Title: lab.Words{En: "TianWang: are the sites met by a tenth of the pages?",
			Fa: "تیان‌وانگ: آیا با یک‌دهمِ صفحه‌ها سایت‌ها دیده می‌شوند؟"},
		Axis: lab.Hosts,
	}
	if report.Compared, err = lab.Compare(results, "graph", true); err != nil {
		return nil, err
	}
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("Shares after 10 %% of the reachable pages, means of %d starts on %d webs",
			report.Compared.Units, report.Compared.Webs),
			Fa: fmt.Sprintf("سهم‌ها پس از ۱۰٪ صفحه‌های دست‌یافتنی، میانگین %d آغاز در %d وب", report.Compared.Units, report.Compared.Webs)},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "hosts", Fa: "میزبان‌ها"}, {En: "in-degree", Fa: "درجهٔ ورودی"},
			{En: "PageRank", Fa: "پیج‌رنک"}},
	}
	t.Rows = append(t.Rows, []string{"published (TianWang)", "the great majority", "", ""})
	var ideal lab.Ideal
	n := 0.0
	for i := range results {
		if r := &results[i]; r.Order == lab.AllOrder {
			ideal.Hosts, ideal.Inward, ideal.Rank = ideal.Hosts+r.Ideal.Hosts, ideal.Inward+r.Ideal.Inward, ideal.Rank+r.Ideal.Rank
			n++
		}
	}
	number := func(v float64) string { return fmt.Sprintf("%.3f", v) }
	t.Rows = append(t.Rows, []string{"ideal, each by itself", number(ideal.Hosts / n), number(ideal.Inward / n), number(ideal.Rank / n)})
	for i := range report.Compared.Orders {
		if o := &report.Compared.Orders[i]; o.Order != lab.AllOrder && o.Order != lab.OracleOrder {
			t.Rows = append(t.Rows, []string{o.Order, number(o.Hosts10), number(o.In10), number(o.Rank10)})
		}
	}
	against := lab.Table{
		Title: lab.Words{En: "tianwang against others on each web: the paired ratio, with 95 % over the starts",
			Fa: "تیان‌وانگ در برابرِ دیگران در هر وب: نسبتِ جفت‌شده، با ۹۵٪ روی آغازها"},
		Heads: []lab.Words{{En: "web, beside", Fa: "وب، در کنارِ"}, {En: "starts", Fa: "آغازها"}, t.Heads[1], t.Heads[2], t.Heads[3]},
	}
	webs := map[string][]lab.Result{}
	for _, r := range results {
		webs[r.Web] = append(webs[r.Web], r)
	}
	for _, web := range slices.Sorted(maps.Keys(webs)) {
		var above, not []string
		for _, o := range []string{"breadth", "random", "opic"} {
			starts := len(webs[web]) / (len(s.orders) + 2) // a single start proves nothing
			row := []string{strings.TrimSuffix(web, ".warc.gz") + ", " + o, strconv.Itoa(starts)}
			for i, of := range []func(*lab.Result) float64{
				func(r *lab.Result) float64 { return r.Hosts10 }, func(r *lab.Result) float64 { return r.In10 },
				func(r *lab.Result) float64 { return r.Rank10 },
			} {
				v := lab.Paired(webs[web], "graph", "tianwang", o, of)
				row = append(row, v.String())
				switch {
				case i == 0 && starts > 1 && v.Low > 1:
					above = append(above, o)
				case i == 0:
					not = append(not, o)
				}
			}
			against.Rows = append(against.Rows, row)
		}
		report.Findings = append(report.Findings, lab.Words{
			En: fmt.Sprintf("%s: after a tenth of the pages tianwang has met more hosts than %s; not more than %s.", web,
				listed(above, "none"), listed(not, "none")),
			Fa: fmt.Sprintf("%s: پس از یک‌دهمِ صفحه‌ها تیان‌وانگ میزبان‌های بیشتری دیده است از: %s؛ نه بیشتر از: %s.", web,
				listed(above, "هیچ‌کدام"), listed(not, "هیچ‌کدام")),
		})
	}
	report.Tables = []lab.Table{t, against}
	return report, nil
}

func listed(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}
