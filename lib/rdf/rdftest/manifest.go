package rdftest

// This file reads the test manifests of W3C, for tests of RDF readers.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/lib/rdf"
)

// Case is one test of a W3C suite.
type Case struct {
	Name   string
	Type   string // such as TestTurtleEval
	Base   string // the base IRI for reading the document; relative if the manifest assumes none
	Action string // the document's file
	Result string // the file with the expected statements; "" if none
}

// Manifest returns the tests in a W3C manifest.
func Manifest(t testing.TB, path string) []Case {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const here = "file:///"
	quads, err := ReadAll(rdf.Strict(rdf.NewTurtleReader(f, here)))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	const mf = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	said := map[rdf.Term]map[string]rdf.Term{}
	var base string
	for _, q := range quads {
		if said[q.Subject] == nil {
			said[q.Subject] = map[string]rdf.Term{}
		}
		said[q.Subject][q.Predicate.Value] = q.Object
		if q.Predicate.Value == mf+"assumedTestBase" {
			base = q.Object.Value
		}
	}
	file := func(t rdf.Term) string {
		if t.Value == "" {
			return ""
		}
		return filepath.Join(filepath.Dir(path), strings.TrimPrefix(t.Value, here))
	}
	var cases []Case
	const list = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	for cell := said[rdf.Term{Kind: rdf.IRI, Value: here}][mf+"entries"]; said[cell] != nil; cell = said[cell][list+"rest"] {
		test := said[said[cell][list+"first"]]
		_, kind, _ := strings.Cut(test[list+"type"].Value, "#")
		action := test[mf+"action"]
		cases = append(cases, Case{test[mf+"name"].Value, kind, base + strings.TrimPrefix(action.Value, here), file(action),
			file(test[mf+"result"])})
	}
	if len(cases) == 0 {
		t.Fatalf("%s: no tests", path)
	}
	return cases
}
