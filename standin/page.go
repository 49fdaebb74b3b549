package standin

// This file reads a page: what it says, what it asks for, and the works (title, tags and scripts) by which makers of
// walls are known.

import (
	"bytes"
	"hash"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"kavosh/lib/charset"
	"kavosh/lib/simhash"
)

const (
	maxTitle    = 512       // bytes of a title or a heading that are read
	maxHead     = 64 << 10  // bytes in which title and headings are looked for
	maxApart    = 4 << 10   // bytes between two headings of which both are looked at
	maxWorks    = 128 << 10 // bytes of a page whose works are looked at
	fewLinks    = 6         // so many links at most has a page that is there to say one thing
	someLinks   = 20        // … that may have a frame of its site around it; one with fewer is read whatever its title says
	maxHeadings = 4         // of the first and the second level
	maxBlock    = 600       // bytes of a block of text that may be a message to the reader
	maxSpoken   = 2 << 10   // bytes of a block of text of which is asked what it speaks of
	maxSilent   = 800       // bytes of what there is for who runs no scripts, if it is a message and no other page
	maxBlocks   = 60
	maxText     = 6000 // letters and digits of a page that is read to its end, without links and frame
	longestWord = 24   // bytes of a word that is no token of a program
	maxReload   = 15   // seconds until a page loads itself again
)

// glimpse is what is told of a page without reading all of it.
type glimpse struct {
	title, heading claim
	hash           uint64 // of the title; 0 for none
	named          bool   // the URL names a page to sign in
	few            bool   // it has some links at most
}

// glimpseOf looks at the title, at the first headings, and at how many links there are.
func glimpseOf(page []byte, url, contentType string) (g glimpse) {
	e := ear{make([]byte, 0, 2*longestClaim)}
	g.named = e.named(url)
	g.few = !many(page)
	head := page[:min(len(page), maxHead)]
	title, _ := element(head, "title", "TITLE")
	if title = bytes.TrimSpace(title); len(title) > 0 {
		g.hash = max(sum(title), 1)
	}
	g.title = e.hear(inUTF8(title, page, contentType), true)
	for range 2 { // the first may hold a picture, or the name of the site
		var text []byte
		if text, head = element(head, "h1", "H1"); text == nil {
			break
		}
		g.heading |= e.hear(inUTF8(text, page, contentType), false)
		head = head[:min(len(head), maxApart)]
	}
	return g
}

// many reports whether a page has more than some links.
func many(page []byte) bool {
	for _, link := range [...]string{"<a ", "<A "} {
		for n, rest := 0, page; ; n++ {
			i := bytes.Index(rest, []byte(link))
			if i < 0 {
				break
			}
			if n == someLinks {
				return true
			}
			rest = rest[i+len(link):]
		}
	}
	return false
}

// element returns what is in the first element with one of the names, and what follows; nil if there is none.
func element(page []byte, names ...string) (text, rest []byte) {
	for _, name := range names {
		for rest := page; ; {
			i := bytes.Index(rest, []byte(name))
			if i < 0 {
				break
			}
			tag := i > 0 && rest[i-1] == '<'
			rest = rest[i+len(name):]
			end := bytes.IndexByte(rest[:min(len(rest), maxTitle)], '>')
			if !tag || end < 0 || end > 0 && rest[0] > ' ' {
				continue
			}
			rest = rest[end+1:]
			if end = bytes.Index(rest[:min(len(rest), 4*maxTitle)], []byte("</"+name)); end < 0 {
				end = min(len(rest), maxTitle)
			}
			return rest[:min(end, maxTitle)], rest[end:]
		}
	}
	return nil, nil
}

// inUTF8 returns a text of a page in UTF-8, by the encoding that the page declares.
func inUTF8(text, page []byte, contentType string) []byte {
	if utf8.Valid(text) {
		return text
	}
	enc, _ := charset.Lookup(charset.Declared(page, contentType))
	if enc == nil {
		return text
	}
	decoded, err := enc.NewDecoder().Bytes(text)
	if err != nil {
		return text
	}
	return decoded
}

