//go:build conformance

package rdf_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// TestW3C passes W3C's suites of RDF 1.1 for the text formats, all of them.
func TestW3C(t *testing.T) {
	lines := func(open func(io.Reader) *rdf.LineReader) func(io.Reader, string) rdf.Reader {
		return func(in io.Reader, _ string) rdf.Reader { return open(in) }
	}
	turtles := func(open func(io.Reader, string) *rdf.TurtleReader) func(io.Reader, string) rdf.Reader {
		return func(in io.Reader, base string) rdf.Reader { return open(in, base) }
	}
	for folder, open := range map[string]func(in io.Reader, base string) rdf.Reader{
		"rdf-n-triples": lines(rdf.NewNTriplesReader),
		"rdf-n-quads":   lines(rdf.NewNQuadsReader),
		"rdf-turtle":    turtles(rdf.NewTurtleReader),
		"rdf-trig":      turtles(rdf.NewTriGReader),
	} {
		for _, test := range rdftest.Manifest(t, testdata.Path(t, "rdf/rdf11/"+folder+"/manifest.ttl")) {
			t.Run(folder+"/"+test.Name, func(t *testing.T) {
				document, err := os.ReadFile(test.Action)
				if err != nil {
					t.Fatal(err)
				}
				got, err := rdftest.ReadAll(rdf.Strict(open(bytes.NewReader(document), test.Base)))
				if strings.Contains(test.Type, "Negative") {
					var fault *rdf.Fault
					if !errors.As(err, &fault) {
						t.Fatalf("a fault is wanted, not %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(test.Type, "Eval") {
					return
				}
				f, err := os.Open(test.Result)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				want, err := rdftest.ReadAll(rdf.Strict(rdf.NewNQuadsReader(f)))
				if err != nil {
					t.Fatal(err)
				}
				if !rdftest.Isomorphic(got, want) {
					t.Errorf("got %v\nwant %v", got, want)
				}
			})
		}
	}
}
