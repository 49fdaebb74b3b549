package inhtml

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// TestPage reads a page with data in all syntaxes.
func TestPage(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><title>t</title>
<meta property="og:title" content="x"><meta property="article:author" content="x"><link rel="license" href="l">
<script type="application/ld+json">{"@context":"https://schema.org/","@type":"Person","name":"J"}</script>
<script type="application/ld+json; charset=utf-8">{"@context":{"@vocab":"http://e.example/"},"@id":"#b","knows":{"name":"K"}}</script></head>
<body><p property="dc:title">R</p><p property="dc:title">R</p>
<p itemscope itemtype="http://schema.org/Person"><b itemprop=name>M</b></p>
<p class="h-card">F</p></body></html>`
	const want = `@prefix schema: <http://schema.org/> . @prefix e: <http://e.example/> .
@prefix mf: <http://microformats.org/wiki/microformats2#> .
<> <http://ogp.me/ns#title> "x"; <article:author> "x"; <http://www.w3.org/1999/xhtml/vocab#license> <l>; <http://purl.org/dc/terms/title> "R" .
[] a schema:Person; schema:name "J" . <#b> e:knows [ e:name "K" ] . [] a schema:Person; schema:name "M" .
[] a <http://microformats.org/wiki/h-card>; mf:name "F" .`
	const url = "http://example.org/page"
	wanted, err := rdftest.ReadAll(rdf.Strict(rdf.NewTurtleReader(strings.NewReader(want), url)))
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader([]byte(page), "text/html", url, nil)
	counts := [Syntaxes]Count{RDFa: {4, 1}, Microdata: {2, 2}, Microformats: {2, 2}, JSONLD: {4, 4}}
	if r.Counts != counts || r.Matter() != 9 {
		t.Errorf("counted %v, %d of them matter; want %v", r.Counts, r.Matter(), counts)
	}
	have, err := rdftest.ReadAll(r)
	if err != nil || !rdftest.Isomorphic(have, wanted) {
		t.Errorf("%v after\n%v", err, have)
	}
}

// TestCharsets wants the Content-Type and the page itself to be asked for the encoding.
func TestCharsets(t *testing.T) {
	for _, page := range []struct{ body, contentType string }{
		{"<p property='dc:title'>\xd3\xe1\xc7\xe3</p>", "text/html; charset=windows-1256"},
		{"<meta charset=windows-1256><p property='dc:title'>\xd3\xe1\xc7\xe3</p>", "text/html"},
		{"<p property='dc:title'>سلام</p>", "text/html"},
	} {
		q, err := NewReader([]byte(page.body), page.contentType, "http://example.org/", nil).Read()
		if err != nil || q.Object.Value != "سلام" {
			t.Errorf("%q of %s: %q, %v", page.body, page.contentType, q.Object.Value, err)
		}
	}
}

// TestBrokenIsland wants a warning with its place in the page, and the rest of the page.
func TestBrokenIsland(t *testing.T) {
	r := NewReader([]byte("<p property='dc:title'>x</p>\n<script type='application/ld+json'>{\n \"a\" }</script>"+
		"<script type='application/ld+json'>{\"@id\":\"#a\",\"http://e.example/b\":1}</script>"), "text/html", "http://example.org/", nil)
	quads, err := rdftest.ReadAll(r)
	if err != nil || len(quads) != 2 {
		t.Errorf("%v after %v", err, quads)
	}
	w := r.Warnings()
	if w.Count != 1 || w.First[0].Line != 3 || !strings.Contains(w.First[0].Reason, "JSON-LD") {
		t.Errorf("warnings %v", w)
	}
}

// TestXHTML wants a page that comes as XML to be read as such: empty elements end, and what is quoted is text.
func TestXHTML(t *testing.T) {
	const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><script type="application/ld+json"><![CDATA[{"@id":"#a","http://e.example/b":"<"}]]></script>` +
		`</head><body><p about="#c"/><p property="dc:title">x</p></body></html>`
	const want = `<#a> <http://e.example/b> "<" . <> <http://purl.org/dc/terms/title> "x" .`
	wanted, err := rdftest.ReadAll(rdf.Strict(rdf.NewTurtleReader(strings.NewReader(want), "http://example.org/")))
	if err != nil {
		t.Fatal(err)
	}
	have, err := rdftest.ReadAll(NewReader([]byte(page), "application/xhtml+xml; charset=utf-8", "http://example.org/", nil))
	if err != nil || !rdftest.Isomorphic(have, wanted) {
		t.Errorf("%v after %v", err, have)
	}
}

// TestContexts wants the caller to be asked for a context of a page.
func TestContexts(t *testing.T) {
	contexts := func(url string) ([]byte, bool) {
		return []byte(`{"@context":{"n":"http://e.example/n"}}`), url == "http://e.example/context"
	}
	r := NewReader([]byte(`<script type="application/ld+json">{"@context":"http://e.example/context","n":"x"}</script>`), "text/html", "http://example.org/", contexts)
	if q, err := r.Read(); err != nil || q.Predicate.Value != "http://e.example/n" {
		t.Errorf("%v, %v", q, err)
	}
}

// TestLongPage wants a page past the bound to be read up to there.
func TestLongPage(t *testing.T) {
	page := "<p property='dc:title'>x</p>" + strings.Repeat(" <br>", maxPage/5) + "<p property='dc:title'>y</p>"
	quads, err := rdftest.ReadAll(NewReader([]byte(page), "text/html; charset=utf-8", "http://example.org/", nil))
	var fault *rdf.Fault
	if len(quads) != 1 || !errors.As(err, &fault) {
		t.Errorf("%d statements, then %v", len(quads), err)
	}
}

func TestMatters(t *testing.T) {
	for word, want := range map[string]bool{
		"http://purl.org/dc/terms/title": true, "http://schema.org/name": true, "urn:x:y": true,
		"http://ogp.me/ns#title": false, "https://ogp.me/ns/article#author": false, "twitter:card": false, "fb:app_id": false, "mw:File": false,
		"http://www.w3.org/1999/xhtml/vocab#stylesheet": false, "http://creativecommons.org/ns#license": false, "http://purl.org/dc/terms/license": false,
	} {
		iri := rdf.Term{Kind: rdf.IRI, Value: word}
		if have := Matters(rdf.Quad{Predicate: iri}); have != want {
			t.Errorf("%s as a predicate: %t", word, have)
		}
		if have := Matters(rdf.Quad{Predicate: rdf.Term{Kind: rdf.IRI, Value: rdfType}, Object: iri}); have != want {
			t.Errorf("%s as a type: %t", word, have)
		}
	}
}

// FuzzReader wants statements that can be written and a fault at a place, whatever the page.
func FuzzReader(f *testing.F) {
	f.Add([]byte(`<p property="dc:title" itemscope itemprop=x class="h-card p-y">a<script type="application/ld+json">{"@id":"a"}</script>`), "text/html")
	f.Add([]byte("\xff\xfe<\x00p\x00>\x00"), "application/xhtml+xml")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		quads, err := rdftest.ReadAll(NewReader(page, contentType, "http://example.org/", nil))
		var fault *rdf.Fault
		if errors.As(err, &fault) && (fault.Line < 1 || fault.Column < 1) || err != nil && fault == nil {
			t.Fatalf("a fault at no place: %v", err)
		}
		w := rdf.NewNQuadsWriter(&bytes.Buffer{})
		for _, q := range quads {
			if err := w.Write(q); err != nil {
				t.Fatalf("%v cannot be written: %v", q, err)
			}
		}
	})
}
