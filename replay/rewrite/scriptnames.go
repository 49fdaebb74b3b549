package rewrite

// This file decides which names in a script are rewritten.

import (
	"bytes"
	"encoding/json"
)

// takesWindow reports whether the next brace opens a destructuring pattern for a window, as in const {a, b} = window.
// Then its keys are properties of the window.
func (s *scanner) takesWindow() bool {
	switch s.last.word {
	case "const", "let", "var", ",":
	default:
		return false
	}
	rest := s.src[s.pos:min(len(s.src), s.pos+maxPattern)]
	depth := 1
	for i, c := range rest {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth > 0 {
				continue
			}
			after, ok := bytes.CutPrefix(bytes.TrimLeft(rest[i+1:], " \t\r\n"), []byte("="))
			after = bytes.TrimLeft(after, " \t\r\n")
			end := 0
			for end < len(after) && isWordByte(after[end]) {
				end++
			}
			name := string(after[:end])
			return ok && (isWindow(name) || name == "document") && (end == len(after) || bytes.IndexByte([]byte(".[(?"), after[end]) < 0)
		case ';':
			return false
		}
	}
	return false
}

// maxPattern is how many bytes ahead the value of a pattern is searched.
const maxPattern = 512

// wrap puts a call of our own function around the argument of import or eval. It returns false for what only looks like
// such a call.
func (s *scanner) wrap(name string) bool {
	if s.top().scope == class || s.top().scope == literal && (s.before.word == "," || s.before.word == "{") || s.before.word == "function" {
		return false // a method with this name
	}
	at := s.pos + 1
	if i := s.skipTo(at); i < len(s.src) && s.src[i] == ')' {
		return false
	}
	own := ownCode
	if name == "import" {
		own = ownLead
	}
	s.edits = append(s.edits, edit{start: at, end: at, text: own + "("})
	return true
}

// skipTo returns where the first token at or after at begins.
func (s *scanner) skipTo(at int) int {
	pos := s.pos
	s.pos = at
	at = s.nextAt()
	s.pos = pos
	return at
}

// closing returns the end of the call that wrap began. It passes the script's own archived address, against which the
// address of a module is resolved.
func (s *scanner) closing() string {
	return "," + s.address() + ")"
}

// address returns the script's own archived address as a string literal.
func (s *scanner) address() string {
	if s.own == "" {
		s.own = quote(s.place.Archived())
	}
	return s.own
}

// quote returns text as a string literal that is also safe in markup.
func quote(text string) string {
	b, _ := json.Marshal(text) // a string cannot fail
	return string(b)
}

// word reads an identifier or keyword.
func (s *scanner) word() {
	start := s.pos
	for s.pos < len(s.src) && isWordByte(s.src[s.pos]) {
		s.pos++
	}
	w := s.src[start:s.pos]
	t := token{kind: word, after: true}
	property := s.last.word == "." && s.last.kind == punctuator
	if property {
		t.word = "property"
		switch string(w) {
		case "location":
			s.edits = append(s.edits, edit{start: start, end: s.pos, text: ownLocation})
		case "top":
			if s.before.kind == word && isWindow(s.before.word) {
				s.edits = append(s.edits, edit{start: start, end: s.pos, text: ownTop})
			}
			t.word = "top"
		case "postMessage":
			if s.next() == '(' {
				s.edits = append(s.edits, edit{start: start, end: start, text: ownFrom + "(" + ownSelf + ")."})
			}
		case "url":
			if s.before.word == "meta" && s.third.word == "." && len(s.edits) > 0 {
				s.metaURL()
			}
		case "meta":
			if s.before.word == "import" {
				t.word = "meta"
				s.edits = append(s.edits, edit{start: start, end: start}) // metaURL finds where it began
			}
		case "window", "self", "globalThis", "parent", "frames":
			t.word = string(w)
		}
		s.saw(t)
		return
	}
	switch string(w) {
	case "location":
		s.name(start, ownLocation, false)
	case "top":
		s.name(start, ownTop, true)
		t.word = "top"
	case "document", "window", "self", "globalThis", "parent", "frames", "from", "get", "set", "async", "static", "function":
		t.word = kept(w)
		t.after = t.word != "function"
	case "class":
		t.word = "class"
		if c := s.next(); c == '{' || isWordByte(c) {
			s.top().class = true
		}
	case "import", "export":
		t.word = kept(w)
		if len(s.levels) == 1 && s.statement() {
			if c := s.next(); c != '(' && c != '.' && c != '=' && c != ':' && c != ',' && c != ';' {
				s.module, s.importing = true, true
			}
		}
	case "eval", "of":
		t.word = kept(w)
	case "return", "typeof", "case", "in", "delete", "void", "instanceof", "new", "throw", "yield", "await", "else", "do", "default", "extends":
		t.word, t.after = kept(w), false
	case "if", "while", "for", "with":
		t.word, t.after = kept(w), false
	case "const", "let", "var": // export const x = …
		t.word, t.after, s.importing = kept(w), false, false
	}
	switch t.word {
	case "function", "class", "default":
		s.importing = false
	}
	s.saw(t)
}

