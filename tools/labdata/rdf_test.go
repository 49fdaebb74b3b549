package main

import (
	"path/filepath"
	"testing"
)

func TestSitesAreServedAsTheyStand(t *testing.T) {
	clones, out := t.TempDir(), t.TempDir()
	one := commit(t, filepath.Join(clones, "a+one.git"), map[string]string{
		"docs/index.html":     `<a href="data/">data</a> <a href="http://one.test/data/a.ttl">a</a>`,
		"docs/data/index.htm": `<a href="a.ttl">a</a> <a href="b.owl">b</a>`,
		"docs/data/a.ttl":     "@prefix : <http://x.test/> . :a :b :c .",
		"docs/data/b.owl":     `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="http://x.test/a" rdf:type="http://x.test/b"/></rdf:RDF>`,
		"docs/data/c.json":    `{"plain": 1}`,
		"docs/data/page.rdf":  "<!doctype html><html><body>not found",
		"docs/.hidden/d.ttl":  "@prefix : <http://x.test/> . :a :b :c .",
		"README.ttl":          "@prefix : <http://x.test/> . :a :b :c .",
	})
	two := commit(t, filepath.Join(clones, "a+two.git"), map[string]string{"index.html": "two"})
	sites := []site{{"web", "https://one.test/", "a/one", one, "docs"}, {"web", "http://two.test/sub/", "a/two", two, "."}}
	if err := rdfWeb(sites, clones, out); err != nil {
		t.Fatal(err)
	}
	want(t, labelled(t, out, "web"), map[string]string{
		"http://directory.web.test/": "", "http://two.test/sub/": "", "http://two.test/sub/index.html": "",
		"https://one.test/": "", "https://one.test/index.html": "", "https://one.test/data/": "", "https://one.test/data/index.htm": "",
		"https://one.test/data":       "", // leads to the folder
		"http://one.test/data/a.ttl":  "", // leads to https
		"https://one.test/data/a.ttl": "rdf declared", "https://one.test/data/b.owl": "rdf", "https://one.test/data/c.json": "", "https://one.test/data/page.rdf": "",
	})
	w, err := openWeb(out, "web")
	if err != nil {
		t.Fatal(err)
	}
	a, err := w.Answer(w.Find("http://one.test/data/a.ttl"))
	if err != nil || a.Status != 301 || a.Header.Get("Location") != "https://one.test/data/a.ttl" {
		t.Errorf("http is answered by %d to %q (%v), want a redirect to https", a.Status, a.Header.Get("Location"), err)
	}
	if a, err = w.Answer(w.Find("https://one.test/data/b.owl")); err != nil || a.Header.Get("Content-Type") != "" {
		t.Errorf("an .owl is served as %q (%v), want no type: mime.types has none", a.Header.Get("Content-Type"), err)
	}
}

func TestListOfSites(t *testing.T) {
	sites, err := readSites(sitesTable)
	if err != nil {
		t.Fatal(err)
	}
	webs, hosts := map[string]bool{}, map[string]string{}
	for _, s := range sites {
		webs[s.web] = true
		if was := hosts[hostOf(s.url)]; was != "" && was != s.web {
			t.Errorf("%s is in %s and in %s", hostOf(s.url), was, s.web)
		}
		hosts[hostOf(s.url)] = s.web
	}
	for _, name := range unseenSites {
		if !webs[name] {
			t.Errorf("%s is no web of the list", name)
		}
	}
	if len(webs) < 10 {
		t.Errorf("%d webs, want ten or more", len(webs))
	}
}
