package extract

// This file is the reader of feeds: RSS, Atom, JSON Feed.

import (
	"bytes"
	"strings"

	"kavosh"
)

// readFeed reads RSS of any version, Atom and JSON Feed. Entries and enclosures become Feed links, and addresses of the
// feed itself become Navigation. HTML inside entries is read as HTML.
func readFeed(r *reading, text []byte) {
	if t := bytes.TrimLeft(text, " \t\r\n"); len(t) > 0 && t[0] == '{' {
		readJSONFeed(r, text)
		return
	}
	f := feedReader{reading: r}
	f.scan = scanner{src: text, xml: true}
	f.read()
}

// feedReader reads an XML feed element by element, without building a tree.
type feedReader struct {
	*reading
	scan  scanner
	text  []byte // text of the innermost element
	items int    // open item or entry elements
	kept  int    // index in reading.links of the entry's link; -1 until it is seen
	title string // of the entry
	perma bool   // the guid is an address
}

func (f *feedReader) read() {
	f.kept = -1
	for !f.full {
		kind, text := f.scan.next()
		switch kind {
		case endOfText:
			return
		case textToken:
			f.text = append(f.text, unescapeText(nil, text)...)
		case rawText:
			f.text = append(f.text, text...)
		case startTag:
			f.start()
			if f.scan.tag.closing {
				f.end()
			}
		case endTag:
			f.end()
		}
		if len(f.text) > 1<<20 {
			f.text = f.text[:0]
		}
	}
}

func (f *feedReader) start() {
	f.text = f.text[:0]
	t := &f.scan.tag
	value := func(name string) []byte { return unescape(nil, t.get(name)) }
	switch string(t.name) {
	case "item", "entry":
		f.items++
		f.kept, f.title = -1, ""
	case "rss", "feed", "RDF", "rdf":
		if lang := value("xml:lang"); len(lang) > 0 {
			f.page.Lang = f.folded(lang, 64)
		}
	case "link":
		if t.has("href") {
			f.atomLink(value("href"), value("rel"), value("type"), value("hreflang"), value("title"))
		}
	case "enclosure":
		f.put(value("url"), kavosh.Link{Kind: kavosh.Feed, Attr: "enclosure"})
	case "content", "thumbnail", "player":
		if t.has("url") { // Media RSS
			kind := kavosh.Feed
			if string(t.name) == "thumbnail" {
				kind = kavosh.Embed
			}
			f.put(value("url"), kavosh.Link{Kind: kind, Attr: "media:" + string(t.name)})
		}
		if t.has("src") { // Atom content out of line
			f.put(value("src"), kavosh.Link{Kind: kavosh.Feed, Attr: "content"})
		}
	case "image":
		f.put(value("href"), kavosh.Link{Kind: kavosh.Embed, Attr: "image"}) // iTunes
	case "li":
		if t.has("resource") || t.has("rdf:resource") {
			f.put(append(value("resource"), value("rdf:resource")...), kavosh.Link{Kind: kavosh.Feed, Attr: "rdf:resource"})
		}
	case "guid":
		f.perma = !bytes.EqualFold(t.get("isPermaLink"), []byte("false"))
	}
}

func (f *feedReader) atomLink(href, rel, mediaType, lang, title []byte) {
	l := kavosh.Link{Kind: kavosh.Feed, Attr: "link", Rel: f.folded(rel, maxTitle), Hreflang: f.folded(lang, 64),
		Title: f.folded(title, maxTitle), Type: strings.ToLower(f.folded(mediaType, maxType))}
	switch l.Rel {
	case "", "alternate":
		l.Rel = "alternate"
		if f.items == 0 {
			l.Kind = kavosh.Navigation
		}
	case "enclosure", "next", "prev", "previous", "first", "last", "self", "replies", "prev-archive", "next-archive", "current":
	case "hub", "edit", "edit-media", "service", "http://schemas.google.com/g/2005#feed", "http://schemas.google.com/g/2005#post", "search":
		return
	default:
		l.Kind = kavosh.Navigation
	}
	i := f.put(href, l)
	if f.items > 0 && l.Rel == "alternate" {
		f.entryLink(i)
	}
}

// entryLink marks link i as the entry's own, which gets the entry's title.
func (f *feedReader) entryLink(i int) {
	if i >= 0 && f.kept < 0 {
		f.kept = i
		f.name()
	}
}

func (f *feedReader) name() {
	if f.kept >= 0 && f.title != "" && f.links[f.kept].Anchor == "" {
		f.links[f.kept].Anchor = f.title
	}
}

func (f *feedReader) put(ref []byte, l kavosh.Link) int {
	l.Element = "feed"
	return f.add(f.base, ref, l)
}

func (f *feedReader) end() {
	t := &f.scan.tag
	text := f.text
	f.text = f.text[:0]
	switch string(t.name) {
	case "item", "entry":
		f.items = max(0, f.items-1)
	case "title":
		switch {
		case f.items > 0:
			f.title = f.folded(text, maxAnchor)
			f.name()
		case f.page.Title == "":
			f.page.Title = f.folded(text, 1024)
		}
	case "language":
		if f.page.Lang == "" {
			f.page.Lang = f.folded(text, 64)
		}
	case "link":
		if len(bytes.TrimSpace(text)) > 0 {
			kind := kavosh.Feed
			if f.items == 0 {
				kind = kavosh.Navigation
			}
			i := f.put(text, kavosh.Link{Kind: kind, Attr: "link"})
			if f.items > 0 {
				f.entryLink(i)
			}
		}
	case "guid":
		if f.perma && looksLikeURL(bytes.TrimSpace(text), shapeString) {
			f.entryLink(f.put(text, kavosh.Link{Kind: kavosh.Feed, Attr: "guid"}))
		}
	case "comments", "commentRss":
		f.put(text, kavosh.Link{Kind: kavosh.Feed, Attr: "comments"})
	case "url":
		f.put(text, kavosh.Link{Kind: kavosh.Embed, Attr: "image"})
	case "description", "encoded", "content", "summary":
		if bytes.IndexByte(text, '<') >= 0 {
			f.nested(bytes.Clone(text), "")
		}
	}
}
