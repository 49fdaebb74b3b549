package extract

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"kavosh"
	"kavosh/lib/ascii"
)

// This file is the reader of markup: HTML, SVG, MathML, XHTML, and HTML inside other documents.

// htmlReader is the state of one pass over a piece of markup.
type htmlReader struct {
	*reading
	scan    scanner
	context context
	guessed string // Attr of every link if the markup was found in a string; else ""
	based   bool   // a base element with href was seen; only the first counts
	again   bool   // … after links had been read, so read again from the start with the right base
	titled  bool
	within  atom.Atom // XML: the open script, style or title element, whose text is not part of the page's
	value   []byte    // buffer for unescaped attribute values
}

// readHTML reads a whole HTML document.
func readHTML(r *reading, text []byte) { readMarkup(r, text, false) }

// readXML reads XHTML, SVG and other XML.
func readXML(r *reading, text []byte) { readMarkup(r, text, true) }

func readMarkup(r *reading, text []byte, xml bool) {
	before, canonical := len(r.links), r.page.Canonical
	for round := range 2 {
		if r.depth == 0 {
			r.page.Programs = 0
		}
		h := htmlReader{reading: r, based: round > 0, value: r.value}
		h.scan = scanner{src: text, xml: xml, tag: tag{attrs: r.attrs}}
		h.context = context{r: r, text: r.buffers.text[:0], pending: r.pending[:0]}
		if r.opts.Simhash && r.depth == 0 {
			r.hash.Reset()
			h.context.hash = &r.hash
		}
		if r.opts.Needs.Text && r.depth == 0 {
			r.visible.reset(r.opts.Needs.Blocks)
			h.context.visible = &r.visible
		}
		h.read()
		r.value, r.attrs, r.buffers.text, r.pending = h.value, h.scan.tag.attrs, h.context.text, h.context.pending
		if !h.again {
			if h.context.hash != nil {
				r.page.Simhash = r.hash.Sum()
			}
			if h.context.visible != nil {
				r.page.Text, r.page.Blocks = r.visible.take()
			}
			return
		}
		r.links, r.page.Canonical = r.links[:before], canonical
		r.seen.refill(r.links)
	}
}

// nested reads markup inside another document: a feed's entry, a frame's srcdoc, a string in a script.
func (r *reading) nested(text []byte, guessed string) {
	if r.depth >= maxDepth {
		return
	}
	r.depth++
	h := htmlReader{reading: r, based: true, titled: true, guessed: guessed}
	h.scan.src = text
	h.context.r = r
	h.read()
	r.depth--
}

func (h *htmlReader) read() {
	for !h.full && !h.again {
		kind, text := h.scan.next()
		switch kind {
		case endOfText:
			h.context.endAnchor()
			h.context.endBlock(true)
			return
		case textToken:
			if h.context.visible != nil {
				h.context.visible.at = h.scan.pos - len(text)
			}
			if text = h.plain(text); h.within != 0 {
				h.rawText(text)
			} else {
				h.context.addText(text)
			}
		case rawText:
			h.rawText(text)
		case startTag:
			h.start()
		case endTag:
			h.end()
		case comment:
			h.comment(text)
		}
	}
	h.context.endBlock(true)
}

// plain returns text with its character references replaced.
func (h *htmlReader) plain(text []byte) []byte {
	out := unescapeText(h.value[:0], text)
	if len(out) > 0 && len(text) > 0 && &out[0] != &text[0] {
		h.value = out
	}
	return out
}

// attr returns the value of the tag's attribute with character references replaced. It is valid until the next call.
func (h *htmlReader) attr(name string) []byte { return h.unescaped(h.scan.tag.get(name)) }

func (h *htmlReader) unescaped(raw []byte) []byte {
	out := unescape(h.value[:0], raw)
	if len(out) > 0 && len(raw) > 0 && &out[0] != &raw[0] {
		h.value = out
	}
	return out
}

