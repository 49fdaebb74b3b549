package rdf

// This file reads Turtle, TriG and the data part of Notation3.

import (
	"io"
	"strings"

	"kavosh/lib/iri"
)

// Bounds on Turtle and its relatives; exceeding one is a Fault.
const (
	maxDepth       = 256     // nesting of property lists and collections
	maxPrefixes    = 10_000  // declared at the same time
	maxNamespace   = 4 << 10 // bytes of a prefix's namespace
	maxPrefixBytes = 1 << 20 // bytes of all prefixes and namespaces
)

// The terms for which Turtle and Notation3 have abbreviations.
const (
	rdfType   = rdfNS + "type"
	rdfFirst  = rdfNS + "first"
	rdfRest   = rdfNS + "rest"
	rdfNil    = rdfNS + "nil"
	owlSameAs = "http://www.w3.org/2002/07/owl#sameAs"
)

// syntax is Turtle or one of its relatives.
type syntax uint8

const (
	turtle syntax = iota
	trig
	n3
)

// TurtleReader reads Turtle, TriG, and the data part of Notation3: Turtle with = for owl:sameAs, "is … of" and "has".
// Formulas, rules, variables and paths of Notation3 are Faults. Labels and Named make the labels of blank nodes.
type TurtleReader struct {
	tokens
	syntax      syntax
	prefixes    map[string]string
	prefixBytes int
	labels      Labels
	inGraph     bool // between { and }

	// The current statement. The next one often shares parts with it.
	quad    Quad
	inverse bool // subject and object are swapped: is … of
	at      place
	open    []frame
}

// place says what comes next in a document.
type place uint8

const (
	atStatement   place = iota // a directive, a graph or a subject
	atVerb                     // a predicate
	atObject                   // an object
	afterObject                // what ends the object, or continues it
	afterList                  // like atVerb, after […] as a subject, which may stand alone; in Notation3 (…) may too
	intoList                   // the object is a […] whose bracket was just read
	intoCells                  // the object is a (…) whose bracket was just read
	atFirstMember              // the first member of a collection; the subject is its cell
	atMember                   // a further member; the object is its cell
	afterMember                // another member, or the end
	outOfCells                 // the collection's last statement was yielded
)

// frame is an open […] or (…), with the state outside of it.
type frame struct {
	list      bool // […]
	asSubject bool
	inverse   bool
	subject   Term // the list or collection itself, if it is a subject
	predicate Term
}

// NewTurtleReader reads Turtle. It resolves relative IRIs against base, an absolute IRI; without one they are Faults.
func NewTurtleReader(in io.Reader, base string) *TurtleReader { return newTurtle(in, base, turtle) }

// NewTriGReader reads TriG. See NewTurtleReader for base.
func NewTriGReader(in io.Reader, base string) *TurtleReader { return newTurtle(in, base, trig) }

// NewN3Reader reads the data part of Notation3. See NewTurtleReader for base. The empty prefix means the document's IRI
// with #, unless it is declared.
func NewN3Reader(in io.Reader, base string) *TurtleReader {
	r := newTurtle(in, base, n3)
	if namespace, ok := r.base.Resolve("#"); ok && len(namespace) <= maxNamespace {
		r.prefixes[""] = namespace
	}
	return r
}

func newTurtle(in io.Reader, base string, s syntax) *TurtleReader {
	return &TurtleReader{tokens: newTokens(in, base), syntax: s, prefixes: map[string]string{}}
}

// Read implements Reader.
func (r *TurtleReader) Read() (Quad, error) {
	for r.failed == nil {
		if !r.step() {
			continue
		}
		if r.inverse {
			return Quad{r.quad.Object, r.quad.Predicate, r.quad.Subject, r.quad.Graph}, nil
		}
		return r.quad, nil
	}
	return Quad{}, r.failed
}

