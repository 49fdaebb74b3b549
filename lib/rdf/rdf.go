// Package rdf reads and writes RDF 1.1: the statements that make up the semantic web.
//
// A Term is an IRI, a blank node or a literal; a Quad is a statement with the graph that it stands in. A Reader yields the
// quads of one document as they come, in memory that does not grow with it. Where a document breaks, the statements up to
// there have been yielded, and a Fault tells the line and column.
//
// rdf.go has the model, iri.go resolves references, labels.go names blank nodes. lines.go reads N-Triples and N-Quads,
// turtle.go Turtle and what grew out of it, and what each writes stands beside it; source.go keeps the place in a document,
// tokens.go reads its terms, memory.go makes them cheap.
package rdf

import (
	"fmt"
	"strings"
)

// Kind is what a term is.
type Kind uint8

// The kinds of terms. None is the graph of a triple that stands in the default graph.
const (
	None Kind = iota
	IRI
	Blank
	Literal
)

// Term is a node of a graph. Two terms are equal when == says so: readers write language tags in lower case, and leave out
// the datatypes that go without saying.
type Term struct {
	Kind     Kind
	Value    string // the IRI, absolute; the blank node's label, without "_:"; the literal's lexical form
	Datatype string // a literal's, an IRI; "" for xsd:string, and for rdf:langString where Language is set
	Language string // a literal's language tag; "" for none
}

// Quad is a statement. Graph is the zero Term in the default graph.
type Quad struct{ Subject, Predicate, Object, Graph Term }

// Reader yields the statements of one document.
type Reader interface {
	// Read returns the next statement, io.EOF after the last, a *Fault where the document is broken, or the error of the
	// stream beneath. After an error it returns the same again.
	Read() (Quad, error)
}

// Held is a Reader of statements that are at hand.
type Held struct {
	Quads []Quad
	End   error // what Read returns after them: io.EOF or a *Fault
}

// Read implements Reader.
func (h *Held) Read() (Quad, error) {
	if len(h.Quads) == 0 {
		return Quad{}, h.End
	}
	q := h.Quads[0]
	h.Quads = h.Quads[1:]
	return q, nil
}

// Writer writes statements. The stream beneath stays open.
type Writer interface {
	// Write writes a statement, or keeps it until it can be. A *TermError says that the syntax cannot express the
	// statement, of which nothing is written then; other errors are the stream's.
	Write(Quad) error
	// Close writes what was kept. No Write follows it.
	Close() error
}

// Fault tells where a document is broken, and how. Lines and columns count from 1; columns are characters.
type Fault struct {
	Line, Column int
	Reason       string
}

// maxReason is how many bytes of a reason are told: it may quote the document.
const maxReason = 500

// Error is such as "line 3, column 14: a literal is not closed".
func (f *Fault) Error() string {
	reason := f.Reason
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, reason)
}
