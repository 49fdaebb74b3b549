package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kavosh/change"
	"kavosh/quality"
)

// wellFormed fails if a picture is no XML.
func wellFormed(t *testing.T, picture string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%.3000s", err, picture)
		}
	}
}

// Pages that change at known seconds while two visits go on are drawn from when until when they were there; those that were not there at
// the moment at which most were are told first.
func TestTimelineFile(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	rng := rand.New(rand.NewPCG(3, 8))
	web := &datedWeb{t: t, digests: true}
	visits := [2][]time.Time{}
	for i := range 60 {
		p := datedPage{url: "http://a.test/p" + string(rune('A'+i%26)) + string(rune('a'+i/26)), begins: []time.Time{day.Add(-time.Duration(1+rng.IntN(500)) * time.Hour)}, tells: true}
		at := day.Add(time.Duration(rng.IntN(20*3600)) * time.Second)
		if i < 4 { // gone before the last are visited
			at = day.Add(time.Duration(i) * time.Minute)
			p.begins = append(p.begins, day.Add(time.Hour))
		}
		if i >= 50 {
			at, p.begins = day.Add(20*time.Hour), []time.Time{day.Add(19 * time.Hour)}
		}
		web.pages = append(web.pages, p)
		visits[0], visits[1] = append(visits[0], at), append(visits[1], day.Add(24*time.Hour+time.Duration(rng.IntN(3600))*time.Second))
	}
	dir, folder := filepath.Join(t.TempDir(), "a"), t.TempDir()
	for k := range visits {
		web.write(filepath.Join(folder, string(rune('0'+k))+".warc.gz"), visits[k])
	}
	command(t, "import", folder, dir)
	file := filepath.Join(t.TempDir(), "line.svg")
	args := []string{"quality", dir, "--between", "2026-03-01,2026-03-02", "--timeline", file, "--limit", "30"}
	var told defectsOf
	if err := json.Unmarshal([]byte(command(t, append(args, "--json")...)), &told); err != nil {
		t.Fatal(err)
	}
	line, at := told.Visits[0].Timeline, told.Visits[0].Together
	if line == nil || len(line.Bars) != 30 || at.At.Before(day.Add(19*time.Hour)) || at.Until.Before(at.At) {
		t.Fatalf("%+v %+v", line, at)
	}
	states := map[change.State]int64{}
	for i, p := range web.pages {
		switch _, from, until := p.version(visits[0][i]); {
		case from <= at.At.Unix() && at.At.Unix() < until:
			states[change.Coherent]++
		default:
			states[change.Incoherent]++
		}
	}
	if states[change.Incoherent] != 4 || line.States[change.Incoherent] != 4 || line.States[change.Coherent] != states[change.Coherent] {
		t.Errorf("%v, want %v", line.States, states)
	}
	for i, b := range line.Bars {
		if bad := i < 4; bad != (b.State == change.Incoherent) || bad && (b.Class != quality.DefectContent || !b.Until.Equal(day.Add(time.Hour))) {
			t.Errorf("bar %d: %+v", i, b)
		}
	}
	words := command(t, args...)
	if !strings.Contains(words, "At that moment 56 pages there, 0 perhaps, 4 not.") || !strings.Contains(words, "not there      http://a.test/pAa: from ") {
		t.Error(words)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	picture := string(made)
	wellFormed(t, picture)
	if strings.Count(picture, `class="failing"`) != 4+1 || strings.Count(picture, `class="over"`) != 30 || !strings.Contains(picture, `class="moment"`) || !strings.Contains(picture, "not there at that moment: 4 pages, 4 drawn") || !strings.Contains(picture, "1 March 2026 19:00:00") {
		t.Errorf("%.4000s", picture)
	}
	for _, wrong := range [][]string{{"--timeline", "a.svg"}, {"--between", "all", "--timeline", "a.png"}} {
		if code := run(append([]string{"quality", dir}, wrong...), program{in: strings.NewReader(""), out: io.Discard, data: io.Discard, err: io.Discard}); code != 2 {
			t.Errorf("%v: exit %d", wrong, code)
		}
	}
}

// The page of a collection draws the same without a script, in both languages, few bars with addresses and many thin ones.
func TestTimelinePage(t *testing.T) {
	t.Parallel()
	site := newScriptedSite(5, 3, 16)
	_, dir := site.crawl(t, false, "1ms")
	w := newWalkerOf(t, dir, "203.0.113.5:4", "first")
	page := w.ask(homeOrigin + "/c/one/timeline?lang=en")
	for _, want := range []string{`<svg class="picture"`, "Most pages were there together from", "The ten most telling pages", "there at that moment", "visited again", "bars=all", "/timeline.svg?"} {
		if !strings.Contains(page, want) {
			t.Fatalf("the page lacks %q:\n%.3000s", want, page)
		}
	}
	if n := strings.Count(page, `class="over"`); n != 2*40 { // the walker asks twice
		t.Errorf("%d bars", n)
	}
	if all := w.ask(homeOrigin + "/c/one/timeline?lang=en&bars=all"); strings.Count(all, `class="over"`) <= 2*40 || strings.Contains(all, `class="again"/>`) {
		t.Errorf("%.3000s", all)
	}
	if fa := w.ask(homeOrigin + "/c/one/timeline?lang=fa"); !strings.Contains(fa, `dir="rtl"`) || !strings.Contains(fa, "گویاترین ده صفحه") || strings.Contains(fa, "that moment") || !strings.Contains(fa, "۱۴") {
		t.Errorf("%.3000s", fa)
	}
	link := regexp.MustCompile(`href="([^"]*/timeline\.svg[^"]*)"`).FindStringSubmatch(page)
	if link == nil {
		t.Fatal("no file")
	}
	_, file, _ := strings.Cut(w.ask(html.UnescapeString(link[1])), "<svg")
	file, _, _ = strings.Cut(file, "</svg>")
	if wellFormed(t, "<svg"+file+"</svg>"); strings.Count(file, `class="over"`) != 40 {
		t.Errorf("%.3000s", file)
	}
	if none := w.ask(homeOrigin + "/c/one/timeline?crawl=none"); !strings.Contains(none, "No page of these crawls") {
		t.Errorf("%.3000s", none)
	}
	if none := w.ask(homeOrigin + "/c/one/timeline?host=none.test"); !strings.Contains(none, "No page of these crawls") {
		t.Errorf("%.3000s", none)
	}
}
