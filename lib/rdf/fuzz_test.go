package rdf_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// again reads what a fuzzer made, and wants a Fault or a document; and what was read written by write and read by
// reread, the same statements. Few enough of them are compared that a graph made to be alike cannot keep a fuzzer busy.
func again(t *testing.T, r rdf.Reader, write func(io.Writer) rdf.Writer, reread func(io.Reader) rdf.Reader) {
	quads, err := rdftest.ReadAll(r)
	var fault *rdf.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("%v is no fault", err)
	}
	if fault != nil && (fault.Line < 1 || fault.Column < 1 || fault.Reason == "") {
		t.Fatalf("a fault at no place: %v", fault)
	}
	var b bytes.Buffer
	w := write(&b)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatalf("%v cannot be written: %v", q, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := rdftest.ReadAll(reread(bytes.NewReader(b.Bytes())))
	if err != nil {
		t.Fatalf("%v, in what was written:\n%s", err, b.Bytes())
	}
	if len(got) != len(quads) {
		t.Fatalf("%d statements, %d when written and read again:\n%s", len(quads), len(got), b.Bytes())
	}
	if len(quads) < 30 && !rdftest.Isomorphic(got, quads) {
		t.Fatalf("%v\nis, written and read again,\n%v", quads, got)
	}
}

var prefixes = map[string]string{"": "http://a/#", "p": "http://a/b/", "x.y": "a:b_", "xsd": "http://www.w3.org/2001/XMLSchema#"}

func FuzzLines(f *testing.F) {
	f.Add([]byte("<a:s> <a:p> _:o <a:g> . # x\n_:é <a:p> \"\\u0041\\\\\"@en-GB .\n<a:s> <a:p> \"1\"^^<a:d> _:g ."))
	f.Fuzz(func(t *testing.T, document []byte) {
		again(t, rdf.NewNQuadsReader(bytes.NewReader(document)),
			func(out io.Writer) rdf.Writer { return rdf.NewNQuadsWriter(out) },
			func(in io.Reader) rdf.Reader { return rdf.NewNQuadsReader(in) })
	})
}

func FuzzTurtle(f *testing.F) {
	f.Add([]byte("@prefix p: <http://a/b/> . <s> a p:o , [ p:q 'x'@fa , 1 , -.5 , 1e6 , true ] ; p:c ( <#x> '''y\n''' ) ."))
	f.Add([]byte("BASE <c:d> PREFIX : <#> :a\\~%20 :b \"\\U0001F600\"^^:c , \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> ."))
	f.Fuzz(func(t *testing.T, document []byte) {
		again(t, rdf.NewTurtleReader(bytes.NewReader(document), "http://a/b/c"),
			func(out io.Writer) rdf.Writer { return rdf.NewTurtleWriter(out, prefixes) },
			func(in io.Reader) rdf.Reader { return rdf.NewTurtleReader(in, "") })
	})
}

func FuzzTriG(f *testing.F) {
	f.Add([]byte("@prefix p: <http://a/b/> . { <s> a p:o } p:g { <s> a p:o ; p:q [ ] . } GRAPH _:g { () p:q (1) . } <s> <p> <o> ."))
	f.Fuzz(func(t *testing.T, document []byte) {
		again(t, rdf.NewTriGReader(bytes.NewReader(document), "http://a/b/c"),
			func(out io.Writer) rdf.Writer { return rdf.NewTriGWriter(out, prefixes) },
			func(in io.Reader) rdf.Reader { return rdf.NewTriGReader(in, "") })
	})
}

func FuzzN3(f *testing.F) {
	f.Add([]byte("@prefix p: <http://a/b/> . :s = <o>; is p:q of ( [] :x ) ; has p:q <#y> ."))
	f.Fuzz(func(t *testing.T, document []byte) {
		again(t, rdf.NewN3Reader(bytes.NewReader(document), "http://a/b/c"),
			func(out io.Writer) rdf.Writer { return rdf.NewTurtleWriter(out, prefixes) },
			func(in io.Reader) rdf.Reader { return rdf.NewTurtleReader(in, "") })
	})
}
