package pages

import (
	"net/http"
	"net/url"
	"time"
)

// Summary is what is known of a collection as a whole.
type Summary struct {
	Name, Title string
	All         bool // it holds all the others; its title is in the reader's language
	Known       bool // the numbers below are counted
	Captures    int64
	First, Last time.Time
}

// Home lists the collections.
type Home struct {
	Collections []Summary // of more than one, the first holds all others
	URL         string    // what was searched for, when it is no address
	Collection  string    // name of the collection searched in
}

// Home writes the home page.
func (s *Set) Home(w http.ResponseWriter, r *http.Request, p Home) {
	lang := s.LangOf(r)
	status := http.StatusOK
	if p.URL != "" {
		status = http.StatusBadRequest
	}
	s.write(w, r, status, lang, "home", view{Title: lang.text("home.title"), Switch: switchTo(r, lang), Page: p})
}

// Collection lists addresses of one collection.
type Collection struct {
	Summary
	Prefix  string // what the addresses begin with
	URLs    []Address
	Page    int // from 1
	More    bool
	Example string // set when there is nothing to list
}

// Address is one URL of a collection.
type Address struct {
	URL      string
	Calendar string // path on the replay's origin
	Captures int
	Last     time.Time
	Path     string // of the last capture, on the replay's origin
	MIME     string
	Status   int
}

// Collection writes the page of a collection.
func (s *Set) Collection(w http.ResponseWriter, r *http.Request, p Collection) {
	lang := s.LangOf(r)
	s.write(w, r, http.StatusOK, lang, "collection", view{Title: lang.title(p.Summary), Switch: switchTo(r, lang), Page: p})
}

// title is what people call a collection.
func (l Lang) title(c Summary) string {
	if c.All {
		return l.text("all")
	}
	return c.Title
}

// Capture is one capture in detail.
type Capture struct {
	Collection             Summary
	URL                    string
	Time                   time.Time
	Path, Raw, Calendar    string // on the replay's origin
	Status                 int
	MIME, Digest, Filename string
	Offset, Length         int64
	Original               time.Time // of a revisit: when the content is from
	Truncated              bool
	Headers                [][2]string
	Cause                  string // why the record cannot be read, "" when it can
}

// Capture writes the page of a capture.
func (s *Set) Capture(w http.ResponseWriter, r *http.Request, p Capture) {
	lang := s.LangOf(r)
	s.write(w, r, http.StatusOK, lang, "capture", view{Title: lang.text("capture.title", p.URL), Switch: switchTo(r, lang), Page: p})
}

// Remember keeps the language that a reader chose, in a cookie of the home pages' origin.
func (s *Set) Remember(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("lang") {
		http.SetCookie(w, &http.Cookie{Name: "lang", Value: string(s.LangOf(r)), Path: "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, HttpOnly: true})
	}
}

// switchTo is the address of a home page in the other language.
func switchTo(r *http.Request, lang Lang) string {
	q := r.URL.Query()
	q.Set("lang", string(lang.Other()))
	return (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).String()
}
