package order

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
)

// TestLearnLeavesWhatGivesNothing lets rdf-learn crawl two hosts, one with RDF behind many pages and a list of 1,000 pages that have
// none, one with a single document four steps down. It has them all before it has seen a tenth, and asks for what somebody
// submits before all that it knows of.
func TestLearnLeavesWhatGivesNothing(t *testing.T) {
	w := web{}
	page := func(url string, links ...string) {
		v := &Visit{Status: 200, Page: &kavosh.Page{URL: url, RDF: kavosh.RDF{Class: kavosh.ClassPage}}}
		if strings.HasSuffix(url, ".ttl") {
			v.Page.RDF.Class, v.Verdict.Score = kavosh.ClassRDF, 1
		}
		for _, l := range links {
			v.Page.Links = append(v.Page.Links, kavosh.Link{URL: l, Kind: kavosh.Navigation, Element: "a", Anchor: l[strings.LastIndexByte(l, '/')+1:], Position: len(v.Page.Links)})
		}
		w[url] = v
	}
	var hubs, junk []string
	for i := range 30 {
		hub, data := fmt.Sprintf("http://v.example/things/%d.html", i), fmt.Sprintf("http://v.example/things/%d.ttl", i)
		page(hub, data, "http://v.example/")
		page(data)
		hubs = append(hubs, hub)
	}
	for i := range 1000 {
		url := fmt.Sprintf("http://v.example/compared/%d.html", i)
		page(url, "http://v.example/")
		junk = append(junk, url)
	}
	page("http://v.example/", append(hubs, "http://v.example/compared.html", "http://w.example/")...)
	page("http://v.example/compared.html", junk...)
	page("http://w.example/", "http://w.example/news.html", "http://w.example/about.html")
	page("http://w.example/news.html")
	page("http://w.example/about.html", "http://w.example/team.html")
	page("http://w.example/team.html", "http://w.example/me.html")
	page("http://w.example/me.html", "http://w.example/me.ttl")
	page("http://w.example/me.ttl")

	p, err := Parse("rdf-learn", Setup{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	visits, found, last := 0, 0, 0
	q := w.crawl(p, []string{"http://v.example/"}, 300, func(_ *kavosh.Task, v *Visit) {
		visits++
		if v.Page.RDF.Class == kavosh.ClassRDF {
			found, last = found+1, visits
		}
	})
	if found != 31 || last > 90 {
		t.Errorf("%d of 31 documents after %d visits, the last after %d", found, visits, last)
	}
	seed, _ := p.Score(&Candidate{Link: &kavosh.Link{URL: "http://x.example/", Kind: kavosh.Seed}, Task: &kavosh.Task{URL: "http://x.example/"}})
	for _, waiting := range q.tasks {
		if waiting.Score >= seed {
			t.Errorf("%s comes before what was submitted: %v, %v", waiting.URL, waiting.Score, seed)
		}
	}
}
