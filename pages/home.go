package pages

import (
	"net/http"
	"net/url"
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
	s.write(w, r, status, lang, "home", view{Title: lang.text("home.title"), Switch: switchTo(r), Hero: true, Page: p})
}

// Remember keeps the language that a reader chose, in a cookie of the home pages' origin.
func (s *Set) Remember(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("lang") {
		http.SetCookie(w, &http.Cookie{Name: "lang", Value: string(s.LangOf(r)), Path: "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, HttpOnly: true})
	}
}

// switchTo gives the address of a home page in another language.
func switchTo(r *http.Request) func(Lang) string {
	return func(lang Lang) string {
		q := r.URL.Query()
		q.Set("lang", string(lang))
		return (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).String()
	}
}
