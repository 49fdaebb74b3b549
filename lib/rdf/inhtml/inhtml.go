// Package inhtml reads the data that stands in HTML pages: RDFa, microdata, microformats, and JSON-LD in script elements.
//
// A page is read to a tree once, and each syntax makes its statements of that (inhtml.go; islands.go has JSON-LD). matter.go
// says which of them tell something of what a page is about.
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

// maxPage is how many bytes of a page are read; the rest is left out, and a fault tells.
const maxPage = 16 << 20

// Syntax is a way to write data in a page.
type Syntax uint8

// The syntaxes, in the order that they are read in.
const (
	RDFa Syntax = iota
	Microdata
	Microformats
	JSONLD
	Syntaxes // how many there are
)

// String is the syntax's name.
func (s Syntax) String() string {
	return [...]string{"rdfa", "microdata", "microformats", "json-ld"}[s]
}

// Count is how many statements a page makes in a syntax, each counted once.
type Count struct {
	All    int
	Matter int // those of which Matters is true
}

// Reader yields the statements of a page, each once, and a *rdf.Fault after them where something was left out. Their blank
// nodes' labels are unique within the page.
type Reader struct {
	Counts [Syntaxes]Count
	rdf.Held
}

// NewReader reads a page. contentType is the Content-Type that it came with, url its own; contexts, which may be nil, has
// what JSON-LD in the page refers to.
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
	quads, fault := islands(page, contexts)
	r.add(JSONLD, quads, met)
	if cut := page.Fault(); cut != nil {
		fault = &rdf.Fault{Line: cut.Line, Column: cut.Column, Reason: cut.Reason}
	}
	if fault != nil {
		r.End = fault
	}
	return r
}

// isXML says that a page of this type is XHTML.
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

// Matter is how many statements of the page matter, in all syntaxes.
func (r *Reader) Matter() (n int) {
	for _, c := range r.Counts {
		n += c.Matter
	}
	return n
}
