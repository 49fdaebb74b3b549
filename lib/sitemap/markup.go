package sitemap

// This file reads sitemaps and feeds in XML. They are hostile input.

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// reader reads XML sitemaps and feeds. It holds one entry and the text of one element at a time.
//
// It knows elements by local name and parent, never by namespace: half of the namespaces in use are wrong. A value ends
// with its element or, if the end tag is missing, with the next element of the entry.
type reader struct {
	*parser
	z     *html.Tokenizer
	stack []string // local names of the open elements

	entry    URL
	open     bool   // an entry is being read
	index    bool   // it is a <sitemap> of an index
	guid     string // of an RSS item: its location if it has no link
	bare     []byte // text directly inside the entry
	group    string // the open image, video or news element; else ""
	grouped  int    // len(entry.Links) where the group began
	caption  string // its title
	field    string // the element whose text is being read; "" if none
	depth    int    // len(stack) within that element
	text     []byte // its text so far
	textLine int    // line on which the text began
	subset   bool   // inside the brackets of a DTD
}

// markup reads a document that begins with a tag. It uses the tokenizer of HTML because that accepts anything. Where
// HTML differs from XML (raw text elements, entities without a semicolon), that is switched off or handled here.
func (p *parser) markup(in io.Reader) error {
	r := &reader{parser: p, z: html.NewTokenizer(in)}
	r.z.SetMaxBuf(maxToken)
	r.z.AllowCDATA(true)
	for last := html.CommentToken; ; {
		kind := r.z.Next()
		raw := r.z.Raw()
		lines := bytes.Count(raw, []byte{'\n'})
		var err error
		switch {
		case r.subset && kind != html.ErrorToken:
			r.subset = kind != html.TextToken || !closesDTD(raw)
		case kind == html.DoctypeToken:
			_, inner, _ := bytes.Cut(raw, []byte{'['})
			r.entities = r.entities || inner != nil
			r.subset = inner != nil && !closesDTD(inner)
		case kind == html.ErrorToken:
			if last == html.TextToken && len(raw) == 0 {
				r.field, r.bare = "", nil // text cut off by the end of the document: half a value is worse than none
			}
			return r.end()
		case kind == html.TextToken:
			r.characters(raw)
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
			r.z.NextIsNotRawText()
			err = r.start(kind == html.SelfClosingTagToken)
		case kind == html.EndTagToken:
			name, _ := r.z.TagName()
			err = r.close(local(name))
		}
		if err != nil {
			return err
		}
		last = kind
		p.line += lines
	}
}

// closesDTD reports whether the brackets of a DTD, and the DTD itself, end in text.
func closesDTD(text []byte) bool {
	for in := true; in; {
		if _, text, in = bytes.Cut(text, []byte{']'}); bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte{'>'}) && in {
			return true
		}
	}
	return false
}

// end finishes what is still open at the end of the document.
func (r *reader) end() error {
	cut := r.z.Err()
	if len(r.stack) > 0 && cut == io.EOF {
		r.note("line %d: the document ends within <%s>", r.line, r.parent())
	}
	if err := r.finish(); err != nil {
		return err
	}
	if r.out.Format == Unknown && cut == io.EOF {
		r.note("neither a sitemap nor a feed: no root element that is known")
	}
	return cut
}

// start handles a start tag. The tokenizer holds its name and attributes.
func (r *reader) start(empty bool) error {
	name, attrs := r.tag()
	if len(r.stack) == 0 && r.out.Format == Unknown {
		r.out.Format = formatOf(name)
		if name == "html" {
			r.note("line %d: an HTML page where a sitemap was expected", r.line)
			return io.EOF
		}
	}
	if r.field != "" {
		// An element inside a value: ignore this markup, unless the value's end tag is missing.
		if !r.known(name) || clean(string(r.text)) == "" {
			return r.push(name, empty)
		}
		r.note("line %d: <%s> is not closed", r.textLine, r.field)
		r.value()
		r.stack = r.stack[:r.depth-1]
	}
	if r.isEntry(name) {
		if r.open {
			r.note("line %d: <%s> is not closed", r.line, name)
		}
		if err := r.begin(name == "sitemap", attrs.about); err != nil {
			return err
		}
		return r.push(name, empty)
	}
	if !r.open {
		return r.push(name, empty)
	}
	switch name {
	case "image", "video", "news", "pagemap":
		if r.out.Format == XML && !empty {
			r.group, r.grouped, r.caption = name, len(r.entry.Links), ""
		}
	case "loc":
		if r.group == "" && r.entry.Loc != "" { // a second location begins a second entry
			if err := r.begin(r.index, ""); err != nil {
				return err
			}
		}
	case "link":
		r.link(attrs)
	case "enclosure", "content", "thumbnail":
		r.media(name, attrs)
	}
	wanted := r.known(name) && !empty
	if err := r.push(name, empty); err != nil || !wanted {
		return err
	}
	r.field, r.depth, r.text, r.textLine = name, len(r.stack), r.text[:0], r.line
	return nil
}

