package extract

import (
	"kavosh"
)

// classify says what an answer is to a crawl of the semantic web.
func classify(doc Document, d described, payload []byte) kavosh.RDF {
	if format := rdfFormat(d); format != "" && len(payload) > 0 {
		return kavosh.RDF{Class: kavosh.ClassRDF, Format: format}
	}
	if isHTML(d) || d.mediaType == "application/xhtml+xml" {
		return kavosh.RDF{Class: kavosh.ClassPage}
	}
	return kavosh.RDF{Class: kavosh.ClassOther}
}

// rdfFormat is the syntax of an RDF document, "" for all others.
func rdfFormat(d described) string {
	switch d.mediaType {
	case "application/rdf+xml":
		return "rdfxml"
	case "text/turtle", "application/x-turtle":
		return "turtle"
	case "application/n-triples":
		return "ntriples"
	case "application/n-quads":
		return "nquads"
	case "application/trig":
		return "trig"
	case "application/ld+json":
		return "jsonld"
	case "text/n3", "text/rdf+n3":
		return "n3"
	}
	if d.root == "rdf" {
		return "rdfxml"
	}
	return ""
}
