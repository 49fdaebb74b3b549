package draw

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
	Compare                string // address of the comparison with the capture before; "" for none
	Status                 int
	Title                  string // of the page
	MIME, Digest, Filename string
	Offset, Length         int64
	Original               time.Time // of a revisit: when the content is from
	OriginalPath           string    // details of that capture
	Truncated              string    // WARC-Truncated
	Location               string    // of a redirect: where to, as archived
	LocationPath           string    // … in the archive
	Robots                 string    // what the answer or the page asks of robots
	Cause                  string    // why the record cannot be read, "" when it can
	Came                   Origin
	Headers                [][2]string
	Request                string // head of the request, as sent, without what is secret
	Withheld, Secret       string // names of secret fields: that the record lacks, and that stand in it
	Record                 [][2]string
	Near                   []Row // captures of the same URL around it, in order of time
	Links                  []LinkOut
	MoreLinks              int // that are left out
	LinksIn                []LinkIn
	MoreLinksIn            string // address of the list of all; "" when these are all
}

// Origin is how a crawl came to a URL, as its records say.
type Origin struct {
	Via      string // URL of the page that led there
	ViaPath  string // captures of it
	Seed     string
	Hops     string // one letter a step
	Duration int64  // milliseconds to the last byte
}

// LinkOut is a link of the captured page.
type LinkOut struct {
	URL, Path string // Path: in the archive, at the page's time
	Anchor    string
	Kind      string // "navigation", "embed", …
}

// Capture writes the page of a capture.
func (s *Set) Capture(w http.ResponseWriter, r *http.Request, p Capture) {
	lang := s.LangOf(r)
	s.Write(w, r, http.StatusOK, lang, "capture", pages.View{Title: text(lang, "capture.title", pages.InTitle(p.URL)), Switch: pages.InLang(r), Section: &p.Collection, Page: p})
}
