package rdf

import (
	"io"
	"strings"
	"testing"
)

// TestTurtleWriter wants what a reader of the text would like to see.
func TestTurtleWriter(t *testing.T) {
	prefixes := map[string]string{"": "http://x/#", "p": "http://x/p/", "obo": "http://x/obo/GO_", "xsd": xsdNS}
	const head = "@prefix : <http://x/#> .\n@prefix obo: <http://x/obo/GO_> .\n@prefix p: <http://x/p/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
	const in = `<http://x/#a> ` + typed + ` <http://x/p/C> .
<http://x/#a> ` + typed + ` <http://x/p/> .
<http://x/#a> <http://x/p/q> "x\ny"@en .
<http://x/#a> <http://x/p/q> <http://x/p/a/b> .
<http://x/#a> <http://x/p/q> <http://x/obo/GO_001> .
_:b <http://x/p/-> <http://x/p/سلام> .
_:b <http://x/p/۱> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <http://x/#g> .
_:b <http://x/p/۱> "01.5"^^<http://www.w3.org/2001/XMLSchema#decimal> <http://x/#g> .
_:b <http://x/p/۱> "1."^^<http://www.w3.org/2001/XMLSchema#decimal> <http://x/#g> .
_:b <http://x/p/۱> "1"^^<http://www.w3.org/2001/XMLSchema#double> <http://x/#g> .
_:b <http://x/p/۱> "-1.e+5"^^<http://www.w3.org/2001/XMLSchema#double> <http://x/#g> .
_:b <http://x/p/۱> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> <http://x/#g> .
_:b <http://x/p/۱> "1"^^<http://www.w3.org/2001/XMLSchema#boolean> <http://x/#g> .
_:b <http://x/p/q> <http://x/p/q> <http://x/#g> .
_:b <http://x/p/q> <http://x/p/q> _:h .
_:b <http://x/p/q> <http://x/p/q> .
`
	for _, tt := range []struct {
		name string
		open func(io.Writer, map[string]string) *TurtleWriter
		want string
	}{
		{"Turtle", NewTurtleWriter, head + `
:a a p:C , p: ;
    p:q "x\ny"@en , <http://x/p/a/b> , obo:001 .
_:b <http://x/p/-> p:سلام ;
    p:۱ 1 , 01.5 , "1."^^xsd:decimal , "1"^^xsd:double , -1.e+5 , true , "1"^^xsd:boolean ;
    p:q p:q , p:q , p:q .
`},
		{"TriG", NewTriGWriter, head + `
:a a p:C , p: ;
    p:q "x\ny"@en , <http://x/p/a/b> , obo:001 .
_:b <http://x/p/-> p:سلام .

:g {
    _:b p:۱ 1 , 01.5 , "1."^^xsd:decimal , "1"^^xsd:double , -1.e+5 , true , "1"^^xsd:boolean ;
        p:q p:q .
}

_:h {
    _:b p:q p:q .
}

_:b p:q p:q .
`},
	} {
		var b strings.Builder
		w := tt.open(&b, prefixes)
		r := NewNQuadsReader(strings.NewReader(in))
		for {
			q, err := r.Read()
			if err == io.EOF {
				break
			}
			if err == nil {
				err = w.Write(q)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || b.String() != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, b.String(), tt.want)
		}
	}
}

// TestWrongPrefixes wants them told, and nothing written.
func TestWrongPrefixes(t *testing.T) {
	for _, prefixes := range []map[string]string{{"a b": "http://x/"}, {"1": "http://x/"}, {"a.": "http://x/"}, {"a": "x y"}, {"a": "x"}} {
		var b strings.Builder
		w := NewTurtleWriter(&b, prefixes)
		if w.Write(Quad{}) == nil || w.Close() == nil || b.Len() > 0 {
			t.Errorf("%v: %q", prefixes, b.String())
		}
	}
}
