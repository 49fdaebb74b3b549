package judge

import (
	"fmt"
	"strings"

	"kavosh"
)

// rdf wants documents of the semantic web.
type rdf struct{}

// RDF judges by the media type that a document turned out to have: those of RDF are relevant (1), all others are not (0).
// value is "" or "documents".
func RDF(value string) (Judge, error) {
	if value != "" && value != "documents" {
		return nil, fmt.Errorf("rdf judges documents, not %q: write rdf or rdf=documents", value)
	}
	return rdf{}, nil
}

// rdfTypes are the media types of RDF's serialisations.
var rdfTypes = [...]string{
	"application/rdf+xml", "text/turtle", "application/x-turtle", "application/n-triples", "application/n-quads", "application/trig",
	"application/ld+json", "text/n3", "text/rdf+n3",
}

// Judge is [Judge]'s.
func (rdf) Judge(p *kavosh.Page) kavosh.Verdict {
	for _, t := range rdfTypes {
		if p.Type == t {
			return kavosh.Verdict{Score: 1, Reasons: []kavosh.Reason{{Text: "is " + t, Weight: 1}}}
		}
	}
	return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: "is " + p.Type}}}
}

// Text is [Judge]'s: whether a word says RDF, or a format of it.
func (rdf) Text(text string) float64 {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }) {
		switch word {
		case "rdf", "ttl", "turtle", "owl", "n3", "nt", "nq", "trig", "jsonld", "foaf":
			return 1
		}
	}
	return 0
}

// Needs is [Judge]'s.
func (rdf) Needs() kavosh.Needs { return kavosh.Needs{} }
