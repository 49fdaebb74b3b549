package rdf

// This file writes N-Triples and N-Quads, and checks which terms can be written.

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"kavosh/lib/iri"
)

// LineWriter writes N-Triples and N-Quads in their canonical form: one space between terms, and only necessary escapes.
// So equal statements are equal lines.
type LineWriter struct {
	out    *bufio.Writer
	line   []byte
	graphs bool
}

// NewNTriplesWriter returns a writer of N-Triples, which leaves graphs out.
func NewNTriplesWriter(out io.Writer) *LineWriter {
	return &LineWriter{bufio.NewWriter(out), nil, false}
}

// NewNQuadsWriter writes N-Quads.
func NewNQuadsWriter(out io.Writer) *LineWriter { return &LineWriter{bufio.NewWriter(out), nil, true} }

// Write implements Writer.
func (w *LineWriter) Write(q Quad) error {
	if err := q.Check(w.graphs); err != nil {
		return err
	}
	line := AppendTerm(w.line[:0], q.Subject)
	line = AppendTerm(append(line, ' '), q.Predicate)
	line = AppendTerm(append(line, ' '), q.Object)
	if w.graphs && q.Graph.Kind != None {
		line = AppendTerm(append(line, ' '), q.Graph)
	}
	w.line = append(line, " .\n"...)
	_, err := w.out.Write(w.line)
	return err
}

// Close implements Writer.
func (w *LineWriter) Close() error { return w.out.Flush() }

// Check returns a *TermError if no syntax can write q. The graph is checked only if graphs is set.
func (q *Quad) Check(graphs bool) error {
	for i, t := range [...]*Term{&q.Subject, &q.Predicate, &q.Object, &q.Graph} {
		switch {
		case i == 3 && !graphs:
		case t.Kind == IRI, t.Kind == Blank && i != 1, t.Kind == Literal && i == 2, t.Kind == None && i == 3:
			if why := t.check(); why != "" {
				return &TermError{*t, why}
			}
		default:
			return &TermError{*t, "cannot be " + [...]string{"a subject", "a predicate", "an object", "a graph"}[i]}
		}
	}
	return nil
}

func (t *Term) check() string {
	switch {
	case t.Kind == IRI && !iri.Valid(t.Value):
		return "is no absolute IRI"
	case t.Kind == Blank && !validLabel(t.Value):
		return "has no label that can be written"
	case t.Kind == Literal && !utf8.ValidString(t.Value):
		return "is not UTF-8"
	case t.Datatype != "" && !iri.Valid(t.Datatype):
		return "has no absolute IRI as datatype"
	case t.Language != "" && !validLanguage(t.Language):
		return "has no language tag that can be written"
	}
	return ""
}

// TermError says which term of a statement could not be written, and why. Nothing of the statement was written; others
// can still be written.
type TermError struct {
	Term   Term
	Reason string
}

// Error returns, for example, `rdf: "a b" is no absolute IRI`.
func (e *TermError) Error() string { return fmt.Sprintf("rdf: %q %s", e.Term.Value, e.Reason) }

// validLabel reports whether a blank node's label can be written.
func validLabel(s string) bool {
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf && class[r]&(inName|dot) != 0 && (i > 0 || r != '-' && r != '.'):
		case r >= utf8.RuneSelf && (startsName(r) || i > 0 && continuesName(r)):
			if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
				return false
			}
		default:
			return false
		}
	}
	return s != "" && s[len(s)-1] != '.'
}

// validLanguage reports whether a tag has the form that the syntaxes require.
func validLanguage(s string) bool {
	first, allowed := 0, letter
	for i := range len(s) {
		switch c := class[s[i]]; {
		case c&allowed != 0:
		case s[i] == '-' && i > first:
			first, allowed = i+1, letter|digit
		default:
			return false
		}
	}
	return len(s) > first
}

// AppendTerm appends a term in canonical N-Triples. Check tells whether that is possible.
func AppendTerm(b []byte, t Term) []byte {
	switch t.Kind {
	case IRI:
		return appendIRI(b, t.Value)
	case Blank:
		return append(append(b, "_:"...), t.Value...)
	}
	b = appendQuoted(b, t.Value)
	if t.Language != "" {
		return append(append(b, '@'), t.Language...)
	}
	if t.Datatype != "" {
		return appendIRI(append(b, "^^"...), t.Datatype)
	}
	return b
}

func appendIRI(b []byte, iri string) []byte {
	return append(append(append(b, '<'), iri...), '>')
}

// appendQuoted appends a literal's lexical form with the escapes of canonical N-Triples: named ones where they exist,
// \u for other control characters.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7F {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		if n := strings.IndexByte("\t\b\n\r\f\"\\", c); n >= 0 {
			b = append(b, '\\', `tbnrf"\`[n])
		} else {
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}
