//go:build conformance

package scriptlinks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"kavosh/internal/scriptedsites"
)

func cacheDir(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "kavosh-conformance")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	return cache
}

// chosen are the sites to run on: all, or those named in KAVOSH_SITES (names, or "dev").
func chosen() []scriptedsites.Site {
	want := strings.FieldsFunc(os.Getenv("KAVOSH_SITES"), func(c rune) bool { return c == ',' || c == ' ' })
	if len(want) == 0 {
		return scriptedsites.Sites()
	}
	var some []scriptedsites.Site
	for _, s := range scriptedsites.Sites() {
		if slices.Contains(want, s.Name) || s.Dev && slices.Contains(want, "dev") {
			some = append(some, s)
		}
	}
	return some
}

func TestScriptLinks(t *testing.T) {
	cache := cacheDir(t)
	b, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var held []*Figures
	pages, known, missed := 0, 0, 0
	all := &Figures{Site: "sum of held-out sites", GoldBy: map[string]int{}, FoundBy: map[string]int{}, GuessesBy: map[string]int{}, RightBy: map[string]int{}, InGoldBy: map[string]int{}}
	for _, site := range chosen() {
		if err := site.Locate(cache); err != nil {
			t.Fatal(err)
		}
		served, err := Load(t.Context(), b, site)
		if err != nil {
			t.Fatal(err)
		}
		f, err := served.Measure()
		if err != nil {
			t.Fatal(err)
		}
		misses, n, err := served.StaticMisses()
		if err != nil {
			t.Fatal(err)
		}
		served.Server.Close()
		pages, known, missed = pages+len(served.Loaded), known+n, missed+len(misses)
		for _, m := range misses {
			t.Errorf("%s: Chromium knows without scripts what was not read: %s", site.Name, m)
		}
		part := "held out"
		if site.Dev {
			part = "to tune on"
		} else {
			held = append(held, f)
			all.add(f)
		}
		t.Logf("%-13s %-10s %3d pages  gold %5d  recall %.3f   guesses %5d  precision %.3f  (in gold %.3f)",
			site.Name, part, len(served.Loaded), f.Gold, f.Recall(), f.Guesses, f.Precision(), share(f.InGold, f.Guesses))
		if os.Getenv("KAVOSH_VERBOSE") != "" {
			for _, m := range f.Missed[:min(len(f.Missed), 60)] {
				t.Log("    missed  ", m)
			}
			for _, w := range f.Wrong[:min(len(f.Wrong), 60)] {
				t.Log("    wrong   ", w)
			}
			t.Log("   ", byKind(f))
		}
	}
	t.Logf("without scripts Chromium knows %d URLs of %d pages; not read: %d", known, pages, missed)
	if len(held) == 0 {
		return
	}
	var recall, precision, with, guessing float64
	heldPages := 0
	for _, f := range held {
		heldPages += f.Pages
		if f.Gold > 0 {
			recall, with = recall+f.Recall(), with+1
		}
		if f.Guesses > 0 {
			precision, guessing = precision+f.Precision(), guessing+1
		}
	}
	recall, precision = recall/with, precision/guessing
	t.Logf("means over held-out sites (%d pages): recall %.3f, precision %.3f", heldPages, recall, precision)
	// The goal is a recall of 0.80 with a precision of 0.60. What a page requests differs a little from run to run, and one
	// URL of a small site moves the means by half a point: two points are left for that.
	if len(chosen()) == len(scriptedsites.Sites()) && (recall < 0.78 || precision < 0.58) {
		t.Errorf("recall %.3f and precision %.3f, wanted 0.80 and 0.60", recall, precision)
	}
	t.Logf("%s: gold %d recall %.3f, guesses %d precision %.3f (in gold %.3f)", all.Site, all.Gold, all.Recall(), all.Guesses, all.Precision(), share(all.InGold, all.Guesses))
	t.Log(byKind(all))
}

func (f *Figures) add(g *Figures) {
	f.Gold += g.Gold
	f.Found += g.Found
	f.Guesses += g.Guesses
	f.InGold += g.InGold
	f.Exists += g.Exists
	for _, m := range [][2]map[string]int{{f.GoldBy, g.GoldBy}, {f.FoundBy, g.FoundBy}, {f.GuessesBy, g.GuessesBy}, {f.RightBy, g.RightBy}, {f.InGoldBy, g.InGoldBy}} {
		for k, n := range m[1] {
			m[0][k] += n
		}
	}
}

// byKind is recall by how Chromium met a URL and precision by how we did.
func byKind(f *Figures) string {
	var b strings.Builder
	for _, k := range keys(f.GoldBy) {
		fmt.Fprintf(&b, "\n    recall    %-24s %5d of %5d  %.3f", k, f.FoundBy[k], f.GoldBy[k], share(f.FoundBy[k], f.GoldBy[k]))
	}
	for _, k := range keys(f.GuessesBy) {
		fmt.Fprintf(&b, "\n    precision %-24s %5d of %5d  %.3f  (in gold %.3f)", k, f.RightBy[k], f.GuessesBy[k], share(f.RightBy[k], f.GuessesBy[k]), share(f.InGoldBy[k], f.GuessesBy[k]))
	}
	return b.String()
}

func keys(m map[string]int) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	sort.Slice(ks, func(i, j int) bool { return m[ks[i]] > m[ks[j]] || m[ks[i]] == m[ks[j]] && ks[i] < ks[j] })
	return ks
}
