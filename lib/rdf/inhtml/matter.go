package inhtml

import (
	"strings"

	"kavosh/lib/rdf"
)

// idle begin the predicates that say how a page is to be shown, linked or used, in the words that templates put into every
// page: those of social networks and of links between pages.
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

// Matters says that a statement tells something of what a page is about. Statements of Open Graph and other social
// networks, of licences and of the kinds of links of HTML do not; nor do those whose predicate is of no scheme that
// identifies things, as comes of a prefix that is not declared (twitter:card, fb:app_id, article:author). A statement of
// a type matters as its type would: pages of MediaWiki call each picture an mw:File.
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
