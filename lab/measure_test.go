package lab

import (
	"math"
	"slices"
	"strings"
	"testing"

	"kavosh/lab/stored"
)

// small is a web drawn by hand:
//
//	start → a, b, c      a → far → r1      b → r2, twin      c → c1 → c2
//
// r1, r2 and twin are relevant, and twin says what r2 says. island is relevant and cannot be reached.
func small(t *testing.T) *Reach {
	t.Helper()
	links := map[string][]string{"start": {"a", "b", "c"}, "a": {"far"}, "far": {"r1"}, "b": {"r2", "twin"}, "c": {"c1"}, "c1": {"c2"}, "r1": nil, "r2": nil, "twin": nil, "c2": nil, "island": nil}
	texts := map[string]string{"r1": "one", "r2": "two", "twin": "two", "island": "three"}
	var lines strings.Builder
	for _, name := range []string{"start", "a", "b", "c", "far", "r1", "r2", "twin", "c1", "c2", "island"} {
		lines.WriteString(`{"url":"http://w.test/` + name + `","text":"` + texts[name] + `"`)
		if texts[name] != "" {
			lines.WriteString(`,"labels":["yes"]`)
		}
		var to []string
		for _, l := range links[name] {
			to = append(to, `{"url":"http://w.test/`+l+`","anchor":"x"}`)
		}
		lines.WriteString(`,"links":[` + strings.Join(to, ",") + "]}\n")
	}
	web, err := stored.Open(file(t, "web.jsonl", lines.String()), stored.Options{})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := NewTruth(web, "label=yes")
	if err != nil {
		t.Fatal(err)
	}
	return truth.From([]int32{0})
}

func names(r *Reach, pages []int32) (out []string) {
	for _, p := range pages {
		out = append(out, strings.TrimPrefix(r.Web.Pages[p].URL, "http://w.test/"))
	}
	return out
}

func TestOracleTakesTheShortestWays(t *testing.T) {
	r := small(t)
	// r2 is two steps away by b, r1 three by a; the twin says nothing new.
	if got, want := names(r, r.Oracle()), []string{"start", "b", "r2", "a", "far", "r1"}; !slices.Equal(got, want) {
		t.Errorf("oracle %v, want %v", got, want)
	}
	if all := names(r, r.All()); len(all) != 10 || !slices.Equal(all[:2], []string{"r1", "r2"}) {
		t.Errorf("everything relevant first: %v", all)
	}
}

func TestMeasures(t *testing.T) {
	r := small(t)
	if r.Count != 10 || r.Texts != 2 || r.Hosts != 1 || r.Widest != 3 {
		t.Fatalf("reach %d pages, %d texts, %d hosts, widest %d", r.Count, r.Texts, r.Hosts, r.Widest)
	}
	at := func(names ...string) (f []Fetch) {
		for _, n := range names {
			f = append(f, Fetch{Page: int32(r.Web.Find("http://w.test/" + n))})
		}
		return f
	}
	m := r.Measure(at("start", "b", "gone", "twin", "r2", "a", "far", "r1"))
	if m.Fetches != 7 || m.Missing != 1 || m.To != [4]int{3, 7, 7, 7} {
		t.Errorf("fetches %d, missing %d, to %v", m.Fetches, m.Missing, m.To)
	}
	// After 25 % (2 fetches) nothing, after 50 % (5 fetches) one text of two, two relevant pages of five.
	if m.Recall[2] != 0 || m.Recall[3] != 0.5 || m.Harvest[3] != 0.4 {
		t.Errorf("recall %v, harvest %v", m.Recall, m.Harvest)
	}
	// 0 0 ½ ½ ½ ½ 1 and then 1 to the tenth.
	if want := (0.5*4 + 1 + 3) / 10; math.Abs(m.Area-want) > 1e-9 {
		t.Errorf("area %v, want %v", m.Area, want)
	}
	// The same over the first three fetches, one and a half times the two texts: 0 0 ½.
	if want := 0.5 / 3; math.Abs(m.Early-want) > 1e-9 {
		t.Errorf("area at first %v, want %v", m.Early, want)
	}
	// The third of eight requests is dead: the text that 5 fetches find takes 4 requests instead of 3, the other 8.
	if q := m.Requests; q.To != [4]int{4, 8, 8, 8} || q.Recall[3] != 0.5 || q.Harvest[3] != 0.4 || math.Abs(q.Area-(0.5*4+3)/10) > 1e-9 {
		t.Errorf("by requests %+v", q)
	}
	last := m.Curve[len(m.Curve)-1]
	if last.Pages != 3 || last.Texts != 2 || last.Missing != 1 {
		t.Errorf("end of the curve %+v", last)
	}
}

