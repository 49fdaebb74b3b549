package kavosh

import (
	"fmt"
	"strings"
)

// Verdict is what a judge makes of a page or of a few words: how relevant they are, and why.
type Verdict struct {
	Score   float64  // from 0, not at all, to 1, surely
	Reasons []Reason // the weightiest first; a few, for people
}

// Reason is one thing that spoke for or against.
type Reason struct {
	Text   string  // such as "the word کتاب, 4 times"
	Weight float64 // its share in the score; negative speaks against
}

// RelevantFrom is the least score that counts as relevant.
const RelevantFrom = 0.5

// Relevant reports whether the score is at least RelevantFrom.
func (v Verdict) Relevant() bool { return v.Score >= RelevantFrom }

// Why is the reasons as one line for people, such as "the word کتاب, 4 times 0.40, title 0.20"; "" without any.
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

// Needs is what a judge or an order asks extraction for, beyond links.
type Needs struct {
	Text   bool // Page.Text
	Blocks bool // with Text: Page.Blocks
	RDF    bool // Page.RDF, and of an RDF document the links that say where to go on (rdfs:seeAlso, owl:sameAs …)
	URIs   bool // with RDF: every URI of an RDF document is a link

	SeeAlso bool // with RDF, without URIs: of the links that say where to go on rdfs:seeAlso alone

	Embedded bool // with RDF: the statements in a page, so that those of class E are told from H
}

// Or is what either needs.
func (n Needs) Or(o Needs) Needs {
	return Needs{Text: n.Text || o.Text, Blocks: n.Blocks || o.Blocks, RDF: n.RDF || o.RDF, URIs: n.URIs || o.URIs, SeeAlso: n.SeeAlso || o.SeeAlso, Embedded: n.Embedded || o.Embedded}
}
