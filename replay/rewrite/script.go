package rewrite

// This file rewrites scripts, so that they see the archived page as if it were live. Scripts are hostile input.

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"kavosh/lib/ascii"
)

// maxScript is the longest script that is rewritten; a longer one is written unchanged.
const maxScript = 32 << 20

// Names that rewritten scripts use and that the page script of package client defines in every window and worker.
const (
	ownLocation = "kavosh$location" // the archived location of a window or document; the property location of all else
	ownTop      = "kavosh$top"      // the outermost replayed window; for other objects, their property top
	ownFrom     = "kavosh$from"     // a method of all objects; its result sends a message and names the sender
	ownSelf     = "kavosh$self"     // the window or worker that the script runs in
	ownLead     = "kavosh$lead"     // rewrites the address of a module
	ownCode     = "kavosh$code"     // rewrites code that is given to eval
)

// JavaScript writes the script r to w, changed so that it sees the archived location.
//
// Browsers do not let a page script replace window.location and window.top. So the scripts of a page get other names
// for both, wherever they are a variable or a property. All places change in the same way, so that a script's own
// variable with such a name still works. Also, the addresses of imported modules are rewritten, code for eval is
// rewritten by the page script first, and messages to other windows name their sender. All else keeps its bytes.
func JavaScript(w io.Writer, r io.Reader, p *Place) error {
	r = p.until(r)
	src, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err != nil && len(src) == 0 {
		return fmt.Errorf("read script: %w", err)
	}
	out := src
	if len(src) <= maxScript {
		out = p.script(src)
	}
	if _, werr := w.Write(out); werr != nil {
		return werr
	}
	if err != nil {
		return fmt.Errorf("read script: %w", err)
	}
	_, err = io.Copy(w, r)
	return err
}

// script returns src rewritten.
func (p *Place) script(src []byte) []byte {
	if !mayLeave(src) {
		return src
	}
	s := scanner{src: src, place: p}
	if !s.run() || len(s.edits) == 0 {
		return src
	}
	growth := 0
	for _, e := range s.edits {
		growth += len(e.text)
	}
	if growth > maxGrowth {
		return src
	}
	out := make([]byte, 0, len(src)+growth)
	done := 0
	for _, e := range s.edits {
		if e.global && s.module {
			continue // other modules import by this name, so that it must stay
		}
		out = append(append(out, src[done:e.start]...), e.text...)
		done = e.end
	}
	return append(out, src[done:]...)
}

// mayLeave returns false for scripts that contain none of the words that are rewritten.
func mayLeave(src []byte) bool {
	for _, word := range [...]string{"location", "top", "postMessage", "import", "export", "eval"} {
		if bytes.Contains(src, []byte(word)) {
			return true
		}
	}
	return false
}

// edit replaces a piece of a script.
type edit struct {
	start, end int
	text       string
	global     bool // only for scripts, not for modules
}

// scope says what an open bracket of a script contains.
type scope uint8

const (
	block      scope = iota // statements
	literal                 // an object literal or pattern
	class                   // the members of a class
	specifiers              // names that a module imports or exports
	round                   // (…)
	condition               // (…) of if, while, for, with: what follows is a statement
	square                  // […]
	template                // ${…}
)

// level is an open bracket.
type level struct {
	scope     scope
	wrapped   bool // wrap put a call around the argument, which needs one more bracket at its end
	class     bool // the next brace at this level opens a class
	windows   bool // a destructuring pattern for a window or document
	ternaries int32
}

// A script that needs more than maxEdits edits, or would grow by more than maxGrowth bytes, is written unchanged.
const (
	maxEdits  = 1 << 18
	maxGrowth = 16 << 20
)

// maxLevels is how deep the brackets of a script may nest; a deeper one is written unchanged.
const maxLevels = 1 << 16

// token is what the scanner remembers of a token.
type token struct {
	kind  tokenKind
	word  string // the word, if it is one in words, or the punctuator
	after bool   // an operand ended, so that a slash that follows means division
}

type tokenKind uint8

