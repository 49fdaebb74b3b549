package replay

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"kavosh"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// This file fills in the pages of the replay's origin: calendar, banner, errors.

// summary names a collection for a page, without its numbers.
func (s *Server) summary(c *Collection) pages.Summary {
	return pages.Summary{Name: c.Name, Title: c.Title, About: c.About, All: c == s.all, Picture: c.Picture.Data != nil, Crawls: c.Crawls != nil, Search: c.Searcher != nil}
}

// root leads from /<coll>/ to the collection's page.
func (s *Server) root(w http.ResponseWriter, r *http.Request, rt route) {
	if s.home == "" {
		s.problem(w, r, rt, http.StatusNotFound, "no-page")
		return
	}
	w.Header().Set("Location", s.home+"/c/"+rt.coll.Name)
	w.WriteHeader(http.StatusFound)
}

// calendar shows all captures of a URL, or for "example.com/*" leads to the list of what begins so.
func (s *Server) calendar(w http.ResponseWriter, r *http.Request, rt route) {
	if prefix, ok := strings.CutSuffix(rt.url, "*"); ok && s.home != "" {
		w.Header().Set("Location", s.home+"/c/"+rt.coll.Name+"/pages?prefix="+url.QueryEscape(prefix))
		w.WriteHeader(http.StatusFound)
		return
	}
	lang := pages.Lang(rt.lang)
	if lang == "" {
		lang = s.pages.Accepted(r)
	}
	c := pages.NewCalendar(lang, s.summary(rt.coll), rt.url, "/"+rt.coll.Name+"/")
	c.Within = rt.time
	c.Timemap = "/" + rt.coll.Name + "/timemap/link/" + rt.url
	if s.home != "" {
		c.Compare = s.home + "/c/" + rt.coll.Name + "/compare"
	}
	if s.camera != nil {
		c.Alike = func(a, b *pages.Row) bool {
			return s.camera.Alike([2]string{a.Kept, b.Kept}, [2]string{a.Shot, b.Shot})
		}
	}
	digest := ""
	for e, err := range s.of(r.Context(), rt.coll, rt.url) {
		if err != nil {
			s.broken(w, r, rt, err)
			return
		}
		if !strings.HasPrefix(e.Timestamp, rt.time) {
			digest = e.Digest
			continue
		}
		c.Approximate = !samePath(e.URL, rt.url)
		row := pages.Row{Time: e.when(), Stamp: e.Timestamp, Path: replayPath(rt.coll, e.Timestamp, rewrite.Page, e.URL), Status: e.Status, MIME: e.MIME, Length: e.Length,
			Same: e.MIME == revisitMIME || warc.SameDigest(e.Digest, digest) && digest != ""}
		if s.home != "" {
			row.Details, row.Picture = s.detailsPath(rt.coll, e.URL, e.Timestamp), s.picturePath(rt.coll, e.URL, e.Timestamp)
			if s.camera != nil && !row.Same && row.Status == http.StatusOK {
				row.Shot, row.Kept = shotPath(&e), e.coll.Pictures
			}
		}
		digest = e.Digest
		c.Add(row)
	}
	if c.Count == 0 {
		s.problem(w, r, rt, http.StatusNotFound, "no-capture")
		return
	}
	s.pages.Calendar(w, r, c)
}

// banner is what the banner of a replayed page says.
func (s *Server) banner(r *http.Request, rt route, h history, a *answer) *pages.Banner {
	b := &pages.Banner{
		Lang: s.pages.Accepted(r), Collection: s.summary(rt.coll), URL: rt.url, Time: a.when(),
		Calendar: "/" + rt.coll.Name + "/*", Truncated: a.truncated != "", Status: a.status,
	}
	b.Count, b.More = s.howMany(r.Context(), rt.coll, &h)
	prev, next := h.neighbours(&a.capture)
	if prev != nil {
		b.Prev, b.PrevTime = replayPath(rt.coll, prev.Timestamp, rewrite.Page, prev.URL), prev.when()
	}
	if next != nil {
		b.Next, b.NextTime = replayPath(rt.coll, next.Timestamp, rewrite.Page, next.URL), next.when()
	}
	if a.original != nil && a.original.Timestamp != a.Timestamp {
		b.Original = a.original.when()
	}
	return b
}