func (r *reader) tag() (name string, attrs attributes) {
	full, more := r.z.TagName()
	name = local(full)
	for more {
		var k, v []byte
		k, v, more = r.z.TagAttr()
		attrs.take(local(k), v)
	}
	return name, attrs
}

// begin begins an entry and finishes the one before.
func (r *reader) begin(index bool, loc string) error {
	if err := r.finish(); err != nil {
		return err
	}
	r.open, r.index, r.entry = true, index, URL{Priority: 0.5, Loc: loc}
	return nil
}

func (r *reader) push(name string, empty bool) error {
	if empty {
		return nil
	}
	if len(r.stack) == maxDepth {
		r.note("line %d: more than %d elements within each other, the rest is left out", r.line, maxDepth)
		return io.EOF
	}
	r.stack = append(r.stack, name)
	return nil
}

// known reports whether the text of an element with this name is wanted here.
func (r *reader) known(name string) bool {
	switch r.out.Format {
	case RSS:
		switch name {
		case "link", "guid", "pubdate", "date", "title":
			return r.parent() == "item" || r.field != ""
		}
	case Atom:
		switch name {
		case "updated", "published", "title":
			return r.parent() == "entry" || r.field != ""
		}
	case XML:
		switch r.group {
		case "":
			return name == "loc" || name == "lastmod" || name == "changefreq" || name == "priority" || isData(name)
		case "image":
			return name == "loc" || name == "title"
		case "video":
			return name == "title" || strings.HasSuffix(name, "_loc")
		case "news":
			return name == "title" || name == "language" || name == "publication_date"
		}
	}
	return false
}

// parent returns the element that contains a new one.
func (r *reader) parent() string {
	if len(r.stack) == 0 {
		return ""
	}
	return r.stack[len(r.stack)-1]
}

func (r *reader) isEntry(name string) bool {
	switch r.out.Format {
	case XML:
		return name == "url" || name == "sitemap" || name == "dataset"
	case RSS:
		return name == "item"
	case Atom:
		return name == "entry"
	}
	return false
}

// formatOf returns the format for a root element, or for an entry if the root is missing.
func formatOf(root string) Format {
	switch root {
	case "urlset", "sitemapindex", "url", "sitemap":
		return XML
	case "rss", "rdf", "channel", "item":
		return RSS
	case "feed", "entry":
		return Atom
	}
	return Unknown
}

// characters handles text or a CDATA section.
func (r *reader) characters(raw []byte) {
	into := &r.text
	if r.field == "" {
		if !r.open || !r.isEntry(r.parent()) {
			return
		}
		into = &r.bare
	}
	if cdata, ok := bytes.CutPrefix(raw, []byte("<![CDATA[")); ok {
		*into = append(*into, bytes.TrimSuffix(cdata, []byte("]]>"))...)
		return
	}
	*into = appendText(*into, raw)
}

// close handles an end tag.
func (r *reader) close(name string) error {
	at := len(r.stack) - 1
	for at >= 0 && r.stack[at] != name {
		at--
	}
	if at < 0 {
		r.note("line %d: </%s> closes nothing", r.line, name)
		return nil
	}
	if inner := len(r.stack) - 1; at < inner {
		r.note("line %d: <%s> is closed by </%s>", r.line, r.stack[inner], name)
	}
	if r.field != "" && at < r.depth {
		r.value()
	}
	r.stack = r.stack[:at]
	if name == r.group {
		r.endGroup()
	}
	if r.open && r.isEntry(name) {
		return r.finish()
	}
	return nil
}

// endGroup gives the title of an image or video to the locations in it.
func (r *reader) endGroup() {
	for i := r.grouped; i < len(r.entry.Links); i++ {
		r.entry.Links[i].Title = r.caption
	}
	r.group = ""
}

