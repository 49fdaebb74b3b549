package change

import (
	"maps"
	"testing"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
)

// A page that was captured under several spellings counts once, with its last capture, where the host answered them alike. On a
// host that tells them apart they are two pages.
func TestSpellings(t *testing.T) {
	index := lines(`1 http://blind.test/Page.html 200 text/html sha1:A
1 http://blind.test/page.html 200 text/html sha1:A
2 http://blind.test/PAGE.html 200 text/html sha1:B
1 http://blind.test/About 200 text/html sha1:C
2 http://blind.test/about 200 text/html sha1:C
1 http://seeing.test/Page.html 200 text/html sha1:D
1 http://seeing.test/page.html 200 text/html sha1:E
2 http://seeing.test/page.html 200 text/html sha1:E
1 http://seeing.test/A 200 text/html sha1:F
1 http://seeing.test/a 200 text/html sha1:F
`)
	of := func(crawl string) func(*cdx.Entry) bool {
		return func(e *cdx.Entry) bool { return e.Filename == crawl }
	}
	folds, err := Folding(t.Context(), index, of("1"), of("2"))
	if err != nil || len(folds) != 1 || !folds["blind.test"] {
		t.Fatal(folds, err)
	}
	r := &Reader{Records: &records.Records{Index: index}, Folds: folds}
	got := map[string]string{}
	for p, err := range r.pairs(t.Context(), of("1"), of("2")) {
		if err != nil {
			t.Fatal(err)
		}
		got[p.URL] = string(p.Fate) + " since " + p.Old.URL
	}
	want := map[string]string{
		"http://blind.test/PAGE.html":  "changed since http://blind.test/page.html",
		"http://blind.test/about":      "unchanged since http://blind.test/About",
		"http://seeing.test/Page.html": "not-asked since http://seeing.test/Page.html",
		"http://seeing.test/page.html": "unchanged since http://seeing.test/page.html",
		"http://seeing.test/A":         "not-asked since http://seeing.test/A",
		"http://seeing.test/a":         "not-asked since http://seeing.test/a",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
