package draw

import (
	"net/http"

	"kavosh/pages"
)

// Home lists the collections.
type Home struct {
	Collections []Summary // of more than one, the first holds all others
	URL         string    // what was searched for, when it is no address
	Collection  string    // name of the collection searched in
	Words       bool      // words can be searched for, not addresses alone
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
