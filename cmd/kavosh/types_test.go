package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/engine"
	"kavosh/replay/pages"
)

// What is stored as a revisit, since another URL had the same bytes or since the server says that nothing changed, has the type
// of what it confirms: in the report of the crawl, among the collection's numbers and in its list, after a rebuild, too.
func TestRevisitsHaveTheTypeOfWhatTheyConfirm(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "same")
	web := sameWeb() + "-- a.test/kept.css Content-Type=text/css ETag=\"v1\" --\n" + strings.Repeat("p { color: red }\n", 30)
	seeds := append(sameSeeds, "http://a.test/kept.css")
	crawlWeb(t, dir, web, seeds...)
	crawlWeb(t, dir, web, seeds...)
	infos, err := engine.Crawls(vfs.Default, dir)
	if err != nil || len(infos) != 2 {
		t.Fatal(infos, err)
	}
	if r := infos[1].Report; r.Status["304"] != 1 || r.Revisits != 6 || r.MIME["text/html"] != 5 || r.MIME["text/css"] != 1 || len(r.MIME) != 2 {
		t.Errorf("the second crawl's report has %v with %v, %d revisits", r.MIME, r.Status, r.Revisits)
	}
	for _, when := range []string{"as crawled", "rebuilt"} {
		w := newWalker(t, dir, "")
		home := w.ask(homeOrigin + "/c/one")
		if strings.Contains(home, "Not known") || !strings.Contains(home, "Style") {
			t.Errorf("%s: the collection's page has types that are not known", when)
		}
		if s := w.ask(homeOrigin + "/c/one/pages?kind=" + pages.KindOf("")); strings.Contains(s, "a.test/e") || strings.Contains(s, "kept.css") {
			t.Errorf("%s: the list has captures of no known type: %s", when, s)
		}
		command(t, "rebuild", dir)
	}
}
