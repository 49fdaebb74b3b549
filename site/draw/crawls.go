package draw

// This file draws the pages about crawls.

import (
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"kavosh/pages"
	"kavosh/quality"
)

// Loads says how many pages with scripts a crawl read, how many of them the browser loaded, and how many links and resources
// their scripts found that the crawl did not know.
type Loads struct{ Scripted, Loaded, Links, Resources int64 }

// Changes counts the pages of a crawl by what came of them since the crawls before.
type Changes struct{ New, Changed, Unchanged, Gone int64 }

// Crawl describes a crawl of a collection: its report, and numbers over time from its log.
type Crawl struct {
	ID                             string
	Started, Ended                 time.Time // Ended is zero while the crawl runs
	Seconds                        float64
	End                            string // "done", "interrupted", …: how it ended; "" while it runs
	Fetched                        int64
	Recorded                       int64
	Bytes                          int64
	Revisits                       int64
	Counted                        Counted            // what it counted of its quality
	Changes                        Changes            // of its pages, beside what the archive had before
	Odd                            string             // how it is unlike those before it, as package quality names it; "" if it is not
	Proposals                      []quality.Proposal // of its report, of what the reader may know of
	Again                          Again              // how pages are visited again, in a crawl that goes on
	Hosts                          int64
	Known, Queued                  int64
	Dropped                        int64
	Unkept                         int64 // visits of which --keep left only a note
	Relevant                       int64
	RelevantHosts, RelevantDomains int64    // of these pages; 0 while the crawl runs
	LoginsOver                     []string // hosts whose login is over, of those that the reader may know of
	SeedsFailed                    int64
	SeedsKept                      int64
	Walls                          int64            // answers of bot walls, also those after which the URL was asked for again
	Loads                          Loads            // what the browser loaded with --browser auto
	StandIns                       map[string]int64 // answers that stand in place of the page asked for, by kind
	Failed                         map[string]int64 // by kind of failure
	Status                         map[string]int64
	MIME                           map[string]int64
	Now                            *Running  // how it goes, while it runs; otherwise nil
	Config                         []Setting // the settings of the crawl
	Scope                          string    // "host", …: which links it followed

	Seeds     []string // some of its seeds
	MoreSeeds int64    // number of seeds that are not in Seeds
	SeedsCut  bool     // there are more than MoreSeeds says

	Slots   []Slot // in order of time
	Slot    time.Duration
	Top     []HostCount // hosts with the most requested URLs
	Refused []Count     // URLs never requested, by the rule that refused them
	Cut     bool        // the log is longer than what was read for Slots, Top and Refused
}

// Counted is what a crawl counted of its quality: pages and parts of pages that it asked for, and of these those that are not what they should be.
type Counted struct{ Pages, Failed, Errors, StandIns, Parts, Missing, NotAsked int64 }

// Again says how a crawl goes on; of others it is zero.
type Again struct {
	Pages           int64 // that are visited again
	Round           int   // the last one, from 1
	Visits, Changed int64 // visits of such pages, and those that found a change
}

// Running describes how a crawl goes that runs now.
type Running struct {
	State    string // "running", "paused", "network" or "stopping"
	Pages    int64
	InFlight int64
	Limited  int64   // of the queued addresses, those that wait beyond limits
	Left     float64 // seconds until it ends; 0 if nobody can say
	AtLeast  bool    // Left is what the queue takes, which may grow
	Limits   Limits
	Held     []Held // hosts on hold that the reader may know of
	Alarms   []Alarm
}

// Alarm is something that goes wrong in a crawl.
type Alarm struct {
	Kind      string  // "failures", "errors", "traps" or "harvest"
	Count, Of int64   // so many of the last so many
	Failure   string  // of "failures": the most frequent kind
	Status    string  // of "errors": the most frequent status
	Host      string  // of "traps": that most links lead to; "" if the reader may not know of it
	Before    float64 // of "harvest": the share of wanted pages before, from 0 to 1
}

// Limits are the limits of a crawl; 0 is none.
type Limits struct {
	Pages, URLs, Bytes int64
	Seconds            float64
}

