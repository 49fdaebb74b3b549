// Package rdf reads and writes RDF 1.1: the statements that make up the semantic web.
//
// A Term is an IRI, a blank node or a literal; a Quad is a statement with its graph. A Reader yields the quads of one
// document one by one, in bounded memory. A fault that can be read past without guessing leaves out a statement, a
// property or a stray text and is a warning (warnings.go). Any other ends the document: the statements before it are
// yielded, and a Fault gives the line and column.
//
// rdf.go has the model, labels.go names blank nodes. lines.go reads N-Triples and N-Quads, turtle.go Turtle and its
// relatives; the writers are beside them. source.go keeps the position in a document, tokens.go and turtleterms.go read terms, memory.go
// caches them.
package rdf

import (
	"fmt"
	"strings"
)

// Kind is the kind of a term.
type Kind uint8

// The kinds of terms. None is the graph of a statement in the default graph.
const (
	None Kind = iota
	IRI
	Blank
	Literal
)

// Term is a node of a graph. Terms can be compared with ==, because readers write language tags in lower case and omit
// datatypes that are implied.
type Term struct {
	Kind     Kind
	Value    string // an absolute IRI; a blank node's label without "_:"; a literal's lexical form
	Datatype string // IRI of a literal's datatype; "" for xsd:string, and for rdf:langString if Language is set
	Language string // a literal's language tag; "" if none
}

// Quad is a statement. In the default graph, Graph is the zero Term.
type Quad struct{ Subject, Predicate, Object, Graph Term }

// Reader yields the statements of one document.
type Reader interface {
	// Read returns the next statement, io.EOF after the last, a *Fault where the document is malformed, or the error of
	// the underlying stream. After an error, it returns the same error again.
	Read() (Quad, error)
}

// Held is a Reader of statements that are already in memory.
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

// Writer writes statements. It does not close the underlying stream.
type Writer interface {
	// Write writes a statement, perhaps only at a later call. A *TermError means that the syntax cannot express the
	// statement; then nothing of it is written. Other errors are the stream's.
	Write(Quad) error
	// Close writes what is left. Do not call Write after it.
	Close() error
}

// Fault says where and how a document is malformed. Lines and columns begin at 1; columns count characters.
type Fault struct {
	Line, Column int
	Reason       string
}

// maxReason bounds the reason in bytes, because it may quote the document.
const maxReason = 500

// Error returns, for example, "line 3, column 14: a literal is not closed".
func (f *Fault) Error() string {
	reason := f.Reason
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, reason)
}
