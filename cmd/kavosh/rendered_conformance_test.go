//go:build conformance

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kavosh"
	"kavosh/quality"
	"kavosh/record"
)

// damagedSite has pages with one thing wrong each, and one with nothing wrong.
var damagedSite = strings.ReplaceAll(`-- a.test/ --
<!doctype html><html lang="en"><title>Home</title><link rel="stylesheet" href="/good.css"><h1>Home</h1><p class="lead">LEAD</p>
<img src="/good.png" width="400" height="300" alt="">
<a href="/style.html">s</a> <a href="/picture.html">p</a> <a href="/leak.html">l</a> <a href="/script.html">j</a> <a href="/blank.html">b</a> <a href="/none.html">n</a>
-- a.test/style.html --
<!doctype html><html lang="en"><title>Style</title><link rel="stylesheet" href="/broken.css"><h1 class="head">No style</h1><p class="lead">LEAD</p><p class="lead">LEAD</p>
-- a.test/picture.html --
<!doctype html><html lang="en"><title>Picture</title><link rel="stylesheet" href="/good.css"><h1>No picture</h1><p class="lead">LEAD</p><img src="/lost.png" width="800" height="600" alt="">
-- a.test/leak.html --
<!doctype html><html lang="en"><title>Leak</title><link rel="stylesheet" href="/good.css"><h1>A leak</h1><p class="lead">LEAD</p>
<svg width="10" height="10"><image width="10" height="10" href="/good.png"><animate attributeName="href" to="http://live.test/x.png" begin="0s" dur="1s" fill="freeze"/></image></svg>
-- a.test/script.html --
<!doctype html><html lang="en"><title>Script</title><link rel="stylesheet" href="/good.css"><h1>By script</h1><p class="lead">LEAD</p><div id="here"></div>
<script>const name = ['asked', 'by', 'script'].join('-'); document.getElementById('here').innerHTML = '<img width=900 height=500 alt="" src="/' + name + '.png">'</script>
-- a.test/blank.html --
<!doctype html><html lang="en"><title>Blank</title><body style="background:#eee">
-- a.test/none.html --
<!doctype html><html lang="en"><title>404 Not found</title><h1>Page not found</h1><p>The page that you asked for does not exist.</p>
-- a.test/good.css --
body { font-family: sans-serif; margin: 40px; background: #f4f8ff } h1 { color: #224 } .lead { max-width: 700px; line-height: 1.6 }
-- a.test/good.png png=400x300,#336699,#aaccee --
`, "LEAD", strings.Repeat("A page of an archive that is looked at, so that somebody may know how it is. ", 12))

