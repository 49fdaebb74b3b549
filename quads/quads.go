// Package quads keeps the statements that documents of an archive make, and says what they are about.
//
// A Store (store.go) holds quads: statements with the URL of the document that makes them as their graph, so that
// nobody speaks for another. A Gatherer (gather.go) fills it from captures; read.go finds the statements of one
// document, and its class. A Pattern (pattern.go) asks simple questions of a store or of loose files. A Survey
// (survey.go) counts what the statements are about; report.go, text.go, page.go and linkset.go show it. provenance.go
// describes the whole as VoID and PROV, fetches.go each request as Slug did. term.go writes terms as text.
package quads

import (
	"time"

	"kavosh"
	"kavosh/lib/rdf/sparql"
)

// Parent is the class of HTML pages that led a crawl to an RDF document and have no data of their own.
const Parent kavosh.Class = "HR"

// Document is what is known of a document: the capture that its statements come from, and what they are.
type Document struct {
	URL     string    `json:"url"`
	Time    time.Time `json:"time"`             // of the capture
	Record  string    `json:"record,omitempty"` // WARC-Record-ID of the capture
	Digest  string    `json:"digest,omitempty"` // of the payload
	File    string    `json:"file,omitempty"`   // where the payload lies
	Offset  int64     `json:"offset,omitempty"`
	Crawl   string    `json:"crawl,omitempty"`
	MIME    string    `json:"mime,omitempty"`    // as the server says
	Variant bool      `json:"variant,omitempty"` // it was asked for as RDF
	Reading
}

// replaces reports whether d is kept in the place of old, of the same URL: the newer, but no page in the place of the
// RDF that the same crawl got under its URL, or of a context.
func (d *Document) replaces(old *Document) bool {
	if page := old.Class == kavosh.ClassPage || old.Class == kavosh.ClassEmbedded; d.Crawl == old.Crawl && d.Variant != old.Variant && (!page || d.Variant) {
		return d.Variant
	}
	return !old.Time.After(d.Time)
}

// Reading is the result of reading a document.
type Reading struct {
	Class      kavosh.Class     `json:"class"`
	Syntaxes   map[string]int64 `json:"syntaxes,omitempty"`   // statements by the syntax that they are written in
	Statements int64            `json:"statements,omitempty"` // as written: the same may be made twice
	Invalid    int64            `json:"invalid,omitempty"`    // left out: with an IRI that is none, or text that is no UTF-8
	Fault      string           `json:"fault,omitempty"`      // where it is broken; the statements up to there count
	Answer     *sparql.Answer   `json:"answer,omitempty"`     // of a SPARQL endpoint, to a question that the crawl asked
	Missing    []string         `json:"missing,omitempty"`    // contexts of JSON-LD that were asked for and are not there; of each document or script element the first
}
