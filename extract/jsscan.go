package extract

// This file is the one scanner of JavaScript in extract, made for hostile input: it never fails.

import (
	"bytes"
	"unicode/utf8"

	"kavosh/lib/ascii"
)

// jsScanner splits JavaScript into tokens: code, comments, strings, templates and regular expressions. The token before
// '/' decides whether it divides or begins a regular expression. In doubt the more common one is assumed; a regular
// expression that does not end on its line was a division.
type jsScanner struct {
	src   []byte
	pos   int
	prev  jsKind // kind of the token before, to interpret '/'
	word  bool   // … a keyword that an expression follows
	punct punct  // … the punctuator, if prev is jsPunct
	buf   []byte // for strings with escapes, until the next string

	divided int // no regular expression ends before this offset: a search found none
}

type jsKind uint8

const (
	jsEnd      jsKind = iota
	jsIdent           // a name or keyword; text is the name
	jsNumber          // text is the number as written
	jsString          // text is the value; also templates without substitutions
	jsTemplate        // `text${ or }text${: text is the value; an expression follows
	jsTail            // }text`: the end of a template
	jsRegexp
	jsPunct // see punct
)

// punct is a punctuator of up to four characters.
type punct string

// next returns the next token. text is valid until the second call after this one.
func (s *jsScanner) next() (kind jsKind, text []byte, p punct) {
	s.skip()
	if s.pos >= len(s.src) {
		return jsEnd, nil, ""
	}
	c := s.src[s.pos]
	switch {
	case isIdentStart(c):
		start := s.pos
		for s.pos < len(s.src) && isIdentPart(s.src[s.pos]) {
			s.pos++
		}
		kind, text = jsIdent, s.src[start:s.pos]
		s.word = beforeExpression(text)
	case ascii.IsDigit(c) || c == '.' && s.pos+1 < len(s.src) && ascii.IsDigit(s.src[s.pos+1]):
		start := s.pos
		for s.pos < len(s.src) && (isIdentPart(s.src[s.pos]) || s.src[s.pos] == '.') {
			s.pos++
		}
		kind, text = jsNumber, s.src[start:s.pos]
	case c == '"' || c == '\'':
		s.pos++
		kind, text = jsString, s.string(c)
	case c == '`':
		s.pos++
		kind, text = s.template()
		if kind == jsTail {
			kind = jsString
		}
	case c == '/' && s.regexpAhead():
		kind = jsRegexp
	default:
		kind, p = jsPunct, s.punctuator()
		s.punct = p
	}
	s.prev = kind
	return kind, text, p
}

// skip skips white space and comments.
func (s *jsScanner) skip() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		rest := s.src[s.pos:]
		switch {
		case c <= ' ':
			s.pos++
		case c == '/' && len(rest) > 1 && rest[1] == '/', c == '<' && bytes.HasPrefix(rest, []byte("<!--")),
			c == '#' && s.pos == 0 && bytes.HasPrefix(rest, []byte("#!")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.pos += end
		case c == '/' && len(rest) > 1 && rest[1] == '*':
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				s.pos = len(s.src)
				return
			}
			s.pos += end + 4
		case c == 0xC2 && len(rest) > 1 && rest[1] == 0xA0:
			s.pos += 2
		case c == 0xEF && bytes.HasPrefix(rest, []byte("\uFEFF")):
			s.pos += 3
		default:
			return
		}
	}
}

// string reads a string after its opening quote. An unclosed string ends at the end of its line.
func (s *jsScanner) string(quote byte) []byte {
	start := s.pos
	for i := start; i < len(s.src); i++ {
		switch s.src[i] {
		case quote:
			s.pos = i + 1
			return s.src[start:i]
		case '\n':
			s.pos = i
			return s.src[start:i]
		case '\\':
			s.buf = append(s.buf[:0], s.src[start:i]...)
			s.buf, s.pos = unescapeJS(s.buf, s.src, i, quote)
			return s.buf
		}
	}
	s.pos = len(s.src)
	return s.src[start:]
}

// template reads a template's text up to ${ (jsTemplate) or its end (jsTail).
func (s *jsScanner) template() (jsKind, []byte) {
	start := s.pos
	escaped := false
	for i := start; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '\\':
			escaped = true
			i++
		case c == '`' || c == '$' && i+1 < len(s.src) && s.src[i+1] == '{':
			text := s.src[start:i]
			if escaped {
				s.buf, _ = unescapeJS(s.buf[:0], text, 0, 0)
				text = s.buf
			}
			if c == '`' {
				s.pos = i + 1
				return jsTail, text
			}
			s.pos = i + 2
			return jsTemplate, text
		}
	}
	s.pos = len(s.src)
	return jsTail, s.src[start:]
}

// afterSubstitution continues a template after a ${…}.
func (s *jsScanner) afterSubstitution() (jsKind, []byte) {
	kind, text := s.template()
	s.prev = jsString
	return kind, text
}

