package judge

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"kavosh"
)

// filler is so many words that say nothing.
func filler(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i%97)
	}
	return b.String()
}

func must(j Judge, err error) Judge {
	if err != nil {
		panic(err)
	}
	return j
}

func TestKeyword(t *testing.T) {
	j := must(Keyword("كتاب‌های  خوب"))
	for _, c := range []struct {
		page      kavosh.Page
		low, high float64
	}{
		{kavosh.Page{}, 0, 0},
		{kavosh.Page{Text: "کتاب خوب"}, 0, 0},
		{kavosh.Page{Text: "خوب کتابهای"}, 0, 0},
		{kavosh.Page{Text: "این\nکتاب‌هاي خوب."}, 0.5, 0.7},
		{kavosh.Page{Title: "کتابهای خوب"}, 0.65, 0.8},
		{kavosh.Page{Text: strings.Repeat("کتابهای خوب ", 100)}, 0.9, 1},
	} {
		if s := j.Judge(&c.page).Score; s < c.low || s > c.high {
			t.Errorf("%q %.40q: %.2f, want %.2f to %.2f", c.page.Title, c.page.Text, s, c.low, c.high)
		}
	}
	v := must(Keyword("Go")).Judge(&kavosh.Page{Title: "Go", Text: "to go or GO, no ergo"})
	if why := v.Why(); !strings.Contains(why, `"Go" in the title`) || !strings.Contains(why, `"Go" 2 times`) {
		t.Errorf("why: %s", why)
	}
	if j, err := Keyword(" ,. "); err == nil {
		t.Errorf("a keyword without a word is taken: %v", j)
	}
}

// TestQueryIsCalibrated holds the score of 0.5 to where people would begin to call a page relevant.
func TestQueryIsCalibrated(t *testing.T) {
	page := func(n int, words string) *kavosh.Page { return &kavosh.Page{Text: words + " " + filler(n)} }
	topic := ""
	for i := range 100 {
		topic += fmt.Sprintf("topic%d ", i)
	}
	var some []string
	for i := range 60 {
		some = append(some, fmt.Sprintf("topic%d", i*5/3))
	}
	for _, c := range []struct {
		query    string
		page     *kavosh.Page
		relevant bool
	}{
		{"solar", page(300, "solar"), true},
		{"solar", page(300, "lunar"), false},
		{"solar", page(5000, "solar"), false}, // once in a long page says little
		{"solar", page(5000, strings.Repeat("solar ", 15)), true},
		{"solar energy", page(300, "solar"), false},
		{"solar energy", page(300, strings.Repeat("energy ", 10)), false},
		{"solar energy", page(300, "solar power and energy"), true},
		{"the history of solar energy", page(300, "the of the of the of"), false},
		{"the history of solar energy", page(300, "a history of energy, mostly solar"), true},
		{"تاریخ ايران", page(300, "تاریخ ایران"), true},
		{topic, page(300, strings.Join(some[:3], " ")), false},
		{topic, page(300, strings.Join(some, " ")), true},
	} {
		v := must(Query(c.query, nil)).Judge(c.page)
		if v.Relevant() != c.relevant {
			t.Errorf("%.40q on %.60q …: %.2f (%s)", c.query, c.page.Text, v.Score, v.Why())
		}
	}
	j := must(Query("solar energy", nil))
	if a, b := j.Text("solar energy today"), j.Text("contact us"); a < 0.5 || b != 0 {
		t.Errorf("anchors: %.2f and %.2f", a, b)
	}
	if text, title := j.Judge(page(300, "solar energy")).Score, j.Judge(&kavosh.Page{Title: "solar energy", Text: filler(300)}).Score; title <= text {
		t.Errorf("in the title %.2f, in the text %.2f", title, text)
	}
}

func TestBackgroundMakesRareWordsWeighMore(t *testing.T) {
	b := NewBackground(strings.Repeat("energy is in every line\n", 50) + "solar once\n")
	rare, common := &kavosh.Page{Text: "solar " + filler(200)}, &kavosh.Page{Text: "energy " + filler(200)}
	with, without := must(Query("solar energy", b)), must(Query("solar energy", nil))
	if r, c := with.Judge(rare).Score, with.Judge(common).Score; r < 3*c {
		t.Errorf("the rare word gives %.3f, the common one %.3f", r, c)
	}
	if r, c := without.Judge(rare).Score, without.Judge(common).Score; r != c {
		t.Errorf("without a background %.3f and %.3f", r, c)
	}
}

func TestRegexp(t *testing.T) {
	j := must(Regexp(`(?i)\bcourse/\d+`))
	for _, c := range []struct {
		page  kavosh.Page
		score float64
		why   string
	}{
		{kavosh.Page{URL: "http://a.test/Course/12"}, 1, "in the address"},
		{kavosh.Page{URL: "http://a.test/", Title: "COURSE/7"}, 1, "in the title"},
		{kavosh.Page{URL: "http://a.test/", Text: "x\ncourse/1"}, 1, `"course/1" in the text`},
		{kavosh.Page{URL: "http://a.test/courses"}, 0, "nothing matches"},
	} {
		if v := j.Judge(&c.page); v.Score != c.score || !strings.Contains(v.Why(), c.why) {
			t.Errorf("%+v: %.2f, %s", c.page, v.Score, v.Why())
		}
	}
	if s := must(Regexp("")).Text(""); s != 0 {
		t.Errorf("no words are relevant: %.2f", s)
	}
	for _, bad := range []string{"(", strings.Repeat("a", 2000)} {
		if _, err := Regexp(bad); err == nil {
			t.Errorf("%.20q is taken", bad)
		}
	}
}