// look is what was read of a page.
type look struct {
	title    claim
	headings claim
	messages claim // of short blocks of text
	buttons  claim
	silent   claim // of what is there for who runs no scripts
	cookies  int   // letters and digits of blocks that speak of cookies

	named     bool // its URL names a page to sign in
	headed    bool // a heading has text
	links     int
	text      int // letters and digits, without links and what frames a page, such as its navigation
	all       int // letters and digits
	passwords int
	asks      bool // for something that a reader writes
	captcha   bool // it has a field for what a picture says
	article   bool // it says so, or it has frames
	error404  bool // it says so by the class or the id of an element
	noIndex   bool
	again     bool        // it sets a cookie and loads itself again
	bare      bool        // no link, no file but scripts, hardly a word: nobody was meant to read it
	scripts   []string    // where its scripts come from
	words     []byte      // what there is to read, at most maxWords bytes and a block
	works     []byte      // title, tags and scripts in lower case; of pages of at most maxWorks bytes
	shape     []byte      // its tags in order, as words
	canonical string      // the address that it gives itself; "" for none
	refers    hash.Hash64 // hash of its links and pictures
}

// Bounds of what there is to read.
const (
	maxWords     = 4 << 10 // bytes that are kept
	maxWallWords = 1200    // letters and digits of the page of a wall
	maxBareWords = 200
)

// reader reads a page.
type reader struct {
	look
	ear
	url      string
	keeps    bool   // the works
	inside   string // of which element the text is
	linked   int    // how many elements are open: links
	frame    int    // … what frames a page
	button   string // which element is open that is a button
	heads    int    // headings met
	head     []byte // text of the heading that is open
	block    []byte // text of the block that is open
	blocks   int
	press    []byte // text of the button that is open
	noscript []byte // what is there for who runs no scripts
}

// read reads a page that was asked for by a URL.
func read(page []byte, url, contentType string) *look {
	r := reader{url: url, keeps: len(page) <= maxWorks}
	r.bare, r.refers, r.look.named = true, fnv.New64a(), r.ear.named(url)
	page, _, _ = charset.Decode(page, contentType)
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken || r.text > maxText { // with so much to read it is a page
			break
		}
		raw := z.Raw()
		switch kind {
		case html.TextToken:
			r.chars(raw)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		case html.StartTagToken, html.SelfClosingTagToken:
			if r.keeps {
				r.works = append(r.works, raw...)
			}
			r.start(z, kind == html.StartTagToken)
		}
	}
	r.endBlock()
	l := &r.look
	if len(r.noscript) <= maxSilent {
		l.silent = r.hear(r.noscript, false)
	}
	l.works = bytes.ToLower(l.works)
	l.bare = l.bare && l.all <= maxBareWords && bytes.Contains(l.works, []byte("<script"))
	if bytes.Contains(l.works, []byte("document.cookie")) {
		for _, call := range []string{"location.reload", "location.replace", "location.href", "location.assign", "location=", "location =", ".submit("} {
			l.again = l.again || bytes.Contains(l.works, []byte(call))
		}
	}
	l.again = l.again && l.bare
	return l
}

// chars reads text.
func (r *reader) chars(raw []byte) {
	switch r.inside {
	case "script", "style":
		if r.keeps {
			r.works = append(r.works, raw...)
		}
		return
	case "title":
		r.title = r.hear(raw[:min(len(raw), maxTitle)], true)
		if r.keeps {
			r.works = append(r.works, html.UnescapeString(strings.TrimSpace(string(raw)))...)
		}
		return
	case "noscript":
		if r.keeps {
			r.works = append(r.works, raw[:min(len(raw), maxSilent)]...)
		}
		if len(r.noscript) <= maxSilent {
			r.noscript = append(append(r.noscript, ' '), raw[:min(len(raw), maxSilent)]...)
		}
		return
	case "select":
		return
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return
	}
	if len(r.look.words) <= maxWords {
		r.look.words = append(append(r.look.words, ' '), raw...)
	}
	n := letters(raw)
	r.all += n
	if r.linked == 0 && r.frame == 0 && r.button == "" && r.inside == "" {
		r.text += n
	}
	if r.heads > 0 && r.head != nil {
		r.head = append(append(r.head, ' '), raw[:min(len(raw), maxTitle)]...)
	}
	if r.button != "" {
		r.press = append(append(r.press, ' '), raw[:min(len(raw), maxTitle)]...)
	}
	if len(r.block) <= maxSpoken {
		r.block = append(append(r.block, ' '), raw[:min(len(raw), maxSpoken)]...)
	}
}

