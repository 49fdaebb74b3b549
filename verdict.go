package kavosh

import (
	"fmt"
	"strings"
)

// Verdict is what a judge says about a page or some words: how relevant they are, and why.
type Verdict struct {
	Score   float64  // from 0 (not relevant) to 1 (certainly relevant)
	Reasons []Reason // a few reasons for people, the strongest first
}

// Reason is one reason for or against.
type Reason struct {
	Text   string  // such as "the word کتاب, 4 times"
	Weight float64 // its share of the score; negative means against
}

// RelevantFrom is the least score that counts as relevant.
const RelevantFrom = 0.5

// Relevant reports whether the score is at least RelevantFrom.
func (v Verdict) Relevant() bool { return v.Score >= RelevantFrom }

// Why returns the reasons in one line for people, such as "the word کتاب, 4 times 0.40, title 0.20", or "" if there are
// none.
func (v Verdict) Why() string {
	var b strings.Builder
	for i, r := range v.Reasons {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.2f", r.Text, r.Weight)
	}
	return b.String()
}

// Needs says what a judge or an order needs from extraction, besides links.
type Needs struct {
	Text   bool // Page.Text
	Blocks bool // with Text: Page.Blocks
	RDF    bool // Page.RDF, and for an RDF document the links that lead to more (rdfs:seeAlso, owl:sameAs …)
	URIs   bool // with RDF: every URI of an RDF document is a link, as far as half of the links' bound goes

	SeeAlso bool // with RDF, without URIs: of these links only rdfs:seeAlso

	Embedded bool // with RDF: the statements in a page, which tell class E from H

	Programs bool // Page.Programs
}

// Or returns everything that n or o needs.
func (n Needs) Or(o Needs) Needs {
	return Needs{Text: n.Text || o.Text, Blocks: n.Blocks || o.Blocks, RDF: n.RDF || o.RDF, URIs: n.URIs || o.URIs, SeeAlso: n.SeeAlso || o.SeeAlso, Embedded: n.Embedded || o.Embedded, Programs: n.Programs || o.Programs}
}
