package site

// This file shows what a collection has of one host.

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// Bounds on the page of a host.
const (
	maxHostCaptures = 200_000 // captures that are read for one page
	maxBranches     = 500     // branches below the path
	maxErrors       = 20      // errors that are listed
	maxHostPath     = 2 << 10 // bytes of the path: nearly every link of the page contains it
)

// hostPage shows what a collection has of a host, below a path.
func (s *Site) hostPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	u, err := weburl.Parse("http://" + strings.TrimSpace(r.FormValue("host")) + "/" + strings.Trim(r.FormValue("path"), "/"))
	if err != nil || r.FormValue("host") == "" {
		s.problem(w, r, http.StatusBadRequest, "bad-request", "")
		return
	}
	if len(r.FormValue("path")) > maxHostPath {
		s.problem(w, r, http.StatusBadRequest, "bad-request", fmt.Sprintf("the path is longer than %d bytes", maxHostPath))
		return
	}
	lang := s.draw.LangOf(r)
	p := draw.Host{Summary: c.summary(), Host: u.Host(), Path: "/" + strings.Trim(u.Path(), "/") + "/"}
	if p.Path == "//" {
		p.Path = "/"
	}
	t := hostTally{page: &p, at: "/c/" + c.Name, branches: map[string]*draw.Branch{}}
	t.Days, t.Kinds, t.Status = pages.Days{}, map[string]int64{}, map[string]int64{}
	t.address = func(e *replay.Capture) draw.Address {
		url := replay.Canonical(e.URL)
		return draw.Address{URL: url, Last: e.When(), MIME: e.MIME, Status: e.Status, Path: c.replayed(e.Timestamp, rewrite.Page, e.URL), Calendar: c.calendarPath(lang, url)}
	}
	for e, err := range c.Captures(r.Context(), cdx.Query{URL: "http://" + p.Host + p.Path, MatchType: cdx.Prefix}) {
		if err != nil {
			s.broken(w, r, "index", err)
			return
		}
		if !replay.Shows(&e) {
			continue
		}
		if t.Captures == maxHostCaptures {
			p.Cut = true
			break
		}
		t.take(&e)
	}
	t.end()
	if p.LinkedFrom, err = c.linkingHosts(r.Context(), p.Host, p.Path); err != nil {
		s.trouble("links: " + err.Error())
	}
	s.draw.Host(w, r, p)
}

// hostTally counts the captures of a host, and those of each branch below a path.
type hostTally struct {
	tally
	page     *draw.Host
	at       string // URL of the collection's page
	address  func(*replay.Capture) draw.Address
	branches map[string]*draw.Branch
}

func (t *hostTally) take(e *replay.Capture) {
	fresh := e.Key != t.key
	t.add(e)
	if failed(e) {
		t.failed(e)
	}
	path := replay.PathQuery(e.URL)
	rest, ok := strings.CutPrefix(path, t.page.Path)
	if !ok && len(path) >= len(t.page.Path) {
		rest = path[len(t.page.Path):] // the index ignores case
	}
	name, query := rest, false
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		name, query = rest[:i], rest[i] == '?'
		if !query {
			name += "/"
		}
	}
	key := name
	if query {
		key += "?"
	}
	b := t.branches[key]
	if b == nil {
		if len(t.branches) == maxBranches {
			if fresh {
				t.page.Others++
			}
			return
		}
		b = &draw.Branch{Name: name, Query: query}
		switch {
		case strings.HasSuffix(name, "/"):
			b.Path = draw.HostPath(t.at, t.page.Host, t.page.Path+name)
		case query:
			b.Path = t.at + "/pages?" + url.Values{"prefix": {t.page.Host + t.page.Path + name + "?"}}.Encode()
		default:
			b.Path = t.address(e).Calendar
		}
		if name == "" {
			b.Name = t.page.Path
		}
		t.branches[key] = b
		b.URLs = 0
	}
	if fresh || b.URLs == 0 {
		b.URLs++
	}
	b.Captures++
	if failed(e) {
		b.Bad++
	}
}

// failed keeps the newest captures with an error, one for each URL.
func (t *hostTally) failed(e *replay.Capture) {
	a := t.address(e)
	errs := &t.page.Errors
	*errs = slices.DeleteFunc(*errs, func(o draw.Address) bool { return o.URL == a.URL })
	i := slices.IndexFunc(*errs, func(o draw.Address) bool { return o.Last.Before(a.Last) })
	if i < 0 {
		i = len(*errs)
	}
	*errs = slices.Insert(*errs, i, a)
	*errs = (*errs)[:min(len(*errs), maxErrors)]
}

// end fills in the page from the counts.
func (t *hostTally) end() {
	p := t.page
	p.Captures, p.URLs, p.Days, p.Kinds, p.Status = t.Captures, t.URLs, t.Days, t.Kinds, t.Status
	for _, b := range t.branches {
		p.Branches = append(p.Branches, *b)
	}
	slices.SortFunc(p.Branches, func(a, b draw.Branch) int {
		return cmp.Or(cmp.Compare(b.Captures, a.Captures), strings.Compare(a.Name, b.Name))
	})
}
