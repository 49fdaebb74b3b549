package engine

// This file finds SPARQL endpoints that a page names.

import (
	"bytes"
	"slices"
	"strings"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/rdf/sparql"
)

// maxEndpoints is how many SPARQL endpoints of a document are asked.
const maxEndpoints = 20

// endpoints has SPARQL endpoints asked what they hold, in two steps that an ordinary crawl makes: of what a document calls an
// endpoint its description (SPARQL 1.1 Service Description: a GET of the endpoint alone) and a question that every endpoint answers at
// once; and where that is answered, how many statements there are, and some of them. Scope, robots.txt and the gate hold for
// these URLs as for all others.
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
			page.Links[i].Variant = true // there is no page
		} else {
			ask(l, l.URL)
		}
		ask(l, sparql.URL(l.URL, sparql.Ask))
	}
}

// isEndpoint reports whether a link is said to lead to a SPARQL endpoint: by a property of VoID or of service descriptions, by its
// relation, or as a link to …/sparql whose words say so.
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
