package draw

// This file draws the page of one capture.

import (
	"net/http"
	"time"

	"kavosh/pages"
)

// Capture is one capture in detail.
type Capture struct {
	Collection             Summary
	URL                    string
	Time                   time.Time
	Path, Raw, Calendar    string // on the replay's origin
	Thumbnail              string // address of a picture; "" for none
	View                   string // address of the picture that was recorded with it; "" for none
	Compare                string // address of the comparison with the capture before; "" for none
	Parts                  string // address of the page on which its parts are chosen; "" if it is no page
	Framed                 string // address of the page with its links in frames; "" if it is no page
	Status                 int
	Title                  string // title of the page
	MIME, Digest, Filename string
	Offset, Length         int64
	Original               time.Time // for a revisit: the time of the capture that has the content
	OriginalPath           string    // URL of that capture's page
	Truncated              string    // the field WARC-Truncated
	Location               string    // for a redirect: its archived target
	LocationPath           string    // for a redirect: the replay path of its target
	Robots                 string    // rules for robots in the response or the page
	Cause                  string    // why the record cannot be read; "" if it can
	Closed                 string    // "access-metadata", …: why the reader may not see it, a key below "problem." in the phrases; "" if he may
	Until                  time.Time // the end of an embargo that closes it; otherwise zero
	Came                   Origin
	Headers                [][2]string
	Request                string // head of the request as sent, without secret values
	Withheld, Secret       string // names of secret fields: those not in the record, and those hidden here
	Record                 [][2]string
	Near                   []Row // captures of the same URL around it, in order of time
	Links                  []LinkOut
	MoreLinks              int // number of links that are not in Links
	LinksIn                []LinkIn
	MoreLinksIn            string // URL of the list of all; "" if LinksIn has all
}

// Origin says how a crawl found a URL, by its records.
type Origin struct {
	Via      string // URL of the page with the link
	ViaPath  string // path of that page's captures
	Seed     string
	Hops     string // one letter for each step
	Duration int64  // milliseconds to the last byte
}

// LinkOut is a link of the captured page.
type LinkOut struct {
	URL, Path string // Path is the replay path at the page's time
	Anchor    string
	Kind      string // "navigation", "embed", …
}

// Capture writes the page of a capture.
func (s *Set) Capture(w http.ResponseWriter, r *http.Request, p Capture) {
	lang := s.LangOf(r)
	s.Write(w, r, http.StatusOK, lang, "capture", pages.View{Title: text(lang, "capture.title", pages.InTitle(p.URL)), Switch: pages.InLang(r), Section: &p.Collection, Page: p})
}