// step reads one step and reports whether quad is complete.
func (r *TurtleReader) step() bool {
	switch r.at {
	case atStatement:
		return r.statement()
	case afterList:
		if c := r.next(); c == '.' || c == '}' {
			return r.endStatement(c)
		}
		return r.verb()
	case atVerb:
		return r.verb()
	case atObject:
		r.at = afterObject
		return r.object()
	case afterObject:
		return r.punctuation()
	case intoList:
		if !r.push(frame{list: true, inverse: r.inverse, subject: r.quad.Subject, predicate: r.quad.Predicate}) {
			return false
		}
		r.quad.Subject, r.inverse, r.at = r.quad.Object, false, atVerb
		return false
	case intoCells:
		if !r.push(frame{inverse: r.inverse, subject: r.quad.Subject, predicate: r.quad.Predicate}) {
			return false
		}
		r.inverse = false
		return r.member()
	case atFirstMember:
		r.quad.Object = r.quad.Subject
		return r.member()
	case atMember:
		return r.member()
	case afterMember:
		r.quad.Predicate.Value = rdfRest
		switch r.next() {
		case -1:
			return r.fail(0, "the document ends in a collection")
		case ')':
			r.pos++
			r.quad.Object = Term{Kind: IRI, Value: rdfNil}
			r.at = outOfCells
		default:
			r.quad.Object = r.labels.New()
			r.at = atMember
		}
		return true
	default: // outOfCells
		r.pop()
		return false
	}
}

// member reads a member of a collection. The object of the last statement is its cell.
func (r *TurtleReader) member() bool {
	r.quad.Subject, r.quad.Predicate = r.quad.Object, Term{Kind: IRI, Value: rdfFirst}
	r.at = afterMember
	return r.object()
}

func (r *TurtleReader) push(f frame) bool {
	if len(r.open) == maxDepth {
		return r.fail(0, "more than %d brackets inside one another", maxDepth)
	}
	r.open = append(r.open, f)
	return true
}

// pop restores the state outside of a bracket.
func (r *TurtleReader) pop() {
	f := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.quad.Subject, r.quad.Predicate, r.inverse = f.subject, f.predicate, f.inverse
	switch {
	case f.asSubject && (f.list || r.syntax == n3):
		r.at = afterList
	case f.asSubject:
		r.at = atVerb
	case len(r.open) > 0 && !r.open[len(r.open)-1].list:
		r.at = afterMember
	default:
		r.at = afterObject
	}
}

// statement reads a directive, the beginning or end of a graph, or a subject.
func (r *TurtleReader) statement() bool {
	r.inverse = false
	r.at = atVerb
	switch c := r.next(); {
	case c < 0 && r.inGraph:
		return r.fail(0, "the document ends in a graph")
	case c < 0:
		if r.end != io.EOF {
			return r.fail(0, "")
		}
		r.failed = io.EOF
		return false
	case c == '@' && !r.inGraph:
		return r.directive()
	case c == '}' && r.inGraph:
		r.pos++
		r.inGraph, r.quad.Graph, r.at = false, Term{}, atStatement
		return false
	case c == '{' && r.syntax == trig && !r.inGraph:
		return r.graph(Term{})
	case c == '(':
		r.pos++
		if r.next() == ')' {
			r.pos++
			r.quad.Subject = Term{Kind: IRI, Value: rdfNil}
			return false
		}
		r.quad.Subject = r.labels.New()
		r.at = atFirstMember
		return r.push(frame{asSubject: true, subject: r.quad.Subject}) && false
	case c == '[':
		r.pos++
		r.quad.Subject = r.labels.New()
		if r.next() != ']' {
			return r.push(frame{list: true, asSubject: true, subject: r.quad.Subject}) && false
		}
		r.pos++
	default:
		word, ok := r.resource(&r.quad.Subject, "a subject")
		if !ok {
			return false
		}
		if word != "" {
			return r.keyword(word)
		}
	}
	if r.syntax == trig && !r.inGraph && r.next() == '{' {
		return r.graph(r.quad.Subject)
	}
	return false
}