// statement reports whether the token that follows may begin a statement.
func (s *scanner) statement() bool {
	return s.lineStart || s.last.word == ";" || s.last.word == "}"
}

// isWindow reports whether a variable of that name is likely to be a window.
func isWindow(name string) bool {
	switch name {
	case "window", "self", "globalThis", "parent", "frames", "top":
		return true
	}
	return false
}

// kept returns w as a string if it is one of words, without an allocation; else "".
func kept(w []byte) string { return words[string(w)] }

var words = func() map[string]string {
	m := map[string]string{}
	for _, w := range [...]string{"document", "window", "self", "globalThis", "parent", "frames", "from", "get", "set",
		"async", "static", "function", "import", "export", "eval", "of", "return", "typeof", "case", "in", "delete", "void",
		"instanceof", "new", "throw", "yield", "await", "else", "do", "default", "extends", "if", "while", "for", "with",
		"const", "let", "var"} {
		m[w] = w
	}
	return m
}()

// name renames the variable that begins at start to own, unless it is the key of an object or a member of a class. A
// shorthand {location} becomes {location:own}.
func (s *scanner) name(start int, own string, global bool) {
	e := edit{start: start, end: s.pos, text: own, global: global}
	modified := s.last.kind == word && (s.last.word == "get" || s.last.word == "set" || s.last.word == "async" || s.last.word == "static") || s.last.word == "*"
	at := s.nextAt()
	var c, d byte
	if at < len(s.src) {
		c = s.src[at]
	}
	if at+1 < len(s.src) {
		d = s.src[at+1]
	}
	switch s.top().scope {
	case literal:
		switch {
		case modified && c == '(' && (s.before.word == "{" || s.before.word == "," || s.before.word == "async"):
			return
		case s.last.word != "{" && s.last.word != ",":
		case s.top().windows:
			e.text = own // the key too
		case c == ':' || c == '(':
			return
		case c == ',' || c == '}' || c == '=' && d != '=' && d != '>':
			e.text = string(s.src[start:s.pos]) + ":" + own
		}
	case class:
		if s.last.kind != punctuator || s.last.word == "{" || s.last.word == ";" || s.last.word == "}" || s.last.word == "*" {
			return
		}
	}
	s.edits = append(s.edits, e)
}

// metaURL replaces import.meta.url, whose last word was just read, by the archived address.
func (s *scanner) metaURL() {
	for i := len(s.edits) - 1; i >= 0; i-- {
		if e := &s.edits[i]; e.text == "" {
			at := bytes.LastIndex(s.src[:e.start], []byte("import"))
			if at >= 0 && (i == 0 || s.edits[i-1].end <= at) {
				e.start, e.end, e.text = at, s.pos, s.address()
			}
			return
		}
	}
}
