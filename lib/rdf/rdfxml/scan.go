package rdfxml

// This file splits an XML document into tokens, as the first step of reading RDF/XML. The document is hostile input.

import (
	"bytes"
	"io"
	"strings"

	"kavosh/lib/rdf"
)

// Bounds on a document.
const (
	maxToken      = 4 << 20 // bytes of a text, of all values in a tag, of a literal
	maxName       = 1 << 12 // bytes of a name, of a language
	maxIRI        = 1 << 16 // bytes of an IRI
	maxNamespace  = 4 << 10 // bytes of a namespace or base, with which many IRIs may begin
	maxDepth      = 1024    // nesting of elements
	maxAttributes = 256     // of one element
	maxPrefixes   = 1024    // namespace declarations in force at one place
	maxInterned   = 4096    // names remembered
)

const (
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsSpace = "http://www.w3.org/2000/xmlns/"
)

type kind uint8

const (
	startTag kind = iota
	endTag
	text
	comment
	instruction
)

// token is a piece of a document. Its text is valid until the next one is read.
type token struct {
	kind       kind
	name       name        // of a tag
	attributes []attribute // of a start tag, without namespace declarations
	text       []byte      // of a text or comment; for an instruction, with its target
}

type attribute struct {
	name  name
	value string
}

type binding struct{ prefix, space string }

// scanner reads XML 1.0 with namespaces. It checks well-formedness but not validity. Of a document type declaration it
// reads only the general entities in the internal subset (dtd.go).
type scanner struct {
	in       *input
	window   []byte // the input's window, or the text of an entity
	at       int
	entity   bool // window is the text of an entity
	back     int  // where to continue in the input's window after it
	entities entities

	text       []byte
	attributes []attribute
	bindings   []binding
	open       []element // open elements
	tag        int       // bytes of the values in the current tag
	closing    bool      // the innermost element is an empty-element tag, which ends at once
	rooted     bool      // a root element has begun
	interned   map[string]string
}

type element struct {
	name   name
	around int // how many namespace declarations are in force around it
	inside int // … and inside it
}

func newScanner(r io.Reader, warnings *rdf.Warnings) *scanner {
	return &scanner{in: newInput(r, warnings), interned: map[string]string{}, entities: entities{declared: map[string]*entity{}}}
}

// more makes sure that there is a byte at s.at; false at the end.
func (s *scanner) more() bool {
	for s.at == len(s.window) {
		if s.entity {
			s.entity, s.window, s.at = false, s.in.window, s.back
			continue
		}
		if !s.in.next() {
			s.window, s.at = nil, 0
			return false
		}
		s.window, s.at = s.in.window, 0
	}
	return true
}

// fault returns a fault at the current position. Inside an entity, that is the place after the reference to it.
func (s *scanner) fault(format string, args ...any) *rdf.Fault {
	at := s.at
	if s.entity {
		at = s.back
	}
	return s.in.fault(min(at, len(s.in.window)), format, args...)
}

// ended returns why there is no more: a read error, or a document that ends inside what.
func (s *scanner) ended(what string) error {
	if s.in.err != io.EOF {
		return s.in.err
	}
	return s.fault("the document ends inside %s", what)
}

// peek returns the next byte; 0 at the end, because no character is 0.
func (s *scanner) peek() byte {
	if !s.more() {
		return 0
	}
	return s.window[s.at]
}

// skip skips word. It returns false if something else is there; then part of word may be consumed.
func (s *scanner) skip(word string) bool {
	for i := range len(word) {
		if s.peek() != word[i] {
			return false
		}
		s.at++
	}
	return true
}

// space skips white space and reports whether there was any.
func (s *scanner) space() bool {
	found := false
	for {
		switch s.peek() {
		case ' ', '\t', '\n':
			s.at++
			found = true
		default:
			return found
		}
	}
}

// add appends b to the text of the token. It fails if that becomes too long.
func (s *scanner) add(b ...byte) error {
	if len(s.text)+len(b) > maxToken {
		return s.fault("a text is longer than %d bytes", maxToken)
	}
	s.text = append(s.text, b...)
	return nil
}

// until appends to the text everything before word, and skips word. what names the token in errors.
func (s *scanner) until(word, what string) error {
	start := len(s.text)
	last := word[len(word)-1]
	for s.more() {
		n := bytes.IndexByte(s.window[s.at:], last) + 1
		found := n > 0
		if !found {
			n = len(s.window) - s.at
		}
		if err := s.add(s.window[s.at : s.at+n]...); err != nil {
			return err
		}
		s.at += n
		if found && bytes.HasSuffix(s.text[start:], []byte(word)) {
			s.text = s.text[:len(s.text)-len(word)]
			return nil
		}
	}
	return s.ended(what)
}