// broken answers when the archive itself is at fault.
func (s *Server) broken(w http.ResponseWriter, r *http.Request, rt route, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody waits for it any more
	}
	if refused, ok := errors.AsType[*kavosh.Refused](err); ok {
		s.refuse(w, r, rt, refused)
		return
	}
	s.trouble("replay of " + rt.url + ": " + err.Error())
	rt.cause = err.Error()
	s.problem(w, r, rt, http.StatusInternalServerError, "broken")
}

// refuse answers when a decision keeps what was asked for from this reader.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, rt route, refused *kavosh.Refused) {
	if !refused.Until.IsZero() {
		rt.cause = refused.Error()
	}
	s.problem(w, r, rt, refusedStatus(refused), "access-"+string(refused.Access))
}

// refusedStatus is the status of an answer that is refused.
func refusedStatus(refused *kavosh.Refused) int {
	if refused.Access == kavosh.Takedown {
		return http.StatusUnavailableForLegalReasons
	}
	return http.StatusForbidden
}

// withheld is why none of c's collections shows anything of a URL, nil when they hold no more of it.
func (s *Server) withheld(ctx context.Context, c *Collection, url string) *kavosh.Refused {
	for _, m := range s.members(c) {
		if m.Gate == nil {
			continue
		}
		refused, err := m.Gate.Withheld(ctx, url)
		if err != nil {
			s.trouble("access rules of " + m.Name + ": " + err.Error())
		}
		if refused != nil {
			return refused
		}
	}
	return nil
}

// problem answers with an error: a page for people, one line for programs and for the parts of a page.
func (s *Server) problem(w http.ResponseWriter, r *http.Request, rt route, status int, kind string) {
	if kind == "no-capture" {
		if refused := s.withheld(r.Context(), rt.coll, rt.url); refused != nil {
			s.refuse(w, r, rt, refused)
			return
		}
	}
	p := pages.Problem{Status: status, Kind: kind, URL: rt.url, Cause: rt.cause}
	if rt.verb == cdxQuery || rt.verb == badRequest {
		p.URL = ""
	}
	for _, name := range []string{"Memento-Datetime", "ETag", "Content-Encoding", "Content-Location"} {
		w.Header().Del(name)
	}
	if !roleOf(r, rt.mod).page {
		plain(w, status, p.Line())
		return
	}
	if p.URL != "" && rt.coll != nil {
		if u, err := weburl.Parse(p.URL); err == nil && s.home != "" {
			p.List = s.home + "/c/" + rt.coll.Name + "/pages?prefix=" + url.QueryEscape(u.Host()+"/")
		}
		if kind == "no-original" || kind == "broken" {
			p.Calendar = "/" + rt.coll.Name + "/*/" + p.URL
		}
	}
	lang := s.pages.Accepted(r)
	if rt.lang != "" {
		lang = pages.Lang(rt.lang)
	}
	if p.URL != "" && rt.coll != nil && rt.verb != comparison {
		p.Switch = func(l pages.Lang) string { return "/" + rt.coll.Name + "/*" + string(l) + "/" + p.URL }
	}
	if kind == "no-capture" {
		s.missing(r.Context(), rt.coll, p.URL, lang, &p)
	}
	s.pages.Problem(w, r, lang, p)
}

// addressOf is the absolute URL that a person typed, with or without scheme; false for what cannot be one.
func addressOf(typed string) (string, bool) {
	typed = strings.TrimSpace(typed)
	if typed == "" || strings.ContainsAny(typed, " \t\n") {
		return "", false
	}
	rt := route{verb: calendar}.archived(typed)
	if rt.verb == badRequest {
		return "", false
	}
	u, err := weburl.Parse(rt.url)
	if err != nil || !u.Fetchable() || !strings.Contains(u.Hostname(), ".") && !strings.Contains(u.Hostname(), ":") && u.Hostname() != "localhost" {
		return "", false
	}
	return rt.url, true
}
