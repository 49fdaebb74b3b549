package rdf

// This file reads N-Triples and N-Quads, the RDF formats with one statement on each line.

import "io"

// LineReader reads N-Triples and N-Quads.
type LineReader struct {
	tokens
	graphs bool
}

// NewNTriplesReader reads N-Triples. Labels of blank nodes stay unchanged.
func NewNTriplesReader(in io.Reader) *LineReader { return &LineReader{newTokens(in, ""), false} }

// NewNQuadsReader reads N-Quads. Labels of blank nodes stay unchanged.
func NewNQuadsReader(in io.Reader) *LineReader { return &LineReader{newTokens(in, ""), true} }

// Read implements Reader.
func (r *LineReader) Read() (q Quad, err error) {
	if r.failed != nil {
		return Quad{}, r.failed
	}
	if r.next() < 0 {
		if r.end == io.EOF {
			r.failed = io.EOF
		} else {
			r.fail(0, "")
		}
		return Quad{}, r.failed
	}
	if !r.statement(&q) {
		return Quad{}, r.failed
	}
	if c := r.blanks(); c >= 0 && c != '\n' && c != '\r' && c != '#' {
		r.fail(0, "more than a statement on a line") // for the next call: this statement is complete
	}
	return q, nil
}

func (r *LineReader) statement(q *Quad) bool {
	if !r.resource(&q.Subject, "a subject") {
		return false
	}
	if r.blanks() != '<' {
		return r.fail(0, "a predicate is an IRI")
	}
	var ok bool
	q.Predicate.Kind = IRI
	if q.Predicate.Value, ok = r.iri(); !ok {
		return false
	}
	if r.blanks() == '"' {
		if !r.literal(&q.Object) {
			return false
		}
	} else if !r.resource(&q.Object, "an object") {
		return false
	}
	c := r.blanks()
	if r.graphs && c != '.' {
		if !r.resource(&q.Graph, "a graph") {
			return false
		}
		c = r.blanks()
	}
	if c != '.' {
		return r.fail(0, "a statement ends with a dot")
	}
	r.pos++
	return true
}

// resource reads an IRI or a blank node.
func (r *LineReader) resource(t *Term, what string) (ok bool) {
	switch r.blanks() {
	case '<':
		t.Kind = IRI
		t.Value, ok = r.iri()
		return ok
	case '_':
		t.Kind = Blank
		t.Value, ok = r.label()
		return ok
	}
	return r.fail(0, "%s cannot begin so", what)
}

func (r *LineReader) literal(t *Term) (ok bool) {
	t.Kind = Literal
	if t.Value, ok = r.text(false); !ok {
		return false
	}
	switch r.blanks() {
	case '@':
		t.Language, ok = r.language()
		return ok
	case '^':
		if !r.has(2) || r.rest()[1] != '^' {
			return r.fail(0, "a datatype follows ^^")
		}
		r.pos += 2
		if r.blanks() != '<' {
			return r.fail(0, "a datatype is an IRI")
		}
		t.Datatype, ok = r.iri()
		t.Datatype = datatype(t.Datatype)
		return ok
	}
	return true
}
