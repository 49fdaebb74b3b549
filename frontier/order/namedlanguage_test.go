package order

import (
	"slices"
	"testing"
)

func TestNamedLanguage(t *testing.T) {
	for _, test := range []struct {
		url, hreflang, wanted string
		want                  float64
	}{
		{"http://a.test/docs/fa/engines/", "", "fa", 1},
		{"http://a.test/docs/FA-ir/engines/", "", "fa", 1},
		{"http://a.test/docs/de/engines/", "", "fa", -1},
		{"http://a.test/zh_CN/de/x", "", "zh", 1},
		{"http://a.test/de/fa/x", "", "fa", 1},
		{"http://a.test/index.fa.html", "", "fa", 1},
		{"http://a.test/index.html.fa", "", "fa", 1},
		{"http://a.test/index.pl", "", "fa", 0},
		{"http://a.test/index.pl", "", "pl", 0},
		{"http://a.test/it-works/a-b/en.wikipedia.png", "", "fa", -1},
		{"http://a.test/read?page=2&lang=fa", "", "fa", 1},
		{"http://a.test/read?q=fa", "", "fa", 0},
		{"http://fa.a.test/", "", "fa", 1},
		{"http://de.a.test/", "", "fa", -1},
		{"http://de.test/", "", "fa", 0},
		{"http://a.test/de/x", "fa-IR", "fa", 1},
		{"http://a.test/fa/x", "de", "fa", -1},
		{"http://a.test/fa/x", "x-default", "fa", 1},
		{"http://a.test/ckb/x", "", "ckb", 1},
		{"http://a.test/sr/x", "", "sr-Latn", 1},
		{"http://a.test/fa/x", "fa", "", 0},
		{"mailto:fa", "", "fa", 0},
	} {
		if got := namedLanguage(test.url, test.hreflang, test.wanted); got != test.want {
			t.Errorf("%s, hreflang %q: %v for %q, want %v", test.url, test.hreflang, got, test.wanted, test.want)
		}
	}
	if !slices.IsSorted(isoLanguages[:]) {
		t.Error("the codes are not sorted")
	}
}
