package quality

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
	"time"

	"kavosh/lib/cdx"
)

// planted are pages whose groups are known: what each crawl finds of them, before noise.
var planted = map[string]func(r *rand.Rand, k int) Seen{
	"never":          func(*rand.Rand, int) Seen { return Same },
	"always":         func(*rand.Rand, int) Seen { return Changed },
	"each friday":    func(_ *rand.Rand, k int) Seen { return changedIf(k%7 == 4) },
	"each 5th crawl": func(_ *rand.Rand, k int) Seen { return changedIf(k%5 == 2) },
	"a third":        func(r *rand.Rand, _ int) Seen { return changedIf(r.IntN(3) == 0) },
	"until 60":       func(_ *rand.Rand, k int) Seen { return seenIf(k < 60, NotSeen) },
	"failing":        func(_ *rand.Rand, k int) Seen { return seenIf(k < 90, Failing) },
	"since 40":       func(_ *rand.Rand, k int) Seen { return seenIf(k >= 40, NotSeen) },
	"busy spring":    func(_ *rand.Rand, k int) Seen { return changedIf(k >= 20 && k < 40) },
}

func changedIf(yes bool) Seen {
	if yes {
		return Changed
	}
	return Same
}

func seenIf(yes bool, not Seen) Seen {
	if yes {
		return Same
	}
	return not
}

// plant makes pages of the planted groups, of sizes by chance, in which a share of findings is another one.
func plant(seed uint64, crawls int, noise float64) (g *Grid, truth map[string]int) {
	r := rand.New(rand.NewPCG(seed, 1))
	g, truth = &Grid{Visits: daily(crawls)}, map[string]int{}
	for group, name := range slices.Sorted(maps.Keys(planted)) {
		for i := range 15 + r.IntN(100) {
			b := Behaved{URL: fmt.Sprintf("http://a.test/%s/%d", name, i), Seen: make([]Seen, crawls), rank: r.Uint64()}
			for k := range crawls {
				b.Seen[k] = planted[name](r, k)
				if r.Float64() < noise && b.Seen[k] > Failing {
					b.Seen[k] = Same + Changed - b.Seen[k]
				}
			}
			truth[b.URL] = group
			g.Pages = append(g.Pages, b)
		}
	}
	g.cut(len(g.Pages))
	return g, truth
}

// daily are crawls of days that follow each other, of which the first is a Monday.
func daily(n int) []Visit {
	visits := make([]Visit, n)
	for k := range visits {
		visits[k].Started = time.Date(2024, 1, 1+k, 3, 0, 0, 0, time.UTC)
		visits[k].ID, visits[k].Seconds = visits[k].Started.Format("20060102150405"), 600
	}
	return visits
}

// adjustedRand is how well two ways to group pages agree, beyond what chance does (Hubert and Arabie, 1985): 1 if wholly.
func adjustedRand(pages []Behaved, truth map[string]int) float64 {
	both, rows, columns := map[[2]int]int{}, map[int]int{}, map[int]int{}
	for i := range pages {
		a, b := pages[i].Group, truth[pages[i].URL]
		both[[2]int{a, b}]++
		rows[a]++
		columns[b]++
	}
	pairs := func(n int) float64 { return float64(n*(n-1)) / 2 }
	index, ofRows, ofColumns := 0.0, 0.0, 0.0
	for _, n := range both {
		index += pairs(n)
	}
	for _, n := range rows {
		ofRows += pairs(n)
	}
	for _, n := range columns {
		ofColumns += pairs(n)
	}
	expected := ofRows * ofColumns / pairs(len(pages))
	return (index - expected) / ((ofRows+ofColumns)/2 - expected)
}

