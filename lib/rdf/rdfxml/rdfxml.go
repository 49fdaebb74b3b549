// Package rdfxml reads RDF 1.1 XML (https://www.w3.org/TR/rdf-syntax-grammar/).
//
// A Reader holds only the open elements and one token, so its memory does not grow with the document. The layers, from
// below: characters in any encoding (input.go), XML with namespaces (scan.go, name.go) and entities (dtd.go), and the
// grammar of RDF (rdfxml.go, attributes.go), with XML literals in exclusive canonical form (literal.go).
//
// Some common and harmless mistakes are accepted: white space before the XML declaration, ]]> in texts, an entity that
// leaves an element open, attributes of other vocabularies on rdf:RDF, spaces around IRIs. Other characters that IRIs
// must not contain are percent-encoded, as RDF 1.1 Concepts, 3.2 requires for the references of RDF 1.0. The external
// part of a document type is not read, so attributes that only it declares are unknown.
//
// Where the XML is in order and the RDF is not, what is faulty is left out with a warning, and reading goes on: stray
// text, an attribute that means nothing, a property whose value is not clear, a node whose name is not. What such an
// element has in it is left out too. Of a list, a faulty member is left out, and its place stays.
package rdfxml

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"kavosh/lib/iri"
	"kavosh/lib/rdf"
)

const (
	rdfSpace  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xsdString = "http://www.w3.org/2001/XMLSchema#string"
)

// maxIDs is how many rdf:ID of a document are checked for repeats.
const maxIDs = 1 << 17

// Reader yields the statements of a document in order. rdf.Named and rdf.Labels label its blank nodes.
type Reader struct {
	s      *scanner
	frames []frame // open elements, after a frame for the document itself
	out    []rdf.Quad
	given  int // how many of out were returned
	err    error

	text    []byte // of the current property
	literal canonical
	blanks  rdf.Labels
	ids     map[uint64]struct{}
	names   map[name]string // IRIs of elements and attributes

	warnings rdf.Warnings
}

// place says what may be inside an element.
type place uint8

const (
	document   place = iota // rdf:RDF, or a node
	nodes                   // nodes
	properties              // properties
	value                   // text or one node
	plain                   // a text
	markup                  // the content of an XML literal
	collection              // nodes that are members of a list
	nothing
	leftOut // anything: the element is left out
)

// frame is an open element, as far as it matters for its content.
type frame struct {
	place    place
	base     iri.Base
	language string

	subject   rdf.Term // the node with the properties; for a property, the node that has it
	predicate string   // of a property
	reified   string   // the IRI of the property's statement; "" if none
	datatype  string
	filled    bool     // a property has its object
	members   int      // how many rdf:li a node has had
	last      rdf.Term // the last cell of a list
}

// NewReader reads document r. base is its absolute IRI, or "" if unknown; then relative references are faults. The
// document itself says its encoding.
func NewReader(r io.Reader, base string) *Reader {
	out := &Reader{
		frames: []frame{{base: iri.NewBase(base)}},
		ids:    map[uint64]struct{}{},
		names:  map[name]string{},
	}
	out.s = newScanner(r, &out.warnings)
	return out
}

// Read implements rdf.Reader.
func (r *Reader) Read() (rdf.Quad, error) {
	for r.given == len(r.out) {
		if r.err != nil {
			return rdf.Quad{}, r.err
		}
		r.out, r.given = r.out[:0], 0
		r.err = r.step()
	}
	r.given++
	return r.out[r.given-1], nil
}

// Warnings implements rdf.Lenient.
func (r *Reader) Warnings() *rdf.Warnings { return &r.warnings }

