package extract

// This file splits HTML into tokens.

import (
	"bytes"

	"golang.org/x/net/html/atom"

	"kavosh/lib/ascii"
)

// scanner splits HTML into tags and text by the WHATWG tokeniser's rules. It does not copy: its results are slices of
// the source. golang.org/x/net/html does the same with ten allocations per tag; FuzzScanner checks that both agree
// (docs/decisions/0051).
//
// It reads like a browser without scripting: noscript contains tags. Raw text elements (script, style, title, textarea,
// iframe, noembed, noframes, xmp) yield one text token after their start tag.
type scanner struct {
	src []byte
	pos int
	xml bool      // XML rules: <![CDATA[ is text, <x/> closes, no element has raw text
	raw atom.Atom // raw text element whose end tag has not come yet

	tag      tag
	lowerBuf [64]byte // the current tag's name, if it had capitals
}

// tokenKind is the kind of token that next found.
type tokenKind uint8

const (
	endOfText tokenKind = iota
	textToken           // text; to be unescaped unless rawText
	rawText             // text of an element that contains no tags
	startTag
	endTag
	comment // also <!doctype …>, <?xml …?> and whatever else browsers treat as a comment; text is the inside
)

// tag is a start or end tag.
type tag struct {
	name    []byte // lower case
	atom    atom.Atom
	attrs   []attr // in source order; the first of repeated names counts
	closing bool   // <x/>
	prefix  []byte // XML: the name's prefix, without colon
}

// attr is one attribute, as written: with capitals and character references. See get and unescape.
type attr struct{ name, value []byte }

// maxAttrs bounds the attributes read of one tag.
const maxAttrs = 512

// get returns the raw value of the attribute with that lower-case name; nil if there is none.
func (t *tag) get(name string) []byte {
	for i := range t.attrs {
		if ascii.EqualFold(t.attrs[i].name, name) {
			return t.attrs[i].value
		}
	}
	return nil
}

// has reports whether the attribute is there, even if empty.
func (t *tag) has(name string) bool {
	for i := range t.attrs {
		if ascii.EqualFold(t.attrs[i].name, name) {
			return true
		}
	}
	return false
}

// next returns the next token. text is its text. A tag is in s.tag until the next call.
func (s *scanner) next() (kind tokenKind, text []byte) {
	if s.raw != 0 {
		start := s.pos
		s.pos = s.rawEnd()
		s.raw = 0
		if s.pos > start {
			return rawText, s.src[start:s.pos]
		}
	}
	start := s.pos
	for s.pos < len(s.src) {
		i := bytes.IndexByte(s.src[s.pos:], '<')
		if i < 0 || s.pos+i+1 >= len(s.src) {
			s.pos = len(s.src)
			break
		}
		at := s.pos + i
		c := s.src[at+1]
		if !ascii.IsLetter(c) && c != '/' && c != '!' && c != '?' {
			s.pos = at + 1
			continue
		}
		if c == '/' && at+2 >= len(s.src) {
			s.pos = len(s.src)
			break
		}
		if at > start {
			s.pos = at
			return textToken, s.src[start:at]
		}
		switch {
		case ascii.IsLetter(c):
			s.pos = at + 1
			if !s.readTag() {
				return endOfText, nil
			}
			s.expectRaw()
			return startTag, nil
		case c == '/' && ascii.IsLetter(s.src[at+2]):
			s.pos = at + 2
			if !s.readTag() {
				return endOfText, nil
			}
			return endTag, nil
		case c == '/' && s.src[at+2] == '>':
			s.pos = at + 3
			return comment, nil
		case c == '!':
			s.pos = at + 2
			if s.xml && bytes.HasPrefix(s.src[s.pos:], []byte("[CDATA[")) {
				return rawText, s.until(s.pos+len("[CDATA["), "]]>")
			}
			if bytes.HasPrefix(s.src[s.pos:], []byte("--")) {
				return comment, s.readComment()
			}
			return comment, s.until(s.pos, ">")
		default: // <?pi?> and </ junk>
			return comment, s.until(at+1, ">")
		}
	}
	if s.pos > start {
		return textToken, s.src[start:s.pos]
	}
	return endOfText, nil
}

// until returns the text from start to the terminator and continues after it.
func (s *scanner) until(start int, end string) []byte {
	i := bytes.Index(s.src[start:], []byte(end))
	if i < 0 {
		s.pos = len(s.src)
		return s.src[start:]
	}
	s.pos = start + i + len(end)
	return s.src[start : start+i]
}

// readComment reads a comment from its first "--". It may be empty, as in <!--> or <!--->, and may end with --!>.
func (s *scanner) readComment() []byte {
	start := s.pos + 2
	rest := s.src[start:]
	if bytes.HasPrefix(rest, []byte(">")) {
		s.pos = start + 1
		return nil
	}
	if bytes.HasPrefix(rest, []byte("->")) {
		s.pos = start + 2
		return nil
	}
	for i := 0; ; {
		j := bytes.Index(rest[i:], []byte("--"))
		if j < 0 {
			s.pos = len(s.src)
			return rest
		}
		i += j
		switch after := rest[i+2:]; {
		case bytes.HasPrefix(after, []byte(">")):
			s.pos = start + i + 3
			return rest[:i]
		case bytes.HasPrefix(after, []byte("!>")):
			s.pos = start + i + 4
			return rest[:i]
		}
		i++
	}
}