// graph begins a graph at its {.
func (r *TurtleReader) graph(name Term) bool {
	if r.next() != '{' {
		return r.fail(0, "a graph begins with {")
	}
	r.pos++
	r.inGraph, r.quad.Graph, r.at = true, name, atStatement
	return false
}

// keyword handles a bare word at the beginning of a statement.
func (r *TurtleReader) keyword(word string) bool {
	switch {
	case !r.inGraph && strings.EqualFold(word, "prefix"):
		r.pos += len(word)
		return r.prefix() && false
	case !r.inGraph && strings.EqualFold(word, "base"):
		r.pos += len(word)
		return r.rebase() && false
	case !r.inGraph && r.syntax == trig && strings.EqualFold(word, "graph"):
		r.pos += len(word)
		var name Term
		if r.next() == '[' {
			r.pos++
			if r.next() != ']' {
				return r.fail(0, "a graph has an IRI or a blank node as its name")
			}
			r.pos++
			name = r.labels.New()
		} else if word, ok := r.resource(&name, "a graph"); !ok || word != "" {
			return r.fail(0, "a graph has an IRI or a blank node as its name")
		}
		return r.graph(name)
	}
	return r.fail(0, "a name without a prefix: %.40q", word)
}

// directive reads @prefix and @base.
func (r *TurtleReader) directive() bool {
	k := r.span(1, letter)
	switch word := string(r.rest()[1:min(k, 20)]); {
	case word == "prefix":
		r.pos += k
		if !r.prefix() {
			return false
		}
	case word == "base":
		r.pos += k
		if !r.rebase() {
			return false
		}
	case r.syntax == n3:
		return r.fail(0, "@%s of Notation3 is not data", word)
	default:
		return r.fail(0, "there is no directive @%s", word)
	}
	switch c := r.next(); {
	case c == '.':
		r.pos++
	case c < 0:
		return r.fail(0, "a directive that begins with @ ends with a dot")
	default:
		r.warnings.Warn(r.fault(0, "a directive that begins with @ ends with a dot"))
	}
	return false
}

// prefix reads a prefix declaration after its keyword.
func (r *TurtleReader) prefix() bool {
	r.at = atStatement
	r.next()
	k, ok := r.prefixName()
	if !ok || !r.has(k+1) || r.rest()[k] != ':' {
		return r.fail(0, "a prefix that is declared ends with a colon")
	}
	if k > maxIRI {
		return r.fail(0, "a prefix is longer than %d bytes", maxIRI)
	}
	name := string(r.rest()[:k])
	r.pos += k + 1
	if r.next() != '<' {
		return r.fail(0, "a prefix stands for an IRI")
	}
	namespace, ok := r.iri()
	if !ok {
		return false
	}
	old, known := r.prefixes[name]
	if old == namespace && known {
		return true
	}
	if known {
		r.known.forget()
		r.prefixBytes -= len(name) + len(old)
	}
	r.prefixBytes += len(name) + len(namespace)
	switch {
	case len(namespace) > maxNamespace:
		return r.fail(0, "a prefix stands for more than %d bytes", maxNamespace)
	case !known && len(r.prefixes) >= maxPrefixes, r.prefixBytes > maxPrefixBytes:
		return r.fail(0, "there are more than %d prefixes, or they have more than %d bytes", maxPrefixes, maxPrefixBytes)
	}
	r.prefixes[name] = strings.Clone(namespace)
	return true
}

// rebase reads a base declaration after its keyword.
func (r *TurtleReader) rebase() bool {
	r.at = atStatement
	if r.next() != '<' {
		return r.fail(0, "a base is an IRI")
	}
	base, ok := r.iri()
	if !ok {
		return false
	}
	if len(base) > maxNamespace {
		return r.fail(0, "a base has more than %d bytes", maxNamespace)
	}
	r.base = iri.NewBase(strings.Clone(base))
	r.known.forget()
	return true
}

