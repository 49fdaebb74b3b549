package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/index"
	"kavosh/lib/cdx"
)

// changedText is what a site's server has in one of two versions: a page that tells its secret in both.
func (s *secretSite) changedText(version string) string {
	return fmt.Sprintf(`-- %[1]s/p/page.html --
<!doctype html><html lang="en"><title>A page</title><main><h1>%[2]s treasure</h1><p>It is %[3]s %[2]s that this page is about, and nothing else is in it.</p>
<img src="/p/lost.png" alt=""><p>Who looks for more finds it elsewhere.</p></main>
`, s.host, s.word, version)
}

// changeExits are all ways out of what changed, in the order of docs/access-table.md.
func changeExits(t *testing.T, dir string) (ways []exit) {
	page := filepath.Join(t.TempDir(), "changes")
	for _, words := range []string{"change ARCHIVE URL", "change ARCHIVE URL --json", "change ARCHIVE URL --html FILE", "change ARCHIVE URL --xml delta", "change ARCHIVE URL --xml blocks", "change ARCHIVE", "change ARCHIVE --json", "quality ARCHIVE --between all", "quality ARCHIVE --between all --timeline FILE.svg --json", "quality ARCHIVE --at 2100", "export tree ARCHIVE -o FILE.svg", "export tree ARCHIVE -o FILE.graphml --json", "change ARCHIVE --rhythm HOST", "watch ARCHIVE list", "watch ARCHIVE events", "quality ARCHIVE", "quality ARCHIVE --json", "quality ARCHIVE --host HOST", "quality ARCHIVE --series --json"} {
		asked := strings.Contains(words, "URL") || strings.Contains(words, "HOST")
		ways = append(ways, exit{"`kavosh " + words + "`", asked, func(_ *walker, s *secretSite) string {
			var out, told bytes.Buffer
			args := strings.Fields(strings.NewReplacer("ARCHIVE", dir, "URL", s.page(), "HOST", s.host, "FILE", page).Replace(words))
			run(args, program{in: strings.NewReader(""), out: &out, data: &out, err: &told}) // it fails for what is closed
			files, _ := filepath.Glob(page + "*")
			for _, file := range files {
				made, _ := os.ReadFile(file)
				out.Write(made)
				os.Remove(file)
			}
			return "200\n" + out.String() + told.String()
		}})
	}
	for _, path := range []string{"changes?url=ESCAPED", "changes?host=HOST", "changes", "watch?id=WATCH", "watches", "rhythm?host=HOST", "tree", "timeline", "timeline?host=HOST", "timeline.svg?bars=all", "quality", "quality?host=HOST", "series", "series?host=HOST", "series.svg?picture=behaviour", "series.svg?picture=cube"} {
		ways = append(ways, exit{"page `/c/one/" + path + "`", !slices.Contains([]string{"changes", "watches", "tree", "timeline", "timeline.svg?bars=all", "quality", "series", "series.svg?picture=behaviour", "series.svg?picture=cube"}, path), func(w *walker, s *secretSite) string {
			return w.ask(homeOrigin + "/c/one/" + strings.NewReplacer("ESCAPED", url.QueryEscape(s.page()), "HOST", s.host, "WATCH", strconv.Itoa(s.watch)).Replace(path))
		}})
	}
	for _, part := range []string{"derived/blocks@1", "derived/change@1"} { // packed
		ways = append(ways, exit{"stored `" + part + "`", false, func(_ *walker, s *secretSite) string {
			text := storedText(t, dir, part)
			if strings.Contains(text, "xsecret") {
				text += s.word
			}
			return "200\n" + text
		}})
	}
	return ways
}

// watchAll watches the pages of sites.
func watchAll(t *testing.T, dir string, sites []*secretSite) {
	t.Helper()
	for i, s := range sites {
		command(t, "watch", dir, "add", s.page())
		s.watch = i + 1
	}
}

// Each cell of the third table in docs/access-table.md is what a reader is given of what changed on a page, by every way out, under every
// rule, although all of it was compared and kept before there was a rule.
func TestChangeAccessTable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "changed")
	sites := slices.DeleteFunc(secretSites(), func(s *secretSite) bool { return !slices.Contains([]string{"url", "host", "base32", "hex"}, s.kind) })
	for _, version := range []string{"old", "new"} {
		var web, seeds strings.Builder
		for _, s := range sites {
			web.WriteString(s.changedText(version))
			seeds.WriteString(s.page() + "\n")
		}
		list := filepath.Join(t.TempDir(), "seeds")
		if err := os.WriteFile(list, []byte(seeds.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		crawlWeb(t, dir, web.String(), "--scope", "page", "--seeds", list)
		if version == "old" {
			watchAll(t, dir, sites)
		}
	}
	locate(t, dir, sites)
	for _, s := range sites { // all is kept before it is closed
		if told := command(t, "change", dir, s.page()); !strings.Contains(told, s.word) {
			t.Fatal(told)
		}
	}
	closeSites(t, dir, sites)
	off, on := newWalkerOf(t, dir, "203.0.113.5:4", "treasure"), newWalkerOf(t, dir, "10.1.2.3:4", "treasure")
	head := "| way out |"
	for _, c := range ruleColumns {
		head += " " + c.name + " |"
	}
	rows := []string{head}
	ways := changeExits(t, dir)
	for i := range ways {
		rows = append(rows, "| "+ways[i].name+" | "+strings.Join(ways[i].cells(t, off, on, sites), " | ")+" |")
	}
	wantTable(t, 2, rows)
}

// A comparison of two versions is closed as soon as one of them is, though it was kept before.
func TestChangeWithAClosedVersion(t *testing.T) {
	t.Parallel()
	dir, s := filepath.Join(t.TempDir(), "half"), &secretSite{host: "r0-url.test", word: "xsecrethalfx"}
	var sums []string // the old version first, also if both are of one second
	for _, version := range []string{"old", "new"} {
		crawlWeb(t, dir, s.changedText(version), "--scope", "page", s.page())
		for e, err := range index.OpenLive(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log")).Query(t.Context(), cdx.Query{URL: s.page()}) {
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(sums, e.Digest) {
				sums = append(sums, e.Digest)
			}
		}
		if version == "old" {
			watchAll(t, dir, []*secretSite{s})
		}
	}
	locate(t, dir, []*secretSite{s})
	for i, sum := range sums {
		command(t, "change", dir, s.page())
		number, _, _ := strings.Cut(command(t, "access", dir, "add", "metadata", sum), " ")
		walker := newWalkerOf(t, dir, "203.0.113.5:4", "elsewhere")
		for _, x := range changeExits(t, dir) {
			told := x.get(walker, s)
			if strings.HasPrefix(x.name, "stored") || i == 0 && strings.HasSuffix(x.name, "blocks`") {
				continue // the version that is open
			}
			if strings.Contains(told, s.word) {
				t.Errorf("with version %d closed, %s tells\n%s", i, x.name, told)
			}
		}
		command(t, "access", dir, "remove", number)
	}
}