// maxRegexp bounds how far to look for the end of a regular expression, in bytes.
const maxRegexp = 16 << 10

// regexpAhead skips a regular expression if one begins here.
func (s *jsScanner) regexpAhead() bool {
	switch s.prev {
	case jsNumber, jsString, jsRegexp, jsTail:
		return false
	case jsIdent:
		if !s.word {
			return false
		}
	case jsPunct:
		if s.punct == ")" || s.punct == "]" || s.punct == "++" || s.punct == "--" {
			return false
		}
	}
	if s.pos < s.divided {
		return false
	}
	class := false
	end := min(len(s.src), s.pos+maxRegexp)
	s.divided = end
	for i := s.pos + 1; i < end; i++ {
		switch s.src[i] {
		case '\n', '\r':
			s.divided = i
			return false
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				i++
				for i < len(s.src) && ascii.IsLetter(s.src[i]) {
					i++
				}
				s.pos, s.divided = i, 0
				return true
			}
		}
	}
	return false
}

// punctuators are those of several characters that mean something else than their first character.
var punctuators = [...]punct{"===", "!==", "**=", "<<=", ">>=", "&&=", "||=", "??=", "...", "==", "!=", "=>", "<=",
	">=", "&&", "||", "??", "?.", "++", "--",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**"}

func (s *jsScanner) punctuator() punct {
	rest := s.src[s.pos:]
	if len(rest) > 1 {
		switch rest[1] {
		case '=', '>', '<', '&', '|', '?', '.', '+', '-', '*':
			for _, p := range punctuators {
				if len(rest) >= len(p) && string(rest[:len(p)]) == string(p) {
					if p == "?." && len(rest) > 2 && ascii.IsDigit(rest[2]) {
						continue // a ?.5 : b
					}
					s.pos += len(p)
					return p
				}
			}
		}
	}
	s.pos++
	return singles[rest[0]]
}

// singles holds the punctuators of one byte, so that none is allocated.
var singles = func() (all [256]punct) {
	for i := range all {
		all[i] = punct([]byte{byte(i)})
	}
	return all
}()

func isIdentStart(c byte) bool {
	return ascii.IsLetter(c) || c == '_' || c == '$' || c >= 0x80 || c == '\\'
}

func isIdentPart(c byte) bool { return isIdentStart(c) || ascii.IsDigit(c) }

// beforeExpression reports whether a name is a keyword that an operand follows.
func beforeExpression(name []byte) bool {
	switch string(name) {
	case "return", "typeof", "case", "in", "of", "new", "delete", "void", "throw", "else", "do", "await", "yield",
		"instanceof", "default", "extends":
		return true
	}
	return false
}

// unescapeJS appends to dst the rest of a string, from the escape at src[pos] up to the closing quote, and returns the
// position after the quote. With quote 0 it reads to the end of src.
func unescapeJS(dst, src []byte, pos int, quote byte) ([]byte, int) {
	for pos < len(src) {
		c := src[pos]
		if c == quote && quote != 0 {
			return dst, pos + 1
		}
		if c != '\\' {
			if c == '\n' && quote != 0 {
				return dst, pos
			}
			dst = append(dst, c)
			pos++
			continue
		}
		pos++
		if pos >= len(src) {
			break
		}
		c = src[pos]
		pos++
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b', 'f', 'v', '0':
			dst = append(dst, ' ')
		case '\r':
			if pos < len(src) && src[pos] == '\n' {
				pos++
			}
		case '\n':
		case 'x':
			if r, ok := hexRune(src, pos, 2); ok {
				dst = utf8.AppendRune(dst, r)
				pos += 2
			}
		case 'u':
			if pos < len(src) && src[pos] == '{' {
				end := bytes.IndexByte(src[pos:min(len(src), pos+10)], '}')
				if end > 1 {
					if r, ok := hexRune(src, pos+1, end-1); ok {
						dst = utf8.AppendRune(dst, r)
						pos += end + 1
					}
				}
				continue
			}
			r, ok := hexRune(src, pos, 4)
			if !ok {
				continue
			}
			pos += 4
			if r >= 0xD800 && r < 0xDC00 && pos+1 < len(src) && src[pos] == '\\' && src[pos+1] == 'u' {
				if low, ok := hexRune(src, pos+2, 4); ok && low >= 0xDC00 && low < 0xE000 {
					r = (r-0xD800)<<10 + (low - 0xDC00) + 0x10000
					pos += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst, pos
}

// hexRune reads n hexadecimal digits at pos.
func hexRune(src []byte, pos, n int) (rune, bool) {
	if pos+n > len(src) || n > 6 {
		return 0, false
	}
	var r rune
	for _, c := range src[pos : pos+n] {
		if !ascii.IsHex(c) {
			return 0, false
		}
		r = r<<4 | rune(ascii.Hex(c))
	}
	return r, true
}