func (r *TurtleReader) verb() bool {
	r.at, r.inverse = atObject, false
	if r.syntax == n3 {
		switch c := r.next(); {
		case c == '=' && r.has(2) && r.rest()[1] == '>', c == '<' && r.has(2) && r.rest()[1] == '=':
			return r.fail(0, "a rule of Notation3 is not data")
		case c == '=':
			r.pos++
			r.quad.Predicate = Term{Kind: IRI, Value: owlSameAs}
			return false
		}
	}
	if r.next() == '_' {
		return r.fail(0, "a predicate is an IRI")
	}
	word, ok := r.resource(&r.quad.Predicate, "a predicate")
	if !ok || word == "" {
		return false
	}
	r.pos += len(word)
	switch {
	case word == "a":
		r.quad.Predicate = Term{Kind: IRI, Value: rdfType}
	case word == "has" && r.syntax == n3:
		r.property()
	case word == "is" && r.syntax == n3:
		if !r.property() {
			return false
		}
		r.next()
		k, _ := r.prefixName()
		if string(r.rest()[:k]) != "of" {
			return r.fail(0, `"is" wants "of" after the predicate`)
		}
		r.pos += k
		r.inverse = true
	default:
		r.pos -= len(word)
		return r.fail(0, "a name without a prefix: %.40q", word)
	}
	return false
}

// property reads the predicate after "is" and "has".
func (r *TurtleReader) property() bool {
	c := r.next()
	word, ok := r.resource(&r.quad.Predicate, "a predicate")
	switch {
	case !ok:
		return false
	case word == "a":
		r.pos++
		r.quad.Predicate = Term{Kind: IRI, Value: rdfType}
	case word != "" || c == '_':
		return r.fail(0, "a predicate is an IRI")
	}
	return true
}

// object reads an object, or the bracket that opens one, and completes quad.
func (r *TurtleReader) object() bool {
	t := &r.quad.Object
	switch c := r.next(); c {
	case '"', '\'':
		return r.literal(t)
	case '[':
		r.pos++
		*t = r.labels.New()
		if r.next() == ']' {
			r.pos++
		} else {
			r.at = intoList
		}
		return true
	case '(':
		r.pos++
		if r.next() == ')' {
			r.pos++
			*t = Term{Kind: IRI, Value: rdfNil}
		} else {
			*t = r.labels.New()
			r.at = intoCells
		}
		return true
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-', '.':
		return r.number(t)
	}
	word, ok := r.resource(t, "an object")
	switch {
	case !ok:
		return false
	case word == "true", word == "false":
		*t = Term{Kind: Literal, Value: "true", Datatype: xsdNS + "boolean"}
		if word == "false" {
			t.Value = "false"
		}
		r.pos += len(word)
	case word != "":
		return r.fail(0, "a name without a prefix: %.40q", word)
	}
	if r.inverse && t.Kind == Literal {
		return r.fail(0, "a literal cannot be a subject")
	}
	return true
}

// punctuation reads what follows an object.
func (r *TurtleReader) punctuation() bool {
	c := r.next()
	switch c {
	case ',':
		r.pos++
		r.at = atObject
		return false
	case ';':
		for c == ';' {
			r.pos++
			c = r.next()
		}
		if c != '.' && c != ']' && c != '}' {
			r.at = atVerb
			return false
		}
	}
	return r.endStatement(c)
}

// endStatement reads the end of the statements about one subject. c is the byte that next returned.
func (r *TurtleReader) endStatement(c int) bool {
	inList := len(r.open) > 0
	switch {
	case c == ']' && inList:
		r.pos++
		r.pop()
	case c == '.' && !inList:
		r.pos++
		r.at = atStatement
	case c == '}' && !inList && r.inGraph:
		r.at = atStatement
	case c < 0:
		return r.fail(0, "the document ends in a statement")
	case r.syntax == n3 && (c == '!' || c == '^'):
		return r.fail(0, "a path of Notation3 is not data")
	default:
		return r.fail(0, "after an object stands a comma, a semicolon or the end of the statement")
	}
	return false
}
