package pages

import "net/http"

// Problem is why a request got nothing, and what to do.
type Problem struct {
	Status   int
	Kind     string // "no-capture", "no-original", … : a key below "problem." in the phrases
	URL      string // archived URL asked for; "" for none
	Cause    string // in English, for who runs the server; "" for none
	Calendar string // address of the URL's calendar; "" for none
	List     string // address of the list of its host; "" for none
	Example  string
}

// Problem writes an error page of the replay's origin, in lang.
func (s *Set) Problem(w http.ResponseWriter, r *http.Request, lang Lang, p Problem) {
	p.Example = examples[p.Kind]
	s.write(w, r, p.Status, lang, "problem", view{Title: lang.text("problem." + p.Kind), Page: p})
}

// HomeProblem writes an error page of the home pages.
func (s *Set) HomeProblem(w http.ResponseWriter, r *http.Request, p Problem) {
	lang := s.LangOf(r)
	p.Example = examples[p.Kind]
	s.write(w, r, p.Status, lang, "problem", view{Title: lang.text("problem." + p.Kind), Switch: switchTo(r, lang), Page: p})
}

// Line is the problem as one line of English text, for programs.
func (p Problem) Line() string {
	line := English.text("problem." + p.Kind)
	if p.URL != "" {
		line += ": " + p.URL
	}
	if p.Cause != "" {
		line += ": " + p.Cause
	}
	return line
}
