package recipe

import (
	"context"
	"fmt"

	"kavosh/lab"
)

// depthWeight is TianWang's claim: after a tenth of all pages the great majority of the sites were met. Source: the crawl
// strategy of TianWang 2.0, Peking University.
func depthWeight(ctx context.Context, b *bench) (*lab.Report, error) {
	s := study{dir: "results", units: b.of(result), orders: []string{"breadth", "random", "opic", "tianwang", "tianwang,n=1", "tianwang,links=1", "indegree", "quota(1,breadth)"}}
	results, err := b.run(ctx, s)
	if err != nil {
		return nil, err
	}
	report := &lab.Report{
		Title: lab.Words{En: "TianWang: are the sites met by a tenth of the pages?", Fa: "تیان‌وانگ: آیا با یک‌دهمِ صفحه‌ها سایت‌ها دیده می‌شوند؟"},
		Axis:  lab.Hosts,
	}
	if report.Compared, err = lab.Compare(results, "graph", true); err != nil {
		return nil, err
	}
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("Shares after 10 %% of the reachable pages, means of %d starts on %d webs", report.Compared.Units, report.Compared.Webs),
			Fa: fmt.Sprintf("سهم‌ها پس از ۱۰٪ صفحه‌های دست‌یافتنی، میانگین %d آغاز در %d وب", report.Compared.Units, report.Compared.Webs)},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "hosts", Fa: "میزبان‌ها"}, {En: "in-degree", Fa: "درجهٔ ورودی"}, {En: "PageRank", Fa: "پیج‌رنک"}},
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
		Title: lab.Words{En: "tianwang against others: the paired ratio, with 95 %", Fa: "تیان‌وانگ در برابرِ دیگران: نسبتِ جفت‌شده، با ۹۵٪"},
		Heads: []lab.Words{{En: "beside", Fa: "در کنارِ"}, t.Heads[1], t.Heads[2], t.Heads[3]},
	}
	above := true
	for _, o := range []string{"breadth", "random", "opic"} {
		row := []string{o}
		for i, of := range []func(*lab.Result) float64{
			func(r *lab.Result) float64 { return r.Hosts10 }, func(r *lab.Result) float64 { return r.In10 }, func(r *lab.Result) float64 { return r.Rank10 },
		} {
			v := lab.Paired(results, "graph", "tianwang", o, of)
			row = append(row, v.String())
			above = above && (i > 0 || v.Low > 1)
		}
		against.Rows = append(against.Rows, row)
	}
	report.Tables = []lab.Table{t, against}
	finding := lab.Words{En: "After a tenth of the pages tianwang has not met more hosts than each of breadth, random and opic: an interval holds 1, or lies below it.",
		Fa: "پس از یک‌دهمِ صفحه‌ها تیان‌وانگ میزبان‌های بیشتری از هر سهِ سطح‌به‌سطح، تصادفی و OPIC ندیده است: بازه‌ای ۱ را در بر دارد یا زیرِ آن است."}
	if above {
		finding = lab.Words{En: "After a tenth of the pages tianwang has met more hosts than breadth, random and opic: all three intervals lie above 1.",
			Fa: "پس از یک‌دهمِ صفحه‌ها تیان‌وانگ میزبان‌های بیشتری از سطح‌به‌سطح، تصادفی و OPIC دیده است: هر سه بازه بالای ۱ است."}
	}
	report.Findings = append(report.Findings, finding)
	return report, nil
}
