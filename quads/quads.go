// Package quads keeps the statements that documents of an archive make, and says what they are about.
//
// A Store (store.go) holds quads. The graph of each statement is the URL of the document that makes it, so no document
// can speak for another. A Gatherer (gather.go) fills the store from captures. read.go finds the statements of one
// document, and its class; contexts.go finds the contexts that JSON-LD needs. A Pattern (pattern.go) asks simple
// questions of a store or of loose files. A Survey (survey.go) counts what the statements are about; report.go,
// text.go, page.go and linkset.go show the counts. provenance.go describes the archive as VoID and PROV, fetches.go
// each request as Slug did. term.go writes terms as text.
//
// The package reads archived records, and writes only its own folder, rdf@2.
package quads

import (
	"time"

	"kavosh"
	"kavosh/lib/rdf/sparql"
)

// Parent is the class of HTML pages that led a crawl to an RDF document and have no data themselves.
const Parent kavosh.Class = "HR"

// Document is what is known of a document: the capture whose statements are stored, and what they are.
type Document struct {
	URL     string    `json:"url"`
	Time    time.Time `json:"time"`             // time of the capture
	Record  string    `json:"record,omitempty"` // WARC-Record-ID of the capture
	Digest  string    `json:"digest,omitempty"` // digest of the payload
	File    string    `json:"file,omitempty"`   // WARC file that has the payload
	Offset  int64     `json:"offset,omitempty"`
	Crawl   string    `json:"crawl,omitempty"`
	MIME    string    `json:"mime,omitempty"`    // as the server says
	Variant bool      `json:"variant,omitempty"` // it was asked for as RDF
	Reading
}

// replaces reports whether d must be kept in place of old, a document with the same URL. The newer one is kept. But a
// page replaces neither a context nor RDF that the same crawl got under the same URL.
func (d *Document) replaces(old *Document) bool {
	if page := old.Class == kavosh.ClassPage || old.Class == kavosh.ClassEmbedded; d.Crawl == old.Crawl && d.Variant != old.Variant && (!page || d.Variant) {
		return d.Variant
	}
	return !old.Time.After(d.Time)
}

// Reading is the result of reading a document.
type Reading struct {
	Class      kavosh.Class     `json:"class"`
	Syntaxes   map[string]int64 `json:"syntaxes,omitempty"`   // number of statements by syntax
	Statements int64            `json:"statements,omitempty"` // number of statements as written; the same one may come twice
	Invalid    int64            `json:"invalid,omitempty"`    // left out because an IRI is not valid, or a text is not UTF-8
	Warnings   int64            `json:"warnings,omitempty"`   // faults that were read past: what is faulty is left out
	Warning    string           `json:"warning,omitempty"`    // the first of them
	Fault      string           `json:"fault,omitempty"`      // where the document is broken; the statements before count
	Answer     *sparql.Answer   `json:"answer,omitempty"`     // what a SPARQL endpoint answered to the crawl
	Missing    []string         `json:"missing,omitempty"`    // JSON-LD contexts that the archive lacks: the first one of each document or script element
}
