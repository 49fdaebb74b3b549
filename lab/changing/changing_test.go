package changing

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/schedule"
	"kavosh/schedule/pattern"
)

// made is a web of two pages whose measures can be computed by hand.
func made() *Web {
	return &Web{Start: 0, End: 100, Pages: []Page{
		{Worth: 1, Changes: []Change{{10, 0.5}, {20, 0.1}, {60, 0.4}}},
		{Worth: 3, Changes: []Change{{50, 1}}},
	}}
}

func TestMeasure(t *testing.T) {
	w := made()
	q := Measure(w, []Capture{{0, 0, 0}, {1, 0, 0}, {0, 30, 2}, {1, 40, 0}, {0, 90, 3}, {1, 95, 1}})
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, not %v", what, got, want)
		}
	}
	near("completeness", q.Completeness, 3.0/4)                  // the version of 10 was missed
	near("weighted completeness", q.WeightedCompleteness, 3.5/4) // 0.1 + 0.4 + 3 of 0.5 + 0.1 + 0.4 + 3
	near("importance", q.Importance, (0.55+0.4+3)/4)             // at 30 both changes are seen
	near("freshness", q.Freshness, (0.1+0.3+0.1+3*(0.5+0.05))/4)
	near("useful", q.Useful, 3.0/6)
	// Until 15, version 0 of page 0 is shown, with version 0 of page 1: both were so at the start. Between 60 and 67.5 the captures
	// nearest are those of 30 or 90 and of 40 or 95: from 60 on page 0 is shown as of 90, and page 1 until 67.5 as before 50.
	for at, want := range map[int64]float64{5: 1, 40: 1, 62: 0.5, 80: 1} {
		byPage := [][]Capture{{{0, 0, 0}, {0, 30, 2}, {0, 90, 3}}, {{1, 0, 0}, {1, 40, 0}, {1, 95, 1}}}
		plain, _ := coherence(w, byPage, at)
		near("coherence", plain, want)
	}
}

func TestReadHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site"+HistoryEnding)
	for text, want := range map[string]string{
		"# where\ntimes\t0\t10\t20\npage\ta/1.md\n15\t0.5\n3\t1\npage\tb/2.md\npage\ta/3.md\n": "",
		"times\t0\t10\t20\n":                "has no pages",
		"times\t0\t20\t10\npage\ta\n":       "times in their order",
		"times\t0\t10\t20\n5\t0.5\n":        ":2: ",
		"times\t0\t10\tx\npage\ta\n":        ":1: ",
		"times\t0\t10\t20\npage\ta\n5\tx\n": ":3: ",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := ReadHistory(file)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if w.Name != "site" || len(w.Pages) != 3 || w.Pages[0].Site != w.Pages[2].Site || w.Pages[0].Site == w.Pages[1].Site ||
			!slices.Equal(w.Pages[0].Changes, []Change{{3, 1}, {15, 0.5}}) {
			t.Errorf("read as %+v", w)
		}
	}
}

// The same recipe makes the same web; the control has as many changes at each hour.
func TestSynthetic(t *testing.T) {
	recipe := Synthetic{Pages: 60, Sites: 3, Poisson: true, Weeks: 2, Seed: 1}
	w := recipe.Make()
	for i, p := range recipe.Make().Pages {
		if !slices.Equal(p.Changes, w.Pages[i].Changes) {
			t.Fatal("two webs of one recipe differ")
		}
	}
	var night, all float64
	for _, p := range w.Pages {
		for _, c := range p.Changes {
			all++
			if instant(c.At).Hour() < 6 {
				night++
			}
		}
	}
	if share := night / all; math.Abs(share-0.25) > 0.03 {
		t.Errorf("%.3f of the changes come in a quarter of the day", share)
	}
}

