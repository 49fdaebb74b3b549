//go:build conformance

package rdfxml

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// entry is a test in W3C's manifest; what is commented out there begins with a number sign.
var entry = regexp.MustCompile(`(?ms)^<#([^>]+)> +a rdft:(TestXML\w+)\s*;.*?mf:action <([^>]+)>(?:\s*;\s*mf:result <([^>]+)>)?`)

// TestSuite runs W3C's RDF 1.1 XML tests.
func TestSuite(t *testing.T) {
	dir := testdata.Path(t, "rdf/rdf11/rdf-xml")
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.ttl"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, m := range entry.FindAllStringSubmatch(string(manifest), -1) {
		name, kind, action, result := m[1], m[2], m[3], m[4]
		counts[kind]++
		document, err := os.ReadFile(filepath.Join(dir, action))
		if err != nil {
			t.Fatal(err)
		}
		got, err := rdftest.ReadAll(NewReader(bytes.NewReader(document), "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-xml/"+action))
		if kind == "TestXMLNegativeSyntax" {
			var fault *rdf.Fault
			if !errors.As(err, &fault) || fault.Line < 2 {
				t.Errorf("%s: the fault is %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		expected, err := os.Open(filepath.Join(dir, result))
		if err != nil {
			t.Fatal(err)
		}
		want, err := rdftest.ReadAll(rdf.NewNTriplesReader(expected))
		expected.Close()
		if err != nil {
			t.Fatalf("%s: %v", result, err)
		}
		if !rdftest.Isomorphic(got, want) {
			t.Errorf("%s: got\n%v\nwant\n%v", name, got, want)
		}
	}
	t.Logf("%v", counts)
	if counts["TestXMLEval"] != 126 || counts["TestXMLNegativeSyntax"] != 40 {
		t.Errorf("there are other tests than were known: %v", counts)
	}
}
