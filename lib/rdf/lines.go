package rdf

// This file reads N-Triples and N-Quads, the RDF formats with one statement on each line. A line with a fault is left
// out.

import "io"

// LineReader reads N-Triples and N-Quads.
type LineReader struct {
	tokens
	graphs  bool
	crowded bool // after a statement, more is on its line
}

// NewNTriplesReader reads N-Triples. Labels of blank nodes stay unchanged.
func NewNTriplesReader(in io.Reader) *LineReader { return &LineReader{tokens: newTokens(in, "")} }

// NewNQuadsReader reads N-Quads. Labels of blank nodes stay unchanged.
func NewNQuadsReader(in io.Reader) *LineReader {
	return &LineReader{tokens: newTokens(in, ""), graphs: true}
}

// Read implements Reader.
func (r *LineReader) Read() (q Quad, err error) {
	for r.failed == nil {
		if r.next() < 0 {
			if r.end == io.EOF {
				r.failed = io.EOF
			} else {
				r.fail(0, "")
			}
			break
		}
		var second *Fault
		if r.crowded {
			second = r.fault(0, "more than a statement on a line")
		}
		if r.crowded = false; !r.statement(&q) {
			r.pastLine()
			q = Quad{}
			continue
		}
		if second != nil {
			r.warnings.Warn(second)
		}
		c := r.blanks()
		r.crowded = c >= 0 && c != '\n' && c != '\r' && c != '#'
		return q, nil
	}
	return Quad{}, r.failed
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