// A schedule that goes by patterns finds what was planted: which sites have one rhythm, and at which hours they change.
func TestPlantedPatterns(t *testing.T) {
	const sites = 12
	w := Synthetic{Pages: 240, Sites: sites, Strength: 0.8, Weeks: 4, Seed: 3}.Make()
	chosen, err := schedule.Parse("importance-pattern")
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(chosen, schedule.Options{Start: instant(w.Begin), Budget: 40, Calendar: w.Calendar})
	for i := range w.Pages {
		s.Add(schedule.Page{Site: w.Pages[i].Site})
	}
	version := make([]int, len(w.Pages))
	for {
		v, _ := s.Next()
		if v.At.Unix() >= w.End {
			break
		}
		p := &w.Pages[v.Page]
		now := p.version(v.At.Unix())
		s.Observe(v.Page, schedule.Observation{At: v.At, Changed: now > version[v.Page], E: p.between(version[v.Page], now)})
		version[v.Page] = now
	}
	// What the sites' changes truly were, hour by hour.
	truth := make([]pattern.Pattern, sites)
	for _, p := range w.Pages {
		for h := w.Begin; h < w.End; h += 3600 {
			truth[p.Site].Watched([]pattern.Part{{Bin: w.Calendar.Bin(instant(h)), Hours: 1}}, 1)
		}
		for _, c := range p.Changes {
			truth[p.Site].ChangedAt(w.Calendar.Bin(instant(c.At)), 1, c.E)
		}
	}
	wrong, sum := 0.0, 0.0
	agree, pairs := 0, 0
	planted := plantedIn(w)
	for a := range sites {
		shape := s.Shape(s.Group(uint32(a)))
		level := 0.0
		for b := range pattern.Bins {
			level += float64(truth[a].Seen[b])
		}
		for b := range pattern.Bins {
			want := float64(truth[a].Seen[b]) / level
			got := float64(shape.Changes[b]) * float64(truth[a].Expected[b])
			all := 0.0
			for c := range pattern.Bins {
				all += float64(shape.Changes[c]) * float64(truth[a].Expected[c])
			}
			wrong += math.Abs(got/all - want)
			sum += want
		}
		for b := range a {
			pairs++
			if (s.Group(uint32(a)) == s.Group(uint32(b))) == (planted[a] == planted[b]) {
				agree++
			}
		}
	}
	t.Logf("share of the changes at other hours than believed: %.3f; Rand index %.3f", wrong/2/sum, float64(agree)/float64(pairs))
	if wrong/2/sum > 0.2 {
		t.Errorf("the shapes are off by %.3f", wrong/2/sum)
	}
	if rand := float64(agree) / float64(pairs); rand < 0.9 {
		t.Errorf("the Rand index of the groups is %.3f", rand)
	}
}

// plantedIn returns the rhythm of each site by the hours of its news: the rhythm that makes them likeliest.
func plantedIn(w *Web) []int {
	shapes := rhythms()
	likely := map[uint32]*[4]float64{}
	for _, p := range w.Pages {
		if likely[p.Site] == nil {
			likely[p.Site] = new([4]float64)
		}
		for _, c := range p.Changes {
			if c.E > 0.02 {
				for i := range shapes {
					likely[p.Site][i] += math.Log(0.2 + 0.8*shapes[i][w.Calendar.Bin(instant(c.At))])
				}
			}
		}
	}
	of := make([]int, len(likely))
	for site, l := range likely {
		of[site] = slices.Index(l[:], slices.Max(l[:]))
	}
	return of
}

// The signs of the gaps hold on a web with rhythms, and nothing beats the oracle.
func TestSigns(t *testing.T) {
	w := Synthetic{Pages: 120, Sites: 3, Strength: 1, Weeks: 1, Seed: 2}.Make()
	o := Setting{Budget: 12, Learn: 30, Seed: 1}
	got := map[string]float64{}
	for _, spec := range []string{"importance-pattern", "pattern", "frequency", "sharc", "gain"} {
		captures, err := Run(w, spec, o)
		if err != nil {
			t.Fatal(err)
		}
		q := Measure(w, captures)
		got[spec] = q.WeightedCompleteness
		if most := int(w.End-w.Start) / int(time.Hour/time.Second) * o.Budget; q.Visits > most {
			t.Errorf("%s made %d visits of %d", spec, q.Visits, most)
		}
	}
	best := Measure(w, Oracle(w, o)).WeightedCompleteness
	for spec, v := range got {
		if v >= best {
			t.Errorf("%s has %.3f, the oracle %.3f", spec, v, best)
		}
		if spec != "importance-pattern" && spec != "gain" && v >= got["importance-pattern"] {
			t.Errorf("%s has %.3f, importance-pattern %.3f", spec, v, got["importance-pattern"])
		}
	}
}
