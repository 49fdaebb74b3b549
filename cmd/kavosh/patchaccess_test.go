package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/lib/cdx"
	"kavosh/quality"
)

// lackingText is what a site's server has: a page, and once it is mended the part that it lacked, whose name tells the secret.
func (s *secretSite) lackingText(mended bool) string {
	text := fmt.Sprintf("-- %[1]s/p/page.html --\n<!doctype html><html lang=\"en\"><title>A page</title><h1>A page</h1><p>A treasure of %[1]s.</p><img src=\"/p/%[2]s.png\" alt=\"\"><img src=\"/p/pic.png\" alt=\"\">\n-- %[1]s/p/pic.png png=9x9,#%[3]s,#aaccee --\n", s.host, s.word, fmt.Sprintf("%06x", len(s.host)*7919+int(s.word[7])*104729+s.column*131))
	if mended {
		text += fmt.Sprintf("-- %[1]s/p/%[2]s.png png=9x9,#aaccee,#336699 --\n", s.host, s.word)
	}
	return text
}

// patchExits are all ways out of what is mended and of what was found of pages as they are replayed, in the order of docs/access-table.md.
// told is what the crawl printed that mended.
func patchExits(t *testing.T, dir, told string, patch *archive.Crawl) (ways []exit) {
	ways = append(ways, exit{"`kavosh crawl --patch`", false, func(*walker, *secretSite) string { return "200\n" + told }})
	ways = append(ways, exit{"what `kavosh crawl --patch` asks for", false, func(_ *walker, s *secretSite) string {
		var asked strings.Builder
		for l, err := range archive.ReadLog(vfs.Default, dir, patch.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Outcome != archive.Refused {
				asked.WriteString(l.URL + "\n")
			}
		}
		return "200\n" + asked.String()
	}})
	for _, words := range []string{"report ARCHIVE", "report ARCHIVE --json", "quality ARCHIVE --urls", "quality ARCHIVE --series --settings"} {
		ways = append(ways, exit{"`kavosh " + words + "`", false, func(*walker, *secretSite) string {
			var out, told bytes.Buffer
			run(strings.Fields(strings.ReplaceAll(words, "ARCHIVE", dir)), program{in: strings.NewReader(""), out: &out, data: &out, err: &told}) // it fails where nothing is to be told
			return "200\n" + out.String() + told.String()
		}})
	}
	for _, at := range [][2]string{{"page `/c/one/crawl?id=PATCH`", homeOrigin + "/c/one/crawl?id="}, {"API `crawls/PATCH`", homeOrigin + "/api/v1/collections/one/crawls/"}} {
		ways = append(ways, exit{at[0], false, func(w *walker, _ *secretSite) string { return w.ask(at[1] + patch.ID) }})
	}
	ways = append(ways, exit{"page `/c/one/quality`, of pages as they are replayed", false, func(w *walker, _ *secretSite) string {
		_, looked, _ := strings.Cut(w.ask(homeOrigin+"/c/one/quality"), `id="looked"`)
		return "200\n" + looked
	}})
	for _, part := range []string{"wanted.jsonl", "crawls/" + patch.ID + "/seeds", "derived/" + quality.LooksName} {
		ways = append(ways, exit{"stored `" + strings.Replace(part, patch.ID, "PATCH", 1) + "`", false, func(*walker, *secretSite) string { return "200\n" + storedText(t, dir, part) }})
	}
	return ways
}

// keepLooks keeps what was found of the pages of sites as if they had been looked at.
func keepLooks(t *testing.T, dir string, sites []*secretSite) {
	t.Helper()
	folder := filepath.Join(dir, "derived", quality.LooksName)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var looks []*quality.Look
	for _, s := range sites {
		e := cdx.Entry{Timestamp: s.stamp}
		looks = append(looks, &quality.Look{URL: s.page(), Time: e.Time(), Damage: 0.4, Lacks: []quality.Part{{URL: "http://" + s.host + "/p/" + s.word + ".png", As: quality.Image, State: quality.Absent, Share: 0.4}}, Random: true})
	}
	if err := quality.KeepLooks(vfs.Default, folder, time.Date(2024, 3, 20, 12, 0, 0, 0, time.UTC), len(looks), looks); err != nil {
		t.Fatal(err)
	}
}

// Each cell of the fourth table in docs/access-table.md is what is told of parts that were missing before there was a rule: by a crawl that
// mends the archive under the rules, and by what was found of pages as they are replayed.
func TestPatchAccessTable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mended")
	sites := slices.DeleteFunc(secretSites(), func(s *secretSite) bool {
		return !slices.Contains([]string{"url", "host", "base32"}, s.kind) || ruleColumns[s.column].words == "open" && s.kind == "url" // its part lies in the takedown around it
	})
	var before, after, seeds strings.Builder
	for _, s := range sites {
		before.WriteString(s.lackingText(false))
		after.WriteString(s.lackingText(true))
		seeds.WriteString(s.page() + "\n")
	}
	list := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(list, []byte(seeds.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	crawlWeb(t, dir, before.String(), "--scope", "page", "--seeds", list)
	locate(t, dir, sites)
	keepLooks(t, dir, sites)
	for _, s := range sites {
		if err := archive.AddWanted(dir, archive.Wanted{URL: "http://" + s.host + "/p/" + s.word + ".png", Page: s.page(), Time: s.stamp}); err != nil {
			t.Fatal(err)
		}
	}
	closeSites(t, dir, sites)
	var out, told bytes.Buffer
	if status := run([]string{"crawl", "--patch", "--archive", dir, "--delay", "0", "--connect-to", farWeb(t, after.String())}, program{in: strings.NewReader(""), out: &out, err: &told}); status != 0 {
		t.Fatal(status, told.String())
	}
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		t.Fatal(err)
	}
	off, on := newWalkerOf(t, dir, "203.0.113.5:4", "treasure"), newWalkerOf(t, dir, "10.1.2.3:4", "treasure")
	rows := []string{"| way out |"}
	for _, c := range ruleColumns {
		rows[0] += " " + c.name + " |"
	}
	for _, x := range patchExits(t, dir, out.String()+told.String(), &crawls[len(crawls)-1]) {
		rows = append(rows, "| "+x.name+" | "+strings.Join(x.cells(t, off, on, sites), " | ")+" |")
	}
	wantTable(t, 3, rows)
}
