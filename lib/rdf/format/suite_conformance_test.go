//go:build conformance

package format

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// TestSuites: the documents of W3C's suites that state something are told by their content, nearly all of them by that alone. A
// document may be one of a smaller syntax than its suite is about.
func TestSuites(t *testing.T) {
	for folder, formats := range map[string][]Format{
		"rdf-n-triples": {NTriples},
		"rdf-n-quads":   {NTriples, NQuads},
		"rdf-turtle":    {NTriples, Turtle},
		"rdf-trig":      {NTriples, Turtle, TriG},
		"rdf-xml":       {RDFXML},
	} {
		told := 0
		for _, test := range rdftest.Manifest(t, testdata.Path(t, "rdf/rdf11/"+folder+"/manifest.ttl")) {
			document, err := os.ReadFile(test.Action)
			if err != nil {
				t.Fatal(err)
			}
			quads, err := rdftest.ReadAll(rdf.Strict(Open(bytes.NewReader(document), formats[len(formats)-1], test.Base, nil)))
			if err != nil || len(quads) == 0 {
				continue
			}
			told++
			name := ""
			if test.Name == "rdf-element-not-mandatory-test001" {
				name = "x.rdf" // a node of a vocabulary that is not well known
			}
			if got := Detect(document, "", name); !slices.Contains(formats, got) {
				t.Errorf("%s/%s is %q", folder, test.Name, got)
			}
		}
		t.Logf("%s: %d documents", folder, told)
		if told < 30 {
			t.Errorf("%s has only %d documents that state something", folder, told)
		}
	}
	documents, err := filepath.Glob(filepath.Join(testdata.Path(t, "jsonld/tests/toRdf"), "*-in.jsonld"))
	if err != nil || len(documents) < 400 {
		t.Fatal(len(documents), err)
	}
	told := 0
	for _, path := range documents {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		quads, err := rdftest.ReadAll(Open(bytes.NewReader(document), JSONLD, "http://a/", nil))
		if err != nil || len(quads) == 0 {
			continue
		}
		told++
		name := path
		if bytes.Contains(document, []byte("@context")) {
			name = ""
		}
		if got := Detect(document, "", name); got != JSONLD {
			t.Errorf("%s is %q", filepath.Base(path), got)
		}
	}
	t.Logf("JSON-LD: %d documents", told)
}
