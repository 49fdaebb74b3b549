package rdf

// This file reads the terms that N-Triples and Turtle have in common.

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"kavosh/lib/ascii"
	"kavosh/lib/iri"
)

// IRIs that the syntaxes use.
const (
	rdfNS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xsdNS = "http://www.w3.org/2001/XMLSchema#"
)

// tokens reads the terms that N-Triples and Turtle have in common. If a method returns false, the document has failed.
type tokens struct {
	source
	base    iri.Base
	strings arena
	known   *memory // nil until a name is learned
	scratch []byte  // a token with its escapes resolved
}

func newTokens(in io.Reader, base string) tokens {
	return tokens{source: newSource(in), base: iri.NewBase(base)}
}

func (t *tokens) iri() (string, bool) {
	b := t.rest()
	if n := bytes.IndexByte(b, '>'); n >= 0 {
		if means, known := t.known.recall(b[:n+1]); known {
			t.pos += n + 1
			return means, true
		}
	}
	k, from := 1, 1
	t.scratch = t.scratch[:0]
	var bad *Fault // its first character that must be percent-encoded
	for {
		for k < len(b) && class[b[k]]&inIRI != 0 {
			k++
		}
		if k == len(b) {
			if !t.more() {
				return "", t.fail(k, "an IRI is not closed")
			}
			b = t.rest()
			continue
		}
		if b[k] == '>' {
			break
		}
		t.scratch = append(t.scratch, b[from:k]...)
		r, n := rune(b[k]), 1
		if r == '\\' {
			if r, n = t.escape(k); n == 0 {
				return "", false
			}
		}
		switch {
		case n > 2 && (r >= utf8.RuneSelf || class[r]&inIRI != 0):
			t.scratch = utf8.AppendRune(t.scratch, r)
		case n != 2 && strings.ContainsRune(encoded, r):
			if bad == nil {
				bad = t.fault(k, "an IRI cannot have %q in it", r)
			}
			t.scratch = fmt.Appendf(t.scratch, "%%%02X", r)
		default:
			return "", t.fail(k, "an IRI cannot have %q in it", r)
		}
		b = t.rest()
		k += n
		from = k
	}
	text := b[1:k]
	if from > 1 {
		t.scratch = append(t.scratch, b[from:k]...)
		text = t.scratch
	}
	if k > maxIRI {
		return "", t.fail(0, "an IRI is longer than %d bytes", maxIRI)
	}
	if !t.utf8(1, k) {
		return "", false
	}
	written := t.strings.add(b[:k+1])
	means := written[1:k]
	if from > 1 {
		means = t.strings.add(text)
	}
	means, ok := t.base.Resolve(means)
	if !ok {
		return "", t.fail(0, "a relative IRI, and no base")
	}
	if len(means) > maxIRI {
		return "", t.fail(0, "an IRI is longer than %d bytes", maxIRI)
	}
	if bad != nil {
		t.warnings.Warn(bad) // each time: it is not learned
	} else {
		t.learn(b[:k+1], name{written, means})
	}
	t.pos += k + 1
	return means, true
}

// encoded are the characters that an IRI cannot have, but that do not look as if its > were missing. They are
// percent-encoded, with a warning.
const encoded = " {}|^`"

// utf8 checks that the bytes from k to end, counted from pos, are UTF-8.
func (t *tokens) utf8(k, end int) bool {
	b := t.rest()[:end]
	if utf8.Valid(b[k:]) {
		return true
	}
	for {
		r, n := utf8.DecodeRune(b[k:])
		if r == utf8.RuneError && n == 1 {
			return t.fail(k, "not UTF-8")
		}
		k += n
	}
}

// escape reads the escape that begins k bytes after pos. It returns the character and the length of the escape; 0 if it
// is invalid.
func (t *tokens) escape(k int) (rune, int) {
	if !t.has(k + 2) {
		t.fail(k, "the document ends in an escape")
		return 0, 0
	}
	digits := 0
	switch c := t.rest()[k+1]; c {
	case 't':
		return '\t', 2
	case 'b':
		return '\b', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 'f':
		return '\f', 2
	case '"', '\'', '\\':
		return rune(c), 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		t.fail(k, "there is no escape \\%c", c)
		return 0, 0
	}
	if !t.has(k + 2 + digits) {
		t.fail(k, "the document ends in an escape")
		return 0, 0
	}
	var r uint32
	for _, c := range t.rest()[k+2 : k+2+digits] {
		d := ascii.Hex(c)
		if d < 0 {
			t.fail(k, "an escape wants %d hexadecimal digits", digits)
			return 0, 0
		}
		r = r<<4 | uint32(d)
	}
	if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
		t.fail(k, "U+%04X is no character", r)
		return 0, 0
	}
	return rune(r), 2 + digits
}