// letters returns how many letters and digits are in a text.
func letters(text []byte) (n int) {
	for _, b := range text {
		if b >= 0xC0 || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' {
			n++
		}
	}
	return n
}

// endBlock ends a block of text.
func (r *reader) endBlock() {
	if n := len(r.block); n > 0 && r.blocks < maxBlocks {
		r.blocks++
		c := r.hear(r.block, false)
		if c&saysCookies != 0 {
			r.cookies += letters(r.block)
		}
		if r.frame == 0 && n <= maxBlock {
			r.messages |= c
		}
	}
	r.block = r.block[:0]
}

// end reads an end tag.
func (r *reader) end(name string) {
	if name == r.inside {
		if name == "title" && r.keeps {
			r.works = append(r.works, "</title>"...)
		}
		r.inside = ""
	}
	if name == r.button {
		r.buttons |= r.hear(r.press, false)
		r.button, r.press = "", nil
	}
	switch name {
	case "a":
		r.linked = 0
	case "nav", "header", "footer", "aside":
		r.frame = max(r.frame-1, 0)
	case "h1", "h2":
		r.headings |= r.hear(r.head, false)
		r.headed = r.headed || len(r.head) > 0
		r.head = nil
	}
	if isBlock(name) {
		r.endBlock()
	}
}

// start reads a start tag.
func (r *reader) start(z *html.Tokenizer, opens bool) {
	name, more := z.TagName()
	tag := string(name)
	if r.keeps {
		r.shape = append(append(r.shape, tag...), ' ')
	}
	if isBlock(tag) {
		r.endBlock()
	}
	var id, class, kind, value, src, href, role, rel, field, content string
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "id":
			id = string(v)
		case "class":
			class = string(v)
		case "type":
			kind = strings.ToLower(string(v))
		case "value":
			value = string(v)
		case "src":
			src = string(v)
		case "href":
			href = string(v)
		case "rel":
			rel = string(v)
		case "role":
			role = string(v)
		case "name", "http-equiv":
			field = strings.ToLower(string(v))
		case "content":
			content = string(v)
		}
	}
	switch tag {
	case "title", "script", "style", "noscript", "select":
		if opens && r.inside == "" && (tag != "title" || r.title == 0) {
			r.inside = tag
		}
	case "a":
		r.links++
		r.linked = 1
	case "nav", "header", "footer", "aside":
		r.frame++
	case "h1", "h2":
		if r.heads++; r.heads <= maxHeadings {
			r.head = make([]byte, 0, 64)
		}
	case "button":
		r.button, r.press = tag, nil
	case "article", "frameset":
		r.article = true
	case "body", "main", "div", "section":
		r.error404 = r.error404 || isError(class) || isError(id)
	}
	if tag == "a" || tag == "img" || tag == "iframe" {
		where, _, _ := strings.Cut(href+src, "?")
		r.refers.Write([]byte(where))
	}
	if tag == "link" && rel == "canonical" {
		r.canonical = href
	}
	if role == "button" && r.button == "" {
		r.button, r.press = tag, nil
	}
	switch tag {
	case "script":
		if src != "" {
			r.scripts = append(r.scripts, strings.ToLower(src))
		}
	case "input":
		switch kind {
		case "submit", "button":
			r.buttons |= r.hear([]byte(value), false)
		case "hidden", "image", "checkbox", "radio":
		case "password":
			r.passwords++
			r.asks = true
		default:
			if of := field + strings.ToLower(id); strings.Contains(of, "captcha") || strings.Contains(of, "challenge") {
				r.captcha = true
			} else {
				r.asks = true
			}
		}
	case "textarea", "select":
		r.asks = r.asks || field != "g-recaptcha-response" && field != "h-captcha-response"
	case "a", "link", "img", "iframe", "object", "video":
		r.bare = false
	case "meta":
		switch field {
		case "refresh":
			r.again = r.again || itself(content, r.url)
		case "robots":
			r.noIndex = r.noIndex || strings.Contains(strings.ToLower(content), "noindex")
		}
	}
}

