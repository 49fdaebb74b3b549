package engine

// This file asks for RDF where a page may also be had as RDF (--negotiate).

import (
	"path"
	"slices"
	"strings"
	"sync"

	"kavosh"
	"kavosh/frontier/scope"
)

// negotiate adds to a page's links what content negotiation may give: the form in RDF of the page's own URL, where the
// answer gives reason to ask for it; and it has URLs asked for as RDF at once that RDF documents name. So a URL is
// asked for twice at most, once for its page and once for RDF (docs/decisions/0095).
func (c *crawl) negotiate(x *kavosh.Exchange, page *kavosh.Page) {
	c.answered.learn(x, page)
	for i := range page.Links {
		if l := &page.Links[i]; l.Element == "rdf" && l.Kind != kavosh.Embed && negotiable(l.URL) {
			l.Variant = true
		}
	}
	if x.Task.Variant || x.Task.Kind == kavosh.Embed || page.RDF.Class == kavosh.ClassRDF || !negotiable(x.Task.URL) || !maybeRDF(x) ||
		x.Task.Kind != kavosh.Seed && c.answered.inVain(x.Task.URL) {
		return
	}
	page.Links = append(page.Links, kavosh.Link{
		URL: x.Task.URL, Kind: kavosh.Redirect, Element: "http", Attr: "Vary", Variant: true, Position: len(page.Links),
	})
}

// asRDF marks the links of a page that are requested as RDF only: JSON-LD contexts, and redirects of a request for RDF.
func asRDF(x *kavosh.Exchange, page *kavosh.Page) {
	for i := range page.Links {
		if l := &page.Links[i]; l.Attr == "@context" || x.Task.Variant && l.Kind == kavosh.Redirect && negotiable(l.URL) {
			l.Variant = true
		}
	}
}

// mostInVain is how often a host is asked for RDF that never has any.
const mostInVain = 20

// maxAnswered is how many hosts are counted; with more, all counts start again from 0.
const maxAnswered = 100_000

// answers counts for each host the requests for RDF until one returns RDF: some servers claim for every page that
// Accept matters, but always send the same. The counts are not kept when a crawl is resumed.
type answers struct {
	sync.Mutex
	vain map[string]int // -1 for a host that has RDF
}

// learn counts the response to a request for RDF.
func (a *answers) learn(x *kavosh.Exchange, page *kavosh.Page) {
	if !x.Task.Variant || x.Task.Kind == kavosh.Embed || x.Status >= 300 {
		return
	}
	p, _ := scope.Split(x.Task.URL)
	a.Lock()
	defer a.Unlock()
	if a.vain == nil || len(a.vain) >= maxAnswered {
		a.vain = map[string]int{}
	}
	switch {
	case page.RDF.Class == kavosh.ClassRDF:
		a.vain[p.Host] = -1
	case a.vain[p.Host] >= 0:
		a.vain[p.Host]++
	}
}

// inVain reports whether a URL's host has been asked for RDF often enough.
func (a *answers) inVain(url string) bool {
	p, _ := scope.Split(url)
	a.Lock()
	defer a.Unlock()
	return a.vain[p.Host] >= mostInVain
}

// maybeRDF says whether the answer to a request for a page gives reason to ask for RDF: its server says that it chooses
// by Accept, or has nothing that our Accept takes, or points elsewhere for what is said of the thing (303), or it is a
// seed's.
func maybeRDF(x *kavosh.Exchange) bool {
	switch x.Status {
	case 300, 303, 406:
		return true
	case 200, 203, 301, 302, 307, 308:
		return x.Task.Kind == kavosh.Seed || x.Header.Get("Alternates") != "" ||
			slices.ContainsFunc(x.Header.List("Vary"), func(name string) bool { return strings.EqualFold(name, "Accept") })
	}
	return false
}

// negotiable reports whether a URL may have more than one form: one whose path ends in a file's extension names its
// form.
func negotiable(url string) bool {
	p, ok := scope.Split(url)
	ext := path.Ext(p.Path)
	return ok && p.Path != "/robots.txt" && (ext == "" || ext == "." || len(ext) > 6 || ext[1] >= '0' && ext[1] <= '9') // a version is none
}
