package rdfa

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// TestRead has a page for each thing that RDFa can do; what it says stands in Turtle.
func TestRead(t *testing.T) {
	for name, test := range map[string]struct{ page, want string }{
		"literal":         {`<p property="dc:title" lang=FA>سلام</p>`, `<> dc:title "سلام"@fa .`},
		"content":         {`<meta property="og:title" content="x">`, `<> og:title "x" .`},
		"typed":           {`<p property="dc:date" datatype="xsd:date" content="2012-03-18">x</p>`, `<> dc:date "2012-03-18"^^xsd:date .`},
		"string":          {`<p property="dc:date" datatype="xsd:string" lang=en>x</p>`, `<> dc:date "x" .`},
		"plain":           {`<p property="dc:date" datatype="" lang=en>x</p>`, `<> dc:date "x"@en .`},
		"time":            {`<time property="dc:date" datetime="2012">x</time>`, `<> dc:date "2012"^^xsd:gYear .`},
		"markup":          {`<p property="dc:title" datatype="rdf:HTML">a<br><b>c</b></p>`, `<> dc:title "a<br><b>c</b>"^^rdf:HTML .`},
		"resource":        {`<a property="dc:creator" href="/me">x</a>`, `<> dc:creator </me> .`},
		"item":            {`<div vocab="http://schema.org/" typeof="Person"><span property="name">A</span><a property=url href=u>x</a></div>`, `<> rdfa:usesVocabulary <http://schema.org/> . [] a schema:Person; schema:name "A"; schema:url <u> .`},
		"item in item":    {`<div vocab="http://schema.org/" typeof="Person"><div property="knows" typeof="Person"><b property=name>B</b></div></div>`, `<> rdfa:usesVocabulary <http://schema.org/> . [] a schema:Person; schema:knows [ a schema:Person; schema:name "B" ] .`},
		"rel and rev":     {`<p about="#a"><a rel="foaf:knows" rev="foaf:made" href="#b">x</a></p>`, `<#a> foaf:knows <#b> . <#b> foaf:made <#a> .`},
		"pending":         {`<p about="#a" rel="foaf:knows"><b about="#b"></b><b typeof="foaf:Person"></b></p>`, `<#a> foaf:knows <#b>, [ a foaf:Person ] .`},
		"terms":           {`<a rel="license nofollow" href="#l">x</a>`, `<> xhv:license <#l> .`},
		"prefix":          {`<p prefix="q: http://q.example/ r: http://r.example/"><b property="q:a Q:b r:c">x</b></p><b property="q:d">y</b>`, `<> <http://q.example/a> "x"; <http://q.example/b> "x"; <http://r.example/c> "x"; <q:d> "y" .`},
		"inner prefix":    {`<p prefix="q: http://q.example/"><b prefix="q: http://r.example/" property="q:a">x</b><b property="q:a">y</b></p>`, `<> <http://r.example/a> "x"; <http://q.example/a> "y" .`},
		"namespace":       {`<p xmlns:q="http://q.example/" property="q:a">x</p>`, `<> <http://q.example/a> "x" .`},
		"blank nodes":     {`<p about="_:a" rel="foaf:knows" resource="[_:b]"></p><p about="_:b" property="foaf:name">B</p>`, `[] foaf:knows [ foaf:name "B" ] .`},
		"list":            {`<p inlist property="foaf:nick">a</p><p inlist property="foaf:nick">b</p>`, `<> foaf:nick ("a" "b") .`},
		"empty list":      {`<p inlist rel="foaf:knows"></p>`, `<> foaf:knows () .`},
		"list of a part":  {`<p rel="foaf:knows" resource="#b"><b inlist property="foaf:nick">x</b><b inlist property="foaf:nick">y</b></p>`, `<> foaf:knows <#b> . <#b> foaf:nick ("x" "y") .`},
		"pattern":         {`<p typeof="foaf:Person"><link property="rdfa:copy" href="#p"></p><p resource="#p" typeof="rdfa:Pattern"><b property="foaf:name">A</b></p>`, `[] a foaf:Person; foaf:name "A" .`},
		"head and body":   {`<html><head typeof="foaf:Document"><title property="dc:title">t</title></head><body><p property="dc:title">u</p>`, `<> a foaf:Document; dc:title "t", "u" .`},
		"nothing unknown": {`<p property="title" typeof="Thing" class="h-card">x</p>`, ``},
		"no IRI":          {`<a property="dc:x" href="a b">t</a><p about="a|b" property="dc:y">u</p>`, `<> dc:x "t" ; dc:y "u" .`},
	} {
		const base = "http://example.org/page"
		prefixed := ""
		for prefix, space := range prefixes {
			prefixed += "@prefix " + prefix + ": <" + space + "> .\n"
		}
		want, err := rdftest.ReadAll(rdf.Strict(rdf.NewTurtleReader(strings.NewReader(prefixed+test.want), base)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if have := Read(htmltree.Parse(test.page, false, base)); !rdftest.Isomorphic(have, want) {
			t.Errorf("%s:\n%s", name, lines(t, have))
		}
	}
}

func lines(t *testing.T, quads []rdf.Quad) string {
	var b bytes.Buffer
	w := rdf.NewNQuadsWriter(&b)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatalf("%v cannot be written: %v", q, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBounds wants a page that says too much to be read up to there.
func TestBounds(t *testing.T) {
	for page, fault := range map[string]string{
		`<p rel="` + strings.Repeat("dc:a ", 200) + `">` + strings.Repeat(`<b about="#a"></b>`, 2000): "line 1, column 1: an attribute of more than 128 names",
		"\n" + strings.Repeat(`<b property="dc:a">x</b>`, maxStatements+1):                            "line 2, column 2400001: more than 100000 statements of RDFa",
		"\n" + strings.Repeat(`<b property="dc:a">`, 500) + strings.Repeat("<i>words</i>", 10_000):    "line 2, column 1179: the page says the same too often: more than 16 times its length",
	} {
		read := htmltree.Parse(page, false, "http://example.org/")
		quads, cut := Read(read), read.Fault()
		if cut == nil || fmt.Sprintf("line %d, column %d: %s", cut.Line, cut.Column, cut.Reason) != fault || len(quads) == 0 {
			t.Errorf("%v after %d statements, want %s", read.Fault(), len(quads), fault)
		}
	}
}

// FuzzRead wants statements that can be written, whatever the page.
func FuzzRead(f *testing.F) {
	f.Add(`<p prefix="a: http://a/" typeof="a:B" property="a:c" rel="a:d" inlist href=x><b about="_:x" rev="a:e">`)
	f.Add(`<link property="rdfa:copy" href="#p"><p resource="#p" typeof="rdfa:Pattern" datatype="rdf:XMLLiteral" property="dc:a"><x:y z:a="1">`)
	f.Fuzz(func(t *testing.T, page string) {
		for _, xml := range []bool{false, true} {
			lines(t, Read(htmltree.Parse(strings.ToValidUTF8(page, "?"), xml, "http://example.org/")))
		}
	})
}
