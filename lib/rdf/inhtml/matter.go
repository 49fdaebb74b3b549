package inhtml

import (
	"strings"

	"kavosh/lib/rdf"
)

// idle lists the beginnings of predicates that say how to show, link or use a page. Templates put them into every page:
// those of social networks, and of links between pages.
var idle = []string{
	"http://ogp.me/ns", "https://ogp.me/ns", "http://opengraphprotocol.org/schema/", // Open Graph, with fb, article and the like
	"http://www.facebook.com/2008/", "https://www.facebook.com/2008/", "http://developers.facebook.com/schema/",
	"http://dev.twitter.com/", "https://dev.twitter.com/", "https://twitter.com/",
	"http://www.w3.org/1999/xhtml/vocab#",            // license, stylesheet, role, next and the like
	"http://www.w3.org/2007/05/powder-s#describedby", // a link
	"http://www.w3.org/ns/rdfa#",                     // which vocabulary the page uses
}

// licences are predicates for the licence of a page.
var licences = map[string]bool{
	"http://creativecommons.org/ns#license": true,
	"http://web.resource.org/cc/license":    true,
	"http://purl.org/dc/terms/license":      true,
	"http://schema.org/license":             true,
	"https://schema.org/license":            true,
}

// Matters reports whether a statement is about the page's subject. Statements of Open Graph and other social networks,
// of licences, and of HTML's link types are not. Nor are those whose predicate has a scheme that identifies nothing,
// which comes from undeclared prefixes (twitter:card, fb:app_id, article:author). A statement of a type matters if a
// predicate with the same IRI would: MediaWiki calls each picture an mw:File.
func Matters(q rdf.Quad) bool {
	if q.Predicate.Value == rdfType && q.Object.Kind == rdf.IRI {
		return tells(q.Object.Value)
	}
	return tells(q.Predicate.Value)
}

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

func tells(iri string) bool {
	if !strings.HasPrefix(iri, "http://") && !strings.HasPrefix(iri, "https://") && !strings.HasPrefix(iri, "urn:") {
		return false
	}
	for _, prefix := range idle {
		if strings.HasPrefix(iri, prefix) {
			return false
		}
	}
	return !licences[iri]
}
