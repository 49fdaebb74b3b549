package recipe

// This file is a recipe: it tests published orders that look for pages in Persian.

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kavosh/frontier/order"
	"kavosh/lab"
)

// languageWeights are the weights of a page's language to try, with depth 95 and random 5. These two add up to 100, so
// every weight above 100 must give the same order: language first.
var languageWeights = [...]int{0, 10, 25, 50, 100, 250, 500, 1000}

// publishedLanguage is the published share of Persian pages by seeds and weight (Azimzadeh, Yari and Aleahmad, 2009).
var publishedLanguage = [3]map[int]string{{0: "17.1 %", 250: "18.5 %", 500: "20.7 %"}, {0: "35.2 %", 500: "59.3 %"},
	{0: "44.7 %", 500: "65.3 %"}}

// seedKinds are the three kinds of seeds, in the order of each web's units in the list.
var seedKinds = [3]lab.Words{{En: "five languages", Fa: "پنج زبان"}, {En: "Persian", Fa: "فارسی"},
	{En: "Persian and English", Fa: "فارسی و انگلیسی"}}

// focusPolicies say what happens to the links of irrelevant pages: dropped, followed for some steps, or always.
var focusPolicies = []struct{ spec, name string }{
	{"above(0,tunnel,limit=0)", "hard"}, {"above(0,tunnel,limit=1)", "tunnelling, 1 step"},
	{"above(0,tunnel,limit=3)", "tunnelling, 3 steps"}, {"tunnel,limit=1000", "soft"},
}

// ownPolicies use the page's probability: a simple rule to beat, and our own order.
var ownPolicies = []struct{ spec, name string }{
	{"host-majority", "host-majority"}, {"host-majority,folders=2", "host-majority, with folders"}, {order.ForTopic, order.ForTopic},
}

// languageShare is the share of the reachable pages that a run fetches: one and a half times the pages of a language
// that has a fifth of them.
const languageShare = 0.3

func weighted(w int) string { return fmt.Sprintf("wire,language=%d", w) }

// language repeats the experiment of Azimzadeh, Yari and Aleahmad (2009) with WIRE's formula: depth 95, random 5, and a
// weight for the language of the page that contains a link, which is yes or no.
func language(ctx context.Context, b *workspace) (*lab.Report, error) {
	flagged := study{dir: "results", units: b.of(result), flag: true, share: languageShare, orders: []string{"breadth"}}
	for _, w := range languageWeights {
		flagged.orders = append(flagged.orders, weighted(w))
	}
	for _, p := range focusPolicies {
		flagged.orders = append(flagged.orders, p.spec)
	}
	results, err := b.run(ctx, flagged)
	if err != nil {
		return nil, err
	}
	report := &lab.Report{Title: lab.Words{En: "Language: Azimzadeh, Yari and Aleahmad's weights",
		Fa: "زبان: وزن‌های عظیم‌زاده، یاری و آل‌احمد"}}
	report.Findings = append(report.Findings, sameAboveHundred(results))
	own := study{dir: "own", units: b.of(result), share: languageShare}
	for _, p := range ownPolicies {
		own.orders = append(own.orders, p.spec)
	}
	more, err := b.run(ctx, own)
	if err != nil {
		return nil, err
	}
	results = append(results, more...)
	if report.Compared, err = lab.Compare(results, "graph", true); err != nil {
		return nil, err
	}
	kinds := kindsOf(own.units)
	for kind, words := range seedKinds {
		c, err := lab.Compare(slices.DeleteFunc(slices.Clone(results),
			func(r lab.Result) bool { return kinds[[3]string{r.Web, r.Relevant, r.Start}] != kind }), "graph", true)
		if err != nil {
			continue // no unit has such seeds
		}
		report.Tables = append(report.Tables, languageTable(kind, words, c))
	}
	shown, err := b.byEvidence(ctx, own.units)
	if err != nil {
		return nil, err
	}
	moved, finding, err := b.moved(ctx, own.units[0])
	if err != nil {
		return nil, err
	}
	facts, err := b.localities(own.units)
	if err != nil {
		return nil, err
	}
	report.Tables = append([]lab.Table{facts}, append(report.Tables, shown, moved)...)
	report.Findings = append(report.Findings, finding)
	return report, nil
}

// kindsOf returns the kind of seeds of each unit: the units of a web and topic come in the order of seedKinds.
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

// sameAboveHundred says whether all weights above 100 made the same runs.
func sameAboveHundred(results []lab.Result) lab.Words {
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
		return lab.Words{En: fmt.Sprintf("All weights above 100 made the same runs on each of %d units, as they must.",
			units), Fa: fmt.Sprintf("همهٔ وزن‌های بالای ۱۰۰ در هر %d واحد اجرای یکسانی داشتند، چنان‌که باید.", units)}
	}
	return lab.Words{En: fmt.Sprintf("WRONG: weights above 100 made %d other runs.", other),
		Fa: fmt.Sprintf("نادرست: وزن‌های بالای ۱۰۰ در %d اجرا یکسان نبودند.", other)}
}

