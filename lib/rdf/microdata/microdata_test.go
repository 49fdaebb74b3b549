package microdata

import (
	"bytes"
	"strings"
	"testing"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// TestRead has a page for each thing that microdata can do; what it says stands in Turtle.
func TestRead(t *testing.T) {
	const person = `<p itemscope itemtype="http://schema.org/Person"`
	for name, test := range map[string]struct{ page, want string }{
		"literal":   {person + `><b itemprop=name lang=FA>ا</b>`, `[] a :Person; :name "ا"@fa .`},
		"link":      {person + `><a itemprop="url sameAs" href=" x ">t</a><img itemprop=image src=i>`, `[] a :Person; :url <x>; :sameAs <x>; :image <i> .`},
		"meta":      {person + `><meta itemprop=name content=A>`, `[] a :Person; :name "A" .`},
		"times":     {person + `><time itemprop=a datetime=2012>x</time><time itemprop=b>2012-03-18</time><time itemprop=c>soon</time>`, `[] a :Person; :a "2012"^^xsd:gYear; :b "2012-03-18"^^xsd:date; :c "soon" .`},
		"numbers":   {person + `><data itemprop=a value=1>x</data><meter itemprop=b value=.5>x</meter>`, `[] a :Person; :a 1; :b ".5"^^xsd:double .`},
		"item":      {person + ` itemid=me><b itemprop=knows itemscope itemtype=http://schema.org/Person><i itemprop=name>B</i></b>`, `<me> a :Person; :knows [ a :Person; :name "B" ] .`},
		"no type":   {`<p itemscope><b itemprop="name http://e.example/x">A</b>`, `[] <#name> "A"; <http://e.example/x> "A" .`},
		"bad type":  {`<p itemscope itemtype="Person"><b itemprop="a b">A</b>`, `[] <#a> "A"; <#b> "A" .`},
		"inherited": {person + `><b itemprop=x itemscope><i itemprop=y>z</i></b>`, `[] a :Person; :x [ :y "z" ] .`},
		"reference": {person + ` itemref="r s r"></p><i id=r itemprop=name>A</i><div id=s><i itemprop=x>B</i></div>`, `[] a :Person; :name "A"; :x "B" .`},
		"shared":    {person + ` itemref=r></p>` + person + ` itemref=r></p><i id=r itemprop=knows itemscope></i>`, `[] a :Person; :knows _:x . [] a :Person; :knows _:x .`},
		"circle":    {`<p itemscope itemref=a></p><i id=a itemprop=x itemscope itemref=b></i><i id=b itemprop=y itemscope itemref=a></i>`, `[] <#x> _:a . _:a <#y> _:b . _:b <#x> _:a .`},
		"reverse":   {person + `><a itemprop-reverse=knows href=x></a>`, `_:p a :Person . <x> :knows _:p .`},
		"more type": {person + `><link itemprop=additionalType href=http://e.example/T>`, `[] a :Person, <http://e.example/T>; :additionalType <http://e.example/T> .`},
		"nobody's":  {`<i itemprop=name>A</i>`, ``},
	} {
		const base = "http://example.org/page"
		const prefixes = "@prefix : <http://schema.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
		want, err := rdftest.ReadAll(rdf.Strict(rdf.NewTurtleReader(strings.NewReader(prefixes+test.want), base)))
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

// FuzzRead wants statements that can be written, whatever the page.
func FuzzRead(f *testing.F) {
	f.Add(`<p itemscope itemtype="http://a/b#c urn:x" itemid=x itemref="a b"><b id=a itemprop="c d://e" itemscope itemref=a itemprop-reverse=f>`)
	f.Fuzz(func(t *testing.T, page string) {
		lines(t, Read(htmltree.Parse(strings.ToValidUTF8(page, "?"), false, "http://example.org/")))
	})
}