// finish adds the current entry, if there is one.
func (r *reader) finish() error {
	if !r.open {
		return nil
	}
	if r.field != "" {
		r.value()
	}
	if r.group != "" {
		r.endGroup()
	}
	if ref := clean(string(r.bare)); r.entry.Loc == "" && absolute(ref) {
		r.entry.Loc = ref // <sitemap>https://…</sitemap>
	}
	if r.entry.Loc == "" {
		r.entry.Loc = r.guid
	}
	u, index := r.entry, r.index
	r.entry, r.open, r.guid, r.bare = URL{}, false, "", r.bare[:0]
	if index {
		return r.addSitemap(Part{u.Loc, u.LastMod})
	}
	return r.add(u)
}

// value handles the text of an element at its end.
func (r *reader) value() {
	name, text := r.field, clean(string(r.text))
	r.field = ""
	if text == "" {
		return
	}
	e := &r.entry
	switch {
	case r.group == "image" && name == "loc":
		r.addLink(Link{URL: text, Kind: Image})
	case r.group == "video" && name != "title":
		r.addLink(Link{URL: text, Kind: videoKind(name)})
	case r.group == "image" || r.group == "video":
		r.caption = text
	case name == "loc", name == "link":
		if e.Loc == "" || r.out.Format == RSS && name == "link" {
			e.Loc = text
		}
	case isData(name) && e.Loc == "":
		e.Loc = text
	case isData(name):
		r.addLink(Link{URL: text, Kind: Data})
	case name == "guid" && absolute(text): // whatever isPermaLink says
		r.guid = text
	case name == "lastmod", name == "updated", name == "pubdate", name == "date":
		e.LastMod = parseTime(text)
	case name == "publication_date", name == "published":
		e.Published = parseTime(text)
	case name == "changefreq":
		e.ChangeFreq = strings.ToLower(text)
	case name == "priority":
		if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n <= 1 {
			e.Priority = n
		}
	case name == "title":
		e.Title = strings.Join(strings.Fields(text), " ")
	case name == "language":
		e.Language = text
	}
}

// isData reports whether an element has the URL of a document, in a data set of the Semantic Web Crawling extension to
// sitemaps (Cyganiak 2008). The extension's other URLs are endpoints and prefixes, not documents.
func isData(name string) bool {
	return name == "dataseturi" || name == "sampleuri" || name == "datadumplocation"
}

func videoKind(name string) LinkKind {
	switch name {
	case "player_loc":
		return Player
	case "thumbnail_loc":
		return Thumbnail
	case "gallery_loc":
		return Gallery
	}
	return Video
}

// link handles a <link> element. Its URL is an attribute, except in RSS.
func (r *reader) link(a attributes) {
	if a.href == "" {
		return
	}
	switch r.out.Format {
	case XML:
		if r.group == "" {
			r.addLink(Link{URL: a.href, Kind: Alternate, Hreflang: a.hreflang})
		}
	case Atom:
		switch {
		case r.parent() != "entry":
		case a.rel == "enclosure":
			r.addLink(Link{URL: a.href, Kind: Enclosure})
		case a.rel != "" && a.rel != "alternate":
		case r.entry.Loc == "":
			r.entry.Loc = a.href
		default:
			r.addLink(Link{URL: a.href, Kind: Alternate, Hreflang: a.hreflang})
		}
	case RSS:
		if r.parent() == "item" && r.entry.Loc == "" && (a.rel == "" || a.rel == "alternate") {
			r.entry.Loc = a.href
		}
	}
}

// media adds the files of an RSS item: its enclosure, and those of the Media RSS extension.
func (r *reader) media(name string, a attributes) {
	if r.out.Format != RSS || a.url == "" {
		return
	}
	kind := Enclosure
	if name == "thumbnail" {
		kind = Thumbnail
	}
	r.addLink(Link{URL: a.url, Kind: kind})
}

func (r *reader) addLink(l Link) {
	if len(r.entry.Links) == maxLinks {
		return
	}
	if url, ok := r.resolve(l.URL); ok {
		l.URL = url
		r.entry.Links = append(r.entry.Links, l)
	}
}

// attributes holds the attributes with a meaning in some format.
type attributes struct {
	href, hreflang, rel, url, about string
}

func (a *attributes) take(name string, value []byte) {
	var field *string
	switch name {
	case "href":
		field = &a.href
	case "hreflang":
		field = &a.hreflang
	case "rel":
		field = &a.rel
	case "url":
		field = &a.url
	case "about":
		field = &a.about
	default:
		return
	}
	*field = clean(string(value))
}

// local returns the name of an element or attribute without its namespace prefix. The tokenizer has already lowered it.
func local(name []byte) string {
	return string(name[bytes.LastIndexByte(name, ':')+1:])
}