// rawText handles the text of the element whose start tag was just read.
func (h *htmlReader) rawText(text []byte) {
	element := h.scan.tag.atom
	if h.scan.xml {
		element = h.within
	}
	switch element {
	case atom.Script:
		h.script(text)
	case atom.Style:
		h.styleSheet(text)
	case atom.Title:
		h.title(h.plain(text))
	case atom.Noframes, atom.Noembed: // what browsers without frames show
		h.nested(text, h.guessed)
	case atom.Textarea, atom.Iframe, atom.Xmp, atom.Plaintext:
	default: // CDATA in XML
		h.context.addText(text)
	}
}

func (h *htmlReader) title(text []byte) {
	if !h.titled && h.depth == 0 {
		h.titled = true
		h.page.Title = h.folded(text, 1024)
	}
}

func (h *htmlReader) styleSheet(text []byte) {
	if h.scan.tag.has("type") {
		if typ := h.attr("type"); len(typ) > 0 && !ascii.EqualFold(bytes.TrimSpace(typ), "text/css") {
			return
		}
	}
	readCSSFrom(h.reading, h.base, text, h.guessed)
}

// comment reads comments that hold markup for old browsers, and XML's style sheet instruction.
func (h *htmlReader) comment(text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte("[if ")):
		if i := bytes.Index(text, []byte("]>")); i >= 0 && h.guessed == "" {
			unsure := h.unsure
			h.unsure = true
			h.nested(text[i+2:], "conditional comment")
			h.unsure = unsure
		}
	case h.scan.xml && bytes.HasPrefix(text, []byte("?xml-stylesheet")):
		if _, after, ok := bytes.Cut(text, []byte("href=")); ok && len(after) > 1 {
			if href, _, ok := bytes.Cut(after[1:], after[:1]); ok {
				h.add(h.base, h.unescaped(href), kavosh.Link{Kind: kavosh.Embed, Element: "?xml-stylesheet", Attr: "href", Rel: "stylesheet"})
			}
		}
	}
}

// display says how browsers show an element among others if no style says otherwise.
type display uint8

const (
	inline display = iota
	block          // the text before, in and after it is on different lines
	broken         // a line break
	linked         // inline; two adjacent ones look separate
	boxed          // inline, with an edge of its own
)

// displays holds the elements that are not inline (docs/decisions/0240), hashed by name because every tag is looked up.
var displays = hashed(map[display][]atom.Atom{
	block: {atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Td, atom.Th, atom.Tr, atom.Table,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Section, atom.Article, atom.Header, atom.Footer,
		atom.Nav, atom.Aside, atom.Main, atom.Form, atom.Fieldset, atom.Blockquote, atom.Pre, atom.Hr, atom.Figure,
		atom.Figcaption, atom.Body, atom.Html, atom.Address, atom.Center, atom.Details, atom.Summary, atom.Option, atom.Caption,
		atom.Legend, atom.Optgroup, atom.Menu, atom.Dir, atom.Dialog, atom.Hgroup, atom.Search, atom.Listing},
	broken: {atom.Br},
	linked: {atom.A, atom.Label, atom.Kbd, atom.Time},
	boxed: {atom.Button, atom.Select, atom.Input, atom.Textarea, atom.Meter, atom.Progress, atom.Object, atom.Iframe,
		atom.Video, atom.Audio, atom.Canvas, atom.Svg},
})

type displayTable [1024]struct {
	element atom.Atom
	display display
}

func hashed(elements map[display][]atom.Atom) (t displayTable) {
	for d, list := range elements {
		for _, a := range list {
			i := atomSlot(a)
			for t[i].element != 0 {
				i = (i + 1) % uint32(len(t))
			}
			t[i].element, t[i].display = a, d
		}
	}
	return t
}

func atomSlot(a atom.Atom) uint32 { return uint32(a) * 0x9E3779B1 >> 22 }

func displayOf(t *tag) display {
	if t.atom == 0 {
		if string(t.name) == "text" { // SVG's
			return boxed
		}
		return inline
	}
	for i := atomSlot(t.atom); ; i = (i + 1) % uint32(len(displays)) {
		if e := &displays[i]; e.element == t.atom || e.element == 0 {
			return e.display
		}
	}
}