// next returns the next token, or io.EOF at the end.
func (s *scanner) next() (token, error) {
	if s.closing {
		s.closing = false
		return s.close(), nil
	}
	s.text = s.text[:0]
	for s.more() {
		if s.window[s.at] != '<' {
			if len(s.open) > 0 {
				return s.characters()
			}
			if !s.space() {
				return token{}, s.fault("there is text outside of the root element")
			}
			continue
		}
		s.at++
		switch s.peek() {
		case '/':
			s.at++
			return s.endTag()
		case '?':
			s.at++
			return s.instruction()
		case '!':
			s.at++
			switch s.peek() {
			case '-':
				return s.comment()
			case '[':
				return s.section()
			}
			if err := s.doctype(); err != nil {
				return token{}, err
			}
		default:
			return s.startTag()
		}
	}
	if s.in.err != io.EOF {
		return token{}, s.in.err
	}
	if n := len(s.open); n > 0 {
		return token{}, s.fault("the document ends inside <%s>", s.open[n-1].name.qualified())
	}
	if !s.rooted {
		return token{}, s.fault("there is no element")
	}
	return token{}, io.EOF
}

// comment reads a comment after its exclamation mark.
func (s *scanner) comment() (token, error) {
	if !s.skip("--") {
		return token{}, s.fault("<!- begins no comment")
	}
	if err := s.until("--", "a comment"); err != nil {
		return token{}, err
	}
	if !s.skip(">") {
		return token{}, s.fault("a comment has -- inside")
	}
	return token{kind: comment, text: s.text}, nil
}

// instruction reads a processing instruction after its question mark.
func (s *scanner) instruction() (token, error) {
	if err := s.until("?>", "an instruction"); err != nil {
		return token{}, err
	}
	target := s.text
	if end := bytes.IndexAny(target, " \t\n"); end >= 0 {
		target = target[:end]
	}
	if !isNCName(string(target)) {
		return token{}, s.fault("an instruction has no name")
	}
	return token{kind: instruction, text: s.text}, nil
}

// section reads a CDATA section after its exclamation mark.
func (s *scanner) section() (token, error) {
	if len(s.open) == 0 || !s.skip("[CDATA[") {
		return token{}, s.fault("<![ begins no text here")
	}
	err := s.until("]]>", "a CDATA section")
	return token{kind: text, text: s.text}, err
}

// characters reads the text up to the next markup.
func (s *scanner) characters() (token, error) {
	for s.more() {
		rest := s.window[s.at:]
		n := bytes.IndexAny(rest, "<&")
		if n < 0 {
			n = len(rest)
		}
		if err := s.add(rest[:n]...); err != nil {
			return token{}, err
		}
		s.at += n
		if n == len(rest) {
			continue
		}
		if rest[n] == '<' {
			break
		}
		s.at++
		if err := s.reference(); err != nil {
			return token{}, err
		}
	}
	return token{kind: text, text: s.text}, nil
}

func (s *scanner) name() (string, error) {
	start := len(s.text)
	for s.more() {
		rest := s.window[s.at:]
		n := 0
		for n < len(rest) && nameBytes[rest[n]] > 0 {
			n++
		}
		if len(s.text)-start+n > maxName {
			return "", s.fault("a name is longer than %d bytes", maxName)
		}
		s.text = append(s.text, rest[:n]...)
		s.at += n
		if n < len(rest) {
			break
		}
	}
	read := s.text[start:]
	s.text = s.text[:start]
	if known, ok := s.interned[string(read)]; ok {
		return known, nil
	}
	word := string(read)
	if !isName(word) {
		return "", s.fault("%.60q is no name", word)
	}
	if len(s.interned) == maxInterned {
		clear(s.interned)
	}
	s.interned[word] = word
	return word, nil
}

func (s *scanner) split(qualified string) (name, error) {
	prefix, local, ok := strings.Cut(qualified, ":")
	if !ok {
		return name{local: qualified}, nil
	}
	if prefix == "" || !isNCName(local) {
		return name{}, s.fault("%.60q has a colon where none may stand", qualified)
	}
	return name{prefix: prefix, local: local}, nil
}

// startTag reads a start tag or an empty-element tag, after its first character.
func (s *scanner) startTag() (token, error) {
	if s.rooted && len(s.open) == 0 {
		return token{}, s.fault("there is a second root element")
	}
	if len(s.open) == maxDepth {
		return token{}, s.fault("elements lie deeper than %d inside one another", maxDepth)
	}
	s.rooted = true
	qualified, err := s.name()
	if err != nil {
		return token{}, err
	}
	opened := element{around: len(s.bindings)}
	if opened.name, err = s.split(qualified); err != nil {
		return token{}, err
	}
	s.attributes, s.tag = s.attributes[:0], 0
	for {
		spaced := s.space()
		switch s.peek() {
		case '/':
			s.closing = true
			s.at++
			if s.peek() != '>' {
				return token{}, s.fault("a / stands inside <%s", qualified)
			}
		case '>':
		case 0:
			return token{}, s.ended("<" + qualified)
		default:
			if !spaced {
				return token{}, s.fault("white space is missing in <%s", qualified)
			}
			if err := s.attribute(); err != nil {
				return token{}, err
			}
			continue
		}
		s.at++
		break
	}
	if opened.name.space, err = s.lookup(opened.name.prefix); err != nil {
		return token{}, err
	}
	for i := range s.attributes {
		a := &s.attributes[i]
		if a.name.prefix != "" {
			if a.name.space, err = s.lookup(a.name.prefix); err != nil {
				return token{}, err
			}
		}
		for _, b := range s.attributes[:i] {
			if a.name.local == b.name.local && a.name.space == b.name.space {
				return token{}, s.fault("<%s has %s twice", qualified, a.name.qualified())
			}
		}
	}
	opened.inside = len(s.bindings)
	s.open = append(s.open, opened)
	return token{kind: startTag, name: opened.name, attributes: s.attributes}, nil
}