// readTag reads a tag from its name on. It returns false if the source ends inside: browsers then drop the tag.
func (s *scanner) readTag() bool {
	src, i := s.src, s.pos
	start := i
	for i < len(src) && !ascii.IsSpace(src[i]) && src[i] != '/' && src[i] != '>' {
		i++
	}
	s.setName(src[start:i])
	t := &s.tag
	t.attrs = t.attrs[:0]
	t.closing = false
	for {
		for i < len(src) && (ascii.IsSpace(src[i]) || src[i] == '/') {
			i++
		}
		if i >= len(src) {
			s.pos = len(src)
			return false
		}
		if src[i] == '>' {
			t.closing = src[i-1] == '/'
			s.pos = i + 1
			return true
		}
		start = i
		i++ // an equals sign here is part of the name
		for i < len(src) && !ascii.IsSpace(src[i]) && src[i] != '/' && src[i] != '>' && src[i] != '=' {
			i++
		}
		a := attr{name: src[start:i]}
		for i < len(src) && ascii.IsSpace(src[i]) {
			i++
		}
		if i < len(src) && src[i] == '=' {
			i++
			for i < len(src) && ascii.IsSpace(src[i]) {
				i++
			}
			if i >= len(src) {
				s.pos = len(src)
				return false
			}
			switch q := src[i]; q {
			case '"', '\'':
				end := bytes.IndexByte(src[i+1:], q)
				if end < 0 {
					s.pos = len(src)
					return false
				}
				a.value = src[i+1 : i+1+end]
				i += end + 2
			case '>':
			default:
				start = i
				for i < len(src) && !ascii.IsSpace(src[i]) && src[i] != '>' {
					i++
				}
				a.value = src[start:i]
				if i < len(src) && src[i] == '>' { // <a href=x/> does not close
					if len(t.attrs) < maxAttrs {
						t.attrs = append(t.attrs, a)
					}
					s.pos = i + 1
					return true
				}
			}
		}
		if len(t.attrs) < maxAttrs {
			t.attrs = append(t.attrs, a)
		}
	}
}

// setName makes the tag's name lower case and, in XML, removes its prefix.
func (s *scanner) setName(name []byte) {
	t := &s.tag
	t.prefix = nil
	if s.xml {
		if i := bytes.IndexByte(name, ':'); i >= 0 {
			t.prefix, name = name[:i], name[i+1:]
		}
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			low := append(s.lowerBuf[:0], name...)
			for ; i < len(low); i++ {
				low[i] = ascii.Lower(low[i])
			}
			name = low
			break
		}
	}
	t.name, t.atom = name, atom.Lookup(name)
}

// expectRaw notes that the start tag just read begins raw text, if it does.
func (s *scanner) expectRaw() {
	if s.xml {
		return
	}
	switch s.tag.atom {
	case atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Iframe, atom.Noembed, atom.Noframes, atom.Xmp, atom.Plaintext:
		s.raw = s.tag.atom
	}
}

// rawEnd returns where the end tag of the current raw text element starts.
func (s *scanner) rawEnd() int {
	if s.raw == atom.Plaintext {
		return len(s.src)
	}
	name := s.raw.String()
	const (
		data = iota
		escaped
		doubly
	)
	state := data
	close := -1 // where the next --> is, once it was looked for
	for i := s.pos; i < len(s.src); {
		j := bytes.IndexByte(s.src[i:], '<')
		if state != data { // <!-- in a script hides </script> after another <script, until -->
			if close < i {
				if close = bytes.Index(s.src[i:], []byte("-->")); close >= 0 {
					close += i
				} else {
					close = len(s.src)
				}
			}
			if close < len(s.src) && (j < 0 || close < i+j) {
				i = close + 3
				state = data
				continue
			}
		}
		if j < 0 {
			break
		}
		i += j
		rest := s.src[i+1:]
		switch {
		case len(rest) > 0 && rest[0] == '/' && isTagName(rest[1:], name):
			if state != doubly {
				return i
			}
			state = escaped
		case s.raw == atom.Script && state == data && bytes.HasPrefix(rest, []byte("!--")):
			state = escaped
			i++ // its dashes may also be part of the -->
		case s.raw == atom.Script && state == escaped && isTagName(rest, name):
			state = doubly
		}
		i++
	}
	return len(s.src)
}

// isTagName reports whether b starts with the tag name, followed by what can end a tag name.
func isTagName(b []byte, name string) bool {
	if len(b) <= len(name) {
		return false
	}
	c := b[len(name)]
	return (ascii.IsSpace(c) || c == '/' || c == '>') && ascii.EqualFold(b[:len(name)], name)
}
