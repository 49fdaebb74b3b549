package draw

import (
	"net/http"
	"time"

	"kavosh"
	"kavosh/pages"
)

// Watches lists what is watched in an archive.
type Watches struct {
	Collection Summary
	List       []Watched
}

// Watched is one watch, with what became of its messages.
type Watched struct {
	URL, Calendar, Feed string
	Lens                kavosh.Lens
	Since               time.Time
	Sent                int // messages that were taken
	Failed              int // that were not, and are sent again
	Unsure              int // of which nobody knows whether a try that was not noted, or not answered, came
}

// Watches writes the page.
func (s *Set) Watches(w http.ResponseWriter, r *http.Request, p Watches) {
	lang := s.LangOf(r)
	s.Write(w, r, http.StatusOK, lang, "watches", pages.View{Title: text(lang, "watches.title"), Switch: pages.InLang(r), Section: &p.Collection, Page: p})
}
