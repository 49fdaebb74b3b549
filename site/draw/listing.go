package draw

// This file draws lists of URLs.

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"kavosh/pages"
)

// Listing lists URLs of one collection.
type Listing struct {
	Summary
	Filter
	URLs []Address
	More string // address of the next page of the list, "" for none
	Back string // address of the first page, "" on it
}

// Filter says which URLs are listed. An empty field matches all.
type Filter struct {
	Prefix   string // the beginning of the URLs
	Kind     string // one of Kinds
	Status   string // "404", or "4xx" for all of them
	From, To string // dates as typed; both are included
}

// Query returns the filter as a URL query.
func (f Filter) Query() url.Values {
	q := url.Values{}
	for name, v := range map[string]string{"prefix": f.Prefix, "kind": f.Kind, "status": f.Status, "from": f.From, "to": f.To} {
		if v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// Face is what a reader recognises a page by in a list.
type Face struct {
	Title   string // "" if it is not known, or the reader may not see the page
	Picture string // address of a picture; "" for none
}

// Address is one URL of a collection with its captures.
type Address struct {
	Face
	URL      string
	Calendar string // path on the replay's origin
	Captures int
	Last     time.Time
	Path     string // replay path of the last capture
	MIME     string
	Status   int
}

// Listing writes the list of URLs.
func (s *Set) Listing(w http.ResponseWriter, r *http.Request, p Listing) {
	lang := s.LangOf(r)
	v := struct {
		Listing
		Kinds, Statuses []string
		Odd             string // the chosen status, if it is none of Statuses
		Dates           pages.Dates
	}{Listing: p, Kinds: Kinds(), Statuses: []string{"2xx", "3xx", "4xx", "5xx"}, Dates: pages.Dates{lang.Field("from", p.From, false), lang.Field("to", p.To, true)}}
	if !slices.Contains(v.Statuses, p.Filter.Status) {
		v.Odd = p.Filter.Status
	}
	s.Write(w, r, v.Dates.Status(), lang, "pages", pages.View{Title: text(lang, "list.title"), Switch: pages.InLang(r), Section: &p.Summary, Tab: "pages", Page: v})
}
