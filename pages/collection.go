package pages

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"kavosh/internal/about"
)

// Summary is what is known of a collection as a whole.
type Summary struct {
	Name, Title string // Title where About has none
	About       about.Description
	Picture     bool // there is one of the collection itself
	All         bool // it holds all the others; its title is in the reader's language
	Known       bool // the numbers below are counted
	Captures    int64
	URLs        int64
	HostCount   int64
	First, Last time.Time
	Days        Days
	Kinds       map[string]int64 // captures by KindOf
	Status      map[string]int64 // captures by HTTP status
	Hosts       []HostCount      // the largest, at most MaxHosts
	Newest      []Address        // pages captured last
	Crawls      bool             // it tells of its crawls
	Search      bool             // its texts are searched
}

// MaxHosts is how many hosts a Summary counts apart.
const MaxHosts = 1000

// HostCount is a host with what a collection has of it.
type HostCount struct {
	Host           string
	URLs, Captures int64
	Bad            int64 // captures with a status from 400 on
	Last           time.Time
}

// Collection shows a collection as a whole.
type Collection struct {
	Summary
	Languages []Count // of its pages, the most frequent first; none when nobody knows
}

// Count is how often something is there.
type Count struct {
	Name  string
	Count int64
}

// overview is what the template is given.
type overview struct {
	Collection
	Graph                               Graph
	KindShares, StatusShares, LangShare []Share
	HostShares                          []Share
}

// Collection writes the page of a collection.
func (s *Set) Collection(w http.ResponseWriter, r *http.Request, p Collection) {
	lang := s.LangOf(r)
	at := s.options.Home + "/c/" + p.Name
	v := overview{Collection: p}
	v.Graph = lang.over(lang.text("graph.captures"), p.Days, func(from, to time.Time) string {
		return at + "/pages?from=" + from.Format("20060102") + "&to=" + to.Format("20060102")
	})
	v.KindShares = lang.kindShares(p.Kinds, at+"/pages?kind=")
	v.StatusShares = lang.statusShares(p.Status, at+"/pages?status=")
	v.HostShares = lang.hostShares(p.Hosts[:min(len(p.Hosts), 10)], at)
	for _, c := range p.Languages {
		v.LangShare = append(v.LangShare, Share{Label: lang.language(c.Name), Count: c.Count, Path: at + "/search?f=lang:" + c.Name})
	}
	v.LangShare = lang.shares(v.LangShare)
	s.write(w, r, http.StatusOK, lang, "collection", view{Title: lang.title(p.Summary), Switch: switchTo(r), Coll: &p.Summary, Tab: "overview", Page: v})
}

// title is what people call a collection.
func (l Lang) title(c Summary) string {
	if c.All {
		return l.text("all")
	}
	return cmp.Or(l.either(c.About.Title, c.About.TitleFa), c.Title)
}

// about says in sentences what a collection is, "" where nobody says.
func (l Lang) about(c Summary) string { return l.either(c.About.Text, c.About.TextFa) }

// either is what there is in the language, or else in the other.
func (l Lang) either(en, fa string) string {
	if l == Persian {
		return cmp.Or(fa, en)
	}
	return cmp.Or(en, fa)
}

// kindShares draws captures by kind; path is followed by the kind.
func (l Lang) kindShares(counts map[string]int64, path string) []Share {
	return l.ranked(counts, 10, func(kind string) Share {
		return Share{Label: l.text("kind." + kind), Path: path + kind}
	})
}

// statusShares draws captures by HTTP status; path is followed by the status, and "" leads nowhere.
func (l Lang) statusShares(counts map[string]int64, path string) []Share {
	return l.ranked(counts, 8, func(status string) Share {
		n, _ := strconv.Atoi(status)
		sh := Share{Label: l.digits(status), Bad: n >= 400 || n == 0}
		if name := l.statusName(n); name != "" {
			sh.Label += " " + name
		}
		if path != "" {
			sh.Path = path + status
		}
		return sh
	})
}

// statusName says what an HTTP status means, "" for one that is seldom met.
func (l Lang) statusName(status int) string {
	key := "status." + strconv.Itoa(status)
	if _, ok := phrases[key]; !ok {
		return ""
	}
	return l.text(key)
}

func (l Lang) hostShares(hosts []HostCount, at string) []Share {
	var list []Share
	for _, h := range hosts {
		list = append(list, Share{Label: h.Host, Code: true, Count: h.Captures, Path: HostPath(at, h.Host, "/")})
	}
	return l.shares(list)
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
		Shares []Share
	}{p, lang.hostShares(p.Summary.Hosts, s.options.Home+"/c/"+p.Name)}
	s.write(w, r, http.StatusOK, lang, "hosts", view{Title: lang.text("hosts.title"), Switch: switchTo(r), Coll: &p.Summary, Tab: "hosts", Page: v})
}