// step handles one token.
func (r *Reader) step() error {
	t, err := r.s.next()
	if err != nil {
		return err
	}
	f := &r.frames[len(r.frames)-1]
	if f.place == markup && (t.kind != endTag || r.literal.depth() > 0) {
		if r.literal.add(t); len(r.literal.out) > maxToken {
			return r.s.fault("a literal is longer than %d bytes", maxToken)
		}
		return nil
	}
	switch t.kind {
	case startTag:
		r.start(t, f)
	case endTag:
		return r.end(f)
	case text:
		switch f.place {
		case leftOut:
			return nil
		case value, plain:
			if !f.filled {
				if len(r.text)+len(t.text) > maxToken {
					return r.s.fault("a literal is longer than %d bytes", maxToken)
				}
				r.text = append(r.text, t.text...)
				return nil
			}
		}
		if !blank(t.text) {
			r.warnings.Warn(r.s.fault("there is text where none may stand"))
		}
	}
	return nil
}

// blank reports whether b is only white space.
func blank(b []byte) bool { return len(bytes.Trim(b, " \t\n")) == 0 }

// start enters an element. One that is faulty is left out, and with it the property whose only value it is.
func (r *Reader) start(t token, f *frame) {
	if f.place != leftOut {
		fault := r.enter(t, f)
		if fault == nil {
			return
		}
		r.warnings.Warn(fault)
		switch {
		case f.place == collection:
			r.cell(f)
		case f.place == plain, f.place == value && !f.filled:
			f.place = leftOut
		}
	}
	r.frames = append(r.frames, frame{place: leftOut})
}

// enter enters an element. A fault means that nothing was stated of it.
func (r *Reader) enter(t token, f *frame) *rdf.Fault {
	a, err := r.sort(t, f)
	if err != nil {
		return err
	}
	inner := frame{base: a.base, language: a.language}
	switch f.place {
	case document:
		if t.name.space == rdfSpace && t.name.local == "RDF" {
			inner.place = nodes
			r.frames = append(r.frames, inner)
			return nil
		}
	case properties:
		return r.property(t, a, f, inner)
	case plain, nothing:
		return r.s.fault("there is an element inside a property that has its value")
	case value:
		if f.filled {
			return r.s.fault("a property has two values")
		}
		if !blank(r.text) {
			return r.s.fault("a property has text and an element")
		}
	}
	return r.node(t, a, f, inner)
}

// node enters an element that is a node.
func (r *Reader) node(t token, a attributes, f *frame, inner frame) *rdf.Fault {
	kind, err := r.iri(t.name)
	if err != nil {
		return err
	}
	local, ok := strings.CutPrefix(kind, rdfSpace)
	switch {
	case ok && notNode[local]:
		return r.s.fault("rdf:%s is no node", local)
	case a.count(isID, isAbout, isNodeID) > 1:
		return r.s.fault("a node has more than one of rdf:ID, rdf:about and rdf:nodeID")
	case a.count(isResource, isDatatype, isParseType) > 0:
		return r.s.fault("a node has an attribute that only properties have")
	}
	subject, err := r.term(a, isAbout)
	if err != nil {
		return err
	}
	switch f.place {
	case value:
		f.filled = true
		r.state(*f, subject)
	case collection:
		r.cell(f)
		r.emit(f.last, rdfSpace+"first", subject)
	}
	if kind != rdfSpace+"Description" {
		r.emit(subject, rdfSpace+"type", rdf.Term{Kind: rdf.IRI, Value: kind})
	}
	inner.place, inner.subject = properties, subject
	r.frames = append(r.frames, inner)
	r.describe(subject, a)
	return nil
}

// cell adds a cell to the list f.
func (r *Reader) cell(f *frame) {
	cell := r.blanks.New()
	if f.last.Kind == rdf.None {
		r.state(*f, cell)
	} else {
		r.emit(f.last, rdfSpace+"rest", cell)
	}
	f.last = cell
}

