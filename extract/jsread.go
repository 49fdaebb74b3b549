package extract

import (
	"bytes"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// This file finds addresses in a script without running it.
//
// The reader walks through the tokens once. For each open bracket it keeps a frame: the function being called and the
// number of the argument, where the current value will go, and what is known of that value. It knows strings, sums of
// strings, and names that were given exactly one string. Everything else is a hole. When a value ends (at a comma,
// semicolon or closing bracket), the reader judges it by where it goes (jssinks.go) and what it looks like (shape.go).
// Strings that are HTML or CSS are read as such.

// jsFrame is one open bracket, or the whole program.
type jsFrame struct {
	open    byte   // '(' call, 'g' grouping parenthesis, '[' array, 'i' index, '{', '`' substitution, 0 the program
	block   bool   // '{' begins statements, not an object
	callee  string // last part of the called function's name
	on      string // … the name before the dot
	arg     int    // number of the argument being read
	first   string // the first argument if it was a short string
	target  string // property, variable or key that gets the value
	of      string // … the name before the dot
	start   int    // where the value begins in jsReader.value
	operand int    // where its last operand begins
	state   jsState
	literal bool   // the value contains a string
	pure    bool   // the last operand is a known string; a dot, call or index after it makes it a hole
	idle    bool   // the value is compared or calculated with, so it goes nowhere
	ternary int    // '?' whose ':' has not come yet
	lead    string // name behind the hole at the front of the value: "path", or ".path" if it came after a dot
	name    string // the last name read
	before  string // … the name before the dot, if there was one
	held    []byte // in new URL('x', …: the address, until its base is known
}

type jsState uint8

const (
	jsBegin jsState = iota // an operand may follow
	jsAfter                // after an operand
	jsPlus                 // after a plus
)

const (
	maxFrames = 1000     // nested brackets
	maxValue  = 64 << 10 // bytes of a value; longer values get no more names
	maxNames  = 4096     // names whose strings are remembered, and values that wait for them
)

// jsValue is a value and where it goes.
type jsValue struct {
	frame jsFrame
	value string
}

type jsReader struct {
	*reading
	scan    jsScanner
	frames  []jsFrame
	value   []byte            // values of all open frames, one after the other
	names   map[string]string // names given one string (properties with a dot); "" if given others too
	alias   map[string]string // names given another name: path = cfg.path
	later   []jsValue         // values that begin with a name whose string may follow later
	bare    []string          // file names without a folder
	folder  string            // the folder given to a property such as dataPath; see judgeLater
	folders int               // how many such folders were given
	attr    string            // Attr of all links of an event handler, such as "onclick"; else ""
	self    *weburl.URL       // base of module specifiers

	last     jsKind // kind of the token before
	lastName string // … its text if it was a name
	lastP    punct
	imported bool // the statement began with import or export, so a string after from is a module
}

// readScript reads a JavaScript file.
func readScript(r *reading, text []byte) {
	if via, err := weburl.Parse(r.doc.Via); err == nil && via.Fetchable() {
		r.base = via
		r.guess = shared(r.url, via)
	}
	r.knownGenerators(text)
	r.locates = bytes.Contains(text, []byte("currentScript")) ||
		bytes.Contains(text, []byte(`getElementsByTagName("script")`)) || bytes.Contains(text, []byte(`getElementsByTagName('script')`))
	readJS(r, r.url, text, "")
}

// readJS reads a script. Module specifiers are relative to self, other strings to r.guess. attr is the Attr of its
// links, or "".
func readJS(r *reading, self *weburl.URL, text []byte, attr string) {
	if r.depth >= maxDepth {
		return
	}
	r.depth++
	j := jsReader{reading: r, self: self, attr: attr, frames: make([]jsFrame, 1, 4)}
	j.scan.src = text
	j.read()
	r.depth--
}

func (j *jsReader) top() *jsFrame { return &j.frames[len(j.frames)-1] }

func (j *jsReader) read() {
	for !j.full {
		kind, text, p := j.scan.next()
		switch kind {
		case jsEnd:
			for len(j.frames) > 1 {
				j.pop()
			}
			j.finish()
			j.judgeLater()
			return
		case jsIdent:
			j.lastName = j.ident(text)
		case jsNumber:
			j.beginOperand()
			j.value = append(j.value, text...)
			j.endOperand(false)
		case jsString:
			j.string(text)
		case jsTemplate:
			j.templateText(text)
			j.push(jsFrame{open: '`'})
		case jsRegexp:
			j.beginOperand()
			j.value = append(j.value, hole)
			j.endOperand(false)
		case jsPunct:
			j.punct(p)
		}
		j.last, j.lastP = kind, p
	}
}

// beginOperand makes room for an operand. If no operator stands before it, it begins a new statement.
func (j *jsReader) beginOperand() {
	f := j.top()
	if f.state == jsAfter {
		j.finish()
		f.target, f.of = "", ""
	}
	f.operand = len(j.value)
}

func (j *jsReader) endOperand(known bool) {
	f := j.top()
	f.state, f.pure = jsAfter, known
	f.literal = f.literal || known
	if !known {
		f.name, f.before = "", ""
	}
}

// unknown turns the last operand into a hole, because something is done with it.
func (j *jsReader) unknown() {
	f := j.top()
	if f.state != jsAfter {
		return
	}
	if f.pure && f.operand == f.start {
		f.literal = false
	}
	f.pure, f.lead = false, ""
	j.value = append(j.value[:f.operand], hole)
}

func (j *jsReader) string(text []byte) {
	if j.last == jsIdent && (j.lastName == "import" || j.lastName == "from" && j.imported) {
		j.module(text, "import")
		text = nil
	}
	j.beginOperand()
	if wholeURL(text) { // otherwise it is no address
		j.value = append(j.value, text...)
	}
	f := j.top()
	f.name, f.before = "", ""
	j.endOperand(true)
}

func (j *jsReader) templateText(text []byte) {
	j.beginOperand()
	j.value = append(j.value, text...)
	j.endOperand(true)
}

// ident reads a name or keyword and returns at most 64 bytes of it.
func (j *jsReader) ident(name []byte) string {
	f := j.top()
	short := j.text.put(name[:min(len(name), 64)])
	member := j.last == jsPunct && (j.lastP == "." || j.lastP == "?.")
	if !member {
		switch string(name) {
		case "return", "throw", "case", "default", "else", "do", "in", "instanceof", "of", "extends":
			j.finish()
			f.target, f.of = "", ""
			return short
		case "new", "typeof", "void", "delete", "await", "yield", "async":
			return short
		case "var", "let", "const", "if", "for", "while", "switch", "try", "catch", "finally", "with", "break", "continue",
			"function", "class", "static":
			j.finish()
			f.target, f.of = "", ""
			if f.state == jsAfter {
				f.state = jsBegin
			}
			return short
		case "import", "export":
			if j.scan.skip(); j.scan.pos < len(j.scan.src) && (j.scan.src[j.scan.pos] == '.' || j.scan.src[j.scan.pos] == '(') {
				break // import.meta and import() are operands
			}
			j.finish()
			j.imported = true
			f.target, f.of = "", ""
			return short
		}
	}
	if member {
		before := f.name
		j.unknown()
		f.name, f.before = short, before
		if f.operand == f.start {
			f.lead = "." + short
		}
		return short
	}
	j.beginOperand()
	if known := j.names[short]; known != "" && len(j.value)-f.start < maxValue {
		j.value = append(j.value, known...)
		j.endOperand(true)
	} else {
		j.value = append(j.value, hole)
		j.endOperand(false)
		if f.operand == f.start {
			f.lead = short
		}
	}
	f.name, f.before = short, ""
	return short
}

func (j *jsReader) push(f jsFrame) {
	if len(j.frames) >= maxFrames { // no real program does this; the rest is read without nesting
		j.finish()
		return
	}
	f.start, f.operand = len(j.value), len(j.value)
	j.frames = append(j.frames, f)
}

// pop ends the innermost frame and removes its part of value.
func (j *jsReader) pop() {
	j.finish()
	f := j.top()
	j.value = j.value[:f.start]
	j.frames = j.frames[:len(j.frames)-1]
}

func (j *jsReader) punct(p punct) {
	f := j.top()
	switch p {
	case "(":
		j.openParenthesis(f)
	case "[":
		if f.state == jsAfter {
			j.unknown()
			j.push(jsFrame{open: 'i'})
		} else {
			j.push(jsFrame{open: '[', callee: f.callee, on: f.on, arg: f.arg, target: f.target, of: f.of, first: f.first})
		}
	case "{":
		j.openBrace(f)
	case ")", "]", "}":
		j.close(p)
	case ",":
		if f.open == '(' && f.arg == 0 && f.literal && len(j.value)-f.start < 64 && wholeURL(j.value[f.start:]) {
			f.first = j.text.put(bytes.ToLower(j.value[f.start:]))
		}
		j.finish()
		if f.open == '(' {
			f.arg++
		}
		if f.open != '[' {
			f.target, f.of = "", ""
		}
	case ";":
		j.finish()
		f.target, f.of = "", ""
		j.imported = false
	case "=", "+=", "||=", "??=":
		f.target, f.of = f.name, f.before
		j.discard()
	case ":":
		switch {
		case f.ternary > 0:
			f.ternary--
			j.finish()
		case f.open == '{' && !f.block && f.pure: // "key": value
			key := j.value[f.operand:]
			j.guessed(key, "key", shapeString) // tables keyed by page name
			f.target, f.of = j.text.put(key[:min(len(key), 64)]), ""
			j.discard()
		default:
			f.target, f.of = f.name, ""
			j.discard()
		}
	case "?":
		f.ternary++
		j.discard()
	case "+":
		if f.state == jsAfter {
			f.state = jsPlus
		}
	case ".", "?.":
		if f.pure && f.name == "" {
			j.unknown()
		}
	case "&&", "||", "??":
		j.finish()
	case "++", "--", "!", "~", "...", "#", "@":
	case "=>":
		j.discard()
	default: // arithmetic, comparison
		j.discard()
		f.idle = true
	}
}

func (j *jsReader) openParenthesis(f *jsFrame) {
	if f.state != jsAfter {
		j.push(jsFrame{open: 'g', callee: f.callee, on: f.on, arg: f.arg, target: f.target, of: f.of, first: f.first})
		return
	}
	name, before := f.name, f.before
	j.unknown()
	f.name, f.before = "", ""
	j.push(jsFrame{open: '(', callee: name, on: before})
}

func (j *jsReader) openBrace(f *jsFrame) {
	block := f.state == jsAfter
	if !block && f.state == jsBegin {
		switch {
		case j.last == jsEnd:
			block = true
		case j.last == jsPunct:
			block = j.lastP == ";" || j.lastP == "{" || j.lastP == "}" || j.lastP == "=>" || j.lastP == ")"
		case j.last == jsIdent:
			block = j.lastName == "else" || j.lastName == "do" || j.lastName == "try" || j.lastName == "finally"
		}
	}
	if block {
		j.finish()
		f.state = jsBegin
		j.push(jsFrame{open: '{', block: true})
		return
	}
	j.push(jsFrame{open: '{', callee: f.callee, on: f.on})
}

// close ends the frame of a closing bracket. Brackets that do not match are accepted.
func (j *jsReader) close(p punct) {
	if len(j.frames) == 1 {
		j.finish()
		return
	}
	f := j.top()
	switch {
	case f.open == '`':
		j.pop()
		outer := j.top()
		j.value = append(j.value, hole)
		kind, text := j.scan.afterSubstitution()
		j.value = append(j.value, text...)
		outer.state, outer.literal, outer.pure = jsAfter, true, true
		if kind == jsTemplate {
			j.push(jsFrame{open: '`'})
		}
	case f.open == 'g': // (a + b) is an operand of the outer value, and begins where that operand begins
		literal, start := f.literal && !f.idle, f.start
		j.frames = j.frames[:len(j.frames)-1]
		j.top().operand = start
		if !literal {
			j.value = append(j.value[:start], hole)
		}
		j.endOperand(literal)
	case f.open == 'i': // x["src"] is x.src
		var name string
		if key := j.value[f.start:]; f.literal && len(key) < 64 && wholeURL(key) {
			name = j.text.put(key)
		}
		j.value = j.value[:f.start]
		j.frames = j.frames[:len(j.frames)-1]
		outer := j.top()
		outer.before, outer.name = outer.name, name
	case f.open == '{' && f.block:
		j.pop()
		outer := j.top()
		outer.state, outer.target, outer.of = jsBegin, "", ""
	case f.open == '(':
		j.finish()
		j.module(j.top().held, "new URL()")
		j.pop()
	default:
		j.pop()
		if j.top().state != jsAfter {
			j.beginOperand()
			j.value = append(j.value, hole)
			j.endOperand(false)
		}
	}
}

// discard drops the value, because it was compared, negated or assigned to.
func (j *jsReader) discard() {
	f := j.top()
	j.value = j.value[:f.start]
	f.state, f.literal, f.pure, f.operand = jsBegin, false, false, f.start
	f.name, f.before, f.lead = "", "", ""
}

// finish judges the value that has just ended and begins the next one.
func (j *jsReader) finish() {
	f := j.top()
	if f.open == '(' && f.callee == "URL" && f.arg == 1 && f.held != nil {
		if f.name == "url" && f.before == "meta" {
			j.module(f.held, "new URL()")
		} else {
			j.guessed(f.held, "new URL()", shapeSink)
		}
		f.held = nil
	}
	value := j.value[f.start:]
	if !f.idle && f.open != 'i' && (f.literal || f.lead != "") {
		j.remember(f, value)
	}
	if f.literal && f.open != 'i' && !f.idle {
		if f.lead != "" && len(value) > 1 && wholeURL(value[1:]) && len(j.later) < maxNames {
			j.later = append(j.later, jsValue{*f, j.text.put(value)})
		} else {
			j.judge(f, value)
		}
	}
	j.discard()
	f.idle = false
}

// judgeLater judges the values that had to wait until all names were known, and file names without a folder. If the
// script names exactly one folder ({dataPath: "data/", stars: "stars.json"}), data and pictures are in it.
func (j *jsReader) judgeLater() {
	for i := range j.later {
		v := &j.later[i]
		value := v.value
		if known := j.meaning(v.frame.lead); known != "" && (known[len(known)-1] == '/' || value[1] == '/') {
			value = known + value[1:]
		}
		j.judge(&v.frame, []byte(value))
	}
	if j.folders != 1 {
		j.folder = ""
	}
	for _, name := range j.bare {
		ref := []byte(name)
		if !isProgramName(name) {
			ref = []byte(j.folder + name)
		}
		j.link(j.from(ref), ref, "string", kavosh.Speculative)
	}
}

// meaning returns the one string that a name was given, directly or through other names.
func (j *jsReader) meaning(name string) string {
	for range 3 {
		if known := j.names[name]; known != "" {
			return known
		}
		name = j.alias[name]
	}
	return ""
}

// remember notes the value given to a variable or property: a string, or another name.
func (j *jsReader) remember(f *jsFrame, value []byte) {
	if len(f.target) < 3 || len(value) == 0 {
		return
	}
	name := f.target
	if f.of != "" || f.open == '{' && !f.block {
		name = "." + name
	}
	if j.names == nil {
		j.names, j.alias = map[string]string{}, map[string]string{}
	}
	if !f.literal {
		if _, seen := j.alias[name]; !seen && f.lead != "" && len(value) == 1 && len(j.alias) < maxNames {
			j.alias[name] = f.lead
		}
		return
	}
	old, seen := j.names[name]
	switch {
	case seen && old != string(value):
		j.names[name] = ""
	case !seen && len(value) < 256 && wholeURL(value) && len(j.names) < maxNames:
		j.names[name] = j.text.put(value)
	}
	if name[0] == '.' && value[len(value)-1] == '/' && len(value) > 1 && len(value) < 256 && wholeURL(value) &&
		isFolderName(f.target) && j.folder != string(value) {
		j.folder = j.text.put(value)
		j.folders++
	}
}

// isProgramName reports whether a file is a page, script or style sheet. These are not in the data folder.
func isProgramName(name string) bool {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "js", "mjs", "css":
		return true
	}
	return false
}