// A page that is looked at as it is replayed is told with what is wrong with it, by name: a style that is missing, a picture, one that only
// a script asks for, a request that would leave the archive, a window without anything, a page that says that there is none. What was
// rendered is kept as records that others read.
func TestRendered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "damaged")
	crawlWeb(t, dir, damagedSite, "--scope", "host", "http://a.test/")
	var f quality.Fidelity
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--rendered", "100", "--json")), &f); err != nil {
		t.Fatal(err)
	}
	if f.Pages != 7 || f.Random != 7 || f.Of != 7 || f.Faithful != 1 || f.Share.Low != f.Share.High || f.Blank != 1 || f.Leaking != 1 || f.StandIns[kavosh.NotFound] != 1 {
		t.Errorf("%+v", f)
	}
	found := map[string]*quality.Look{}
	for _, k := range f.Worst {
		found[strings.TrimPrefix(k.URL, "http://a.test/")] = k
	}
	for page, part := range map[string]string{"style.html": "style broken.css", "picture.html": "image lost.png", "script.html": "image asked-by-script.png"} {
		k := found[page]
		if k == nil || len(k.Lacks) != 1 || k.Damage < 0.3 {
			t.Errorf("%s: %+v", page, k)
			continue
		}
		if p := k.Lacks[0]; string(p.As)+" "+strings.TrimPrefix(p.URL, "http://a.test/") != part {
			t.Errorf("%s lacks %s %s, want %s", page, p.As, p.URL, part)
		}
	}
	if k := found["leak.html"]; k == nil || !slices.Equal(k.Leaks, []string{"http://live.test/x.png"}) || k.Damage > 0 {
		t.Errorf("the leak: %+v", k)
	}
	if k := found["blank.html"]; k == nil || !k.Blank || k.Damage != 1 {
		t.Errorf("the blank page: %+v", k)
	}
	files, err := filepath.Glob(filepath.Join(dir, "derived", quality.LooksName, "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	if err := record.Captures(bytes.NewReader(data), filepath.Base(files[0]), func(c kavosh.Capture) error {
		kind, _, _ := strings.Cut(strings.TrimPrefix(c.URL, "urn:"), ":")
		kinds[kind]++
		return nil
	}, func(_ int64, err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if kinds["view"] != 7 || kinds["text"] != 7 || kinds["pageinfo"] != 7 {
		t.Errorf("the records: %v", kinds)
	}
	command(t, "check", files[0])
}

// A page that was recorded as a picture, a text and a list of what it asked for is compared with that, in the window of then: one that is
// replayed as it was is alike, and one whose script finds itself in a replay is not.
func TestRenderedBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "beside")
	crawlWeb(t, dir, `-- a.test/ --
<!doctype html><html lang="en"><title>Same</title><body style="background:#def"><h1>The same</h1><a href="/other.html">o</a>
-- a.test/other.html --
<!doctype html><html lang="en"><title>Other</title><h1 id="h">As it was</h1>
<script>if (self.kavosh$self) { h.textContent = 'something else'; document.body.style.background = 'black' }</script>
`, "--scope", "host", "--browser", "always", "--render", "view,text,pageinfo", "--browser-size", "900x700", "http://a.test/")
	var f quality.Fidelity
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--rendered", "100", "--json")), &f); err != nil {
		t.Fatal(err)
	}
	if f.Compared != 2 || f.Faithful != 1 || len(f.Worst) != 1 {
		t.Fatalf("%+v", f)
	}
	if b := f.Worst[0].Beside; f.Worst[0].URL != "http://a.test/other.html" || *b.Picture > 0.5 || *b.Text > 0.5 || b.Resources.CrawlGood != 1 || b.Resources.ReplayGood != 1 {
		t.Errorf("%+v %+v", f.Worst[0], b)
	}
}

// Each cell of the fifth table in docs/access-table.md is what kavosh quality --rendered tells of pages that were looked at before there was a
// rule, and are looked at again.
func TestRenderedAccessTable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "closed")
	sites := slices.DeleteFunc(secretSites(), func(s *secretSite) bool {
		return !slices.Contains([]string{"url", "host", "base32"}, s.kind) || ruleColumns[s.column].words == "open" && s.kind == "url" // its part lies in the takedown around it
	})
	var web, seeds strings.Builder
	for _, s := range sites {
		web.WriteString(strings.Replace(s.lackingText(false), `.png" alt`, `.png" width="800" height="600" alt`, 1))
		seeds.WriteString(s.page() + "\n")
	}
	list := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(list, []byte(seeds.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	crawlWeb(t, dir, web.String(), "--scope", "page", "--seeds", list)
	locate(t, dir, sites)
	before := command(t, "quality", dir, "--rendered", "100")
	for _, s := range sites {
		if !strings.Contains(before, s.word) {
			t.Fatalf("%s is not in\n%s", s.word, before)
		}
	}
	closeSites(t, dir, sites)
	var ways []exit
	for _, words := range []string{"quality ARCHIVE --rendered 100", "quality ARCHIVE --rendered 100 --json"} {
		told := command(t, strings.Fields(strings.ReplaceAll(words, "ARCHIVE", dir))...)
		ways = append(ways, exit{"`kavosh " + words + "`", false, func(*walker, *secretSite) string { return "200\n" + told }})
	}
	ways = append(ways, exit{"stored `derived/" + quality.LooksName + "`, after that", false, func(*walker, *secretSite) string {
		return "200\n" + storedText(t, dir, "derived/"+quality.LooksName)
	}})
	rows := []string{"| way out |"}
	for _, c := range ruleColumns {
		rows[0] += " " + c.name + " |"
	}
	for _, x := range ways {
		rows = append(rows, "| "+x.name+" | "+strings.Join(x.cells(t, nil, nil, sites), " | ")+" |")
	}
	wantTable(t, 4, rows)
}
