package recipe

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"kavosh/lab"
)

// languageWeights are the weights of a page's language that are tried, beside depth 95 and random 5. Since these two come
// to less than 100, every weight above 100 must give the same order: language first.
var languageWeights = [...]int{0, 10, 25, 50, 100, 250, 500, 1000}

// publishedLanguage is the share of Persian pages that Azimzadeh, Yari and Aleahmad (2009) printed, by kind of seeds and
// weight.
var publishedLanguage = [3]map[int]string{{0: "17.1 %", 250: "18.5 %", 500: "20.7 %"}, {0: "35.2 %", 500: "59.3 %"}, {0: "44.7 %", 500: "65.3 %"}}

// seedKinds are the three kinds of seeds, in the order in which the list of units has them for each web.
var seedKinds = [3]lab.Words{{En: "five languages", Fa: "پنج زبان"}, {En: "Persian", Fa: "فارسی"}, {En: "Persian and English", Fa: "فارسی و انگلیسی"}}

// focusPolicies are what may become of the links of irrelevant pages: dropped, followed for some steps, followed always;
// beside them a rule to beat and our own order.
var focusPolicies = []struct{ spec, name string }{
	{"tunnel,limit=0", "hard"}, {"tunnel,limit=3", "tunnelling, 3 steps"}, {"tunnel,limit=1000", "soft"}, {"host-majority", "host-majority"}, {"reinforce-linear", "reinforce-linear"},
}

func weighted(w int) string { return fmt.Sprintf("wire,language=%d", w) }

// language is Azimzadeh, Yari and Aleahmad's experiment (2009) with WIRE's formula: depth 95, random 5, and a weight of
// the language of the page that holds a link, which is a flag.
func language(ctx context.Context, b *bench) (*lab.Report, error) {
	s := study{dir: "results", units: b.of(result), flag: true, orders: []string{"breadth"}}
	for _, w := range languageWeights {
		s.orders = append(s.orders, weighted(w))
	}
	for _, p := range focusPolicies {
		s.orders = append(s.orders, p.spec)
	}
	results, err := b.run(ctx, s)
	if err != nil {
		return nil, err
	}
	report := &lab.Report{Title: lab.Words{En: "Language: Azimzadeh, Yari and Aleahmad's weights", Fa: "زبان: وزن‌های عظیم‌زاده، یاری و آل‌احمد"}}
	if report.Compared, err = lab.Compare(results, "graph", true); err != nil {
		return nil, err
	}
	kinds := kindsOf(s.units)
	for kind, words := range seedKinds {
		var own []lab.Result
		for _, r := range results {
			if kinds[[3]string{r.Web, r.Relevant, r.Start}] == kind {
				own = append(own, r)
			}
		}
		if len(own) == 0 {
			continue
		}
		c, err := lab.Compare(own, "graph", true)
		if err != nil {
			return nil, err
		}
		report.Tables = append(report.Tables, languageTable(kind, words, c))
	}
	report.Findings = append(report.Findings, coincide(results))
	return report, nil
}

// kindsOf says which kind of seeds a unit has: the units of a web and topic come in the order of seedKinds.
func kindsOf(units []unit) map[[3]string]int {
	kinds, met := map[[3]string]int{}, map[[2]string]int{}
	for _, u := range units {
		at := [2]string{u.web, u.relevant}
		for _, ending := range endings {
			kinds[[3]string{u.web + ending, u.relevant, u.start}] = met[at] % len(seedKinds)
		}
		met[at]++
	}
	return kinds
}

// coincide says whether all weights above 100 made the same runs.
func coincide(results []lab.Result) lab.Words {
	first := map[lab.Run]*lab.Result{}
	units, other := 0, 0
	for _, w := range languageWeights {
		if w <= 100 {
			continue
		}
		for i := range results {
			r := &results[i]
			if r.Order != weighted(w) {
				continue
			}
			key := r.Run
			key.Order = ""
			if f := first[key]; f == nil {
				first[key] = r
				units++
			} else if !reflect.DeepEqual(f.Measures, r.Measures) {
				other++
			}
		}
	}
	if other == 0 {
		return lab.Words{En: fmt.Sprintf("All weights above 100 made the same runs on each of %d units, as they must.", units), Fa: fmt.Sprintf("همهٔ وزن‌های بالای ۱۰۰ در هر %d واحد اجرای یکسانی داشتند، چنان‌که باید.", units)}
	}
	return lab.Words{En: fmt.Sprintf("WRONG: weights above 100 made %d other runs.", other), Fa: fmt.Sprintf("نادرست: وزن‌های بالای ۱۰۰ در %d اجرا یکسان نبودند.", other)}
}

// languageTable is what came of one kind of seeds.
func languageTable(kind int, words lab.Words, c *lab.Comparison) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("Seeds: %s; shares of pages in the language", words.En), Fa: fmt.Sprintf("بذرها: %s؛ سهمِ صفحه‌های آن زبان", words.Fa)},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "published", Fa: "منتشرشده"}, {En: "harvest 5 %", Fa: "برداشت ۵٪"}, {En: "12 %", Fa: "۱۲٪"}, {En: "25 %", Fa: "۲۵٪"}, {En: "50 %", Fa: "۵۰٪"}, {En: "recall 12 %", Fa: "بازیابی ۱۲٪"}, {En: "50 %", Fa: "۵۰٪"}, {En: "area", Fa: "مساحت"}},
	}
	row := func(order, name, said string) {
		for i := range c.Orders {
			s := &c.Orders[i]
			if s.Order != order {
				continue
			}
			cells := []string{name, said}
			for _, h := range s.Harvest {
				cells = append(cells, fmt.Sprintf("%.1f %%", 100*h.Mean))
			}
			t.Rows = append(t.Rows, append(cells, fmt.Sprintf("%.3f", s.Recall[1].Mean), fmt.Sprintf("%.3f", s.Recall[3].Mean), fmt.Sprintf("%.3f", s.Area)))
		}
	}
	row(lab.OracleOrder, lab.OracleOrder, "")
	row("breadth", "breadth", "")
	for _, w := range languageWeights {
		row(weighted(w), "wire, language "+strconv.Itoa(w), publishedLanguage[kind][w])
	}
	for _, p := range focusPolicies {
		row(p.spec, p.name, "")
	}
	return t
}
