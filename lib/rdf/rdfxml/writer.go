package rdfxml

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"kavosh/lib/rdf"
)

// Writer writes RDF 1.1 XML: an rdf:Description for each run of statements with one subject, an element for each property.
type Writer struct {
	out      *bufio.Writer
	prefixes map[string]string // by namespace
	head     []byte            // what is still to be written before the first statement
	subject  rdf.Term          // of the open rdf:Description
	element  []byte
}

// NewWriter writes to out. prefixes, "" among them for the default, stand for namespaces; those that XML does not allow are
// left out. Other namespaces are declared where they are used.
func NewWriter(out io.Writer, prefixes map[string]string) *Writer {
	w := &Writer{out: bufio.NewWriter(out), prefixes: map[string]string{rdfSpace: "rdf"}}
	w.head = append(w.head, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<rdf:RDF xmlns:rdf="`+rdfSpace+`"`...)
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		space := prefixes[prefix]
		if prefix != "" && !isNCName(prefix) || strings.HasPrefix(strings.ToLower(prefix), "xml") || prefix == "rdf" || !rdf.ValidIRI(space) ||
			space == xmlSpace || space == xmlnsSpace || w.prefixes[space] != "" || space == rdfSpace {
			continue
		}
		w.prefixes[space] = prefix
		w.head = append(w.head, "\n    xmlns"...)
		if prefix != "" {
			w.head = append(append(w.head, ':'), prefix...)
		}
		w.head = append(appendEscaped(append(w.head, `="`...), space, true), '"')
	}
	w.head = append(w.head, ">\n"...)
	return w
}

// Write writes a statement, as rdf.Writer has it; its graph is left out. XML has no place for a predicate that does not end
// in a name, and for most control characters.
func (w *Writer) Write(q rdf.Quad) error {
	if err := q.Check(false); err != nil {
		return err
	}
	w.element = w.element[:0]
	same := q.Subject == w.subject
	if !same {
		w.element = append(w.element, "  <rdf:Description"...)
		if err := w.node(q.Subject, "about"); err != nil {
			return err
		}
		w.element = append(w.element, ">\n"...)
	}
	if err := w.property(q); err != nil {
		return err
	}
	w.out.Write(w.head)
	w.head = nil
	if !same {
		w.end()
		w.subject = q.Subject
	}
	_, err := w.out.Write(w.element)
	return err
}

// end closes the open rdf:Description.
func (w *Writer) end() {
	if w.subject.Kind != rdf.None {
		w.out.WriteString("  </rdf:Description>\n")
	}
}

// Close writes the end of the document.
func (w *Writer) Close() error {
	w.out.Write(w.head)
	w.end()
	w.out.WriteString("</rdf:RDF>\n")
	return w.out.Flush()
}

// node adds the attribute that names t, an IRI or a blank node.
func (w *Writer) node(t rdf.Term, attribute string) error {
	value := t.Value
	if t.Kind == rdf.Blank {
		attribute = "nodeID"
		if value[0] == '_' || value[0] >= '0' && value[0] <= '9' {
			value = "_" + value // names do not begin with digits; and what begins so already stays apart
		}
	}
	return w.attribute("rdf:"+attribute, t, value)
}

// attribute adds one with a value that comes of t.
func (w *Writer) attribute(name string, t rdf.Term, value string) error {
	if !isText(value) {
		return &rdf.TermError{Term: t, Reason: "has a character that XML does not allow"}
	}
	w.element = append(append(append(w.element, ' '), name...), `="`...)
	w.element = append(appendEscaped(w.element, value, true), '"')
	return nil
}

// property adds the element that has the predicate and the object of q.
func (w *Writer) property(q rdf.Quad) error {
	iri := q.Predicate.Value
	space, local := splitIRI(iri)
	if local == "" || space == xmlSpace || space == xmlnsSpace ||
		space == rdfSpace && (notProperty[local] || local == "li") {
		return &rdf.TermError{Term: q.Predicate, Reason: "cannot be written as the name of an element"}
	}
	prefix, known := w.prefixes[space]
	if !known {
		prefix = "ns"
	}
	name := name{prefix: prefix, local: local}.qualified()
	w.element = append(append(w.element, "    <"...), name...)
	if !known {
		if err := w.attribute("xmlns:ns", q.Predicate, space); err != nil {
			return err
		}
	}
	o := q.Object
	if o.Kind != rdf.Literal {
		err := w.node(o, "resource")
		w.element = append(w.element, "/>\n"...)
		return err
	}
	var err error
	if o.Language != "" {
		err = w.attribute("xml:lang", o, o.Language)
	} else if o.Datatype != "" {
		err = w.attribute("rdf:datatype", o, o.Datatype)
	}
	if err == nil && !isText(o.Value) {
		err = &rdf.TermError{Term: o, Reason: "has a character that XML does not allow"}
	}
	w.element = appendEscaped(append(w.element, '>'), o.Value, false)
	w.element = append(append(append(w.element, "</"...), name...), ">\n"...)
	return err
}

// splitIRI parts iri before the longest name at its end; local is "" when there is none.
func splitIRI(iri string) (space, local string) {
	at := len(iri)
	for i := len(iri); i > 0; {
		r, n := utf8.DecodeLastRuneInString(iri[:i])
		if r == ':' || !isName("a"+string(r)) {
			break
		}
		if i -= n; isName(string(r)) {
			at = i
		}
	}
	return iri[:at], iri[at:]
}

// isText says whether XML has all characters of s.
func isText(s string) bool {
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return true
}