func (h *htmlReader) end() {
	h.within = 0
	if h.context.visible != nil {
		h.context.visible.end(&h.scan.tag)
	}
	if d := displayOf(&h.scan.tag); d != inline {
		h.context.edge(d, false)
	}
	if h.scan.tag.atom == atom.A {
		h.context.endAnchor()
	}
}

func (h *htmlReader) start() {
	t := &h.scan.tag
	a := t.atom
	if h.context.visible != nil {
		h.context.visible.start(t)
	}
	if h.scan.xml && !t.closing && (a == atom.Script || a == atom.Style || a == atom.Title) {
		h.within = a
	}
	if d := displayOf(t); d != inline {
		h.context.edge(d, true)
	}
	if len(t.attrs) == 0 {
		if a == atom.A {
			h.context.endAnchor()
		}
		return
	}
	switch a {
	case atom.A:
		h.context.endAnchor()
	case atom.Base:
		h.baseElement()
		return
	case atom.Meta:
		h.meta()
		return
	case atom.Link:
		h.linkElement()
		return
	case atom.Html:
		if h.depth == 0 && h.page.Lang == "" {
			if lang := h.attr("lang"); len(lang) > 0 {
				h.page.Lang = h.folded(lang, 64)
			} else {
				h.page.Lang = h.folded(h.attr("xml:lang"), 64)
			}
		}
	case atom.Applet, atom.Object:
		h.objectElement()
	case atom.Param:
		if name := t.get("name"); ascii.EqualFold(name, "movie") || ascii.EqualFold(name, "src") || ascii.EqualFold(name, "url") {
			h.here(h.attr("value"), kavosh.Embed, "param", "value")
		}
	}
	h.programFrame()
	for i := range t.attrs {
		h.attribute(t.attrs[i])
	}
	if a == atom.Img || a == atom.Image || a == atom.Area {
		h.picture(h.attr("alt"))
	}
}

// picture adds the alternative text of a picture. The picture stands apart from words unless the text is one letter: an
// initial, or a sign in a word.
func (h *htmlReader) picture(alt []byte) {
	alt = spoken(alt)
	letter := utf8.RuneCount(alt) == 1
	if !letter {
		h.context.edge(boxed, true)
	}
	h.context.addText(alt)
	if !letter {
		h.context.edge(boxed, false)
	}
}

// spoken returns an alternative text; nothing if it is a data: URL, the picture itself, which tools that put pictures
// into pages also write there.
func spoken(alt []byte) []byte {
	const scheme = "data:"
	url := bytes.TrimSpace(alt)
	if len(url) < len(scheme) || !ascii.EqualFold(url[:len(scheme)], scheme) {
		return alt
	}
	if kind, _, ok := bytes.Cut(url, []byte{','}); ok && bytes.IndexByte(kind, '/') > 0 && bytes.IndexByte(kind, ' ') < 0 {
		return nil
	}
	return alt
}

// attribute reads an attribute that has its meaning without the rest of the element.
func (h *htmlReader) attribute(at attr) {
	if len(at.name) < 3 || len(at.value) == 0 {
		return
	}
	t := &h.scan.tag
	switch c := ascii.Lower(at.name[0]); {
	case c == 'o' && ascii.Lower(at.name[1]) == 'n':
		if h.guessed == "" || h.depth < maxDepth {
			h.programHandler(at)
			h.handler(at)
		}
		return
	case c == 'd' && len(at.name) > 5 && ascii.EqualFold(at.name[:5], "data-"):
		h.dataAttribute(at)
		return
	case c == 's' && ascii.EqualFold(at.name, "style"):
		if bytes.IndexByte(at.value, '(') >= 0 {
			readCSSFrom(h.reading, h.base, h.unescaped(at.value), h.guessed)
		}
		return
	}
	if n := len(at.name); n < len(rules) {
		for i := range rules[n] {
			u := &rules[n][i]
			if !ascii.EqualFold(at.name, u.attr) {
				continue
			}
			for _, element := range u.on {
				if string(t.name) == element {
					h.apply(u, element, at)
					break
				}
			}
		}
	}
}
