package draw

import (
	"net/http"

	"kavosh/pages"
)

// Home lists the collections.
type Home struct {
	Collections []Summary // if there are several, the first has all others
	Pages       []Address // of some hosts, to be shown as pictures
	URL         string    // what was typed into the search box, if it is no valid URL
	Collection  string    // name of the collection that was searched
	Words       bool      // words can be searched too, and not only URLs
}

// Home writes the home page.
func (s *Set) Home(w http.ResponseWriter, r *http.Request, p Home) {
	lang := s.LangOf(r)
	status := http.StatusOK
	if p.URL != "" {
		status = http.StatusBadRequest
	}
	s.Write(w, r, status, lang, "home", pages.View{Title: text(lang, "home.title"), Switch: pages.InLang(r), Hero: true, Page: p})
}
