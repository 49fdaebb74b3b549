package judge

import (
	"testing"

	"kavosh"
)

// TestRDF takes documents by their class, and anchors by what they say.
func TestRDF(t *testing.T) {
	documents, err := new(Reader).Parse([]string{"rdf"})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := new(Reader).Parse([]string{"rdf=embedded"})
	if err != nil {
		t.Fatal(err)
	}
	for class, want := range map[kavosh.Class][2]bool{
		kavosh.ClassRDF: {true, true}, kavosh.ClassEmbedded: {false, true}, kavosh.ClassPage: {}, kavosh.ClassOther: {}, kavosh.Unclassed: {},
	} {
		page := &kavosh.Page{RDF: kavosh.RDF{Class: class, Format: "turtle", Statements: 4}}
		for i, j := range []Judge{documents, embedded} {
			if v := j.Judge(page); v.Relevant() != want[i] || v.Why() == "" {
				t.Errorf("%q, judge %d: %.1f %s", class, i, v.Score, v.Why())
			}
		}
	}
	for text, want := range map[string]float64{"the data as RDF/XML": 1, "http data.ttl": 1, "turtledove": 0, "": 0} {
		if got := documents.Text(text); got != want {
			t.Errorf("%q: %.1f", text, got)
		}
	}
	if _, err := new(Reader).Parse([]string{"rdf=pages"}); err == nil {
		t.Error("what there is not is taken")
	}
}