// Planted groups of pages are found again in 120 crawls, whatever the seed and the noise, and so are they in the order of the
// picture: pages of a group lie together.
func TestPlantedGroups(t *testing.T) {
	for _, noise := range []float64{0, 0.03, 0.1} {
		least := 1.0
		for seed := range uint64(4) {
			g, truth := plant(seed, 120, noise)
			g.Group()
			index := adjustedRand(g.Pages, truth)
			if least = min(least, index); index < 0.95 {
				t.Errorf("seed %d, noise %.2f: adjusted Rand index %.3f, %d groups", seed, noise, index, len(g.Groups))
			}
			last := 0
			for i := range g.Pages {
				if g.Pages[i].Group < last {
					t.Fatal("groups are torn apart")
				}
				last = g.Pages[i].Group
			}
		}
		t.Logf("noise %.2f: adjusted Rand index at least %.3f", noise, least)
	}
}

// What groups do is said of them.
func TestHabits(t *testing.T) {
	g, _ := plant(3, 120, 0.01)
	g.Group()
	want := map[string]Habit{
		"never": {Changes: Seldom}, "always": {Changes: Always}, "each friday": {Changes: Weekly, Weekday: "friday"},
		"each 5th crawl": {Changes: Every, Every: 5}, "a third": {Changes: Sometimes}, "until 60": {Changes: Seldom, Until: g.Visits[60].Started},
		"failing": {Changes: Seldom, Until: g.Visits[90].Started, Failing: true}, "since 40": {Changes: Seldom, From: g.Visits[40].Started}, "busy spring": {Changes: Sometimes},
	}
	for i := range g.Groups {
		h := g.Groups[i].Habit
		name := path.Base(path.Dir(g.Groups[i].Like))
		w, ok := want[name]
		if h.Rate = 0; !ok || fmt.Sprintf("%+v", h) != fmt.Sprintf("%+v", w) {
			t.Errorf("%s: %+v, want %+v", name, h, w)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// Pages that come one after the other, as on a blog, are not said to have come at once.
func TestComing(t *testing.T) {
	visits, at := daily(30), newTally(30)
	for p := range 20 {
		seen := slices.Repeat([]Seen{Same}, 30)
		copy(seen, make([]Seen, p+1))
		at.add(seen, 1)
	}
	if h := at.habit(visits); !h.Coming || !h.From.Equal(visits[11].Started) {
		t.Errorf("%+v", h)
	}
}

// A touch of all pages of the site hides no rhythm of some.
func TestTouched(t *testing.T) {
	visits, at := daily(40), newTally(40)
	visits[20].touched = true
	seen := make([]Seen, 40)
	for k := range seen {
		seen[k] = changedIf(k%7 == 4 || k == 20)
	}
	at.add(seen, 1)
	if h := at.habit(visits); h.Changes != Weekly || h.Weekday != "friday" {
		t.Errorf("%+v", h)
	}
}

// taken yields captures of pages as n crawls make them: digest tells what a crawl finds of a page, "" for nothing, "!" for an error.
func taken(visits []Visit, pages int, digest func(page, crawl int) string) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for p := range pages {
			for k := range visits {
				e := cdx.Entry{Key: fmt.Sprintf("test,a)/%04d", p), URL: fmt.Sprintf("http://a.test/%04d", p), Timestamp: visits[k].ID,
					Status: 200, MIME: "text/html", Digest: digest(p, k), Length: 100, Filename: visits[k].ID}
				if e.Digest == "!" {
					e.Status, e.Digest = 500, "sha256:error"
				}
				if e.Digest != "" && !yield(e, nil) {
					return
				}
			}
		}
	}
}

func byFile(visits []Visit) func(*cdx.Entry) int {
	return func(e *cdx.Entry) int {
		return slices.IndexFunc(visits, func(v Visit) bool { return v.ID == e.Filename })
	}
}

// In 120 crawls a redesign and a partial failure are found and told apart, by the captures alone. That all pages are touched, as by the
// address of a style, is neither.
func TestSeriesOfCaptures(t *testing.T) {
	visits := daily(120)
	visits[93].Seconds = 300
	r := rand.New(rand.NewPCG(5, 7))
	version := make([]int, 300)
	entries := taken(visits, 300, func(p, k int) string {
		if r.IntN(20) == 0 || k == 30 || k == 52 {
			version[p]++
		}
		if k == 93 && p%2 == 0 {
			return "!"
		}
		return fmt.Sprintf("sha256:%d-%d", p, version[p])
	})
	longer := func(yield func(cdx.Entry, error) bool) {
		for e, err := range entries {
			if e.Length = 1000 + 3*int64(r.IntN(10)); e.Filename >= visits[52].ID {
				e.Length += 200
			}
			if !yield(e, err) {
				return
			}
		}
	}
	g, err := ReadGrid(longer, visits, byFile(visits), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if v := g.Visits[30]; v.Changed != 300 || v.Slight != 300 {
		t.Errorf("%+v", v)
	}
	for k := range g.Visits {
		want := map[int]Odd{52: Redesigned, 93: Cut}[k]
		if g.Visits[k].Odd != want {
			t.Errorf("crawl %d: %q, want %q (%+v)", k, g.Visits[k].Odd, want, g.Visits[k])
		}
	}
	if v := g.Visits[93]; v.Failing != 150 || v.Changed+v.Unchanged != 150 {
		t.Errorf("%+v", v)
	}
}

// A grid is what crawls found: the last capture of each, revisits as what they revisit, no parts, and a share of all pages if there are
// more than asked for.
func TestReadGrid(t *testing.T) {
	visits := daily(4)
	found := []string{"sha256:a", "sha256:a", "", "sha256:b"}
	entries := taken(visits, 50, func(_, k int) string { return found[k] })
	g, err := ReadGrid(entries, visits, byFile(visits), 20)
	if err != nil || g.All != 50 || len(g.Pages) != 20 {
		t.Fatalf("%d of %d, %v", len(g.Pages), g.All, err)
	}
	// Nobody has the third crawl: it was of others.
	if want := []Seen{First, Same, Changed}; !slices.Equal(g.Pages[0].Seen, want) || len(g.Visits) != 3 {
		t.Errorf("%v, want %v", g.Pages[0].Seen, want)
	}
	stamp := func(k int, e cdx.Entry) cdx.Entry {
		e.Key, e.URL, e.Timestamp, e.Filename = "test,a)/", "http://a.test/", visits[k].ID, visits[k].ID
		return e
	}
	list := []cdx.Entry{
		stamp(0, cdx.Entry{Status: 404, MIME: "text/html", Digest: "sha256:x"}),
		stamp(1, cdx.Entry{Status: 200, MIME: "text/html", Digest: "sha256:a"}),
		stamp(1, cdx.Entry{Status: 200, MIME: "text/html", Digest: "sha256:b"}),
		stamp(2, cdx.Entry{Status: 304, MIME: cdx.Revisit}),
		stamp(3, cdx.Entry{Status: 404, MIME: "text/html", Digest: "sha256:x"}),
		{Key: "test,a)/x.png", URL: "http://a.test/x.png", Timestamp: visits[1].ID, Filename: visits[1].ID, Status: 200, MIME: "image/png"},
	}
	g, err = ReadGrid(func(yield func(cdx.Entry, error) bool) {
		for i := range list {
			if !yield(list[i], nil) {
				return
			}
		}
	}, visits, byFile(visits), 20)
	if err != nil || g.All != 1 {
		t.Fatalf("%+v, %v", g, err)
	}
	if want := []Seen{First, Same, Failing}; !slices.Equal(g.Pages[0].Seen, want) {
		t.Errorf("%v, want %v", g.Pages[0].Seen, want)
	}
}

// However odd the findings are, groups are few, and every page is in one.
func TestGroupsOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := &Grid{Visits: daily(30)}
	for i := range 3000 {
		b := Behaved{URL: fmt.Sprint(i), Seen: make([]Seen, 30), rank: r.Uint64()}
		for k := range b.Seen {
			b.Seen[k] = Seen(r.IntN(5))
		}
		g.Pages = append(g.Pages, b)
	}
	g.cut(3000)
	g.Group()
	sum := 0
	for i := range g.Groups {
		sum += g.Groups[i].Pages
	}
	if sum != 3000 || len(g.Groups) > maxGroups || len(g.Telling) > maxTelling {
		t.Errorf("%d groups of %d pages", len(g.Groups), sum)
	}
	(&Grid{}).Group()
}
