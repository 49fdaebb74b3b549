package engine

import (
	"path"
	"slices"
	"strings"

	"kavosh"
	"kavosh/frontier/scope"
)

// negotiate adds to a page's links what content negotiation may give: the form in RDF of the page's own URL, where the
// answer gives reason to ask for it; and it has URLs asked for as RDF at once that RDF documents name. So a URL is asked for twice
// at most, once for its page and once for RDF (docs/decisions/0095).
func negotiate(x *kavosh.Exchange, page *kavosh.Page) {
	for i := range page.Links {
		if l := &page.Links[i]; l.Element == "rdf" && negotiable(l.URL) {
			l.Variant = true
		}
	}
	if x.Task.Variant || x.Task.Kind == kavosh.Embed || page.RDF.Class == kavosh.ClassRDF || !negotiable(x.Task.URL) || !maybeRDF(x) {
		return
	}
	page.Links = append(page.Links, kavosh.Link{
		URL: x.Task.URL, Kind: kavosh.Redirect, Element: "http", Attr: "Vary", Variant: true, Position: len(page.Links),
	})
}

// redirected has asked for as RDF what a request for RDF was redirected to.
func redirected(x *kavosh.Exchange, page *kavosh.Page) {
	for i := range page.Links {
		if l := &page.Links[i]; x.Task.Variant && l.Kind == kavosh.Redirect && negotiable(l.URL) {
			l.Variant = true
		}
	}
}

// maybeRDF says whether the answer to a request for a page gives reason to ask for RDF: its server says that it chooses by
// Accept, or has nothing that our Accept takes, or points elsewhere for what is said of the thing (303), or it is a seed's.
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

// negotiable reports whether a URL may have more than one form: one whose path ends in a file's extension names its form.
func negotiable(url string) bool {
	p, ok := scope.Split(url)
	ext := path.Ext(p.Path)
	return ok && p.Path != "/robots.txt" && (ext == "" || ext == "." || len(ext) > 6 || ext[1] >= '0' && ext[1] <= '9') // a version is none
}
