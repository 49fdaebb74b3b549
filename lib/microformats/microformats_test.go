package microformats

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

const person = `<div class=h-card><a class="p-name u-url" href="/a">A</a><img class=u-photo src=p alt=P><time class=dt-bday datetime=2000-01-02>x</time>` +
	`<div class=e-note>x <b>y</b></div><p class="p-org h-card">O</p><p class="h-adr"></p></div>`

func TestJSON(t *testing.T) {
	const want = `{"items":[{"type":["h-card"],"properties":{"bday":["2000-01-02"],"name":["A"],` +
		`"note":[{"value":"x y","html":"x \u003cb\u003ey\u003c/b\u003e"}],"org":[{"type":["h-card"],"properties":{"name":["O"]},"value":"O"}],` +
		`"photo":[{"value":"http://e.example/p","alt":"P"}],"url":["http://e.example/a"]},` +
		`"children":[{"type":["h-adr"],"properties":{"name":[""]}}]}],"rels":{},"rel-urls":{}}`
	have, err := json.Marshal(Read(htmltree.Parse(person, false, "http://e.example/")))
	if err != nil || string(have) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, have, want)
	}
}

func TestStatements(t *testing.T) {
	const prefixes = `@prefix : <http://microformats.org/wiki/> . @prefix p: <http://microformats.org/wiki/microformats2#> .
		@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
		`
	for page, want := range map[string]string{
		person: `[] a :h-card; p:name "A"; p:url </a>; p:photo <p>; p:bday "2000-01-02"^^xsd:date; p:note "x <b>y</b>"^^rdf:HTML;
			p:org [ a :h-card; p:name "O" ]; p:children [ a :h-adr; p:name "" ] .`,
		// Classes of styles that look like microformats.
		`<div class="h-full p-auto"><p class="h-card h-screen"><b class="p-name h-auto">A</b></p></div>`: `[] a :h-card; p:name "A" .`,
	} {
		wanted, err := rdftest.ReadAll(rdf.Strict(rdf.NewTurtleReader(strings.NewReader(prefixes+want), "http://e.example/")))
		if err != nil {
			t.Fatal(err)
		}
		if have := Read(htmltree.Parse(page, false, "http://e.example/")).Statements(); !rdftest.Isomorphic(have, wanted) {
			t.Errorf("%s: %v", page, have)
		}
	}
}

// FuzzRead wants JSON and statements that can be written, whatever the page.
func FuzzRead(f *testing.F) {
	f.Add(person)
	f.Add(`<div class="vevent h-x"><a class="dtstart" rel=tag><b class=value>12pm</b><b class=value-title title=2000-01-01>`)
	f.Fuzz(func(t *testing.T, page string) {
		data := Read(htmltree.Parse(strings.ToValidUTF8(page, "?"), false, "http://e.example/"))
		if _, err := json.Marshal(data); err != nil {
			t.Fatal(err)
		}
		w := rdf.NewNQuadsWriter(&bytes.Buffer{})
		for _, q := range data.Statements() {
			if err := w.Write(q); err != nil {
				t.Fatalf("%v cannot be written: %v", q, err)
			}
		}
	})
}