func TestAnyTakesTheGreatestAndMixTheMean(t *testing.T) {
	a, b := must(Keyword("one")), must(Keyword("two"))
	page := &kavosh.Page{Text: "one"}
	one := a.Judge(page)
	if v := Any(b, a).Judge(page); v.Score != one.Score || v.Why() != one.Why() {
		t.Errorf("any: %.2f %s, want %.2f %s", v.Score, v.Why(), one.Score, one.Why())
	}
	v := Mix(Weighted{a, 3}, Weighted{b, 1}).Judge(page)
	if math.Abs(v.Score-0.75*one.Score) > 1e-9 || len(v.Reasons) != 2 || v.Reasons[0].Weight != 0.75*one.Reasons[0].Weight {
		t.Errorf("mix: %.3f %s", v.Score, v.Why())
	}
	if !v.Relevant() && Any(Mix(Weighted{a, 1}, Weighted{b, 1}), a).Text("one") < 0.5 {
		t.Error("a mix in Any loses")
	}
}

func TestParse(t *testing.T) {
	open := func(name string) ([]byte, error) {
		files := map[string]string{"t.txt": "solar wind hydro power", "b.txt": "power\npower\n", "bad": "x"}
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return nil, fmt.Errorf("no file %s", name)
	}
	r := Reader{Open: open}
	for _, c := range []struct {
		values string
		text   string
		want   bool
	}{
		{"keyword=solar wind", "the solar wind", true},
		{"keyword=a=b", "a b", true},
		{"query=solar", "solar", true},
		{"topic=t.txt", "solar and hydro power", true},
		{"topic=t.txt|background=b.txt", "power", false},
		{"re=^so", "solar", true},
		{"keyword=x|keyword=y", "y", true},
		{"3*keyword=x|keyword=y", "y", false},
		{"keyword=x|9*keyword=y", "y", true},
	} {
		j, err := r.Parse(strings.Split(c.values, "|"))
		if err != nil {
			t.Errorf("%s: %v", c.values, err)
			continue
		}
		if !j.Needs().Text {
			t.Errorf("%s needs no text", c.values)
		}
		if s := j.Text(c.text); s >= 0.5 != c.want {
			t.Errorf("%s: %q %.2f", c.values, c.text, s)
		}
	}
	for value, want := range map[string][]string{
		"solar":                    {`"solar"`, "keyword=WORD", "model=FILE"},
		"colour=red":               {`"colour"`, "keyword=WORD"},
		"language=persian":         {`"persian"`, " fa ", " en "},
		"language=fa,by=x":         {"by=all, text, tag or published"},
		"language=en,by=published": {"Persian alone"},
		"rdf=x":                    {"rdf=documents"},
		"keyword=":                 {`"keyword="`, "no word"},
		"query=?!":                 {"no word"},
		"re=(":                     {`"re=("`, "missing closing"},
		"topic=absent":             {`"topic=absent"`, "no file absent"},
		"model=bad":                {`"model=bad"`, "kavosh judge train"},
		"0*keyword=x":              {"weight", `"0"`},
		"x*keyword=x":              {"weight", `"x"`},
		"background=b.txt":         {"query or a topic"},
		"background=absent":        {"no file absent"},
	} {
		_, err := r.Parse([]string{value})
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q in it", value, err, w)
			}
		}
	}
	if j, err := r.Parse(nil); j != nil || err != nil {
		t.Errorf("of nothing: %v, %v", j, err)
	}
	if h := Help(); strings.Count(h, "\n") != len(kinds) {
		t.Errorf("help:\n%s", h)
	}
}

// Verdicts depend on the page alone, whoever else asks at the same time.
func TestJudgesAreSharedByGoroutines(t *testing.T) {
	j := Any(must(Keyword("alpha")), must(Query("beta gamma", nil)), Class(model(t)))
	pages := make([]kavosh.Page, 40)
	want := make([]string, len(pages))
	for i := range pages {
		pages[i] = kavosh.Page{Title: fmt.Sprint("alpha ", i), Text: strings.Repeat("beta gamma ", i) + filler(10*i)}
		v := j.Judge(&pages[i])
		want[i] = fmt.Sprint(v.Score, v.Why())
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range pages {
				if v := j.Judge(&pages[i]); fmt.Sprint(v.Score, v.Why()) != want[i] {
					t.Errorf("page %d: %v %s, want %s", i, v.Score, v.Why(), want[i])
				}
			}
		})
	}
	all.Wait()
}

// Hostile pages are judged like others: every score is on the scale, every reason short.
func TestHostilePages(t *testing.T) {
	const size = 1 << 20
	judges := map[string]Judge{
		"keyword": must(Keyword("a a a a")), "query": must(Query("a b "+filler(90), nil)),
		"re": must(Regexp(`(a|aa)+(x|y){50}$`)), "class": Class(model(t)),
	}
	for name, unit := range map[string]string{"one letter": "a", "letters": "a ", "broken": "\xff", "han": "漢", "marks": "́", "spaces": "\n", "different": "a1 b2 c3 ", "folded": "ﷺ"} {
		p := &kavosh.Page{Title: strings.Repeat(unit, 500), Text: strings.Repeat(unit, size/len(unit))}
		for kind, j := range judges {
			v := j.Judge(p)
			if !(v.Score >= 0 && v.Score <= 1) || len(v.Reasons) == 0 || len(v.Reasons) > maxReasons || len(v.Why()) > 1000 {
				t.Errorf("%s, %s: %v %q", kind, name, v.Score, v.Why())
			}
		}
	}
}
