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

// Search is a question to the texts and pictures of an archive. docs/search.md tells how Text is read.
type Search struct {
	Text     string         // words, "phrases", field:word, -word; at most MaxSearchText bytes are read
	Kind     SearchKind     // what is looked for
	Filters  []SearchFilter // values of one field are alternatives, fields narrow each other
	From, To time.Time      // of captures, both included; zero for no bound
	At       time.Time      // only what each URL showed then: its capture nearest before; zero for all captures
	Sort     SearchSort
	Offset   int  // groups to leave out at the beginning; at most MaxSearchOffset
	Limit    int  // groups to give; 10 when 0, at most 100
	Months   bool // count the captures found by month, too
	Jalali   bool // the years and months of the answer are of the Jalali calendar; those of filters may be so always
}

// What bounds a Search.
const (
	MaxSearchText   = 2 << 10 // bytes
	MaxSearchOffset = 10_000  // groups
)

// SearchKind is what is looked for.
type SearchKind string

// The kinds of a Search.
const (
	SearchPages    SearchKind = ""      // documents: pages, plain texts, PDF
	SearchPictures SearchKind = "image" // pictures, by the words around them and by likeness
)

// SearchSort is an order of groups.
type SearchSort string

// The orders of what is found. Both are the same at every call.
const (
	ByRelevance SearchSort = ""
	ByNewest    SearchSort = "newest" // by the newest capture that was found of each
)

// SearchFilter narrows a Search to captures with a value of a field: one of those below.
type SearchFilter struct {
	Field string `json:"field"`
	Value string `json:"value"` // as facets have it
}

// The fields that filter, and that facets are counted of.
const (
	FieldHost   = "host"   // without port, as in "www.example.org"
	FieldLang   = "lang"   // BCP 47, as in "fa"; "und" where none is known
	FieldType   = "type"   // media type as the server says, as in "text/html"
	FieldYear   = "year"   // of captures, UTC, as in "2024", or in the Jalali calendar as in "1402"
	FieldStatus = "status" // HTTP status, as in "200"
)

// SearchResult is the answer to a Search.
type SearchResult struct {
	Total      int           `json:"total"`      // groups in all
	Incomplete bool          `json:"incomplete"` // captures are still being read for searching: there may be more
	Relaxed    bool          `json:"relaxed"`    // nothing has all words: what was found has some
	DidYouMean string        `json:"didYouMean"` // the text with words that the archive has; "" for nothing better
	Groups     []SearchGroup `json:"groups"`
	Facets     []SearchFacet `json:"facets"` // one a field, in the order of the fields above
	Months     []SearchMonth `json:"months,omitempty"`
	Notes      []string      `json:"notes,omitempty"` // what was cut off the question, or is not in the index, one line each
}

// SearchGroup is a URL that was found, with its captures that were.
type SearchGroup struct {
	URL      string    `json:"url"`
	Title    Snippet   `json:"title"`            // "" when the document has none
	Snippet  Snippet   `json:"snippet"`          // what the best capture says around the words; of a picture, the words around it
	Page     string    `json:"page,omitempty"`   // of a picture: the URL of a page that shows it, when one is known
	Time     time.Time `json:"time"`             // of the newest capture with the best text: the one to show
	First    time.Time `json:"first"`            // of the captures found
	Newest   time.Time `json:"newest"`           // of the captures found
	Captures int       `json:"captures"`         // found, of this URL
	Lang     string    `json:"lang"`             // of the best text
	Type     string    `json:"type"`             // of the capture at Time
	Status   int       `json:"status"`           // of the capture at Time
	Score    float64   `json:"score"`            // by which relevance sorts; comparable within an answer
	Likeness int       `json:"likeness"`         // of a picture found by likeness: bits of 64 that are alike; 0 for others
	Digest   string    `json:"digest,omitempty"` // of the payload
}

// Snippet is a piece of text with marks where it answers the question.
type Snippet struct {
	Text  string `json:"text"`
	Marks []Span `json:"marks,omitempty"` // in order, apart from each other
}

// Span is a piece of a text, in bytes: from Start up to End.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// SearchFacet counts groups by the values of a field, the most frequent first.
type SearchFacet struct {
	Field  string       `json:"field"`
	Values []FacetValue `json:"values"` // at most 20; of years all, in order
	More   int          `json:"more"`   // values that are not listed
}

// FacetValue is a value of a field and the groups that have a capture with it.
type FacetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// SearchMonth counts captures of a month, UTC.
type SearchMonth struct {
	Month string `json:"month"` // "2024-03"
	Found int    `json:"found"` // captures that were found
	All   int    `json:"all"`   // searchable captures that the archive has of the month
}