const (
	nothing tokenKind = iota
	word
	punctuator
	text // a string, number, template or regular expression
)

// scanner reads a script once, token by token, and collects edits.
type scanner struct {
	src    []byte
	place  *Place
	pos    int
	edits  []edit
	levels []level
	module bool

	last, before, third token  // the last three tokens, the latest first
	importing           bool   // in an import or export statement, before its address
	lineStart           bool   // only space since the line began
	wasted              int    // bytes that were searched in vain for the end of a regular expression
	own                 string // the archived address as a string of a script; "" until it is needed
}

func (s *scanner) top() *level { return &s.levels[len(s.levels)-1] }

func (s *scanner) push(l level) bool {
	s.levels = append(s.levels, l)
	return len(s.levels) < maxLevels
}

// saw remembers a token.
func (s *scanner) saw(t token) {
	s.third, s.before, s.last = s.before, s.last, t
	s.lineStart = false
}

// run reads the whole script. It returns false if brackets nest too deep or do not match, or if many slashes begin a
// regular expression without end: then the scanner has misread the script. It also returns false if the request has
// ended.
func (s *scanner) run() bool {
	s.levels = append(make([]level, 0, 64), level{scope: block})
	s.lineStart = true
	s.pos = len(s.src) - len(bytes.TrimPrefix(s.src, []byte("\ufeff")))
	if bytes.HasPrefix(s.src[s.pos:], []byte("#!")) {
		s.skipLine()
	}
	for n := 0; s.pos < len(s.src); n++ {
		if n%often == 0 && (s.place.ctx.Err() != nil || len(s.edits) > maxEdits) || s.wasted > len(s.src)+maxWasted {
			return false
		}
		c := s.src[s.pos]
		switch {
		case c == '\n' || c == '\r':
			s.lineStart = true
			s.pos++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			s.pos++
		case isWordByte(c):
			if '0' <= c && c <= '9' {
				s.number()
			} else {
				s.word()
			}
		case c == '"' || c == '\'':
			s.str(c)
		case c == '`':
			s.pos++
			s.template()
		case c == '/':
			s.slash()
		case c == '#', c == '@': // a private name, a decorator
			s.pos++
			for s.pos < len(s.src) && isWordByte(s.src[s.pos]) {
				s.pos++
			}
			s.saw(token{kind: text, after: true})
		default:
			if !s.punctuator(c) {
				return false
			}
		}
	}
	return len(s.levels) == 1
}

func (s *scanner) skipLine() {
	s.pos += len(line(s.src[s.pos:]))
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= 0x80 || c == '\\'
}

func (s *scanner) number() {
	for s.pos < len(s.src) && (isWordByte(s.src[s.pos]) || s.src[s.pos] == '.' ||
		(s.src[s.pos] == '+' || s.src[s.pos] == '-') && s.src[s.pos-1]|0x20 == 'e' && !isHexNumber(s.src, s.pos)) {
		s.pos++
	}
	s.saw(token{kind: text, after: true})
}

// isHexNumber reports whether the number that ends before at is one in base 16, in which an e is a digit.
func isHexNumber(src []byte, at int) bool {
	start := at
	for start > 0 && isWordByte(src[start-1]) {
		start--
	}
	return at-start > 1 && src[start] == '0' && src[start+1]|0x20 == 'x'
}

// str reads a string. One that is not closed ends with its line.
func (s *scanner) str(quote byte) {
	start := s.pos
	s.pos++
	for s.pos < len(s.src) && s.src[s.pos] != quote && s.src[s.pos] != '\n' {
		if s.src[s.pos] == '\\' {
			s.pos++
		}
		s.pos++
	}
	s.pos = min(s.pos+1, len(s.src))
	inner := s.src[start+1 : max(start+1, s.pos-1)]
	switch {
	case s.importing && s.last.kind == word && (s.last.word == "from" || s.last.word == "import"):
		s.importing = false
		if rewritten, ok := s.moduleAddress(inner); ok {
			s.edits = append(s.edits, edit{start: start + 1, end: s.pos - 1, text: rewritten})
		}
	case string(inner) == "location" && s.last.word == "[" && s.before.after && s.next() == ']':
		s.edits = append(s.edits, edit{start: start + 1, end: s.pos - 1, text: ownLocation})
	}
	s.saw(token{kind: text, after: true})
}