func TestRatio(t *testing.T) {
	var same, better []pair
	for i := range 40 {
		web := string(rune('a' + i%5))
		v := 1 + 0.1*float64(i%7)
		r := &Result{Run: Run{Web: web}}
		same = append(same, pair{r, v, v * (1 + 0.3*math.Sin(float64(i)))})
		better = append(better, pair{r, 2 * v, v})
	}
	if r := pairedRatio(same, 0.95, 0); r.Differs() || r.Low > r.Mean || r.High < r.Mean {
		t.Errorf("orders that are alike: %+v", r)
	}
	if r := pairedRatio(better, 0.95, 0); !r.Differs() || math.Abs(r.Mean-2) > 1e-9 {
		t.Errorf("twice as good: %+v", r)
	}
	if pairedRatio(same, 0.95, 0) != pairedRatio(same, 0.95, 0) {
		t.Error("the same pairs give different intervals")
	}
	// One web that differs from four does not make a difference over webs sure, however many units it has.
	var lone []pair
	for i := range 500 {
		lone = append(lone, pair{&Result{Run: Run{Web: "a"}}, 2, 1})
		if i < 8 {
			lone = append(lone, pair{&Result{Run: Run{Web: string(rune('b' + i%4))}}, 1, 1.1})
		}
	}
	if r := pairedRatio(lone, 0.95, 0); r.Differs() {
		t.Errorf("one web against four: %+v", r)
	}
}

// Four relevant pages stand on three hosts of two registered domains; the first of each counts, dead requests delay it.
func TestRelevantHostsAndDomains(t *testing.T) {
	web, err := stored.Open(file(t, "web.jsonl", `{"url":"http://hub.example/","links":[{"url":"http://a.one.example/"},{"url":"http://a.one.example/2"},{"url":"http://b.one.example/"},{"url":"http://two.example/"},{"url":"http://none.example/"}]}
{"url":"http://a.one.example/","text":"first","labels":["yes"]}
{"url":"http://a.one.example/2","text":"second","labels":["yes"]}
{"url":"http://b.one.example/","text":"third","labels":["yes"]}
{"url":"http://two.example/","text":"fourth","labels":["yes"]}
{"url":"http://none.example/","text":"nothing"}
`), stored.Options{})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := NewTruth(web, "label=yes")
	if err != nil {
		t.Fatal(err)
	}
	r := truth.From([]int32{0})
	if r.RelevantHosts != 3 || r.RelevantDomains != 2 || r.Ideal().Hosts80 != 4 {
		t.Fatalf("%d relevant hosts, %d domains, to 80 %% %d fetches", r.RelevantHosts, r.RelevantDomains, r.Ideal().Hosts80)
	}
	// The first is the hub, Missing a dead link; then pages in the order of the file.
	m := r.Measure([]Fetch{{Page: 0}, {Page: Missing}, {Page: 1}, {Page: 2}, {Page: 3}, {Page: 4}, {Page: 5}})
	if m.To != [4]int{3, 5, 5, 5} || m.RelevantHosts.To != [4]int{4, 5, 5, 5} || m.RelevantDomains.To != [4]int{2, 5, 5, 5} {
		t.Errorf("fetches to 50, 80, 95, 99 %%: texts %v, hosts %v, domains %v", m.To, m.RelevantHosts.To, m.RelevantDomains.To)
	}
	if got := m.RelevantHosts.Requests; got.To != [4]int{5, 6, 6, 6} || got.Recall[3] != 1.0/3 || m.RelevantHosts.Recall[3] != 1.0/3 {
		t.Errorf("hosts by requests %+v, by fetches %+v", got, m.RelevantHosts.Course)
	}
	// 0 ⅓ ⅓ ⅔ 1 1 by fetches
	if want := (1.0/3 + 1.0/3 + 2.0/3 + 2) / 6; math.Abs(m.RelevantHosts.Area-want) > 1e-9 {
		t.Errorf("area %v, want %v", m.RelevantHosts.Area, want)
	}
	if last := m.Curve[len(m.Curve)-1]; last.RelevantHosts != 3 || last.RelevantDomains != 2 {
		t.Errorf("end of the curve %+v", last)
	}
}
