//go:build conformance

package rdfxml

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// TestSuite passes W3C's suite of RDF 1.1 XML, all of it.
func TestSuite(t *testing.T) {
	counts := map[string]int{}
	for _, test := range rdftest.Manifest(t, testdata.Path(t, "rdf/rdf11/rdf-xml/manifest.ttl")) {
		counts[test.Type]++
		document, err := os.ReadFile(test.Action)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rdftest.ReadAll(rdf.Strict(NewReader(bytes.NewReader(document), test.Base)))
		if test.Type == "TestXMLNegativeSyntax" {
			var fault *rdf.Fault
			if !errors.As(err, &fault) || fault.Line < 2 {
				t.Errorf("%s: the fault is %v", test.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.Name, err)
			continue
		}
		expected, err := os.ReadFile(test.Result)
		if err != nil {
			t.Fatal(err)
		}
		want, err := rdftest.ReadAll(rdf.Strict(rdf.NewNTriplesReader(bytes.NewReader(expected))))
		if err != nil {
			t.Fatalf("%s: %v", test.Result, err)
		}
		if !rdftest.Isomorphic(got, want) {
			t.Errorf("%s: got\n%v\nwant\n%v", test.Name, got, want)
		}
	}
	t.Logf("%v", counts)
	if counts["TestXMLEval"] != 126 || counts["TestXMLNegativeSyntax"] != 40 || len(counts) != 2 {
		t.Errorf("there are other tests than were known: %v", counts)
	}
}
