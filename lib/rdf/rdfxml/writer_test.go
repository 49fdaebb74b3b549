package rdfxml

import (
	"errors"
	"io"
	"strings"
	"testing"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

func TestWrite(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out, map[string]string{"e": "http://e/", "": "http://default/#", "xmlish": "http://x/", "rdf": "http://y/", "a b": "http://z/"})
	quads, err := rdftest.ReadAll(rdf.NewNQuadsReader(strings.NewReader(`<http://a/?x&y> <http://e/name> "سلام <&>\r\n"@fa-ir .
<http://a/?x&y> <http://default/#knows> _:1 .
_:1 <http://other/ns/1st> "1"^^<http://d/?a&b> .
_:_1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> <http://graph/> .
`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns="http://default/#"
    xmlns:e="http://e/">
  <rdf:Description rdf:about="http://a/?x&amp;y">
    <e:name xml:lang="fa-ir">سلام &lt;&amp;&gt;&#xD;
</e:name>
    <knows rdf:nodeID="_1"/>
  </rdf:Description>
  <rdf:Description rdf:nodeID="_1">
    <ns:st xmlns:ns="http://other/ns/1" rdf:datatype="http://d/?a&amp;b">1</ns:st>
  </rdf:Description>
  <rdf:Description rdf:nodeID="__1">
    <rdf:type rdf:resource="http://e/T"/>
  </rdf:Description>
</rdf:RDF>
`
	if out.String() != want {
		t.Errorf("written is\n%s", out.String())
	}
	back, err := rdftest.ReadAll(NewReader(strings.NewReader(want), ""))
	quads[3].Graph = rdf.Term{}
	if err != nil || !rdftest.Isomorphic(back, quads) {
		t.Errorf("read back is %v %v", back, err)
	}
}

// TestNotWritten: what XML cannot express is refused, and the document stays whole.
func TestNotWritten(t *testing.T) {
	iri := func(s string) rdf.Term { return rdf.Term{Kind: rdf.IRI, Value: s} }
	s, p, o := iri("http://s/"), iri("http://p/a"), rdf.Term{Kind: rdf.Literal, Value: "o"}
	var out strings.Builder
	w := NewWriter(&out, nil)
	for _, q := range []rdf.Quad{
		{Subject: s, Predicate: iri("http://p/"), Object: o},
		{Subject: s, Predicate: iri("http://p/1"), Object: o},
		{Subject: s, Predicate: iri(rdfSpace + "li"), Object: o},
		{Subject: s, Predicate: iri("p"), Object: o},
		{Subject: o, Predicate: p, Object: o},
		{Subject: iri("a b"), Predicate: p, Object: o},
		{Subject: rdf.Term{Kind: rdf.Blank, Value: "a b"}, Predicate: p, Object: o},
		{Subject: s, Predicate: p, Object: rdf.Term{Kind: rdf.Literal, Value: "\x00"}},
		{Subject: s, Predicate: p, Object: rdf.Term{Kind: rdf.Literal, Value: "\xff"}},
		{Subject: s, Predicate: p, Object: rdf.Term{Kind: rdf.Literal, Language: "a b"}},
		{Subject: s, Predicate: p, Object: rdf.Term{Kind: rdf.Literal, Datatype: "x"}},
		{Subject: s, Predicate: p},
	} {
		var refused *rdf.TermError
		if err := w.Write(q); !errors.As(err, &refused) {
			t.Errorf("%v: %v", q, err)
		}
	}
	if err := w.Write(rdf.Quad{Subject: s, Predicate: p, Object: o}); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got, err := lines(t, out.String()); got != "<http://s/> <http://p/a> \"o\" .\n" || err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// FuzzReader: any document ends, its statements can be written as N-Quads, and what RDF/XML can express of them is read back
// the same.
func FuzzReader(f *testing.F) {
	f.Add(head + `<e:T rdf:ID="a" e:p="1"><e:p rdf:parseType="Literal"><x y="&lt;"/></e:p><e:q rdf:parseType="Collection"><e:T/></e:q></e:T>` + tail)
	f.Add(`<!DOCTYPE x [<!ENTITY a "<e:p>&#38;</e:p>">]><e:T xmlns:e="http://e/">&a;<e:q xml:lang="fa">` + "\u0633\r\n" + `</e:q></e:T>`)
	f.Add(head + `<rdf:Seq><rdf:li rdf:ID="s" rdf:nodeID="_1"/><rdf:li rdf:datatype="x">a<![CDATA[b]]></rdf:li></rdf:Seq>` + tail)
	f.Fuzz(func(t *testing.T, document string) {
		r := NewReader(strings.NewReader(document), base)
		var out strings.Builder
		w := NewWriter(&out, map[string]string{"e": "http://e/"})
		lines := rdf.NewNQuadsWriter(io.Discard)
		var kept []rdf.Quad
		for {
			q, err := r.Read()
			if err != nil {
				var fault *rdf.Fault
				if err != io.EOF && !errors.As(err, &fault) {
					t.Fatal(err)
				}
				break
			}
			if err := lines.Write(q); err != nil {
				t.Fatal(err)
			}
			if w.Write(q) == nil {
				kept = append(kept, q)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		back, err := rdftest.ReadAll(NewReader(strings.NewReader(out.String()), ""))
		if err != nil || len(back) != len(kept) {
			t.Fatalf("%v: %d statements of %d\n%s", err, len(back), len(kept), out.String())
		}
		for i, q := range kept {
			q.Subject, q.Object = reread(q.Subject), reread(q.Object)
			if back[i] != q {
				t.Fatalf("%v came back as %v", q, back[i])
			}
		}
	})
}

// reread is t after it was written and read.
func reread(t rdf.Term) rdf.Term {
	if t.Kind == rdf.Blank && t.Value[0] == '_' {
		return rdf.Named("_" + t.Value)
	}
	return t
}