// Held is a host whose URLs wait until a time; a zero time means until somebody releases it.
type Held struct {
	Host  string
	Until time.Time
	Why   string   // "" where the reader may not know it
	Wall  bool     // it answers with a bot wall
	Login bool     // it has logged the crawl out
	Do    []string // the commands after which it is released; none where the reader may not know them
}

// Setting is one setting of a crawl.
type Setting struct {
	Name, Value string
	Untold      int // if above 0: the number of values, which only the operator may see; then Value is empty
}

// Setting returns the value of a setting that readers may see; "" if it has none.
func (c *Crawl) Setting(name string) string {
	for _, s := range c.Config {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// Slot has the numbers of one span of a crawl's time.
type Slot struct {
	From             time.Time
	Recorded, Failed int64
	Bytes            int64
}

// Crawls lists the crawls of a collection, the newest first.
type Crawls struct {
	Summary
	List    []Crawl
	Imports []Import // the newest first
}

// Import is a file that was imported into a collection.
type Import struct {
	Name, Title string
	Time        time.Time
	Captures    int64
}

// Crawls writes the list.
func (s *Set) Crawls(w http.ResponseWriter, r *http.Request, p Crawls) {
	lang := s.LangOf(r)
	v := struct {
		Crawls
		Series pages.Stack
	}{Crawls: p, Series: series(lang, p.List, s.home+"/c/"+p.Name)}
	s.Write(w, r, http.StatusOK, lang, "crawls", pages.View{Title: text(lang, "crawls.title"), Switch: pages.InLang(r), Section: &p.Summary, Tab: "crawls", Page: v})
}

// series draws what came of the pages of crawls that had pages before them. list has the newest first.
func series(lang pages.Lang, list []Crawl, at string) pages.Stack {
	g := pages.Stack{Title: text(lang, "crawls.series"), Line: text(lang, "series.time")}
	for _, kind := range []string{"unchanged", "changed", "new", "gone"} {
		g.Kinds = append(g.Kinds, text(lang, "crawls."+kind))
	}
	for _, c := range slices.Backward(list) {
		if c.Changes == (Changes{}) && c.Odd == "" {
			continue
		}
		g.Columns = append(g.Columns, pages.Column{Label: lang.Date(c.Started), Path: at + "/crawl?id=" + c.ID, Note: oddWords(lang, c.Odd), Seconds: c.Seconds,
			Counts: []int64{c.Changes.Unchanged, c.Changes.Changed, c.Changes.New, c.Changes.Gone}})
	}
	return g.Draw(lang)
}

// oddWords says in words how a crawl is odd; "" if it is not.
func oddWords(lang pages.Lang, odd string) string {
	if odd == "" {
		return ""
	}
	return known(lang, "odd.", odd)
}

// Crawl writes the report of one crawl.
func (s *Set) Crawl(w http.ResponseWriter, r *http.Request, sum Summary, c Crawl) {
	lang := s.LangOf(r)
	view := pages.View{Title: text(lang, "crawl.title", lang.Date(c.Started)), Switch: pages.InLang(r), Section: &sum, Tab: "crawls", Page: crawlView(lang, c, s.home+"/c/"+sum.Name)}
	if c.Now != nil {
		view.Live, view.Script = true, "live.js"
	}
	s.Write(w, r, http.StatusOK, lang, "crawl", view)
}

// crawlPage is what the template of a crawl is given.
type crawlPage struct {
	Crawl
	Control                               *Control // nil where nobody can command the crawl
	Rate                                  pages.Graph
	StatusShares, KindShares, FailureBars []pages.Share
	HostShares, RefusedBars, StandInBars  []pages.Share
	Quality, Tree, Timeline               string // addresses of the pages of its quality, its tree and its timeline; "" while it runs
}

// crawlView draws the graphs of a crawl. at is where the pages of its collection are.
func crawlView(lang pages.Lang, c Crawl, at string) crawlPage {
	v := crawlPage{Crawl: c}
	list := func(f Filter, from, to time.Time) string {
		f.From, f.To = second(from), second(to)
		return at + "/pages?" + f.Query().Encode()
	}
	ended := c.Ended
	if ended.IsZero() {
		ended = c.Started.AddDate(1, 0, 0) // it runs
	}
	v.StatusShares = statusShares(lang, c.Status, list(Filter{}, c.Started, ended)+"&status=")
	v.Rate.Title = text(lang, "crawl.rate")
	for _, slot := range c.Slots {
		b := pages.Bar{Label: moment(lang, slot.From, c.Slot), Count: slot.Recorded + slot.Failed, Bad: slot.Failed}
		if slot.Recorded > 0 {
			b.Path = list(Filter{}, slot.From, slot.From.Add(c.Slot-time.Second))
		}
		v.Rate.Bars = append(v.Rate.Bars, b)
		v.Rate.Bad = v.Rate.Bad || slot.Failed > 0
	}
	v.Rate = v.Rate.Draw(lang)
	kinds := map[string]int64{}
	for mime, n := range c.MIME {
		kinds[KindOf(mime)] += n
	}
	v.KindShares = lang.Ranked(kinds, 10, func(kind string) pages.Share {
		return pages.Share{Label: text(lang, "kind."+kind), Path: list(Filter{Kind: kind}, c.Started, ended)}
	})
	failed := maps.Clone(c.Failed)
	for _, n := range c.Refused { // what was never requested has a list of its own
		if failed[n.Name] -= n.Count; failed[n.Name] <= 0 {
			delete(failed, n.Name)
		}
	}
	v.FailureBars = lang.Ranked(failed, 12, func(kind string) pages.Share { return pages.Share{Label: known(lang, "failure.", kind), Bad: true} })
	v.StandInBars = lang.Ranked(c.StandIns, 12, func(kind string) pages.Share { return pages.Share{Label: known(lang, "standin.", kind), Bad: true} })
	for _, n := range c.Refused {
		v.RefusedBars = append(v.RefusedBars, pages.Share{Label: known(lang, "rule.", n.Name), Count: n.Count})
	}
	v.RefusedBars = lang.Shares(v.RefusedBars)
	v.HostShares = hostShares(lang, c.Top, at)
	if c.Now == nil && at != "" {
		v.Quality, v.Tree, v.Timeline = QualityPath(at, "", c.ID), at+"/tree?crawl="+url.QueryEscape(c.ID), at+"/timeline?crawl="+url.QueryEscape(c.ID)
	}
	return v
}

// rough rounds a length of time in seconds that nobody knows exactly: from ten minutes on to minutes, from ten hours on
// to hours.
func rough(seconds float64) float64 {
	switch {
	case seconds >= 36000:
		return math.Round(seconds/3600) * 3600
	case seconds >= 600:
		return math.Round(seconds/60) * 60
	}
	return seconds
}

// alarm writes in a sentence what goes wrong.
func alarm(l pages.Lang, a Alarm) string {
	switch {
	case a.Kind == "failures":
		return text(l, "alarm.failures", a.Count, a.Of, known(l, "failure.", a.Failure))
	case a.Kind == "errors":
		return text(l, "alarm.errors", a.Count, a.Of, l.Digits(a.Status))
	case a.Kind == "traps" && a.Host != "":
		return text(l, "alarm.trapson", a.Count, a.Of, isolated(a.Host))
	case a.Kind == "harvest":
		return text(l, "alarm.harvest", a.Count, a.Of, int64(100*a.Before+0.5))
	}
	return text(l, "alarm."+a.Kind, a.Count, a.Of)
}

// isolated wraps a name in the characters of Unicode that keep it from left to right in any text.
func isolated(name string) string { return "\u2066" + name + "\u2069" }

// known returns the phrase for a technical word, or the word if there is none.
func known(l pages.Lang, prefix, word string) string {
	if _, ok := words[prefix+word]; !ok {
		return word
	}
	return text(l, prefix+word)
}

// second writes a time as lists of addresses read it from a URL.
func second(t time.Time) string { return t.UTC().Format("20060102150405") }

// moment writes the beginning of a slot, with seconds if the slot is shorter than a minute.
func moment(l pages.Lang, t time.Time, slot time.Duration) string {
	clock := t.UTC().Format("15:04")
	if slot < time.Minute {
		clock = t.UTC().Format("15:04:05")
	}
	return l.Date(t) + " " + l.Digits(clock)
}
