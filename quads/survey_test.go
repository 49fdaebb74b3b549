package quads

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/lib/rdf"
)

// surveyed is the report of documents, each a text by its URL, and of the pages that led to RDF.
func surveyed(t *testing.T, leads map[uint64]bool, documents ...[2]string) *Report {
	t.Helper()
	s := NewSurvey()
	s.Leads = leads
	for i, doc := range documents {
		d := Document{URL: doc[0], Time: time.Unix(int64(i), 0)}
		var err error
		d.Reading, err = Read(Payload{URL: doc[0], Body: strings.NewReader(doc[1])}, func(q rdf.Quad) error {
			q.Graph = iriTerm(doc[0])
			s.Statement(q)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Document(&d)
	}
	return s.Report()
}

// TestSurvey counts what documents say: by class, vocabulary and domain, with their datasets and the links between domains.
func TestSurvey(t *testing.T) {
	r := surveyed(t, map[uint64]bool{Hash("http://a.ir/"): true},
		[2]string{"http://a.ir/", "<!doctype html><a href=d.ttl>data</a>"},
		[2]string{"http://www.a.ir/d.ttl", `@prefix void: <http://rdfs.org/ns/void#> . @prefix dcterms: <http://purl.org/dc/terms/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
			<#d> a void:Dataset ; dcterms:title "Rivers" ; owl:sameAs <http://user@data.b.ir:8080/d>, <http://data.b.ir/e>, <http://x.a.ir/same> .
			[] owl:sameAs <http://data.b.ir/f> .`},
		[2]string{"http://c.ir/faulty.nt", "<http://c.ir/x> <http://c.ir/p> \"1\" .\n<http://c.ir/x> .\n_:b <http://c.ir/p> <http://c.ir/x> .\n<http://c.ir/x> <http://c.ir/p> \"2\" .\n<http://c.ir/x> <http://c.ir/p> oh"},
		[2]string{"http://c.ir/notes", "Nothing of the kind."})
	if r.Statements != 9 || r.Documents != 4 || r.Resources != 4 || r.Literals != 3 || r.Broken != 0 || r.Warned != 1 || r.Warnings != 2 || r.Parents != 1 {
		t.Errorf("%+v", r)
	}
	classes := map[string]int64{}
	for _, c := range r.Classes {
		classes[c.Name] = c.Documents
	}
	if classes["R"] != 2 || classes[string(Parent)] != 1 || classes["N"] != 1 || classes["H"] != 0 {
		t.Errorf("classes %v", classes)
	}
	if v := r.Vocabularies[0]; v.Name != "http://www.w3.org/2002/07/owl#" || v.Statements != 4 || v.Documents != 1 {
		t.Errorf("vocabularies %+v", r.Vocabularies)
	}
	if len(r.Domains) != 2 || r.Domains[0].Name != "a.ir" || r.Domains[0].Statements != 6 || r.Domains[0].RDF != 1 {
		t.Errorf("domains %+v", r.Domains)
	}
	if len(r.Datasets) != 1 || r.Datasets[0].Title != "Rivers" || r.Datasets[0].IRI != "http://www.a.ir/d.ttl#d" {
		t.Errorf("datasets %+v", r.Datasets)
	}
	if len(r.Links) != 1 || r.Links[0].From != "a.ir" || r.Links[0].To != "b.ir" || r.Links[0].Count != 3 {
		t.Errorf("links %+v", r.Links)
	}
	if last := r.Harvest[len(r.Harvest)-1]; len(r.Harvest) != 4 || last.Documents != 4 || last.RDF != 2 {
		t.Errorf("harvest %+v", r.Harvest)
	}
}

// TestLinksAs writes the graph of links in each form, whatever the names.
func TestLinksAs(t *testing.T) {
	r := Report{Links: []Linkset{{From: `a"b`, To: "c,d", Predicate: "http://www.w3.org/2002/07/owl#sameAs", Count: 3}}}
	for name, want := range map[string]string{
		"x.csv":  "\"a\"\"b\",\"c,d\",http://www.w3.org/2002/07/owl#sameAs,3\n",
		"x.dot":  `"a\"b" -> "c,d" [label="owl:sameAs × 3", weight=3];`,
		"x.json": `"to":"c,d"`,
	} {
		var b bytes.Buffer
		write, ok := r.LinksAs(name)
		if !ok {
			t.Fatal(name)
		}
		if err := write(&b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
	if _, ok := r.LinksAs("x.png"); ok {
		t.Error("x.png")
	}
}

// TestPageIsSafe keeps what documents say from ending the page's script.
func TestPageIsSafe(t *testing.T) {
	r := surveyed(t, nil, [2]string{"http://a.ir/x.nt", "<http://a.ir/x> <http://a.ir/</script><script>alert(1)//> \"</script>\" ."})
	r.Datasets = append(r.Datasets, Dataset{Title: "</script><script>alert(1)</script>"})
	var b bytes.Buffer
	if err := r.Page(&b, "</script>"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "</script>"); n != 1 {
		t.Errorf("%d ends of scripts", n)
	}
}

// TestConfidenceAndSupport are those of the rules that label links.
func TestConfidenceAndSupport(t *testing.T) {
	rules := Rules{Rules: []Rule{{Name: "R", Label: "R", Applied: 20, Correct: 10}, {Name: "ex1", Label: "R", Applied: 5, Correct: 4}}}
	if c, s := rules.Rules[1].Confidence(), rules.Support(rules.Rules[1]); c != 0.8 || s != 0.4 {
		t.Errorf("%v %v", c, s)
	}
}

// TestFilesAreTakenAtTheirWord tells where a file is broken that calls itself RDF, and goes by content where there is some.
func TestFilesAreTakenAtTheirWord(t *testing.T) {
	for _, c := range []struct {
		name, text string
		class      kavosh.Class
		statements int64
		fault      string
	}{
		{"a.ttl", "@prefix : <http://x/> ,", kavosh.ClassRDF, 0, "line 1, column"},
		{"a.nt", "<http://x/> a <http://x/> .", kavosh.ClassRDF, 0, "line 1, column"},
		{"a.nt", "<http://x/> a <http://x/> .\n<x:/> <x:/> <x:/> .", kavosh.ClassRDF, 1, ""},
		{"a.txt", "<http://x/> a <http://x/> .", kavosh.ClassRDF, 1, ""},
		{"a.owl", "@prefix : <http://x/> . :a :b :c .", kavosh.ClassRDF, 1, ""},
		{"a.ttl", "<!doctype html><p>Not found", kavosh.ClassPage, 0, ""},
		{"a.txt", "Nothing of the kind.", kavosh.ClassOther, 0, ""},
	} {
		r, err := Read(Payload{URL: "http://x/", Name: c.name, Body: strings.NewReader(c.text)}, func(rdf.Quad) error { return nil })
		if err != nil || r.Class != c.class || r.Statements != c.statements || !strings.Contains(r.Fault, c.fault) || (r.Fault == "") != (c.fault == "") {
			t.Errorf("%s %q: %+v %v", c.name, c.text, r, err)
		}
	}
}

// TestPlainJSON reads plain JSON with the context that its server names, and JSON-LD without.
func TestPlainJSON(t *testing.T) {
	contexts := func(url string) ([]byte, bool) {
		return []byte(`{"@context": {"n": "http://a.ir/name"}}`), url == "http://a.ir/c"
	}
	for kind, want := range map[string]int64{"application/json": 1, "application/x+json; charset=utf-8": 1, "application/ld+json": 0, "text/plain": 0} {
		p := Payload{URL: "http://a.ir/", ContentType: kind, Body: strings.NewReader(`[{"n": "x", "m": "y"}]`), Contexts: contexts, Context: "http://a.ir/c"}
		var have rdf.Quad
		r, err := Read(p, func(q rdf.Quad) error { have = q; return nil })
		if err != nil || r.Statements != want || want > 0 && (r.Class != kavosh.ClassRDF || have.Predicate.Value != "http://a.ir/name") {
			t.Errorf("%s: %+v %v %v", kind, r, have, err)
		}
	}
}
