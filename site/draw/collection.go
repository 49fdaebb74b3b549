package draw

// This file draws the home page and the pages of collections.

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kavosh/internal/about"

	"kavosh/pages"
)

// Summary describes a collection as a whole.
type Summary struct {
	Name, Title string // Title is used if About has none
	About       about.Description
	Picture     bool // the collection has a picture
	All         bool // it has all other collections; its title is in the reader's language
	Known       bool // the numbers below have been counted
	Captures    int64
	URLs        int64
	HostCount   int64
	First, Last time.Time
	Days        pages.Days
	Kinds       map[string]int64 // captures by KindOf
	Status      map[string]int64 // captures by HTTP status
	Hosts       []HostCount      // the largest, at most MaxHosts
	Pages       int64            // addresses that had a page
	Languages   []Count          // of its pages, the most frequent first; none if not known
	Crawls      bool             // it has a page about its crawls
	Search      bool             // its texts can be searched
}

// MaxHosts is the most hosts in a Summary.
const MaxHosts = 1000

// HostCount is a host with the number of its captures in a collection.
type HostCount struct {
	Face           // of its first page
	Host           string
	URLs, Captures int64
	Bad            int64 // captures with a status of 400 or more, but for robots.txt
	Last           time.Time
}

// Collection shows a collection as a whole.
type Collection struct {
	Summary
	Newest []Address // the latest pages
}

// Count is a name with the number of its occurrences.
type Count struct {
	Name  string
	Count int64
}

// overview is the data of the template.
type overview struct {
	Collection
	Graph                               pages.Graph
	KindShares, StatusShares, LangShare []pages.Share
	HostShares                          []pages.Share
	Feed                                string
}

// Collection writes the page of a collection.
func (s *Set) Collection(w http.ResponseWriter, r *http.Request, p Collection) {
	lang := s.LangOf(r)
	at := s.home + "/c/" + p.Name
	v := overview{Collection: p, Feed: FeedPath(lang, at, "", "")}
	v.Graph = lang.Over(text(lang, "graph.captures"), p.Days, func(from, to time.Time) string {
		return at + "/pages?from=" + from.Format("20060102") + "&to=" + to.Format("20060102")
	})
	v.KindShares = kindShares(lang, p.Kinds, at+"/pages?kind=")
	v.StatusShares = statusShares(lang, p.Status, at+"/pages?status=")
	v.HostShares = hostShares(lang, p.Hosts[:min(len(p.Hosts), 10)], at)
	for _, c := range p.Languages {
		v.LangShare = append(v.LangShare, pages.Share{Label: lang.Language(c.Name), Count: c.Count, Path: at + "/search?f=lang:" + c.Name})
	}
	v.LangShare = lang.Shares(v.LangShare)
	s.Write(w, r, http.StatusOK, lang, "collection", pages.View{Title: title(lang, &p.Summary), Switch: pages.InLang(r), Section: &p.Summary, Tab: "overview", Feed: v.Feed, Page: v})
}

// fewLanguages is how many languages the sentence of a collection names.
const fewLanguages = 3

// inside returns one sentence about what is in a collection: how many pages, of how many hosts, in which languages, and
// from when to when.
func inside(l pages.Lang, c *Summary) string {
	s := text(l, "inside.pages", c.Pages) + " " + text(l, "inside.hosts", c.HostCount)
	var names []string
	for _, n := range c.Languages {
		if n.Name != "und" && len(names) < fewLanguages {
			names = append(names, l.Language(n.Name))
		}
	}
	if len(names) > 0 {
		if more := len(c.Languages) - fewLanguages; more > 0 && len(names) == fewLanguages {
			names = append(names, text(l, "inside.others", more))
		}
		last := len(names) - 1
		list := names[last]
		if last > 0 {
			list = strings.Join(names[:last], text(l, "inside.comma")) + " " + text(l, "inside.and") + " " + list
		}
		s += text(l, "inside.languages", list)
	}
	first, last := l.Date(c.First), l.Date(c.Last)
	if first == last {
		return s + text(l, "inside.day", last)
	}
	return s + text(l, "inside.time", first, last)
}

// title returns the title of a collection in a language.
func title(l pages.Lang, c *Summary) string {
	if c.All {
		return text(l, "all")
	}
	return cmp.Or(either(l, c.About.Title, c.About.TitleFa), c.Title)
}

// either returns the text in the language l, or the other one if it is "".
func either(l pages.Lang, en, fa string) string {
	if l == pages.Persian {
		return cmp.Or(fa, en)
	}
	return cmp.Or(en, fa)
}

// kindShares draws captures by kind. Each links to path with the kind after it.
func kindShares(l pages.Lang, counts map[string]int64, path string) []pages.Share {
	return l.Ranked(counts, 10, func(kind string) pages.Share {
		return pages.Share{Label: text(l, "kind."+kind), Path: path + kind}
	})
}

// statusShares draws captures by HTTP status. Each links to path with the status after it.
func statusShares(l pages.Lang, counts map[string]int64, path string) []pages.Share {
	return l.Ranked(counts, 8, func(status string) pages.Share {
		n, _ := strconv.Atoi(status)
		name := statusName(l, n)
		if n > 0 {
			name = strings.TrimSpace(l.Digits(status) + " " + name)
		}
		return pages.Share{Label: name, Bad: n >= 400 || n == 0, Path: path + status}
	})
}

// statusName returns the meaning of an HTTP status, "" for a rare one.
func statusName(l pages.Lang, status int) string {
	key := "status." + strconv.Itoa(status)
	if _, ok := words[key]; !ok {
		return ""
	}
	return text(l, key)
}

func hostShares(l pages.Lang, hosts []HostCount, at string) []pages.Share {
	var list []pages.Share
	for _, h := range hosts {
		list = append(list, pages.Share{Label: h.Host, Code: true, Count: h.Captures, Path: HostPath(at, h.Host, "/")})
	}
	return l.Shares(list)
}

// Hosts lists the hosts of a collection.
type Hosts struct {
	Summary
}

// Hosts writes the list of hosts.
func (s *Set) Hosts(w http.ResponseWriter, r *http.Request, p Hosts) {
	lang := s.LangOf(r)
	v := struct {
		Hosts
		Shares []pages.Share
	}{p, hostShares(lang, p.Summary.Hosts, s.home+"/c/"+p.Name)}
	s.Write(w, r, http.StatusOK, lang, "hosts", pages.View{Title: text(lang, "hosts.title"), Switch: pages.InLang(r), Section: &p.Summary, Tab: "hosts", Page: v})
}