// text reads a literal's lexical form in single or double quotes, and in three of them if long is set.
func (t *tokens) text(long bool) (string, bool) {
	t.has(3)
	b := t.rest()
	quote, k := b[0], 1
	if len(b) >= 2 && b[1] == quote {
		if len(b) < 3 || b[2] != quote || !long {
			t.pos += 2
			return "", true
		}
		k = 3
	} else {
		long = false
	}
	first, from := k, k
	t.scratch = t.scratch[:0]
scan:
	for {
		for k < len(b) && class[b[k]]&inString != 0 {
			k++
		}
		if k == len(b) {
			if !t.more() {
				return "", t.fail(0, "a literal is not closed")
			}
			b = t.rest()
			continue
		}
		switch b[k] {
		case quote:
			if !long {
				break scan
			}
			if !t.has(k + 3) {
				return "", t.fail(0, "a literal is not closed")
			}
			b = t.rest()
			if b[k+1] == quote && b[k+2] == quote {
				break scan
			}
			k++
		case '\\':
			t.scratch = append(t.scratch, b[from:k]...)
			r, n := t.escape(k)
			if n == 0 {
				return "", false
			}
			b = t.rest()
			t.scratch = utf8.AppendRune(t.scratch, r)
			k += n
			from = k
		case '\n', '\r':
			if !long {
				return "", t.fail(k, "a literal has a line end in it")
			}
			k++
		default:
			k++ // the other kind of quote
		}
	}
	read := b[first:k]
	if from > first {
		t.scratch = append(t.scratch, b[from:k]...)
		read = t.scratch
	}
	if !utf8.Valid(read) {
		t.warnings.Warn(t.fault(0, "a literal is not UTF-8"))
		read = bytes.ToValidUTF8(read, []byte("\uFFFD"))
	}
	text := t.strings.add(read)
	if long {
		t.skip(k + 3)
	} else {
		t.pos += k + 1
	}
	return text, true
}

// language reads a language tag after a literal and returns it in lower case.
func (t *tokens) language() (string, bool) {
	k := t.span(1, letter)
	for n := k; k > 1 && t.has(k+1) && t.rest()[k] == '-'; k = n {
		if n = t.span(k+1, letter|digit); n == k+1 {
			break
		}
	}
	switch {
	case k == 1:
		return "", t.fail(0, "@ without a language")
	case k > maxIRI:
		return "", t.fail(0, "a language tag is longer than %d bytes", maxIRI)
	}
	b := t.rest()[:k]
	means, known := t.known.recall(b)
	if !known {
		means = t.strings.add(bytes.ToLower(b[1:]))
		t.learn(b, name{t.strings.add(b), means})
	}
	t.pos += k
	return means, true
}

// span returns the end of the run of ASCII characters of class of that begins k bytes after pos.
func (t *tokens) span(k int, of uint8) int {
	for t.has(k+1) && class[t.rest()[k]]&of != 0 {
		k++
	}
	return k
}

// name returns the end of the run of PN_CHARS that begins k bytes after pos. Dots may be inside it but not at its end.
func (t *tokens) name(k int) int {
	end := t.run(k, inName|dot)
	for end > k && t.rest()[end-1] == '.' {
		end--
	}
	return end
}

// run returns the end of the run of PN_CHARS that begins k bytes after pos; its ASCII characters must be of class of.
func (t *tokens) run(k int, of uint8) int {
	b := t.rest()
	for {
		for k < len(b) && class[b[k]]&of != 0 {
			k++
		}
		if k == len(b) || b[k] >= utf8.RuneSelf && !utf8.FullRune(b[k:]) {
			if t.more() {
				b = t.rest()
				continue
			}
			if k == len(b) {
				return k
			}
		}
		if b[k] < utf8.RuneSelf {
			return k
		}
		r, n := utf8.DecodeRune(b[k:])
		if !continuesName(r) || n == 1 {
			return k
		}
		k += n
	}
}

// label reads a blank node's label, _:x.
func (t *tokens) label() (string, bool) {
	if !t.has(3) || t.rest()[1] != ':' {
		return "", t.fail(0, "a blank node's label begins with _:")
	}
	k := t.name(2)
	b := t.rest()
	switch first, _ := utf8.DecodeRune(b[2:]); {
	case k == 2 || !startsLabel(first):
		return "", t.fail(2, "a blank node's label cannot begin so")
	case k > maxIRI:
		return "", t.fail(0, "a label is longer than %d bytes", maxIRI)
	}
	means, known := t.known.recall(b[:k])
	if !known {
		written := t.strings.add(b[:k])
		means = written[2:]
		t.learn(b[:k], name{written, means})
	}
	t.pos += k
	return means, true
}

// datatype returns a datatype in the form of Term.Datatype, for a literal without language.
func datatype(iri string) string {
	if iri == xsdNS+"string" {
		return ""
	}
	return iri
}