// isBlock reports whether an element begins a block of text.
func isBlock(name string) bool {
	switch name {
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "tr", "section", "article", "main", "body", "form", "br", "center", "blockquote", "dt", "dd",
		"pre", "ul", "ol", "dl", "table", "nav", "header", "footer", "aside", "hr":
		return true
	}
	return false
}

// isError reports whether a class or an id is that of an error page, such as "error-404" or "page_not_found".
func isError(names string) bool {
	if len(names) > maxTitle || !strings.Contains(names, "404") && !strings.Contains(names, "ound") && !strings.Contains(names, "rror") {
		return false
	}
	return slices.ContainsFunc(strings.Fields(names), func(name string) bool {
		switch strings.Map(plain, name) {
		case "error404", "page404", "404page", "error404page", "pagenotfound", "notfound", "errorpage", "pageerror", "notfoundpage", "http404", "errornotfound", "error404notfound", "404error", "404notfound", "page404notfound":
			return true
		}
		return false
	})
}

// plain makes one spelling of the names of classes.
func plain(r rune) rune {
	switch {
	case r == '-' || r == '_':
		return -1
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 'a'
	}
	return r
}

// itself reports whether a refresh leads to the page at url again, at once.
func itself(content, url string) bool {
	wait, to, _ := strings.Cut(strings.ToLower(content), ";")
	if seconds, err := strconv.Atoi(strings.TrimSpace(wait)); err != nil || seconds > maxReload {
		return false
	}
	to = strings.Trim(strings.TrimPrefix(strings.ReplaceAll(to, " ", ""), "url="), `'"`)
	return to == "" || to == strings.ToLower(url)
}

// others reports whether the page has scripts from elsewhere than what marks tell.
func (l *look) others(marks []string) bool {
	return slices.ContainsFunc(l.scripts, func(src string) bool {
		return !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(src, m) })
	})
}

// blank reports whether the page has nothing at all for a reader, not even a title.
func (l *look) blank() bool {
	return l.bare && l.all == 0 && !bytes.Contains(l.works, []byte("<title"))
}

// acts reports whether the page does something with who reads it, or lets the reader do something.
func (l *look) acts() bool {
	return slices.ContainsFunc([]string{"<script", "<form", "<iframe", "http-equiv=\"refresh"}, func(tag string) bool { return bytes.Contains(l.works, []byte(tag)) })
}

// isWork reports whether the page is short and has next to nothing to read, so that its works tell what it is.
func (l *look) isWork() bool {
	return len(l.works) > 0 && l.links <= fewLinks && l.all <= maxWallWords
}

// print returns what tells a page from others, by its tags and words, without words that change in every answer, such as
// the number of a request. It is a simhash, or a hash if the page is too short for one.
func (l *look) print() uint64 {
	text := slices.Clone(l.shape)
	for word := range bytes.FieldsSeq(l.words) {
		if len(word) <= longestWord && !bytes.ContainsAny(word, "0123456789") {
			text = append(append(text, word...), ' ')
		}
	}
	var h simhash.Hasher
	h.Add(text)
	if print := h.Sum(); print != 0 {
		return print
	}
	return max(sum(text), 1)
}