// moduleAddress rewrites the address of a module. A name without scheme or slash stays: the import map resolves it.
func (s *scanner) moduleAddress(ref []byte) (string, bool) {
	rewritten := s.place.address(string(ref))
	return rewritten, rewritten != string(ref) && bytes.IndexByte(ref, '\\') < 0 && !strings.ContainsAny(rewritten, "\"'\n")
}

// template reads a template literal, up to its end or to an expression in it.
func (s *scanner) template() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
		case '`':
			s.pos++
			s.saw(token{kind: text, after: true})
			return
		case '$':
			if s.pos+1 < len(s.src) && s.src[s.pos+1] == '{' {
				s.pos += 2
				s.levels = append(s.levels, level{scope: template})
				s.saw(token{kind: punctuator, word: "${"})
				return
			}
		}
		s.pos++
	}
	s.pos = min(s.pos, len(s.src))
	s.saw(token{kind: text, after: true})
}

// slash reads a comment, a regular expression or a division.
func (s *scanner) slash() {
	rest := s.src[s.pos:]
	switch {
	case len(rest) > 1 && rest[1] == '/':
		s.skipLine()
		return
	case len(rest) > 1 && rest[1] == '*':
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			s.pos += i + 4
		} else {
			s.pos = len(s.src)
		}
		return
	case !s.last.after:
		if n := regexpLen(rest); n > 0 {
			s.pos += n
			for s.pos < len(s.src) && isWordByte(s.src[s.pos]) {
				s.pos++
			}
			s.saw(token{kind: text, after: true})
			return
		}
		s.wasted += len(line(rest))
	}
	s.pos++
	s.saw(token{kind: punctuator, word: "/"})
}

// maxWasted bounds scanner.wasted.
const maxWasted = 1 << 20

// line returns src up to its first line end.
func line(src []byte) []byte {
	if i := bytes.IndexAny(src, "\n\r"); i >= 0 {
		return src[:i]
	}
	return src
}

// regexpLen returns the length of the regular expression at the beginning of src, without its flags; 0 if there is
// none.
func regexpLen(src []byte) int {
	set := false
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '[':
			set = true
		case ']':
			set = false
		case '/':
			if !set {
				return i + 1
			}
		case '\n', '\r':
			return 0
		}
	}
	return 0
}

