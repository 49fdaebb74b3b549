package rdf

// This file writes Turtle and TriG.

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"kavosh/lib/iri"
)

// TurtleWriter writes Turtle and TriG in the order of the statements. Consecutive statements with the same subject,
// predicate or graph share it.
type TurtleWriter struct {
	out     *bufio.Writer
	graphs  bool
	names   map[string]string // namespace to prefix
	said    Quad              // the statement before; zero subject if none
	indent  string
	pending []byte
	failed  error
}

// NewTurtleWriter returns a writer of Turtle, which leaves graphs out. prefixes maps names to namespaces, such as
// "rdfs" to "http://www.w3.org/2000/01/rdf-schema#".
func NewTurtleWriter(out io.Writer, prefixes map[string]string) *TurtleWriter {
	return newTurtleWriter(out, prefixes, false)
}

// NewTriGWriter returns a writer of TriG. See NewTurtleWriter for prefixes.
func NewTriGWriter(out io.Writer, prefixes map[string]string) *TurtleWriter {
	return newTurtleWriter(out, prefixes, true)
}

func newTurtleWriter(out io.Writer, prefixes map[string]string, graphs bool) *TurtleWriter {
	w := &TurtleWriter{out: bufio.NewWriter(out), graphs: graphs, names: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(prefixes)) {
		namespace := prefixes[name]
		if first, _ := utf8.DecodeRuneInString(name); name != "" && (!validLabel(name) || !startsName(first)) || !iri.Valid(namespace) {
			w.failed = fmt.Errorf("rdf: the prefix %q cannot stand for %q", name, namespace)
			break
		}
		w.names[namespace] = name
		fmt.Fprintf(w.out, "@prefix %s: <%s> .\n", name, namespace)
	}
	return w
}

// Write implements Writer.
func (w *TurtleWriter) Write(q Quad) error {
	if w.failed != nil {
		return w.failed
	}
	if err := q.Check(w.graphs); err != nil {
		return err
	}
	if !w.graphs {
		q.Graph = Term{}
	}
	b := w.pending[:0]
	if w.said.Subject.Kind == None || q.Graph != w.said.Graph {
		b = append(w.end(b), '\n')
		if q.Graph.Kind != None {
			b = append(w.resource(b, q.Graph), " {\n"...)
			w.indent = "    "
		}
		w.said.Subject = Term{}
	}
	switch {
	case q.Subject != w.said.Subject:
		if w.said.Subject.Kind != None {
			b = append(b, " .\n"...)
		}
		b = append(b, w.indent...)
		b = append(w.resource(b, q.Subject), ' ')
		b = append(w.verb(b, q.Predicate), ' ')
	case q.Predicate != w.said.Predicate:
		b = append(b, " ;\n    "...)
		b = append(b, w.indent...)
		b = append(w.verb(b, q.Predicate), ' ')
	default:
		b = append(b, " , "...)
	}
	w.pending = w.object(b, q.Object)
	w.said = q
	_, w.failed = w.out.Write(w.pending)
	return w.failed
}

// Close implements Writer.
func (w *TurtleWriter) Close() error {
	if w.failed == nil {
		_, w.failed = w.out.Write(w.end(nil))
	}
	if w.failed == nil {
		w.failed = w.out.Flush()
	}
	return w.failed
}

// end ends the open statement and graph.
func (w *TurtleWriter) end(b []byte) []byte {
	if w.said.Subject.Kind != None {
		b = append(b, " .\n"...)
	}
	if w.indent != "" {
		b = append(b, "}\n"...)
		w.indent = ""
	}
	return b
}

func (w *TurtleWriter) verb(b []byte, t Term) []byte {
	if t.Value == rdfType {
		return append(b, 'a')
	}
	return w.iri(b, t.Value)
}

func (w *TurtleWriter) resource(b []byte, t Term) []byte {
	if t.Kind == IRI {
		return w.iri(b, t.Value)
	}
	return AppendTerm(b, t)
}

func (w *TurtleWriter) object(b []byte, t Term) []byte {
	switch {
	case t.Kind != Literal:
		return w.resource(b, t)
	case t.Datatype == "":
		return AppendTerm(b, t)
	case t.Datatype == xsdNS+"boolean" && (t.Value == "true" || t.Value == "false"), t.Datatype == numeral(t.Value):
		return append(b, t.Value...)
	}
	b = append(appendQuoted(b, t.Value), "^^"...)
	return w.iri(b, t.Datatype)
}

// iri writes a prefixed name if a prefix stands for the IRI up to its last part and that part needs no escape. The last
// part begins after the last character that it cannot contain, or after an underscore in it, because namespaces end so.
func (w *TurtleWriter) iri(b []byte, iri string) []byte {
	cut := len(iri)
	for cut > 0 {
		r, n := utf8.DecodeLastRuneInString(iri[:cut])
		if r < utf8.RuneSelf && class[r]&inName == 0 || r >= utf8.RuneSelf && !continuesName(r) {
			break
		}
		cut -= n
	}
	for {
		if name, known := w.names[iri[:cut]]; known {
			if first, _ := utf8.DecodeRuneInString(iri[cut:]); cut == len(iri) || startsLabel(first) {
				return append(append(append(b, name...), ':'), iri[cut:]...)
			}
		}
		next := strings.IndexByte(iri[cut:], '_')
		if next < 0 {
			return appendIRI(b, iri)
		}
		cut += next + 1
	}
}

// numeral returns the datatype that s has when it is written without quotes; "" if it cannot be.
func numeral(s string) string {
	digits := func(i int) int {
		for i < len(s) && class[s[i]]&digit != 0 {
			i++
		}
		return i
	}
	from := 0
	if s != "" && (s[0] == '+' || s[0] == '-') {
		from = 1
	}
	end, kind := digits(from), "integer"
	whole := end > from
	if end < len(s) && s[end] == '.' {
		fraction := digits(end + 1)
		if !whole && fraction == end+1 {
			return ""
		}
		whole, end, kind = fraction > end+1, fraction, "decimal"
	}
	if end > from && end < len(s) && s[end]|0x20 == 'e' {
		exponent := end + 1
		if exponent < len(s) && (s[exponent] == '+' || s[exponent] == '-') {
			exponent++
		}
		if digits(exponent) == exponent {
			return ""
		}
		end, kind, whole = digits(exponent), "double", true
	}
	if end != len(s) || !whole { // a final dot would end the statement
		return ""
	}
	return xsdNS + kind
}
