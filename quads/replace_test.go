package quads

import (
	"testing"
	"time"

	"kavosh"
)

// Of a URL's captures the newest counts, but what one crawl got as RDF is not replaced by the page of the same URL.
func TestReplaces(t *testing.T) {
	at := func(second int, crawl string, variant bool, class kavosh.Class) *Document {
		return &Document{Time: time.Unix(int64(second), 0), Crawl: crawl, Variant: variant, Reading: Reading{Class: class}}
	}
	for _, c := range []struct {
		name     string
		d, old   *Document
		replaces bool
	}{
		{"newer", at(2, "1", false, ""), at(1, "1", false, "H"), true},
		{"older", at(1, "1", false, ""), at(2, "1", false, "H"), false},
		{"a page after RDF", at(2, "1", false, ""), at(1, "1", true, "R"), false},
		{"RDF after the page", at(2, "1", true, ""), at(1, "1", false, "E"), true},
		{"RDF read after a later page", at(1, "1", true, ""), at(2, "1", false, "E"), true},
		{"a page after what was no RDF", at(2, "1", false, ""), at(1, "1", true, "H"), true},
		{"a page of a later crawl", at(2, "2", false, ""), at(1, "1", true, "R"), true},
	} {
		if got := c.d.replaces(c.old); got != c.replaces {
			t.Errorf("%s: replaces is %v", c.name, got)
		}
	}
}
