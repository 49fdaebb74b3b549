//go:build conformance

package replay

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// searches are sites whose pages search in the browser, by an index that their scripts load. ask types a query and
// gives what is found, one a line. Files that only a script of a script names are seeds of their own: this test is of
// the replay, not of what a crawl finds.
var searches = []struct {
	name, pkg, dir, page, ask string
	seeds                     []string
}{
	{"javadoc", "openjdk-17-doc", "/usr/share/doc/openjdk-17-doc", "api/java.base/java/util/List.html",
		`$("#search-input").catcomplete("search", "ArrayDeque"); found(".ui-autocomplete li.ui-menu-item")`, []string{"api/index.html"}},
	{"Sphinx", "borgbackup-doc", "/usr/share/doc/borgbackup/html", "search.html?q=repository", `found("#search-results li")`, []string{"index.html", "searchindex.js"}},
	{"MkDocs", "mkdocs-doc", "/usr/share/doc/mkdocs/html", "user-guide/configuration.html",
		`let q = document.getElementById("mkdocs-search-query"); q.value = "plugin"; q.dispatchEvent(new KeyboardEvent("keyup")); found("#mkdocs-search-results article")`, []string{"index.html", "search/lunr.js", "search/search_index.json"}},
}

// found waits until the results stand still, for at most ten seconds.
const found = `(async () => {
	let result = ""
	async function found(selector) {
		let last = -1
		for (let i = 0; i < 50; i++) {
			await new Promise(r => setTimeout(r, 200))
			let items = [...document.querySelectorAll(selector)]
			if (items.length && items.length === last) return items.map(e => e.innerText.replace(/\s+/g, " ")).join("\n")
			last = items.length
		}
		return ""
	}
	return await (async () => { ASK })()
})()`

// TestSearches searches in the browser, live and replayed: the same must be found.
func TestSearches(t *testing.T) {
	browser, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for _, s := range searches {
		t.Run(s.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(s.dir, filepath.FromSlash(s.seeds[0]))); err != nil {
				t.Fatalf("%v: run `make conformance-tools` (apt-get install %s)", err, s.pkg)
			}
			live := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
			defer live.Close()
			archive := filepath.Join(t.TempDir(), "archive")
			args := []string{"crawl", "--browser", "never", "--archive", archive, "--delay", "0s", "--address-delay", "0s", "--scope", "host"}
			for _, seed := range s.seeds {
				args = append(args, live.URL+"/"+seed)
			}
			if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
				t.Fatalf("kavosh %s: %v\n%s", strings.Join(args, " "), err, tail(out))
			}
			base := serve(t, archive)
			tab, err := browser.NewTab()
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			ask := func(url string) (string, *Load) {
				l, err := tab.Open(url)
				if err != nil {
					t.Fatal(err)
				}
				i := strings.LastIndex(s.ask, "found(")
				text, err := tab.Do(strings.Replace(found, "ASK", s.ask[:i]+"return await "+s.ask[i:], 1))
				if err != nil {
					t.Fatalf("%s: %v", url, err)
				}
				return text, l
			}
			was, _ := ask(live.URL + "/" + s.page)
			now, l := ask(base + "/site/20990101/" + live.URL + "/" + s.page)
			if was == "" || now != was {
				t.Errorf("live:\n%.1000s\nreplayed:\n%.1000s", was, now)
			}
			for _, q := range l.Requests {
				if !strings.HasPrefix(q.URL, base+"/") {
					t.Errorf("outside the replay: %s", q.URL)
				} else if q.Status >= 400 && now != was {
					t.Logf("%d %s", q.Status, q.URL)
				}
			}
			t.Logf("%d results, the same live and replayed", strings.Count(was, "\n")+1)
		})
	}
}
