package format

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"kavosh/lib/rdf/rdftest"
)

const (
	rdfHead = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"`
	xhtml   = `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML+RDFa 1.0//EN" "x"><html xmlns="http://www.w3.org/1999/xhtml"><head/></html>`
)

// TestDetect has what is taken for something else.
func TestDetect(t *testing.T) {
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`<?xml version="1.0"?>` + rdfHead + `/>`)
	if err != nil {
		t.Fatal(err)
	}
	triples := strings.Repeat("<http://a/s> <http://a/p> \"o\" .\n", 3000)
	for _, tt := range []struct {
		document, mediaType, name string
		want                      Format
	}{
		// RDF/XML under any name, and XML that is none.
		{rdfHead + `/>`, "application/xml", "", RDFXML},
		{rdfHead + `/>`, "text/html; charset=utf-8", "http://a/x.html", RDFXML},
		{"\n <?xml version='1.0'?>\n<!-- <html> -->\n" + rdfHead + `/>`, "text/plain", "", RDFXML},
		{wide, "", "", RDFXML},
		{`<!DOCTYPE rdf:RDF [<!ENTITY rdf "http://www.w3.org/1999/02/22-rdf-syntax-ns#">]><rdf:RDF xmlns:rdf="&rdf;">`, "text/xml", "", RDFXML},
		{`<R:RDF xmlns:R="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><broken`, "", "", RDFXML},
		{`<rdf:RDF xmlns:rdf="http://another/">`, "application/rdf+xml", "x.rdf", None},
		{`<f:Person xmlns:f="http://xmlns.com/foaf/0.1/" f:name="Sara"/>`, "application/xml", "", RDFXML},
		{`<e:T xmlns:e="http://e/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:about="http://a/"/>`, "application/xml", "", RDFXML},
		{`<e:T xmlns:e="http://e/"><e:p>1</e:p></e:T>`, "application/xml", "", None},
		{`<e:T xmlns:e="http://e/"><e:p>1</e:p></e:T>`, "application/xml", "x.rdf", RDFXML},
		{`<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://a/"><Declaration/></Ontology>`, "application/rdf+xml", "o.owl", None},
		{`<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><link href="x"/></feed>`, "application/rdf+xml", "", None},
		{`<?xml version="1.0"?><rss version="2.0"><channel/></rss>`, "application/rdf+xml", "", None},
		{rdfHead + ` xmlns="http://purl.org/rss/1.0/"><channel rdf:about="http://a/"/></rdf:RDF>`, "application/rss+xml", "", RDFXML},
		{`<svg xmlns="http://www.w3.org/2000/svg" width="1"><metadata>` + rdfHead + `/></metadata></svg>`, "image/svg+xml", "", None},
		{`<x:xmpmeta xmlns:x="adobe:ns:meta/">` + rdfHead + `/></x:xmpmeta>`, "application/xml", "", None},

		// Turtle with a fault that can be read past, under its own name and another.
		{"@prefix a: <http://a/>\na:s a:p a:o .", "text/turtle", "", Turtle},
		{"@prefix a: <http://a/>\na:s a:p a:o .", "text/plain", "", None},

		// Pages under any name.
		{xhtml, "application/rdf+xml", "x.rdf", HTML},
		{"<!-- error -->\n<!DOCTYPE HTML>\n<p>404", "text/turtle", "x.ttl", HTML},
		{"<!doctype html><title>404</title>", "application/rdf+xml", "x.rdf", HTML},
		{"<HTML lang=fa><title>x</title>", "application/ld+json", "", HTML},
		{"\uFEFF<body>", "", "", HTML},
		{"<p>Not found</p>", "application/n-triples", "", HTML},
		{"<a href=x>here</a>", "text/plain", "", HTML},
		{"Hello <b>world</b>", "text/html", "", HTML},
		{"Hello <b>world</b>", "text/plain", "", None},
		{"<htmlish>", "", "", None},
		{`<html><script type="application/ld+json">{"@context": "http://schema.org"}</script>`, "application/ld+json", "", HTML},

		// JSON.
		{`{"@context": "http://schema.org", "name": "x"}`, "text/plain", "", JSONLD},
		{"\uFEFF [ {\"name\": \"x\", \"@context\": {}}]", "application/json", "", JSONLD},
		{`{"a": {"b": [1, 2]}, "@graph": [`, "application/json", "", JSONLD},
		{`[{"@id": "http://a/", "http://p/": [{"@value": 1}]}]`, "application/json", "", JSONLD},
		{`{"@id": "x", "@type": "http://a/T"}`, "application/json", "", JSONLD},
		{`{"@type": "Car", "@id": "17", "wheels": 4}`, "application/json", "x.json", None},
		{`{"@type": "Car", "@id": "17", "wheels": 4}`, "application/json", "x.jsonld", JSONLD},
		{`{"http://a/p": {"@value": 1}, "n": {"@type": "T"}}`, "application/json", "", JSONLD},
		{`{"@context": {"@vocab": "http://a/", "id": {"@id": "http://a/i", "@type": "@id"}}}`, "application/ld+json", "c.jsonld", None},
		{`{"@context": {"@vocab": "http://a/"}, "id": 1}`, "application/json", "", JSONLD},
		{`{"links": {"http://a/p": {"@type": "T"}}}`, "application/json", "", None},
		{`{"data": {"@context": "http://schema.org"}}`, "application/json", "", None},
		{`[["@context", "@graph"], "@context"]`, "application/json", "", None},
		{`{"note": "@context", "about": "http://a/"}`, "application/json", "", None},
		{`{"name": "x"}`, "application/ld+json", "", None},
		{`{"a": 1, "@context`, "application/ld+json", "", None},
		{`[]`, "application/ld+json", "", None},

		// Text formats, each under its own name, another's, and none.
		{"<http://a/s> <http://a/p> <http://a/o> .\n", "text/plain", "", NTriples},
		{"# c\n_:a <http://a/p> \"o\" . # d\n", "text/html", "", NTriples},
		{"<http://a/s> <http://a/p> <http://a/o> .\n", "text/turtle", "", Turtle},
		{"<http://a/s> <http://a/p> <http://a/o> .\n", "", "http://a/x.nq?y.ttl#z", NQuads},
		{"<http://a/s> <http://a/p> <http://a/o> <http://a/g> .\n", "application/n-triples", "x.nt", NQuads},
		{triples, "text/plain", "", NTriples},
		{triples + "<broken", "text/plain", "", NTriples},
		{"@prefix f: <http://f/> .\n<#me> a f:Person .", "text/plain", "", Turtle},
		{"@prefix f: <http://f/> .\n<#me> a f:Person .", "application/rdf+xml", "x.rdf", Turtle},
		{"@prefix f: <http://f/> .\n<#me> a f:Person .", "text/html", "x.html", Turtle},
		{"<a> <b> <p> .", "", "", Turtle},
		{"[] <b> (1 2) .", "application/json", "", Turtle},
		{"PREFIX f: <http://f/>\nf:g { f:a f:b f:c }", "text/turtle", "x.ttl", TriG},
		{"{ <a> <b> <c> }", "", "", TriG},
		{"@prefix f: <http://f/> .\n<#me> a f:Person .", "application/trig", "", TriG},
		{"@prefix f: <http://f/> .\nf:a = f:b .", "text/plain", "", N3},
		{"@prefix f: <http://f/> .\nf:a f:b f:c .", "text/n3;charset=utf-8", "", N3},
		{"<http://a/s> <http://a/p> <http://a/o> .\nand so on\n", "application/n-triples", "", NTriples},
		{"@prefix f: <http://f/> .\nf:a f:b f:c .\n{ f:a f:b f:c } => { f:c f:d f:e } .", "text/n3", "", N3},

		// Texts that are none.
		{"", "text/turtle", "x.ttl", None},
		{"# A title\n\nA text of prose. With <angles> \"and quotes\" .\n", "text/turtle", "README.ttl", None},
		{"# nothing but comments\n", "text/turtle", "", None},
		{"@prefix f: <http://f/> .\n", "text/turtle", "", None},
		{"PREFIX f: <http://f/>\nSELECT * WHERE { ?s ?p ?o }", "text/plain", "q.rq", None},
		{"<http://a/s> <http://a/p> <http://a/o> .\nand so on: this file is about N-Triples.\n", "text/plain", "about.txt", None},
		{"@prefix f: <http://f/> .\n\nis how a document in Turtle begins.", "text/plain", "", None},
		{"a,b,c\n1,2,3\n", "text/csv", "", None},
		{"To: a@b\nSubject: <c> <d> <e> .\n", "text/plain", "", None},
		{"سلام، این یک متن است.", "text/turtle", "", None},
		{"\x89PNG\r\n\x1a\n\x00\x00", "application/rdf+xml", "", None},
		{"%PDF-1.4", "text/turtle", "", None},
	} {
		if got := Detect([]byte(tt.document), tt.mediaType, tt.name); got != tt.want {
			t.Errorf("%.60q as %s, %s is %q, want %q", tt.document, tt.mediaType, tt.name, got, tt.want)
		}
	}
}

