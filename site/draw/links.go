package draw

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"kavosh/pages"
)

// LinkIn is a page with its links to another one.
type LinkIn struct {
	Face
	URL, Path, Details string // of the page that contains them; Path is on the replay's origin
	Time               time.Time
	Links              []Link // different ones, at most MaxTexts
	Count              int    // how many links there are, in all captures of the page
}

// Link is what a link says.
type Link struct {
	Anchor string
	Kind   string // "navigation", "embed", …
}

// MaxTexts is the most links of a LinkIn.
const MaxTexts = 10

// Add counts a link, and keeps what it says if no other link of the page says so.
func (l *LinkIn) Add(link Link) {
	l.Count++
	if len(l.Links) < MaxTexts && !slices.Contains(l.Links, link) {
		l.Links = append(l.Links, link)
	}
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