// next returns the first byte of the next token, 0 at the end.
func (s *scanner) next() byte {
	if i := s.nextAt(); i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// nextAt returns where the next token begins.
func (s *scanner) nextAt() int {
	for i := s.pos; ; i++ {
		switch {
		case i >= len(s.src):
			return i
		case ascii.IsSpace(s.src[i]) || s.src[i] == '\v':
		case s.src[i] == '/' && i+1 < len(s.src) && s.src[i+1] == '*':
			end := bytes.Index(s.src[i+2:], []byte("*/"))
			if end < 0 {
				return len(s.src)
			}
			i += end + 3
		case s.src[i] == '/' && i+1 < len(s.src) && s.src[i+1] == '/':
			i += len(line(s.src[i:])) - 1
		default:
			return i
		}
	}
}

// punctuator reads any other token. It returns false if brackets do not match or nest too deep.
func (s *scanner) punctuator(c byte) bool {
	rest := s.src[s.pos:]
	size := 1
	switch c {
	case '{':
		s.pos++
		l := level{scope: s.brace()}
		l.windows = l.scope == literal && (s.takesWindow() || s.last.word == ":" && s.top().windows && s.before.word == "document")
		s.top().class = false
		s.saw(token{kind: punctuator, word: "{"})
		return s.push(l)
	case '}':
		l := *s.top()
		if len(s.levels) == 1 || l.scope != block && l.scope != literal && l.scope != class && l.scope != specifiers && l.scope != template {
			return false
		}
		s.levels = s.levels[:len(s.levels)-1]
		s.pos++
		if l.scope == template {
			s.template()
			return true
		}
		s.saw(token{kind: punctuator, word: "}", after: l.scope == literal})
		return true
	case '(':
		l := level{scope: round}
		switch s.last.word { // a property with such a name has another word
		case "if", "while", "for", "with":
			l.scope = condition
		case "import", "eval":
			l.wrapped = s.wrap(s.last.word)
		}
		s.pos++
		s.saw(token{kind: punctuator, word: "("})
		return s.push(l)
	case ')', ']':
		l := *s.top()
		if len(s.levels) == 1 || (c == ']') != (l.scope == square) || c == ')' && l.scope != round && l.scope != condition {
			return false
		}
		if l.wrapped {
			s.edits = append(s.edits, edit{start: s.pos, end: s.pos, text: s.closing()})
		}
		s.levels = s.levels[:len(s.levels)-1]
		s.pos++
		s.saw(token{kind: punctuator, word: string(c), after: l.scope != condition})
		return true
	case '[':
		s.pos++
		s.saw(token{kind: punctuator, word: "["})
		return s.push(level{scope: square})
	case ',':
		if s.top().wrapped {
			s.edits = append(s.edits, edit{start: s.pos, end: s.pos, text: s.closing()})
			s.top().wrapped = false
		}
	case ';':
		s.top().ternaries, s.importing = 0, false
	case '.':
		if bytes.HasPrefix(rest, []byte("...")) {
			s.pos += 3
			s.saw(token{kind: punctuator, word: "..."})
			return true
		}
		if len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9' {
			s.number()
			return true
		}
		s.pos++
		s.saw(token{kind: punctuator, word: "."})
		return true
	case '?':
		switch {
		case len(rest) > 2 && rest[1] == '.' && (rest[2] < '0' || rest[2] > '9'):
			s.pos += 2
			s.saw(token{kind: punctuator, word: "."})
			return true
		case len(rest) > 1 && rest[1] == '?':
			size = 2
		default:
			s.top().ternaries++
		}
	case ':':
		after := ":"
		if l := s.top(); l.ternaries > 0 {
			l.ternaries--
			after = "?:"
		}
		s.pos++
		s.saw(token{kind: punctuator, word: after})
		return true
	case '=':
		if len(rest) > 1 && rest[1] == '>' {
			s.pos += 2
			s.saw(token{kind: punctuator, word: "=>"})
			return true
		}
	case '+', '-':
		if len(rest) > 1 && rest[1] == c {
			if c == '-' && len(rest) > 2 && rest[2] == '>' && s.lineStart {
				s.skipLine() // "-->" begins a comment at the start of a line
				return true
			}
			s.pos += 2
			s.saw(token{kind: punctuator, word: "++", after: s.last.after})
			return true
		}
	case '<':
		if bytes.HasPrefix(rest, []byte("<!--")) {
			s.skipLine()
			return true
		}
	}
	s.pos += size
	s.saw(token{kind: punctuator, word: operator(c)})
	return true
}

// operator returns a punctuator of one byte as a string without an allocation.
func operator(c byte) string {
	switch c {
	case ',':
		return ","
	case ';':
		return ";"
	case '=':
		return "="
	case '*':
		return "*"
	case '?':
		return "?"
	}
	return "operator"
}

// brace returns what a brace after the last tokens opens.
func (s *scanner) brace() scope {
	if s.importing && (s.last.kind == word || s.last.word == ",") {
		return specifiers
	}
	if s.top().class {
		return class
	}
	switch s.last.kind {
	case nothing:
		return block
	case text:
		return block // the line before ended with text and no semicolon
	case word:
		switch s.last.word {
		case "return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "throw", "yield", "await", "default", "extends", "const", "let", "var":
			return literal
		}
		return block
	}
	switch s.last.word {
	case ")", ";", "{", "}", "=>", "]":
		return block
	case ":":
		if s.top().scope == block {
			return block // after a label or a case
		}
	}
	return literal
}
