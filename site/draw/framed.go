package draw

// This file draws a page with its links in frames that say what the archive has of where they lead.

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"kavosh/pages"
)

// Framed shows a capture with its links in frames.
type Framed struct {
	Collection Summary
	URL        string
	Calendar   string                  // path of the calendar
	Switch     func(pages.Lang) string // path of this page in a language
	Side
	List []Target
	More int // links that were not looked up
}

// Target is where a link leads.
type Target struct {
	State         string // one of targetStates
	URL, Calendar string
	Time          time.Time // of the capture that is shown; zero if there is none
	Code          int       // of the answer, if it is an error
}

// targetStates are what may be known of where a link leads, the worst first.
var targetStates = []string{"violates", "failed", "absent", "unsure", "fits"}

// targetState is a line of the legend.
type targetState struct {
	State string
	Links int
}

// Framed writes the page.
func (s *Set) Framed(w http.ResponseWriter, r *http.Request, lang pages.Lang, p *Framed) {
	v := struct {
		*Framed
		Legend []targetState
	}{Framed: p}
	for _, state := range targetStates {
		n := 0
		for i := range p.List {
			if p.List[i].State == state {
				n++
			}
		}
		v.Legend = append(v.Legend, targetState{state, n})
	}
	rank := func(t Target) int { return slices.Index(targetStates, t.State) }
	slices.SortStableFunc(p.List, func(a, b Target) int { return cmp.Compare(rank(a), rank(b)) })
	s.Write(w, r, http.StatusOK, lang, "framed", pages.View{Title: text(lang, "framed.title", pages.InTitle(p.URL)), Switch: p.Switch, Script: "compare.js", Section: &p.Collection, Page: v})
}