// attribute reads one attribute. A namespace declaration takes effect.
func (s *scanner) attribute() error {
	qualified, err := s.name()
	if err != nil {
		return err
	}
	n, err := s.split(qualified)
	if err != nil {
		return err
	}
	s.space()
	if s.peek() != '=' {
		return s.fault("the attribute %s has no value", qualified)
	}
	s.at++
	s.space()
	value, err := s.quoted(qualified)
	if err != nil {
		return err
	}
	if s.tag += len(value); s.tag > maxToken {
		return s.fault("a tag is longer than %d bytes", maxToken)
	}
	switch {
	case n.prefix == "xmlns":
		return s.bind(n.local, value)
	case qualified == "xmlns":
		return s.bind("", value)
	}
	if len(s.attributes) == maxAttributes {
		return s.fault("an element has more than %d attributes", maxAttributes)
	}
	s.attributes = append(s.attributes, attribute{n, value})
	return nil
}

// quoted reads the value of the attribute called qualified.
func (s *scanner) quoted(qualified string) (string, error) {
	quote := s.peek()
	if quote != '"' && quote != '\'' {
		return "", s.fault("the value of %s is not in quotes", qualified)
	}
	s.at++
	s.text = s.text[:0]
	inside := s.entity // a quote inside an entity does not end the value
	for s.more() {
		rest := s.window[s.at:]
		n := 0
		for n < len(rest) && rest[n] != quote && rest[n] != '&' && rest[n] != '<' && rest[n] != '\n' && rest[n] != '\t' {
			n++
		}
		if err := s.add(rest[:n]...); err != nil {
			return "", err
		}
		s.at += n
		if n == len(rest) {
			continue
		}
		s.at++
		var err error
		switch rest[n] {
		case '&':
			err = s.reference()
		case '<':
			err = s.fault("there is a < in the value of %s", qualified)
		case '\n', '\t':
			err = s.add(' ')
		case quote:
			if s.entity != inside {
				err = s.add(quote)
				break
			}
			return string(s.text), nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", s.ended("the value of " + qualified)
}

// bind makes a namespace declaration take effect.
func (s *scanner) bind(prefix, space string) error {
	around := 0 // where the declarations of this tag begin
	if n := len(s.open); n > 0 {
		around = s.open[n-1].inside
	}
	for _, b := range s.bindings[around:] {
		if b.prefix == prefix {
			return s.fault("the prefix %.60q is declared twice", prefix)
		}
	}
	switch {
	case prefix == "xmlns", (prefix == "xml") != (space == xmlSpace), space == xmlnsSpace, space == "" && prefix != "":
		return s.fault("the prefix %q cannot stand for %.60q", prefix, space)
	case len(space) > maxNamespace:
		return s.fault("a namespace has more than %d bytes", maxNamespace)
	case len(s.bindings) == maxPrefixes:
		return s.fault("more than %d namespace declarations are in force", maxPrefixes)
	}
	s.bindings = append(s.bindings, binding{prefix, space})
	return nil
}

// lookup returns the namespace of prefix here.
func (s *scanner) lookup(prefix string) (space string, err error) {
	for i := len(s.bindings) - 1; i >= 0; i-- {
		if s.bindings[i].prefix == prefix {
			return s.bindings[i].space, nil
		}
	}
	switch prefix {
	case "":
		return "", nil
	case "xml":
		return xmlSpace, nil
	}
	return "", s.fault("the prefix %.60q is not declared", prefix)
}

// endTag reads an end tag after its slash.
func (s *scanner) endTag() (token, error) {
	qualified, err := s.name()
	if err != nil {
		return token{}, err
	}
	s.space()
	if s.peek() != '>' {
		return token{}, s.fault("</%s is not closed", qualified)
	}
	if len(s.open) == 0 {
		return token{}, s.fault("</%s> ends nothing", qualified)
	}
	if is := s.open[len(s.open)-1].name.qualified(); is != qualified {
		return token{}, s.fault("</%s> stands where <%s> should end", qualified, is)
	}
	s.at++
	return s.close(), nil
}

// close ends the innermost element.
func (s *scanner) close() token {
	last := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	s.bindings = s.bindings[:last.around]
	return token{kind: endTag, name: last.name}
}
