// Package extract reads what a capture contains: type, charset, text, links with their context, feeds.
//
// [Extract] finds out what a document really is (sniff.go), decodes its characters (lib/charset) and gives it to the
// first of readers that accepts it. Each reader has a file: html.go with elements.go, meta.go and context.go; css.go;
// script.go with its parts; json.go; feed.go; sitemap.go; pdf.go; text.go. Readers call each other, because documents
// contain documents: a style sheet in HTML, HTML in a feed, HTML in a string of a script.
//
// Every link goes through reading.add in reading.go. It resolves the link, drops what cannot be fetched, removes
// duplicates and enforces the bounds.
//
// Nothing in a document causes an error: what was cut or could not be read becomes a note of the page.
//
// docs/formats/links.md lists every place that links are taken from, and the kind each gets.
package extract

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding"

	"kavosh"
	"kavosh/lib/charset"
	"kavosh/lib/httpwire"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/weburl"
)

// Document is one capture to extract from.
type Document struct {
	URL       string        // absolute URL of the capture
	Via       string        // URL of the document that linked here, or ""; guesses in a script are resolved against both URLs
	Status    int           // HTTP status; 0 if there is none
	Header    kavosh.Header // of the response; Content-Type, Link, Location, Refresh, Content-Language and X-Robots-Tag are read
	Payload   []byte        // body after transfer and content decoding; Extract neither changes nor keeps it
	Truncated bool          // the payload is incomplete
}

// Options bounds the work that a document may cause, and says what is wanted of it. The zero value works.
type Options struct {
	Agent    string       // product token in lower case, which robots metas may name; "" means "kavosh"
	MaxLinks int          // links kept per document; 0 means 50,000
	MaxBytes int          // bytes of the payload to read; 0 means 16 MiB
	Buffers  *Buffers     // memory to reuse; nil allocates new memory
	Simhash  bool         // also compute the fingerprint of the page's text
	Needs    kavosh.Needs // what else of the page is wanted
}

// reader reads one kind of document.
type reader struct {
	name  string
	takes func(d described) bool
	read  func(r *reading, text []byte)
	bytes bool // it reads raw bytes: not text, or it finds the charset itself
	list  bool // sets kavosh.Page.List
}

// readers lists all kinds of documents with links. The first that accepts a document reads it.
var readers = [...]reader{
	{"sitemap", isSitemap, readSitemap, true, true},
	{"feed", isFeed, readFeed, false, true},
	{"html", isHTML, readHTML, false, false},
	{"xml", isXML, readXML, false, false},
	{"css", isCSS, readCSS, false, false},
	{"script", isScript, readScript, false, false},
	{"manifest", isManifest, readManifest, false, false},
	{"json", isJSON, readJSON, false, false},
	{"pdf", isPDF, readPDF, true, false},
	{"text", isText, readText, true, false}, // all other text
}

// Extract reads doc. It never fails: a document that no reader accepts is a page without links.
func Extract(doc Document, opts Options) *kavosh.Page {
	if opts.Agent == "" {
		opts.Agent = "kavosh"
	}
	if opts.MaxLinks == 0 {
		opts.MaxLinks = 50_000
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 16 << 20
	}
	r := &reading{page: &kavosh.Page{URL: doc.URL}, doc: doc, opts: opts, buffers: opts.Buffers.take()}
	r.seen.slots = r.slots
	defer func() {
		r.slots = r.seen.slots
		opts.Buffers.give(r.buffers)
	}()
	url, err := weburl.Parse(doc.URL)
	if err != nil {
		r.note("its own address cannot be read: " + err.Error())
		return r.page
	}
	r.url, r.base, r.guess, r.origin = url, url, url, append([]byte(url.Origin()), '/')
	r.page.Base = url.Key()
	r.headers()

	payload := doc.Payload
	if len(payload) > opts.MaxBytes {
		payload = payload[:opts.MaxBytes]
		r.note("longer than is read; the rest was left out")
	}
	d := describe(doc, payload)
	r.page.Type = d.mediaType
	if opts.Needs.RDF && doc.Status >= 200 && doc.Status <= 299 {
		r.classify(d, payload)
	}
	if len(payload) > 0 {
		for i := range readers {
			if readers[i].takes(d) {
				r.page.List = readers[i].list
				r.readAs(&readers[i], payload)
				break
			}
		}
	}
	if r.page.Lang == "" {
		lang, _, _ := strings.Cut(doc.Header.Get("Content-Language"), ",")
		r.page.Lang = strings.ToValidUTF8(strings.TrimSpace(lang), "")
	}
	if doc.Truncated {
		r.note("the payload is incomplete")
	}
	r.finish()
	return r.page
}

