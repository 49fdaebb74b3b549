package draw

// This file has what stands on the page of a running crawl for who may command it: forms, and what was set by them.

import (
	"net/http"

	"kavosh/pages"
)

// Control is what the page of a running crawl has beside its numbers, where the crawl can be commanded.
type Control struct {
	Problem string    // why the reader was not let in: "wrong", "often", "ended"; "" for nothing
	Holder  *Holder   // nil if the reader has not given the crawl's token
	File    string    // where the token is, in the archive's folder; "" if nobody can command the crawl
	Set     *Settings // for a Holder; nil if the crawl does not answer
}

// Holder is a reader who gave the crawl's token.
type Holder struct {
	Secret string // comes back with every form
	Answer string // what came of the last command, in English; "" for none
	Failed bool   // nothing came of it
}

// Settings are what commands can change of a crawl, in the form in which people write it.
type Settings struct {
	Paused     bool
	Values     []Setting // single values; the name is that of the command
	Include    []string  // regular expressions
	Exclude    []string
	Rules      []string // in their order
	Permits    []Named  // a target, and the reason
	Limits     []Limit  // beyond which addresses wait
	Held       []Held
	Hours      []Named    // a host, and the hours in which it is asked
	Priorities []Priority // of hosts, domains and patterns
}

// Named is a name with what was set for it.
type Named struct{ Name, Text string }

// Priority is what is added to the scores of a host or domain ("host") or of a pattern ("match").
type Priority struct{ Kind, Name, Add string }

// Limit is the most that is taken of a seed, a host, a domain or the crawl, by the word for it; an empty name is each.
type Limit struct{ Kind, Name, Most string }

// told is a form that sends a command with fixed words.
type told struct {
	Secret, Label, Command string
	Values                 []string
}

// LiveCrawl writes the page of a crawl that runs in this process, with what is needed to command it. A crawl without an
// ID has not begun yet.
func (s *Set) LiveCrawl(w http.ResponseWriter, r *http.Request, status int, c Crawl, control Control) {
	lang := s.LangOf(r)
	if c.ID == "" {
		s.Write(w, r, status, lang, "waiting", pages.View{Title: text(lang, "now.wait"), Switch: pages.InLang(r), Hero: true, Live: true, Script: "live.js"})
		return
	}
	v := crawlView(lang, c, "")
	v.Control = &control
	for i := range v.Rate.Bars { // there are no other pages here to lead to
		v.Rate.Bars[i].Path = ""
	}
	for _, list := range [][]pages.Share{v.StatusShares, v.KindShares, v.HostShares} {
		for i := range list {
			list[i].Path = ""
		}
	}
	s.Write(w, r, status, lang, "crawl", pages.View{Title: text(lang, "crawl.title", lang.Date(c.Started)), Switch: func(l pages.Lang) string { return "/?lang=" + string(l) },
		Hero: true, Live: true, Script: "live.js", Page: v})
}
