package judge

import (
	"testing"

	"kavosh"
)

// TestRDF takes documents by their type, and anchors by what they say.
func TestRDF(t *testing.T) {
	j, err := Parse([]string{"rdf"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for media, want := range map[string]bool{"text/turtle": true, "application/rdf+xml": true, "application/ld+json": true, "text/html": false, "": false} {
		if v := j.Judge(&kavosh.Page{Type: media}); v.Relevant() != want {
			t.Errorf("%q: %.1f %s", media, v.Score, v.Why())
		}
	}
	for text, want := range map[string]float64{"the data as RDF/XML": 1, "http data.ttl": 1, "turtledove": 0, "": 0} {
		if got := j.Text(text); got != want {
			t.Errorf("%q: %.1f", text, got)
		}
	}
	if _, err := Parse([]string{"rdf=embedded"}, nil); err == nil {
		t.Error("what is not there yet is taken")
	}
}
