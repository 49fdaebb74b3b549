package kavosh

// This file says what a search asks and what its answer has: site and api ask, package search answers.

import (
	"context"
	"time"
)

// Searcher answers a Search.
type Searcher interface {
	Search(ctx context.Context, q Search) (*SearchResult, error)
}

// Search is a query to the texts and pictures of an archive. docs/search.md describes Text.
type Search struct {
	Text     string         // words, "phrases", field:word, -word; at most MaxSearchText bytes are read
	Kind     SearchKind     // what is looked for
	Filters  []SearchFilter // values of one field are alternatives; different fields must all match
	From, To time.Time      // times of captures, both included; zero means no bound
	At       time.Time      // only the newest capture of each URL up to this time; zero means all captures
	Sort     SearchSort
	Offset   int  // groups to skip; at most MaxSearchOffset
	Limit    int  // groups to return, at most 100; 0 means 10
	Months   bool // also count the found captures by month
	Jalali   bool // the answer has years and months of the Jalali calendar; filters may always have them
}

// These constants bound a Search.
const (
	MaxSearchText   = 2 << 10 // bytes
	MaxSearchOffset = 10_000  // groups
)

// SearchKind says what is looked for.
type SearchKind string

// The kinds of a Search.
const (
	SearchPages    SearchKind = ""      // documents: pages, plain texts, PDF
	SearchPictures SearchKind = "image" // pictures, by the words around them and by likeness
)

// SearchSort is an order of results.
type SearchSort string

// These are the orders of results. The same search gives the same order each time.
const (
	ByRelevance SearchSort = ""
	ByNewest    SearchSort = "newest" // by the newest found capture of each
)

// SearchFilter narrows a Search to captures with a value of one of the fields below.
type SearchFilter struct {
	Field string `json:"field"`
	Value string `json:"value"` // a value in the form that facets have
}

// These fields can be filtered, and facets are counted for them.
const (
	FieldHost   = "host"   // without port, as in "www.example.org"
	FieldLang   = "lang"   // BCP 47, as in "fa"; "und" if it is not known
	FieldType   = "type"   // media type as the server says, as in "text/html"
	FieldYear   = "year"   // year of the capture, UTC, as in "2024", or in the Jalali calendar as in "1402"
	FieldStatus = "status" // HTTP status, as in "200"
)

// SearchResult is the answer to a Search.
type SearchResult struct {
	Total      int           `json:"total"`      // number of groups that were found
	Incomplete bool          `json:"incomplete"` // captures are still being indexed: there may be more results
	Relaxed    bool          `json:"relaxed"`    // no document has all words; the results have some of them
	DidYouMean string        `json:"didYouMean"` // Text with words that the archive has; "" if there is nothing better
	Groups     []SearchGroup `json:"groups"`
	Facets     []SearchFacet `json:"facets"` // one for each field, in the order of the fields above
	Months     []SearchMonth `json:"months,omitempty"`
	Notes      []string      `json:"notes,omitempty"` // what was cut from the query, or is not in the index, one line each
}

// SearchGroup is a URL that was found, with its found captures.
type SearchGroup struct {
	URL      string    `json:"url"`
	Title    Snippet   `json:"title"`            // "" if the document has none
	Snippet  Snippet   `json:"snippet"`          // the text of the best capture around the words; for a picture, the words around it
	Page     string    `json:"page,omitempty"`   // for a picture, the URL of a page that shows it; "" if none is known
	Time     time.Time `json:"time"`             // time of the newest capture with the best text: show this one
	First    time.Time `json:"first"`            // time of the oldest found capture
	Newest   time.Time `json:"newest"`           // time of the newest found capture
	Captures int       `json:"captures"`         // number of found captures of this URL
	Lang     string    `json:"lang"`             // language of the best text
	Type     string    `json:"type"`             // media type of the capture at Time
	Status   int       `json:"status"`           // HTTP status of the capture at Time
	Score    float64   `json:"score"`            // relevance; comparable only within an answer
	Likeness int       `json:"likeness"`         // for a picture found by likeness, the number of equal bits of 64; otherwise 0
	Digest   string    `json:"digest,omitempty"` // digest of the payload
}

// Snippet is a piece of text with marks at the words of the query.
type Snippet struct {
	Text  string `json:"text"`
	Marks []Span `json:"marks,omitempty"` // in order, without overlap
}

// Span is a part of a text, in bytes: from Start, up to but not including End.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// SearchFacet counts groups by the values of a field, most frequent first.
type SearchFacet struct {
	Field  string       `json:"field"`
	Values []FacetValue `json:"values"` // at most 20; for years all, in order
	More   int          `json:"more"`   // number of values that are not listed
}

// FacetValue is a value of a field with the number of groups that have a capture with it.
type FacetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// SearchMonth counts the captures of a month, UTC.
type SearchMonth struct {
	Month string `json:"month"` // "2024-03"
	Found int    `json:"found"` // found captures
	All   int    `json:"all"`   // all searchable captures of the month
}
