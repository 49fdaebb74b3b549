package draw

import (
	"net/http"
	"time"

	"kavosh/pages"
)

// Problem is why a request got nothing, and what to do.
type Problem struct {
	Status   int
	Kind     string // "no-capture", "no-original", … : a key below "problem." in the phrases
	URL      string // archived URL asked for; "" for none
	Cause    string // in English, for who runs the server; "" for none
	Calendar string // address of the URL's calendar; "" for none
	List     string // address of the list of its host; "" for none
	Example  string

	Switch    func(pages.Lang) string // gives the address in another language; nil for none
	Why       Why                     // of a missing URL
	CrawlPath string                  // address of the crawl that Why is from; "" for none
	Near      []Near
}

// Why is what came of a URL in a crawl.
type Why struct {
	Outcome string    // NeverMet, …; a key below "why." in the phrases
	Cause   string    // a key of the phrases that names the rule or the failure, such as "rule.scope"; "" for none
	Reason  string    // in English, what exactly; "" for none
	Status  int       // that the server answered with; 0 for none
	Time    time.Time // zero for none
	Crawl   string    // id of the crawl; "" for none
}

// What came of a URL.
const (
	Unknown  = "unknown" // nobody keeps a log
	NeverMet = "never"
	Refused  = "refused" // met, and never asked for
	Failed   = "failed"  // asked for, and no answer came
	Answered = "error"   // answered with an error, and not kept
	Dropped  = "dropped" // answered, and not kept
	Queued   = "queued"
	Recorded = "recorded" // and not in the index yet
	Unread   = "unread"   // the logs are too long to be read while somebody waits
)

// Near is an address near a missing one that has captures.
type Near struct {
	URL, Path  string
	Count      int
	More       bool // there are more than Count
	Last       time.Time
	Collection Summary // when it is in another
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

// Line is the problem as one line of English text, for programs.
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
