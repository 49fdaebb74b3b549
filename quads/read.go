package quads

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"kavosh"
	"kavosh/lib/rdf"
)

// Payload is a document as it was served.
type Payload struct {
	URL  string // its base
	Name string // what its extension is told by, where that is not URL
	MIME string // as the server says; "" for unknown
	Body io.Reader
}

// headSize is how many bytes of a document tell what it is.
const headSize = 64 << 10

// Read gives the statements of a document as they come, and says what it is: by its content, whatever the server called it.
// An error is of yield alone: what breaks in the document, or in its transfer, is the Reading's Fault, and the statements up to
// there have been given.
func Read(p Payload, yield func(rdf.Quad) error) (Reading, error) {
	body := bufio.NewReaderSize(p.Body, headSize)
	head, _ := body.Peek(headSize) // what breaks here breaks again below
	r := Reading{Class: kavosh.ClassOther}
	if !isLines(head) {
		if isHTML(head) || p.MIME == "text/html" {
			r.Class = kavosh.ClassPage
		}
		return r, nil
	}
	r.Class = kavosh.ClassRDF
	return r, r.drain(rdf.NewNQuadsReader(body), "nquads", yield)
}

// drain gives all statements of a reader. Those that no syntax can write, such as with an IRI that is none, are left out.
func (r *Reading) drain(from rdf.Reader, syntax string, yield func(rdf.Quad) error) error {
	for {
		q, err := from.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			r.Fault = err.Error()
			return nil
		}
		if !writable(q) {
			r.Invalid++
			continue
		}
		r.count(syntax)
		if err := yield(q); err != nil {
			return err
		}
	}
}

func (r *Reading) count(syntax string) {
	if r.Syntaxes == nil {
		r.Syntaxes = map[string]int64{}
	}
	r.Syntaxes[syntax]++
	r.Statements++
}

// writable reports whether a statement can be written as N-Quads.
func writable(q rdf.Quad) bool {
	for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object} {
		if t.Kind == rdf.IRI && !rdf.ValidIRI(t.Value) || t.Datatype != "" && !rdf.ValidIRI(t.Datatype) || !utf8.ValidString(t.Value) {
			return false
		}
	}
	return true
}

func isHTML(head []byte) bool {
	return bytes.Contains(bytes.ToLower(head[:min(len(head), 1024)]), []byte("<html"))
}

func isLines(head []byte) bool {
	_, err := rdf.NewNQuadsReader(bytes.NewReader(head)).Read()
	return err == nil
}
