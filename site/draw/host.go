package draw

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"kavosh/pages"
)

// Host shows what a collection has of one host, below one path.
type Host struct {
	Summary
	Host     string // with its port, when it has one
	Path     string // begins and ends with "/"
	Branches []Branch
	Others   int // branches that are left out
	Captures int64
	URLs     int64
	Cut      bool // only the first captures are counted: there are too many
	Days     pages.Days
	Kinds    map[string]int64
	Status   map[string]int64
	Errors   []Address // the newest with a status from 400 on
	// LinkedFrom are other hosts, with how many links of theirs lead here; the most first.
	LinkedFrom []HostCount
}

// Branch is what lies below one part of a path.
type Branch struct {
	Name     string // the part, with "/" at its end when there is more below it
	Query    bool   // addresses of this path with a query
	Path     string // of the host page below it, or of the captures of the one address
	URLs     int64
	Captures int64
	Bad      int64
}

// crumb is a step on the way down to a path.
type crumb struct{ Name, Path string }

// maxCrumbs is how many parts of a path have a step each: every step holds the whole way to it.
const maxCrumbs = 20

// crumbs are the steps from a host down to a path; of a long way the last ones.
func crumbs(at, host, path string) []crumb {
	list := []crumb{{host, HostPath(at, host, "/")}}
	below, left := "/", strings.Count(path, "/")-1
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		below += part + "/"
		if left--; part != "" && left < maxCrumbs {
			list = append(list, crumb{part, HostPath(at, host, below)})
		}
	}
	return list
}

// HostPath is the address of a host's page; at is that of the collection.
func HostPath(at, host, path string) string {
	q := url.Values{"host": {host}}
	if path != "/" && path != "" {
		q.Set("path", path)
	}
	return at + "/host?" + q.Encode()
}

// Host writes the page.
func (s *Set) Host(w http.ResponseWriter, r *http.Request, p Host) {
	lang := s.LangOf(r)
	at := s.home + "/c/" + p.Name
	v := struct {
		Host
		Crumbs                   []crumb
		Graph                    pages.Graph
		KindShares, StatusShares []pages.Share
		LinkShares               []pages.Share
		List                     string
	}{Host: p, LinkShares: hostShares(lang, p.LinkedFrom, at), List: at + "/pages?" + Filter{Prefix: p.Host + p.Path}.Query().Encode()}
	v.Crumbs = crumbs(at, p.Host, p.Path)
	list := func(f Filter) string { f.Prefix = p.Host + p.Path; return at + "/pages?" + f.Query().Encode() }
	v.Graph = lang.Over(text(lang, "graph.captures"), p.Days, func(from, to time.Time) string {
		return list(Filter{From: from.Format("20060102"), To: to.Format("20060102")})
	})
	v.KindShares = lang.Ranked(p.Kinds, 10, func(kind string) pages.Share {
		return pages.Share{Label: text(lang, "kind."+kind), Path: list(Filter{Kind: kind})}
	})
	v.StatusShares = statusShares(lang, p.Status, list(Filter{})+"&status=")
	s.Write(w, r, http.StatusOK, lang, "host", pages.View{Title: p.Host, Switch: pages.InLang(r), Section: &p.Summary, Tab: "hosts", Page: v})
}