// languageTable returns the results for one kind of seeds.
func languageTable(kind int, words lab.Words, c *lab.Comparison) lab.Table {
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("Seeds: %s; shares of pages in the language", words.En),
			Fa: fmt.Sprintf("بذرها: %s؛ سهمِ صفحه‌های آن زبان", words.Fa)},
		Heads: []lab.Words{{En: "order", Fa: "ترتیب"}, {En: "published", Fa: "منتشرشده"},
			{En: "harvest 5 %", Fa: "برداشت ۵٪"}, {En: "12 %", Fa: "۱۲٪"}, {En: "25 %", Fa: "۲۵٪"},
			{En: "recall 12 %", Fa: "بازیابی ۱۲٪"}, {En: "25 %", Fa: "۲۵٪"},
			{En: "area to 1.5 × the texts, ÷ the oracle's", Fa: "مساحت تا ۱٫۵ برابرِ متن‌ها، به نسبتِ پیشگو"}},
	}
	oracle := 0.0
	row := func(order, name, said string) {
		for i := range c.Orders {
			s := &c.Orders[i]
			if s.Order != order {
				continue
			}
			if order == lab.OracleOrder {
				oracle = s.Early
			}
			t.Rows = append(t.Rows, []string{name, said, percent(s.Harvest[0].Mean), percent(s.Harvest[1].Mean), percent(s.Harvest[2].Mean),
				fmt.Sprintf("%.3f", s.Recall[1].Mean), fmt.Sprintf("%.3f", s.Recall[2].Mean), fmt.Sprintf("%.3f", s.Early/max(oracle, 1e-9))})
		}
	}
	row(lab.OracleOrder, lab.OracleOrder, "")
	row("breadth", "breadth", "")
	for _, w := range languageWeights {
		row(weighted(w), "wire, language "+strconv.Itoa(w), publishedLanguage[kind][w])
	}
	for _, p := range slices.Concat(focusPolicies, ownPolicies) {
		row(p.spec, p.name, "")
	}
	return t
}

// localities describes the webs: how much there is to find, and how much a page's language says about its links.
func (b *workspace) localities(units []unit) (lab.Table, error) {
	t := lab.Table{
		Title: lab.Words{En: "The webs, as far as they can be reached", Fa: "وب‌ها، تا جایی که دست‌یافتنی‌اند"},
		Heads: []lab.Words{{En: "web, language", Fa: "وب، زبان"}, {En: "seeds", Fa: "بذرها"}, {En: "pages", Fa: "صفحه‌ها"},
			{En: "hosts", Fa: "میزبان‌ها"}, {En: "of the language", Fa: "از آن زبان"},
			{En: "of the links of these", Fa: "از پیوندهای این‌ها"}, {En: "of the links of others", Fa: "از پیوندهای دیگران"}},
	}
	for _, u := range units {
		web, err := b.open(u.web)
		if err != nil {
			return t, err
		}
		truth, err := lab.NewTruth(web, u.relevant)
		if err != nil {
			return t, err
		}
		var starts []int32
		for _, url := range strings.Fields(u.start) {
			starts = append(starts, int32(web.Find(url)))
		}
		reach := truth.From(starts)
		var links, same [2]float64
		pages := 0.0
		for i, in := range reach.Pages {
			if !in {
				continue
			}
			kind := 1
			if truth.Relevant[i] {
				pages++
				kind = 0
			}
			links[kind] += float64(len(truth.Out[i]))
			for _, to := range truth.Out[i] {
				if truth.Relevant[to] {
					same[kind]++
				}
			}
		}
		t.Rows = append(t.Rows, []string{u.web + ", " + u.relevant, strconv.Itoa(len(starts)), strconv.Itoa(reach.Count),
			strconv.Itoa(reach.Hosts),
			percent(pages / float64(reach.Count)), percent(same[0] / max(links[0], 1)), percent(same[1] / max(links[1], 1))})
	}
	return t, nil
}

// evidence is what a judge of languages may rely on, and how the source ranks it.
var evidence = []struct{ by, said string }{{"tag", "worst"}, {"text", "between"}, {"all", "clearly best"}}

// byEvidence returns the results of the source's formula with judges that rely on declarations, text, or both.
func (b *workspace) byEvidence(ctx context.Context, units []unit) (lab.Table, error) {
	spec := weighted(500)
	t := lab.Table{
		Title: lab.Words{En: "What the judge goes by; harvests at 12 %, means of all seeds",
			Fa: "داور به چه تکیه می‌کند؛ برداشت در ۱۲٪، میانگینِ همهٔ بذرها"},
		Heads: []lab.Words{{En: "tag, text or all", Fa: "برچسب، متن یا همه"}, {En: "published", Fa: "منتشرشده"},
			{En: "precision", Fa: "دقت"}, {En: "recall", Fa: "بازیابی"}, {En: spec, Fa: spec}},
	}
	for _, e := range evidence {
		judged := slices.Clone(units)
		for i := range judged {
			if !strings.HasPrefix(judged[i].judge, "language=") {
				return t, nil // the list does not have this judge
			}
			judged[i].judge += ",by=" + e.by
		}
		results, err := b.run(ctx, study{dir: "by-" + e.by, units: judged, flag: true, share: languageShare, orders: []string{spec}})
		if err != nil {
			return t, err
		}
		var precision, recall, harvest float64
		for i := range results {
			r := &results[i]
			n := float64(len(results))
			precision, recall = precision+r.Judged.Precision/n, recall+r.Judged.Recall/n
			if r.Order == spec {
				harvest += r.Harvest[1] / float64(len(units))
			}
		}
		t.Rows = append(t.Rows, []string{e.by, e.said, percent(precision), percent(recall), percent(harvest)})
	}
	return t, nil
}