// isFolderName reports whether a property of that name holds a folder.
func isFolderName(name string) bool {
	for _, word := range [...]string{"path", "dir", "folder", "root", "base", "prefix", "baseurl"} {
		if n := len(name) - len(word); n >= 0 && strings.EqualFold(name[n:], word) {
			return true
		}
	}
	return false
}

// module adds an address that is certain: a module, a worker, anything relative to the script itself.
func (j *jsReader) module(ref []byte, attr string) {
	if len(ref) == 0 || !wholeURL(ref) {
		return
	}
	if attr == "import" && ref[0] != '.' && ref[0] != '/' && !ascii.HasPrefixFold(ref, "http") {
		return // a bare name, which only an import map can resolve
	}
	j.link(j.self, ref, attr, kavosh.Embed)
}

// guessed adds a likely address.
func (j *jsReader) guessed(ref []byte, attr string, level shape) {
	held := len(ref) > 0 && ref[0] == hole
	if ref = fill(ref, level); len(ref) > 2 && looksLikeURL(ref, level) {
		if held && j.locates { // the name is relative to the script's own folder
			j.link(j.self, ref, attr, kavosh.Speculative)
			return
		}
		if attr == "string" && bytes.IndexByte(ref, '/') < 0 && len(j.bare) < maxNames {
			j.bare = append(j.bare, j.text.put(ref))
			return
		}
		j.link(j.from(ref), ref, attr, kavosh.Speculative)
	}
}

func (j *jsReader) link(base *weburl.URL, ref []byte, attr string, kind kavosh.Kind) {
	if j.attr != "" {
		attr = j.attr
	}
	j.add(base, ref, kavosh.Link{Kind: kind, Element: "script", Attr: attr})
}

// fill returns a value without its holes; nil if it means nothing without them. A hole at the front is nearly always a
// folder (base + "page.html"). A hole behind ? or # keeps the page itself.
func fill(value []byte, level shape) []byte {
	if i := bytes.IndexByte(value, hole); i > 0 || i == 0 && bytes.IndexByte(value[1:], hole) >= 0 {
		if q := bytes.IndexAny(value, "?#"); q > 0 && bytes.IndexByte(value[1:q], hole) < 0 {
			value = value[:q]
		}
	}
	if len(value) > 1 && value[0] == hole {
		value = value[1:]
		switch c := value[0]; {
		case c == '/' && len(value) > 1 && value[1] != '/':
			value = value[1:]
		case !ascii.IsLetter(c) && !ascii.IsDigit(c):
			return nil
		}
		if !looksLikeURL(value, shapeString) {
			return nil
		}
	}
	if !wholeURL(value) {
		return nil
	}
	return value
}
