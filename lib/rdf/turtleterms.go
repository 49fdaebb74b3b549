package rdf

// This file reads the terms of Turtle that N-Triples does not have.

import (
	"strings"
	"unicode/utf8"
)

// resource reads an IRI, a prefixed name or a label. A bare word is returned as word and not consumed.
func (r *TurtleReader) resource(t *Term, what string) (word string, ok bool) {
	switch c := r.next(); {
	case c < 0:
		return "", r.fail(0, "the document ends before %s", what)
	case c == '<':
		*t = Term{Kind: IRI}
		t.Value, ok = r.iri()
		return "", ok
	case c == '_':
		label, ok := r.label()
		*t = Named(label)
		return "", ok
	case r.syntax == n3 && c == '{':
		return "", r.fail(0, "a formula of Notation3 is not data")
	case r.syntax == n3 && c == '?':
		return "", r.fail(0, "a variable of Notation3 is not data")
	case r.syntax == n3 && (c == '!' || c == '^'): // in a collection, or after a subject
		return "", r.fail(0, "a path of Notation3 is not data")
	}
	k, ok := r.prefixName()
	if !ok {
		return "", r.fail(0, "%s cannot begin so", what)
	}
	if !r.has(k+1) || r.rest()[k] != ':' {
		word, _, _ = strings.Cut(string(r.rest()[:k]), ".")
		return word, true
	}
	*t = Term{Kind: IRI}
	t.Value, ok = r.prefixed(k)
	return "", ok
}

// prefixName returns the length of the prefix or word that follows, and whether it begins as one may. It may be empty.
func (r *TurtleReader) prefixName() (int, bool) {
	k := r.name(0)
	first, _ := utf8.DecodeRune(r.rest())
	return k, k > 0 && startsName(first) || first == ':'
}

// prefixed reads a prefixed name; its colon is k bytes after pos.
func (r *TurtleReader) prefixed(k int) (string, bool) {
	local := k + 1
	end, escaped := local, false
scan:
	for {
		from := end
		end = r.run(end, inName|dot|colon)
		switch b := r.rest(); {
		case end < len(b) && b[end] == '%':
			if r.span(end+1, hexDigit) < end+3 {
				return "", r.fail(end, "%% wants two hexadecimal digits")
			}
			end += 3
		case end < len(b) && b[end] == '\\':
			if !r.has(end+2) || strings.IndexByte("_~.-!$&'()*+,;=/?#@%", r.rest()[end+1]) < 0 {
				return "", r.fail(end, "there is no such escape in a local name")
			}
			end, escaped = end+2, true
		default:
			for end > from && b[end-1] == '.' {
				end--
			}
			break scan
		}
	}
	b := r.rest()
	if first, _ := utf8.DecodeRune(b[local:end]); local < end && !startsLabel(first) && first != ':' && first != '%' && first != '\\' {
		end = local
	}
	if means, known := r.known.recall(b[:end]); known {
		r.pos += end
		return means, true
	}
	if end > maxIRI {
		return "", r.fail(0, "a prefixed name is longer than %d bytes", maxIRI)
	}
	namespace, ok := r.prefixes[string(b[:k])]
	if !ok {
		return "", r.fail(0, "the prefix %.40q is not declared", b[:k])
	}
	r.scratch = append(r.scratch[:0], namespace...)
	if escaped {
		for _, c := range b[local:end] {
			if c != '\\' {
				r.scratch = append(r.scratch, c)
			}
		}
	} else {
		r.scratch = append(r.scratch, b[local:end]...)
	}
	means := r.strings.add(r.scratch)
	r.learn(b[:end], name{r.strings.add(b[:end]), means})
	r.pos += end
	return means, true
}

// literal reads a literal in quotes.
func (r *TurtleReader) literal(t *Term) (ok bool) {
	if r.inverse {
		return r.fail(0, "a literal cannot be a subject")
	}
	*t = Term{Kind: Literal}
	if t.Value, ok = r.text(true); !ok {
		return false
	}
	switch r.next() {
	case '@':
		t.Language, ok = r.language()
		return ok
	case '^':
		if !r.has(2) || r.rest()[1] != '^' {
			return r.fail(0, "a datatype follows ^^")
		}
		r.pos += 2
		c := r.next()
		var d Term
		if word, ok := r.resource(&d, "a datatype"); !ok || word != "" || c == '_' {
			return r.fail(0, "a datatype is an IRI")
		}
		t.Datatype = datatype(d.Value)
	}
	return true
}

// number reads an integer, a decimal or a double.
func (r *TurtleReader) number(t *Term) bool {
	from := 0
	if c := r.rest()[0]; c == '+' || c == '-' {
		from = 1
	}
	whole := r.span(from, digit)
	end, kind := whole, "integer"
	if r.has(whole+1) && r.rest()[whole] == '.' {
		if fraction := r.span(whole+1, digit); fraction > whole+1 {
			end, kind = fraction, "decimal"
		} else if whole > from && r.exponent(fraction) > fraction {
			end = fraction
		}
	}
	if e := r.exponent(end); end > from && e > end {
		end, kind = e, "double"
	}
	if end == from {
		return r.fail(0, "an object cannot begin so")
	}
	if r.inverse {
		return r.fail(0, "a literal cannot be a subject")
	}
	*t = Term{Kind: Literal, Value: r.strings.add(r.rest()[:end]), Datatype: xsdNS + kind}
	r.pos += end
	return true
}

// exponent returns the end of the exponent that begins k bytes after pos; k if there is none.
func (r *TurtleReader) exponent(k int) int {
	if !r.has(k+1) || r.rest()[k]|0x20 != 'e' {
		return k
	}
	digits := k + 1
	if r.has(digits+1) && (r.rest()[digits] == '+' || r.rest()[digits] == '-') {
		digits++
	}
	if end := r.span(digits, digit); end > digits {
		return end
	}
	return k
}