// TestOpen reads the same statement in each format.
func TestOpen(t *testing.T) {
	for f, document := range map[Format]string{
		NTriples: `<http://a/s> <http://a/p> "o" .`,
		NQuads:   `<http://a/s> <http://a/p> "o" .`,
		Turtle:   `<s> <p> "o" .`,
		TriG:     `{ <s> <p> "o" }`,
		N3:       `<s> has <p> "o" .`,
		RDFXML:   rdfHead + ` xmlns="http://a/"><rdf:Description rdf:about="s"><p>o</p></rdf:Description></rdf:RDF>`,
		JSONLD:   `{"@context": "c", "@id": "s", "p": "o"}`,
	} {
		r := Open(strings.NewReader(document), f, "http://a/base", func(url string) ([]byte, bool) {
			return []byte(`{"@context": {"@vocab": "http://a/"}}`), url == "http://a/c"
		})
		got, err := rdftest.ReadAll(r)
		if err != nil || len(got) != 1 || got[0].Subject.Value != "http://a/s" || got[0].Predicate.Value != "http://a/p" || got[0].Object.Value != "o" {
			t.Errorf("%s: %v %v", f, got, err)
		}
	}
	for _, f := range []Format{None, HTML} {
		if Open(io.MultiReader(), f, "", nil) != nil {
			t.Errorf("%q was opened", f)
		}
	}
}

// TestLater: what lies beyond the head does not count.
func TestLater(t *testing.T) {
	long := append(bytes.Repeat([]byte(" "), HeadSize), rdfHead...)
	if got := Detect(long, "application/rdf+xml", ""); got != None {
		t.Errorf("it is %q", got)
	}
}

// FuzzDetect: whatever is said to be RDF in a text format gives a statement.
func FuzzDetect(f *testing.F) {
	f.Add("@prefix f: <http://f/> . <#me> a f:Person .", "text/plain", "")
	f.Add(rdfHead+"/>", "text/html", "")
	f.Add(`[{"@id": "a"}]`, "", "x.jsonld")
	f.Fuzz(func(t *testing.T, document, mediaType, name string) {
		switch found := Detect([]byte(document), mediaType, name); found {
		case NTriples, NQuads, Turtle, TriG, N3:
			if _, err := Open(strings.NewReader(document), found, "http://localhost/", nil).Read(); err != nil {
				t.Fatal(found, err)
			}
		}
	})
}