func (r *reading) readAs(as *reader, payload []byte) {
	if as.bytes {
		as.read(r, payload)
		return
	}
	text := r.decode(payload)
	if bytes.IndexByte(text, 0) >= 0 {
		text = bytes.ReplaceAll(text, []byte{0}, []byte("\uFFFD")) // as browsers do
	}
	as.read(r, text)
}

// decode returns payload in UTF-8 and notes the document's charset.
func (r *reading) decode(payload []byte) []byte {
	text, name, _ := charset.Decode(payload, r.doc.Header.Get("Content-Type"))
	r.page.Charset = name
	if enc, _ := charset.Lookup(name); enc != nil && !strings.HasPrefix(name, "utf-") && enc != encoding.Replacement {
		r.legacy = enc.NewEncoder()
	}
	return text
}

// headers reads the response's header fields.
func (r *reading) headers() {
	h := r.doc.Header
	if s := r.doc.Status; s >= 300 && s < 400 || s == 201 {
		if to := h.Get("Location"); to != "" {
			r.add(r.base, []byte(to), kavosh.Link{Kind: kavosh.Redirect, Element: "http", Attr: "Location"})
		}
	}
	if to := h.Get("Refresh"); to != "" {
		r.refresh([]byte(to), "http", "Refresh")
	}
	for _, v := range h.Values("X-Robots-Tag") {
		r.robotsHeader(v)
	}
	for _, v := range h.Values("Link") {
		r.linkHeader(v)
	}
}

func (r *reading) linkHeader(v string) {
	for url, parameters := range httpwire.Links(v) {
		l := kavosh.Link{Element: "http", Attr: "Link"}
		var mediaType string
		for _, p := range parameters {
			value := strings.ToValidUTF8(p.Value, "\uFFFD")
			switch {
			case p.Name == "rel" && l.Rel == "":
				l.Rel = strings.ToLower(strings.Join(strings.Fields(value), " "))
			case p.Name == "type":
				mediaType = value
				l.Type = strings.ToLower(string(cut([]byte(value), maxType)))
			case p.Name == "hreflang":
				l.Hreflang = value
			case p.Name == "title":
				l.Title = string(cut([]byte(value), maxTitle))
			case p.Name == "imagesrcset":
				srcset([]byte(value), func(url []byte) {
					r.add(r.base, url, kavosh.Link{Kind: kavosh.Embed, Element: "http", Attr: "Link", Rel: l.Rel})
				})
			}
		}
		kind, ok := relKind(l.Rel, []byte(mediaType))
		if !ok {
			continue
		}
		l.Kind = kind
		if r.opts.Needs.RDF && hasWord(l.Rel, jsonld.Relation) {
			l.Kind, l.Element, l.Attr, r.described = kavosh.Embed, "rdf", "@context", true
		}
		l.NoFollow = hasWord(l.Rel, "nofollow")
		if i := r.add(r.base, []byte(url), l); i >= 0 && hasWord(l.Rel, "canonical") && r.page.Canonical == "" {
			r.page.Canonical = r.links[i].URL
		}
	}
}
