package rewrite

// This file rewrites the URLs in pages.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// maxToken is the longest tag, comment or run of text that is held in memory. From a longer one on, a document is
// written unchanged.
const maxToken = 16 << 20

// outSize is the size of the write buffer. Most pages need one system call; of longer ones, the beginning is sent
// before the rest is read.
const outSize = 16 << 10

// maxNesting bounds how deep srcdoc documents nest, and maxFrames how many there are: each is given the page script.
const (
	maxNesting = 4
	maxFrames  = 1000
)

// Options says how markup is read and rewritten.
type Options struct {
	XML     bool   // XHTML, SVG or other XML: no element has raw text
	Scripts bool   // rewrite scripts too, because the document has the page script, which they then need
	Inject  string // ASCII markup to put first in the head, before any script of the page; "" for none
	Frame   string // the same for srcdoc documents in the page
}

// HTML writes the document r to w with its references rewritten for the place p.
//
// It removes what would break the replay: integrity (the bytes change), nonces and policies in meta elements (the
// replay has its own), pings, referrer policies (the replay needs the Referer), application caches, speculation rules.
func HTML(w io.Writer, r io.Reader, p *Place, o Options) error {
	out := bufio.NewWriterSize(w, outSize)
	m := markup{out: out, frames: new(int), place: p, xml: o.XML, scripts: o.Scripts, inject: o.Inject, frame: o.Frame}
	if err := m.run(r); err != nil {
		out.Flush()
		return fmt.Errorf("rewrite document: %w", err)
	}
	return out.Flush()
}

// markup rewrites one document.
type markup struct {
	out     *bufio.Writer
	place   *Place
	based   bool // the first base element was seen, and place is resolved by it
	xml     bool
	scripts bool
	inject  string // what to add to the head; "" after it is written
	frame   string
	subset  bool                // in the internal subset of an XML document type
	foreign int                 // open svg and math elements
	code    func([]byte) []byte // rewrites the text that follows; nil when it is neither style sheet nor script
	nesting int                 // how many srcdoc documents this one is inside
	frames  *int                // number of srcdoc documents so far

	raw   []byte // the current start tag
	attrs []attribute
	key   []byte
}

