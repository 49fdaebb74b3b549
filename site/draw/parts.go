package draw

// This file draws the parts of a page, one of which somebody chooses.

import (
	"net/http"
	"strings"

	"kavosh"
	cut "kavosh/lib/words"
	"kavosh/pages"
)

// Parts shows a capture with its parts.
type Parts struct {
	Collection Summary
	URL        string
	Calendar   string                  // path of the calendar
	Switch     func(pages.Lang) string // path of this page in a language
	Archive    string                  // the folder's name, for commands
	Side
	List []Part
	More bool // some are left out
}

// Part is a block of the page.
type Part struct {
	Place    string
	Words    []string // its texts, and the names of its links
	Pictures []string // what stands for its pictures; may be ""
	Lens     kavosh.Lens
	Feed     string // URL of the feed of its changes; "" if it is not known
}

// Command returns the command that watches a part by a webhook, for a shell.
func (p *Parts) Command(l kavosh.Lens) string {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	return "kavosh watch " + quoted(p.Archive) + " add " + quoted(p.URL) + " --block " + l.Block + " --webhook https://…"
}

// First returns the words by which a script finds where the part begins.
func (p Part) First() string { return p.Words[0] }

// Last returns those with which it ends.
func (p Part) Last() string { return p.Words[len(p.Words)-1] }

// Gist returns the beginning of what the part says.
func (p Part) Gist() string {
	const most = 160
	all := strings.Join(p.Words, " · ")
	if short := cut.Clip(all, most); short != all {
		return short + "…"
	}
	return all
}

// Parts writes the page.
func (s *Set) Parts(w http.ResponseWriter, r *http.Request, lang pages.Lang, p *Parts) {
	s.Write(w, r, http.StatusOK, lang, "blocks", pages.View{Title: text(lang, "parts.title", pages.InTitle(p.URL)), Switch: p.Switch, Script: "compare.js", Section: &p.Collection, Page: p})
}
