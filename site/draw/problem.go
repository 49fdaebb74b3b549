package draw

// This file draws error pages.

import (
	"net/http"
	"time"

	"kavosh/pages"
)

// Problem is an error page: why there is nothing to show, and what the reader can do.
type Problem struct {
	Status   int
	Kind     string    // "no-capture", "no-original", … : a key below "problem." in the phrases
	URL      string    // archived URL asked for; "" for none
	Cause    string    // in English, for who runs the server; "" for none
	Until    time.Time // when what was asked for will be shown; zero for never, or not known
	Calendar string    // address of the URL's calendar; "" for none
	List     string    // address of the list of its host; "" for none
	Example  string

	Switch    func(pages.Lang) string // returns the URL of the page in another language; nil if there is none
	Why       Why                     // for a missing URL
	CrawlPath string                  // address of the crawl that Why is from; "" for none
	Near      []Near
}

// Why says what happened to a URL in a crawl.
type Why struct {
	Outcome string    // NeverMet, …; a key below "why." in the phrases
	Cause   string    // a key of the phrases that names the rule or the failure, such as "rule.scope"; "" for none
	Reason  string    // in English, what exactly, as Reason translates it; "" for none
	Status  int       // HTTP status of the response; 0 for none
	Time    time.Time // zero for none
	Crawl   string    // id of the crawl; "" for none
}

// What happened to a URL in a crawl.
const (
	Unknown  = "unknown" // there is no log
	NeverMet = "never"
	Refused  = "refused" // met, but never requested
	Failed   = "failed"  // requested, but no response came
	Answered = "error"   // the response was an error and was not kept
	Dropped  = "dropped" // the response was not kept
	Queued   = "queued"
	Recorded = "recorded" // recorded, but not in the index yet
	Unread   = "unread"   // the logs are too long to be searched while a reader waits
)

// Near is a URL with captures that is similar to a missing one.
type Near struct {
	URL, Path  string
	Count      int
	More       bool // there are more than Count
	Last       time.Time
	Collection Summary // if it is in another collection
}

// Problem writes an error page of the replay's origin, in lang.
func (s *Set) Problem(w http.ResponseWriter, r *http.Request, lang pages.Lang, p Problem) {
	p.Example = examples[p.Kind]
	s.Write(w, r, p.Status, lang, "problem", pages.View{Title: text(lang, "problem."+p.Kind), Switch: p.Switch, Page: p})
}

// HomeProblem writes an error page of the home pages.
func (s *Set) HomeProblem(w http.ResponseWriter, r *http.Request, p Problem) {
	lang := s.LangOf(r)
	p.Example = examples[p.Kind]
	s.Write(w, r, p.Status, lang, "problem", pages.View{Title: text(lang, "problem."+p.Kind), Switch: pages.InLang(r), Page: p})
}

// Line returns the problem as one line of English text, for programs.
func (p Problem) Line() string {
	line := text(pages.English, "problem."+p.Kind)
	if p.URL != "" {
		line += ": " + p.URL
	}
	if p.Cause != "" {
		line += ": " + p.Cause
	}
	return line
}
