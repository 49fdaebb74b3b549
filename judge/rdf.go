package judge

// This file is a kind of judge: it prefers documents with RDF.

import (
	"fmt"
	"strings"

	"kavosh"
)

// rdf judges by data of the semantic web.
type rdf struct {
	embedded bool // pages with statements are relevant too
}

// RDF judges by what a document contains of the semantic web (kavosh.Class): RDF documents score 1, all others 0. value
// is "", "documents" or "embedded"; with "embedded", pages with enough statements of their own are relevant too.
func RDF(value string) (Judge, error) {
	switch value {
	case "", "documents":
		return rdf{}, nil
	case "embedded":
		return rdf{embedded: true}, nil
	}
	return nil, fmt.Errorf("rdf judges documents or what is embedded in pages, not %q: write rdf, rdf=documents or rdf=embedded", value)
}

// Judge implements [Judge].
func (r rdf) Judge(p *kavosh.Page) kavosh.Verdict {
	one := func(score float64, text string) kavosh.Verdict {
		return kavosh.Verdict{Score: score, Reasons: []kavosh.Reason{{Text: text, Weight: score}}}
	}
	switch p.RDF.Class {
	case kavosh.ClassRDF:
		return one(1, "is RDF, "+p.RDF.Format)
	case kavosh.ClassEmbedded:
		score := 0.0
		if r.embedded {
			score = 1
		}
		return one(score, fmt.Sprintf("a page with %d statements", p.RDF.Statements))
	case kavosh.ClassPage:
		return one(0, "a page")
	}
	return one(0, "is "+p.Type)
}

// Text implements [Judge]: 1 if a word names RDF or one of its formats.
func (rdf) Text(text string) float64 {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text),
		func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') }) {
		switch word {
		case "rdf", "ttl", "turtle", "owl", "n3", "nt", "nq", "trig", "jsonld", "foaf":
			return 1
		}
	}
	return 0
}

// Needs implements [Judge].
func (rdf) Needs() kavosh.Needs { return kavosh.Needs{RDF: true, Embedded: true} }
