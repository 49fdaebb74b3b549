package draw

import (
	"net/http"
	"net/url"
	"time"

	"kavosh/pages"
)

// LinkIn is a link to a page, with the page that contains it.
type LinkIn struct {
	URL, Path, Details string // of the page that contains it; Path is on the replay's origin
	Time               time.Time
	Anchor             string
	Kind               string // "navigation", "embed", …
}

// Links lists the pages that link to an address.
type Links struct {
	Summary
	URL, Calendar string
	Incomplete    bool // the links are still being indexed, so there may be more
	List          []LinkIn
	Back, More    string // addresses of the first page of the list and of the next; "" for none
}

// LinksQuery returns the URL query for the list of links to address; after is the place in the list to go on from.
func LinksQuery(address, after string) string {
	q := url.Values{"url": {address}}
	if after != "" {
		q.Set("after", after)
	}
	return q.Encode()
}

// Links writes the list.
func (s *Set) Links(w http.ResponseWriter, r *http.Request, p Links) {
	lang := s.LangOf(r)
	s.Write(w, r, http.StatusOK, lang, "links", pages.View{Title: text(lang, "links.title", pages.InTitle(p.URL)), Switch: pages.InLang(r), Section: &p.Summary, Page: p})
}