func (m *markup) run(r io.Reader) error {
	r = m.place.until(r)
	z := html.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	for {
		z.AllowCDATA(m.xml || m.foreign > 0)
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			m.text(z.Raw())
			m.injectHere()
			if z.Err() == io.EOF {
				return nil
			}
			if z.Err() != html.ErrBufferExceeded {
				return z.Err()
			}
			m.out.Write(z.Buffered())
			_, err := io.Copy(m.out, r)
			return err
		case html.TextToken:
			m.text(z.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			m.raw = append(m.raw[:0], z.Raw()...)
			if m.startTag(tt == html.SelfClosingTagToken) {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			raw := z.Raw()
			if isNamed(raw[2:], "svg") || isNamed(raw[2:], "math") {
				m.foreign = max(0, m.foreign-1)
			}
			m.code = nil
			m.injectHere()
			m.out.Write(raw)
		default:
			m.comment(z.Raw())
		}
	}
}

// isNamed reports whether the inside of a tag, "svg>", begins with the element name.
func isNamed(inside []byte, name string) bool {
	return len(inside) >= len(name) && ascii.EqualFold(inside[:len(name)], name) &&
		(len(inside) == len(name) || !isAlnum(inside[len(name)]))
}

// injectHere writes what is to be added to the head, once.
func (m *markup) injectHere() {
	m.out.WriteString(m.inject)
	m.inject = ""
}

// text writes a run of text. It rewrites style sheets and scripts.
func (m *markup) text(raw []byte) {
	if m.code != nil {
		const open, closed = "<![CDATA[", "]]>"
		if bytes.HasPrefix(raw, []byte(open)) && bytes.HasSuffix(raw, []byte(closed)) && len(raw) >= len(open)+len(closed) {
			m.out.WriteString(open)
			m.out.Write(m.code(raw[len(open) : len(raw)-len(closed)]))
			m.out.WriteString(closed)
			return
		}
		m.out.Write(m.code(raw))
		return
	}
	if m.subset {
		if end := bytes.IndexByte(raw, ']'); end >= 0 {
			rest := bytes.TrimLeft(raw[end+1:], " \t\r\n")
			m.subset = len(rest) > 0 && !bytes.HasPrefix(rest, []byte(">"))
		}
	} else if m.inject != "" && len(bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\ufeff")), " \t\r\n\f")) > 0 {
		m.injectHere()
	}
	m.out.Write(raw)
}

// comment writes a comment, doctype or processing instruction. Of these, only <?xml-stylesheet href="…"?> has a
// reference.
func (m *markup) comment(raw []byte) {
	const pi = "<?xml-stylesheet"
	if m.xml && bytes.HasPrefix(raw, []byte(pi)) {
		m.raw = append(m.raw[:0], raw...)
		if _, m.attrs = attributes(m.raw, m.attrs[:0]); len(m.attrs) < maxAttributes {
			m.rewriteTag([]byte("?xml-stylesheet"))
		}
		return
	}
	if m.xml && len(raw) > len("<!doctype") && ascii.EqualFold(raw[:len("<!doctype")], "<!doctype") {
		m.subset = bytes.IndexByte(raw, '[') >= 0 && bytes.IndexByte(raw, ']') < 0
	}
	m.out.Write(raw)
}

// startTag writes the start tag m.raw. It returns true if markup follows, although the element usually has raw text.
func (m *markup) startTag(selfClosing bool) (notRaw bool) {
	var nameEnd int
	nameEnd, m.attrs = attributes(m.raw, m.attrs[:0])
	if n := len(m.attrs); n == maxAttributes { // attributes has not read the rest
		m.raw = append(m.raw[:m.attrs[n-1].end], map[bool]string{false: ">", true: " />"}[selfClosing]...)
	}
	var buf [32]byte
	name := ascii.AppendLower(buf[:0], m.raw[1:nameEnd])
	if i := bytes.LastIndexByte(name, ':'); i >= 0 && m.xml {
		name = name[i+1:] // svg:a, xhtml:img
	}
	m.code = nil
	switch string(name) {
	case "html":
		m.rewriteTag(name)
		return false
	case "head":
		m.rewriteTag(name)
		m.injectHere()
		return false
	}
	drawing := m.xml && m.inject != "" && string(name) == "svg" && !selfClosing // the page script goes inside
	if !drawing {
		m.injectHere()
	}
	switch string(name) {
	case "svg", "math":
		if !selfClosing {
			m.foreign++
		}
		m.rewriteTag(name)
		m.injectHere()
	case "base":
		m.base()
	case "meta":
		m.meta()
	case "style":
		if !selfClosing || !m.xml && m.foreign == 0 {
			m.code = m.place.css
		}
		m.rewriteTag(name)
	case "script":
		if m.scripts && (!selfClosing || !m.xml && m.foreign == 0) {
			m.code = m.place.codeOf(find(m.raw, m.attrs, "type"), find(m.raw, m.attrs, "language"))
		}
		m.rewriteTag(name)
	default:
		m.rewriteTag(name)
	}
	switch string(name) {
	case "noscript": // raw text for browsers that run scripts; for others its references must be rewritten
		return true
	case "title", "textarea", "iframe", "noembed", "noframes", "plaintext", "xmp":
		return m.xml || m.foreign > 0
	case "script", "style":
		return m.xml || m.foreign > 0 && selfClosing
	}
	return false
}

// codeOf returns how to rewrite the text of a script element with the given attributes type and language; nil for data.
func (p *Place) codeOf(typ, language string) func([]byte) []byte {
	typ = strings.ToLower(trim(typ))
	if essence, _, ok := strings.Cut(typ, ";"); ok {
		typ = trim(essence)
	}
	if typ == "" && language != "" {
		typ = "text/" + strings.ToLower(language)
	}
	switch {
	case typ == "importmap":
		return p.importMap
	case typ == "", typ == "module", strings.Contains(typ, "javascript"), strings.Contains(typ, "ecmascript"), strings.HasPrefix(typ, "text/jscript"), typ == "text/livescript":
		return p.script
	}
	return nil
}

// base writes a base element. From the first one with a reference on, references are resolved against it.
func (m *markup) base() {
	for _, a := range m.attrs {
		if m.based || a.repeat || !a.hasValue || !ascii.EqualFold(m.raw[a.start:a.nameEnd], "href") {
			continue
		}
		m.based = true
		ref := m.value(a, percent)
		archived, ok := m.place.archived(ref)
		if !ok && weburl.SchemeLen(trim(ref)) == 0 {
			if path, _ := cutPath(trim(ref)); path != "" {
				archived, ok = m.place.scheme+"://"+m.place.host+m.place.resolve(path), true
			}
		}
		if ok {
			m.splice(a, m.place.replay+m.place.links+"/"+archived)
			m.place = m.place.at(archived)
			return
		}
	}
	m.out.Write(m.raw)
}

// meta writes a meta element, unless it is a policy: the replay has its own.
func (m *markup) meta() {
	var buf [40]byte
	switch equiv := find(m.raw, m.attrs, "http-equiv"); string(ascii.AppendLower(buf[:0], []byte(equiv))) {
	case "refresh":
		for _, a := range m.attrs {
			if !a.repeat && ascii.EqualFold(m.raw[a.start:a.nameEnd], "content") {
				if rewritten, ok := m.place.refresh(m.value(a, percent)); ok {
					m.splice(a, rewritten)
					return
				}
			}
		}
	case "content-security-policy", "content-security-policy-report-only", "x-dns-prefetch-control", "set-cookie":
		return
	}
	if name := find(m.raw, m.attrs, "name"); len(name) == len("referrer") && ascii.EqualFold(name, "referrer") {
		return
	}
	m.out.Write(m.raw)
}

// value returns an attribute's value with its character references resolved.
func (m *markup) value(a attribute, spell func([]byte, rune) []byte) string {
	return decode(string(m.raw[a.value:a.valueEnd]), spell)
}

// splice writes the tag with the value of a replaced by value, which is plain text.
func (m *markup) splice(a attribute, value string) {
	m.out.Write(m.raw[:a.value])
	m.out.WriteString(encode(value, a.quote))
	m.out.Write(m.raw[a.valueEnd:])
}

// rewriteTag writes the tag m.raw of the element name, with each attribute rewritten as refs.go says.
func (m *markup) rewriteTag(name []byte) {
	done := 0
	for _, a := range m.attrs {
		var what use
		m.key = append(append(m.key[:0], name...), ' ')
		n := len(m.key)
		m.key = ascii.AppendLower(m.key, m.raw[a.start:a.nameEnd])
		what, ok := ofElement[string(m.key)]
		if !ok {
			what = ofAny[string(m.key[n:])]
		}
		if what == none && m.scripts && len(m.key)-n > 4 && m.key[n] == 'o' && m.key[n+1] == 'n' {
			what = handler
		}
		if what == none || a.repeat && what != removed {
			continue
		}
		if what == removed {
			m.out.Write(m.raw[done:a.start])
			done = a.end
			continue
		}
		value, ok := m.rewriteValue(name, a, what)
		if !ok {
			continue
		}
		m.out.Write(m.raw[done:a.value])
		m.out.WriteString(value)
		done = a.valueEnd
	}
	m.out.Write(m.raw[done:])
}

// rewriteValue returns the rewritten raw value of an attribute with the given use, or false if the value may stay.
func (m *markup) rewriteValue(name []byte, a attribute, what use) (string, bool) {
	raw := m.raw[a.value:a.valueEnd]
	switch what {
	case srcset:
		return encoded(a)(m.place.srcset(m.value(a, percent)))
	case styles:
		if !mayRefer(raw) && bytes.IndexByte(raw, '&') < 0 {
			return "", false
		}
		plain := m.value(a, spellCSS)
		changed := string(m.place.css([]byte(plain)))
		return encoded(a)(changed, changed != plain)
	case handler:
		if !mayLeave(raw) && bytes.IndexByte(raw, '&') < 0 {
			return "", false
		}
		plain := m.value(a, spellScript)
		changed := string(m.place.script([]byte(plain)))
		return encoded(a)(changed, changed != plain)
	case document:
		if *m.frames++; m.nesting >= maxNesting || *m.frames > maxFrames {
			return "", true
		}
		var inner bytes.Buffer
		plain := m.value(a, reference)
		p := *m.place
		p.links = Frame
		n := markup{out: bufio.NewWriter(&inner), place: &p, scripts: m.scripts,
			inject: m.frame, frame: m.frame, nesting: m.nesting + 1, frames: m.frames}
		if err := n.run(bytes.NewReader([]byte(plain))); err != nil {
			return "", true
		}
		n.out.Flush()
		return encode(inner.String(), a.quote), true
	case scriptType:
		if t := trim(m.value(a, percent)); len(t) == len("speculationrules") && ascii.EqualFold(t, "speculationrules") {
			return "archived/speculationrules", true
		}
		return "", false
	case parameter:
		if !refersByName[string(ascii.AppendLower(nil, []byte(find(m.raw, m.attrs, "name"))))] {
			return "", false
		}
		what = object
	case byRel:
		what = relUse(find(m.raw, m.attrs, "rel"), find(m.raw, m.attrs, "as"))
	}
	if inFrame := what == frame; m.scripts && weburl.SchemeLen(trim(string(raw[:min(len(raw), 16)]))) == len("javascript") && (inFrame || mayLeave(raw)) {
		plain := m.value(a, spellScript)
		if inFrame {
			return encode(frameCode(plain), a.quote), true
		}
		changed := string(m.place.script([]byte(plain)))
		return encoded(a)(changed, changed != plain)
	}
	mod := what.modifier()
	if what == link {
		mod = m.place.links
	}
	if plainlyRelative(raw) {
		return "", false
	}
	// Most values have no character reference before the end of the host. Then the value need not be decoded.
	if amp := bytes.IndexByte(raw, '&'); amp < 0 || settled(raw[:amp]) {
		return m.place.URL(string(raw), mod)
	}
	return encoded(a)(m.place.URL(m.value(a, percent), mod))
}

// beginAnswer is the beginning of a rewritten javascript: URL of a frame. The page script uses the same.
const beginAnswer = "javascript:self.kavosh$self||(self!==parent?parent:opener).kavosh$install(self);kavosh$answer("

// frameCode rewrites the javascript: URL of a frame. The page script runs the code, and adds itself to the document
// that the code returns. Where there is no page script, the code does not run.
func frameCode(address string) string {
	_, code, _ := strings.Cut(address, ":")
	if plain, err := url.PathUnescape(code); err == nil {
		code = plain
	}
	quoted, _ := json.Marshal(code) // a string cannot fail
	return beginAnswer + url.PathEscape(string(quoted)) + ")"
}

// plainlyRelative is a quick test that finds most references that may stay: nothing before the query can begin a
// scheme, a host or "..".
func plainlyRelative(raw []byte) bool {
	for i, c := range raw {
		switch {
		case c == '?' || c == '#':
			return true
		case c == ':' || c == '&' || c == '%' || c == '\\' || c <= ' ' || i == 0 && c == '/' || c == '.' && i > 0 && raw[i-1] == '.':
			return false
		}
	}
	return true
}

// settled reports whether the beginning of a reference has its scheme and host complete.
func settled(head []byte) bool {
	s := trim(string(head))
	if n := weburl.SchemeLen(s); n > 0 {
		s = s[n+1:]
	} else if s == "" || !isSlash(s[0]) {
		return bytes.ContainsAny(head, "/?#")
	}
	slashes := 0
	for slashes < len(s) && isSlash(s[slashes]) {
		slashes++
	}
	return slashes == 1 && len(s) > 1 || bytes.ContainsAny([]byte(s[slashes:]), `/\?#`)
}

// encoded returns a function that escapes a rewritten value for the quotes of a.
func encoded(a attribute) func(value string, ok bool) (string, bool) {
	return func(value string, ok bool) (string, bool) {
		if !ok {
			return "", false
		}
		return encode(value, a.quote), true
	}
}
