package rdfxml

// This file reads the entities that an XML document declares, and bounds what they expand to. Nothing external is read.

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Bounds on entities, against small documents that expand to huge ones. The total expansion is bounded by the
// document's size, so a long ontology may use entities for its namespaces in every line.
const (
	maxEntities  = 4096     // declared
	maxDeclared  = 1 << 20  // bytes of the document type declaration
	maxEntity    = 64 << 10 // bytes of an entity's text
	freeExpanded = 1 << 20  // bytes that all references may expand to, plus …
	maxFactor    = 16       // … this many times the size of the document
)

// entities holds the general entities of a document.
type entities struct {
	declared map[string]*entity
	seen     bool // the document type declaration was read
	expanded int  // bytes that references have expanded to
}

type entity struct {
	text []byte
	// flat: the text contains no references to other entities.
	flat, flattening bool
}

// doctype reads a document type declaration after its exclamation mark.
func (s *scanner) doctype() error {
	if s.rooted || s.entities.seen || !s.skip("DOCTYPE") {
		return s.fault("<! stands where nothing may be declared")
	}
	s.entities.seen = true
	start := s.in.read - len(s.window) + s.at
	inside := false // in the internal subset
	for s.more() {
		if s.in.read-len(s.window)+s.at-start > maxDeclared {
			return s.fault("the document type declaration is longer than %d bytes", maxDeclared)
		}
		c := s.window[s.at]
		s.at++
		s.text = s.text[:0]
		var err error
		switch {
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case c == '"' || c == '\'':
			err = s.until(string(c), "a document type declaration")
		case c == '<' && inside:
			err = s.declaration()
		case c == '>' && !inside:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return s.ended("a document type declaration")
}

// declaration reads a declaration, a comment or an instruction of the internal subset, after its first character.
func (s *scanner) declaration() error {
	switch s.peek() {
	case '?':
		s.at++
		_, err := s.instruction()
		return err
	case '!':
		s.at++
	default:
		return s.fault("an element stands in the document type declaration")
	}
	if s.peek() == '-' {
		_, err := s.comment()
		return err
	}
	word, err := s.name()
	if err != nil {
		return err
	}
	if s.space(); word == "ENTITY" && s.peek() != '%' {
		called, err := s.name()
		if err != nil {
			return err
		}
		if s.space(); s.peek() == '"' || s.peek() == '\'' {
			if err := s.declare(called); err != nil {
				return err
			}
		}
	}
	// The rest means nothing to us: external entities, elements, attributes, notations.
	for s.more() {
		c := s.window[s.at]
		s.at++
		s.text = s.text[:0]
		switch c {
		case '>':
			return nil
		case '"', '\'':
			if err := s.until(string(c), "a declaration"); err != nil {
				return err
			}
		}
	}
	return s.ended("a declaration")
}

// declare reads the text of an entity. The first declaration of an entity counts.
func (s *scanner) declare(called string) error {
	quote := s.window[s.at]
	s.at++
	s.text = s.text[:0]
	if err := s.until(string(quote), "an entity"); err != nil {
		return err
	}
	if len(s.text) > maxEntity {
		return s.fault("the entity %s is longer than %d bytes", called, maxEntity)
	}
	if len(s.entities.declared) == maxEntities {
		return s.fault("more than %d entities are declared", maxEntities)
	}
	if s.entities.declared[called] != nil {
		return nil
	}
	// References to characters are resolved here, those to entities only where the entity is used.
	var out []byte
	err := eachReference(s.text, func(plain, reference []byte) error {
		out = append(out, plain...)
		if len(reference) == 0 || reference[0] != '#' {
			out = append(out, written(reference)...)
			return nil
		}
		r, ok := character(reference[1:])
		if !ok {
			return s.fault("&%s; is no character", reference)
		}
		out = utf8.AppendRune(out, r)
		return nil
	})
	s.entities.declared[called] = &entity{text: out}
	return err
}

// flatten replaces the entities in the text of e. References to characters and to the predefined entities stay, because
// they are never markup.
func (s *scanner) flatten(called string, e *entity) error {
	switch {
	case e.flat:
		return nil
	case e.flattening:
		return s.fault("the entity %s contains itself", called)
	}
	e.flattening = true
	var out []byte
	err := eachReference(e.text, func(plain, reference []byte) error {
		out = append(out, plain...)
		if len(reference) == 0 {
			return nil
		}
		if reference[0] == '#' || predefined(reference) != 0 {
			out = append(out, written(reference)...)
			return nil
		}
		inner := s.entities.declared[string(reference)]
		if inner == nil {
			return s.fault("the entity %s is not declared", reference)
		}
		if err := s.flatten(string(reference), inner); err != nil {
			return err
		}
		if out = append(out, inner.text...); len(out) > maxEntity {
			return s.fault("the entity %s stands for more than %d bytes", called, maxEntity)
		}
		return nil
	})
	e.text, e.flat = out, true
	if err != nil {
		return err
	}
	return s.expand(len(out))
}

// expand counts n bytes of an entity's text.
func (s *scanner) expand(n int) error {
	if s.entities.expanded += n; s.entities.expanded > freeExpanded+maxFactor*s.in.read {
		return s.fault("entities stand for more than %d times the document", maxFactor)
	}
	return nil
}

// eachReference calls do for each reference in b, without ampersand and semicolon, with the text before it; and at the
// end with the rest of the text and no reference.
func eachReference(b []byte, do func(plain, reference []byte) error) error {
	for {
		start := bytes.IndexByte(b, '&')
		if start < 0 {
			return do(b, nil)
		}
		n := bytes.IndexByte(b[start:], ';')
		if n < 2 {
			return do(b, nil) // a mistake, reported when the entity is used
		}
		if err := do(b[:start], b[start+1:start+n]); err != nil {
			return err
		}
		b = b[start+n+1:]
	}
}

// written returns a reference with its ampersand and semicolon.
func written(reference []byte) []byte {
	if len(reference) == 0 {
		return nil
	}
	return append(append([]byte{'&'}, reference...), ';')
}

// reference reads a reference after its ampersand and appends its text. An entity with markup is read in place of the
// document until it ends.
func (s *scanner) reference() error {
	start := len(s.text)
	for c := s.peek(); c != ';'; c = s.peek() {
		if nameBytes[c] == 0 && c != '#' || len(s.text)-start == maxName {
			return s.fault("a & begins no reference (a plain one is written &amp;)")
		}
		s.text = append(s.text, c)
		s.at++
	}
	s.at++
	called := s.text[start:]
	s.text = s.text[:start]
	if len(called) > 0 && called[0] == '#' {
		r, ok := character(called[1:])
		if !ok {
			return s.fault("&%s; is no character", called)
		}
		return s.add(utf8.AppendRune(nil, r)...)
	}
	if c := predefined(called); c != 0 {
		return s.add(c)
	}
	e := s.entities.declared[string(called)]
	if e == nil {
		return s.fault("the entity %s is not declared", called)
	}
	if err := s.flatten(string(called), e); err != nil {
		return err
	}
	if err := s.expand(len(e.text)); err != nil {
		return err
	}
	if !bytes.ContainsAny(e.text, "<&") {
		return s.add(e.text...)
	}
	if s.entity {
		return s.fault("the entity %s has markup inside another entity", called)
	}
	s.entity, s.back = true, s.at
	s.window, s.at = e.text, 0
	return nil
}

// predefined returns the character of one of XML's own entities; 0 for any other entity.
func predefined(called []byte) byte {
	switch string(called) {
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "amp":
		return '&'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	return 0
}

// character returns the character of a character reference, from the text after its number sign.
func character(digits []byte) (r rune, ok bool) {
	base := 10
	if hex, ok := bytes.CutPrefix(digits, []byte("x")); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(string(digits), base, 21)
	r = rune(n)
	switch {
	case err != nil, r < ' ' && r != '\t' && r != '\n' && r != '\r', !utf8.ValidRune(r), r == 0xFFFE, r == 0xFFFF:
		return 0, false
	}
	return r, true
}
