package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/search"
)

// While an archive is being read for searching, every answer says that it is not complete, and none that there is nothing.
func TestSearchThatIsNotComplete(t *testing.T) {
	dir := secretArchive(t)
	reading, err := search.OpenWriter(vfs.Default, filepath.Join(dir, "derived", "search@1")) // as another kavosh does
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"search", dir, "open"}, {"search", dir, "--kind", "image", "open"}} {
		if out := command(t, args...); !strings.Contains(out, "Nothing was found so far.\n") || !strings.Contains(out, "not been read whole") { // its status is 0
			t.Errorf("%v: %s", args, out)
		}
	}
	if out := command(t, "search", dir, "open", "--json"); !strings.Contains(out, `"total":0,"incomplete":true,`) {
		t.Error(out)
	}
	const some, links = "there may be more", "/links?url=http://a.test/open-too.html"
	w := newWalker(t, dir, "203.0.113.5:4")
	for page, want := range map[string]string{
		"/c/one/search?q=open": "Nothing was found so far.", "/c/one/search?q=open&lang=fa": "تاکنون چیزی یافته نشد.", "/c/web/search?q=open": some, "/c/one/search?q=open&kind=image": some,
		"/c/one" + links: some, "/c/one" + links + "&lang=fa": "پیوندهای بایگانی هنوز خوانده می‌شوند", "/c/web" + links: some,
		"/api/v1/collections/one/search?q=open": `"incomplete": true`, "/api/v1/collections/one" + links: `"incomplete": true`,
	} {
		if answer := w.ask(homeOrigin + page); !strings.Contains(answer, want) || strings.Contains(answer, "Nothing was found.<") || strings.Contains(answer, "چیزی یافته نشد.<") && !strings.Contains(answer, "تاکنون") {
			t.Errorf("%s: %s", page, answer)
		}
	}
	if err := reading.Close(); err != nil {
		t.Fatal(err)
	}
	if out := command(t, "search", dir, "open", "--json"); !strings.Contains(out, `"incomplete":false,`) || strings.Contains(out, `"total":0,`) {
		t.Error(out)
	}
	var out, told bytes.Buffer
	if status := run([]string{"search", dir, "nowhere"}, program{in: strings.NewReader(""), out: &out, err: &told}); status != 1 || out.String() != "Nothing was found.\n" {
		t.Errorf("%d: %s%s", status, out.String(), told.String())
	}

	// Of files that are served all is there once they were read.
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	served, err := newServedSearch(source{files: files}, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer served.close()
	both := search.Union{served, served}
	for _, incomplete := range []bool{true, false} {
		for _, x := range []search.Searcher{served, both} {
			found, err := x.Search(t.Context(), kavosh.Search{Text: "open"})
			if err != nil || found.Incomplete != incomplete || incomplete != (found.Total == 0) {
				t.Errorf("%+v, %v; incomplete: %v", found, err, incomplete)
			}
		}
		served.follow(t.Context())
	}
}