// property enters an element that is a property.
func (r *Reader) property(t token, a attributes, f *frame, inner frame) *rdf.Fault {
	var err *rdf.Fault
	if inner.predicate, err = r.iri(t.name); err != nil {
		return err
	}
	if local, ok := strings.CutPrefix(inner.predicate, rdfSpace); ok && notProperty[local] {
		return r.s.fault("rdf:%s is no property", local)
	}
	if inner.predicate == rdfSpace+"li" {
		f.members++
		inner.predicate = rdfSpace + "_" + strconv.Itoa(f.members)
	}
	inner.subject = f.subject
	if a.has(isID) {
		if inner.reified, err = r.id(a); err != nil {
			return err
		}
	}
	r.text = r.text[:0]
	described := a.count(isResource, isNodeID) + len(a.properties)
	switch {
	case a.has(isAbout):
		return r.s.fault("a property has rdf:about")
	case a.has(isParseType):
		if described > 0 || a.has(isDatatype) {
			return r.s.fault("beside rdf:parseType no other value may stand")
		}
		switch a.value[isParseType] {
		case "Resource":
			object := r.blanks.New()
			r.state(inner, object)
			inner = frame{place: properties, base: inner.base, language: inner.language, subject: object}
		case "Collection":
			inner.place = collection
		default:
			inner.place = markup
			r.literal.reset()
		}
	case a.has(isDatatype):
		if described > 0 {
			return r.s.fault("beside rdf:datatype no other value may stand")
		}
		inner.place = plain
		if inner.datatype, err = r.resolve(a.base, a.value[isDatatype]); err != nil {
			return err
		}
	case described > 0:
		if a.count(isResource, isNodeID) > 1 {
			return r.s.fault("a property has rdf:resource and rdf:nodeID")
		}
		a.given &^= 1 << isID // it names the statement, not the node
		object, err := r.term(a, isResource)
		if err != nil {
			return err
		}
		r.state(inner, object)
		inner.place = nothing
		r.describe(object, a)
	default:
		inner.place = value
	}
	r.frames = append(r.frames, inner)
	return nil
}

// end leaves the innermost element.
func (r *Reader) end(f *frame) error {
	switch f.place {
	case value, plain:
		if !f.filled {
			r.state(*f, literalTerm(string(r.text), f.datatype, f.language))
		}
	case markup:
		r.state(*f, rdf.Term{Kind: rdf.Literal, Value: string(r.literal.out), Datatype: rdfSpace + "XMLLiteral"})
	case collection:
		end := rdf.Term{Kind: rdf.IRI, Value: rdfSpace + "nil"}
		if f.last.Kind == rdf.None {
			r.state(*f, end)
		} else {
			r.emit(f.last, rdfSpace+"rest", end)
		}
	}
	r.frames = r.frames[:len(r.frames)-1]
	return nil
}

// literalTerm returns a literal in the form of rdf.Term.
func literalTerm(text, datatype, language string) rdf.Term {
	switch datatype {
	case "":
		return rdf.Term{Kind: rdf.Literal, Value: text, Language: language}
	case xsdString:
		datatype = ""
	}
	return rdf.Term{Kind: rdf.Literal, Value: text, Datatype: datatype}
}

func (r *Reader) emit(subject rdf.Term, predicate string, object rdf.Term) {
	r.out = append(r.out, rdf.Quad{Subject: subject, Predicate: rdf.Term{Kind: rdf.IRI, Value: predicate}, Object: object})
}

// state states the object of property f, and reifies the statement if it has an IRI.
func (r *Reader) state(f frame, object rdf.Term) {
	r.emit(f.subject, f.predicate, object)
	if f.reified == "" {
		return
	}
	statement := rdf.Term{Kind: rdf.IRI, Value: f.reified}
	r.emit(statement, rdfSpace+"type", rdf.Term{Kind: rdf.IRI, Value: rdfSpace + "Statement"})
	r.emit(statement, rdfSpace+"subject", f.subject)
	r.emit(statement, rdfSpace+"predicate", rdf.Term{Kind: rdf.IRI, Value: f.predicate})
	r.emit(statement, rdfSpace+"object", object)
}

// describe makes the statements about subject that are in attributes.
func (r *Reader) describe(subject rdf.Term, a attributes) {
	for _, p := range a.properties {
		object := rdf.Term{Kind: rdf.Literal, Value: p.value, Language: a.language}
		predicate, err := r.iri(p.name)
		if err == nil && predicate == rdfSpace+"type" {
			object = rdf.Term{Kind: rdf.IRI}
			object.Value, err = r.resolve(a.base, p.value)
		}
		if err != nil {
			r.warnings.Warn(err)
			continue
		}
		r.emit(subject, predicate, object)
	}
}

