package draw

// This file draws the page of a host.

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
	Host     string // with its port, if it has one
	Path     string // begins and ends with "/"
	Branches []Branch
	Others   int // number of branches that are not shown
	Captures int64
	URLs     int64
	Cut      bool // there are too many captures: only the first are counted
	Days     pages.Days
	Kinds    map[string]int64
	Status   map[string]int64
	Errors   []Address // the newest captures with a status of 400 or more
	// LinkedFrom has the other hosts that link here, with the number of links; the most first.
	LinkedFrom []HostCount
}

// Branch has the numbers of all URLs below one part of a path.
type Branch struct {
	Name     string // the part, with "/" at its end when there is more below it
	Query    bool   // URLs of this path with a query
	Path     string // of the host page for this branch, or of the captures if it has only one URL
	URLs     int64
	Captures int64
	Bad      int64
}

// crumb is one part of a path, with a link to its page.
type crumb struct{ Name, Path string }

// maxCrumbs is how many parts of a path have a link: each link contains the whole path to it.
const maxCrumbs = 20

// crumbs returns the parts of a path from the host down; of a long path the last ones.
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

// HostPath returns the URL of a host's page; at is the URL of the collection's page.
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
		List, Feed               string
		Rhythm, Quality          string
		Series, Timeline         string
	}{Host: p, Feed: FeedPath(lang, at, "host", p.Host), Rhythm: at + "/rhythm?" + url.Values{"host": {p.Host}}.Encode(), Quality: QualityPath(at, p.Host, ""), Series: at + "/series?" + url.Values{"host": {p.Host}}.Encode(), Timeline: at + "/timeline?" + url.Values{"host": {p.Host}}.Encode(), LinkShares: hostShares(lang, p.LinkedFrom, at), List: at + "/pages?" + Filter{Prefix: p.Host + p.Path}.Query().Encode()}
	v.Crumbs = crumbs(at, p.Host, p.Path)
	list := func(f Filter) string { f.Prefix = p.Host + p.Path; return at + "/pages?" + f.Query().Encode() }
	v.Graph = lang.Over(text(lang, "graph.captures"), p.Days, func(from, to time.Time) string {
		return list(Filter{From: from.Format("20060102"), To: to.Format("20060102")})
	})
	v.KindShares = lang.Ranked(p.Kinds, 10, func(kind string) pages.Share {
		return pages.Share{Label: text(lang, "kind."+kind), Path: list(Filter{Kind: kind})}
	})
	v.StatusShares = statusShares(lang, p.Status, list(Filter{})+"&status=")
	s.Write(w, r, http.StatusOK, lang, "host", pages.View{Title: p.Host, Switch: pages.InLang(r), Section: &p.Summary, Tab: "hosts", Feed: v.Feed, Page: v})
}
