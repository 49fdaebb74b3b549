package engine

// This file finds the SPARQL endpoints (URLs that answer queries over RDF data) that a document names, for a crawl that
// is to ask them. It only adds links to a page in memory; they are then fetched like all others.

import (
	"bytes"
	"slices"
	"strings"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/rdf/sparql"
)

// maxEndpoints is how many SPARQL endpoints of one document are asked.
const maxEndpoints = 20

// endpoints adds links to page by which SPARQL endpoints are asked what they hold. payload is the body of x. There are
// two steps:
//
//  1. For each endpoint that a document names: a link to its description (SPARQL 1.1 Service Description: a GET of the
//     endpoint's URL), and a link to a query that every endpoint answers at once (sparql.Ask).
//  2. If x is the answer to that query: links to how many statements there are, and to some of them.
//
// Scope, robots.txt and politeness hold for these links as for all others.
func endpoints(x *kavosh.Exchange, page *kavosh.Page, payload []byte) {
	ask := func(l kavosh.Link, url string) {
		l.URL, l.Variant, l.Position = url, true, len(page.Links)
		page.Links = append(page.Links, l)
	}
	if endpoint, q, ok := sparql.Parse(x.Task.URL); ok && q == sparql.Ask && x.Status == 200 {
		if _, err := sparql.Read(bytes.NewReader(payload)); err == nil {
			l := kavosh.Link{Kind: kavosh.Redirect, Element: "sparql", Attr: "query"}
			ask(l, sparql.URL(endpoint, sparql.Count))
			ask(l, sparql.URL(endpoint, sparql.Sample))
		}
		return
	}
	found := 0
	for i := range page.Links {
		l := page.Links[i]
		if !isEndpoint(&l) {
			continue
		}
		if found++; found > maxEndpoints {
			return
		}
		if l.Element == "rdf" {
			page.Links[i].Variant = true // only as RDF: a link in RDF data leads to no page for people
		} else {
			ask(l, l.URL)
		}
		ask(l, sparql.URL(l.URL, sparql.Ask))
	}
}

// isEndpoint reports whether a link leads to a SPARQL endpoint. It does if a property of VoID or of SPARQL service
// descriptions says so, or its relation (rel), or if its URL ends in /sparql and its text contains "sparql".
func isEndpoint(l *kavosh.Link) bool {
	switch l.Attr {
	case "void:sparqlEndpoint", "sd:endpoint":
		return true
	}
	if l.Kind != kavosh.Navigation || l.Variant {
		return false
	}
	if slices.ContainsFunc(strings.Fields(l.Rel), func(rel string) bool {
		return rel == "sparql" || rel == "http://rdfs.org/ns/void#sparqlendpoint" || rel == "http://www.w3.org/ns/sparql-service-description#endpoint"
	}) {
		return true
	}
	p, ok := scope.Split(l.URL)
	path := strings.ToLower(strings.TrimSuffix(p.Path, "/"))
	said := strings.ToLower(l.Anchor + " " + l.Title)
	return ok && p.Query == "" && strings.HasSuffix(path, "/sparql") && strings.Contains(said, "sparql")
}