// term returns the node that rdf:ID, rdf:nodeID or the IRI attribute names, or else a new blank node.
func (r *Reader) term(a attributes, iri int) (rdf.Term, *rdf.Fault) {
	switch {
	case a.has(isID):
		id, err := r.id(a)
		return rdf.Term{Kind: rdf.IRI, Value: id}, err
	case a.has(isNodeID):
		label := a.value[isNodeID]
		if !isNCName(label) {
			fault := r.s.fault("rdf:nodeID %.60q is no name", label)
			if len(label) > maxName || lost(label) {
				return rdf.Term{}, fault
			}
			r.warnings.Warn(fault)
		}
		return named(label), nil
	case a.has(iri):
		is, err := r.resolve(a.base, a.value[iri])
		return rdf.Term{Kind: rdf.IRI, Value: is}, err
	}
	return r.blanks.New(), nil
}

// named returns the blank node that a document calls label. A label that ends with a dot or is no name, which is invalid
// elsewhere, gets a form that rdf.Named never returns.
func named(label string) rdf.Term {
	switch {
	case !isNCName(label):
		return rdf.Term{Kind: rdf.Blank, Value: fmt.Sprintf("_.%x_", label)}
	case strings.HasSuffix(label, "."):
		return rdf.Term{Kind: rdf.Blank, Value: "_." + label + "_"}
	}
	return rdf.Named(label)
}

// id returns the IRI of an rdf:ID.
func (r *Reader) id(a attributes) (string, *rdf.Fault) {
	iri, err := r.resolve(a.base, "#"+a.value[isID])
	if err != nil {
		return "", err
	}
	if !isNCName(a.value[isID]) {
		r.warnings.Warn(r.s.fault("rdf:ID %.60q is no name", a.value[isID]))
	}
	h := fnv.New64a()
	h.Write([]byte(iri))
	key := h.Sum64()
	if _, known := r.ids[key]; known {
		r.warnings.Warn(r.s.fault("rdf:ID %.60q stands twice", a.value[isID]))
	}
	if len(r.ids) < maxIDs {
		r.ids[key] = struct{}{}
	}
	return iri, nil
}

// iri returns the IRI of the name of an element or attribute.
func (r *Reader) iri(n name) (string, *rdf.Fault) {
	n.prefix = ""
	if iri, ok := r.names[n]; ok {
		return iri, nil
	}
	if n.space == "" {
		return "", r.s.fault("<%s> has no namespace", n.local)
	}
	iri, err := r.resolve(iri.Base{}, n.space+n.local)
	if err != nil {
		return "", err
	}
	if len(r.names) == maxInterned {
		clear(r.names)
	}
	r.names[n] = iri
	return iri, nil
}

// resolve resolves a reference to an IRI.
func (r *Reader) resolve(base iri.Base, reference string) (string, *rdf.Fault) {
	if lost(reference) {
		return "", r.s.fault("the IRI %.60q has a character that cannot be read", reference)
	}
	iri, ok := base.Resolve(escape(strings.Trim(reference, " \t\n\r")))
	if len(iri) > maxIRI {
		return "", r.s.fault("an IRI is longer than %d bytes", maxIRI)
	}
	if !ok {
		return "", r.s.fault("the IRI %.60q is relative, and to what is not known", reference)
	}
	return iri, nil
}

// lost reports whether a name may have lost a character, so that it is not known what it names.
func lost(name string) bool { return strings.ContainsRune(name, utf8.RuneError) }

// escape percent-encodes the characters that IRIs must not contain.
func escape(iri string) string {
	bad := 0
	for i := range len(iri) {
		if notInIRI(iri[i]) {
			bad++
		}
	}
	if bad == 0 {
		return iri
	}
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(iri)+2*bad)
	for i := range len(iri) {
		if c := iri[i]; notInIRI(c) {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

func notInIRI(c byte) bool {
	switch c {
	case '<', '>', '"', '{', '}', '|', '\\', '^', '`':
		return true
	}
	return c <= ' '
}
