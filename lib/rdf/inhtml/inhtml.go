// Package inhtml reads the data in HTML pages: RDFa, microdata, microformats, and JSON-LD in script elements.
//
// A page is parsed into a tree once, and each syntax makes its statements from that (inhtml.go; islands.go has
// JSON-LD). matter.go says which statements are about the page's subject.
package inhtml

import (
	"io"
	"mime"
	"strings"

	"kavosh/lib/charset"
	"kavosh/lib/htmltree"
	"kavosh/lib/microformats"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/rdf/microdata"
	"kavosh/lib/rdf/rdfa"
)

// maxPage is how many bytes of a page are read; if it is longer, a fault says so.
const maxPage = 16 << 20

// Syntax is a way to embed data in a page.
type Syntax uint8

// The syntaxes, in the order in which they are read.
const (
	RDFa Syntax = iota
	Microdata
	Microformats
	JSONLD
	Syntaxes // their number
)

// String returns the syntax's name.
func (s Syntax) String() string {
	return [...]string{"rdfa", "microdata", "microformats", "json-ld"}[s]
}

// Count is how many distinct statements a page makes in a syntax.
type Count struct {
	All    int
	Matter int // statements for which Matters is true
}

// Reader yields the statements of a page, each once. A script element with JSON-LD that has a fault is read up to there,
// with a warning. If the page exceeds a bound, a *rdf.Fault follows. Labels of blank nodes are unique within the page.
type Reader struct {
	Counts [Syntaxes]Count
	rdf.Held
	warnings rdf.Warnings
}

// Warnings implements rdf.Lenient.
func (r *Reader) Warnings() *rdf.Warnings { return &r.warnings }

// NewReader reads a page with its Content-Type and URL. contexts is for JSON-LD in the page, and may be nil.
func NewReader(body []byte, contentType, url string, contexts jsonld.Contexts) *Reader {
	cut := len(body) > maxPage
	if cut {
		body = body[:maxPage]
	}
	text, _, _ := charset.Decode(body, contentType)
	page := htmltree.Parse(string(text), isXML(contentType), url)
	if cut {
		page.Stop(&htmltree.Node{Offset: len(text)}, "the page is longer than %d bytes", maxPage)
	}
	r := &Reader{Held: rdf.Held{End: io.EOF}}
	met := map[rdf.Quad]bool{}
	r.add(RDFa, rdfa.Read(page), met)
	r.add(Microdata, microdata.Read(page), met)
	r.add(Microformats, microformats.Read(page).Statements(), met)
	r.add(JSONLD, islands(page, contexts, &r.warnings), met)
	if cut := page.Fault(); cut != nil {
		r.End = &rdf.Fault{Line: cut.Line, Column: cut.Column, Reason: cut.Reason}
	}
	return r
}

// isXML reports whether a page of this type is XHTML.
func isXML(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "/xml")
}

func (r *Reader) add(s Syntax, quads []rdf.Quad, met map[rdf.Quad]bool) {
	for _, q := range quads {
		if met[q] {
			continue
		}
		met[q] = true
		r.Quads = append(r.Quads, q)
		r.Counts[s].All++
		if Matters(q) {
			r.Counts[s].Matter++
		}
	}
}

// Matter returns how many statements of the page matter, in all syntaxes.
func (r *Reader) Matter() (n int) {
	for _, c := range r.Counts {
		n += c.Matter
	}
	return n
}
