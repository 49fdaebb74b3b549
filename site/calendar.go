package site

import (
	"net/http"
	"net/url"
	"strings"

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// Calendar shows all captures of a URL, or for "example.com/*" leads to the list of what begins so.
func (s *Site) Calendar(w http.ResponseWriter, r *http.Request, a replay.Asked) (found bool, err error) {
	in := s.of(a.Coll)
	if prefix, ok := strings.CutSuffix(a.URL, "*"); ok && s.addresses.Home != "" {
		w.Header().Set("Location", in.page("pages?prefix=")+url.QueryEscape(prefix))
		w.WriteHeader(http.StatusFound)
		return true, nil
	}
	c := draw.NewCalendar(s.langOf(r, a), in.summary(), a.URL, "/"+in.Name+"/")
	c.Within = a.Time
	c.Timemap = "/" + in.Name + "/timemap/link/" + a.URL
	if s.addresses.Home != "" {
		c.Compare = in.page("compare")
	}
	if s.camera != nil {
		c.Alike = func(a, b *draw.Row) bool {
			return s.camera.Alike([2]string{a.Kept, b.Kept}, [2]string{a.Shot, b.Shot})
		}
	}
	digest := ""
	for e, err := range in.Of(r.Context(), a.URL) {
		if err != nil {
			return false, err
		}
		if !strings.HasPrefix(e.Timestamp, a.Time) {
			digest = e.Digest
			continue
		}
		c.Approximate = !replay.SamePath(e.URL, a.URL)
		row := draw.Row{Time: e.When(), Stamp: e.Timestamp, Path: in.Path(e.Timestamp, rewrite.Page, e.URL), Status: e.Status, MIME: e.MIME, Length: e.Length,
			Same: e.MIME == replay.RevisitMIME || warc.SameDigest(e.Digest, digest) && digest != ""}
		if s.addresses.Home != "" {
			row.Details, row.Picture = in.detailsPath(e.URL, e.Timestamp), in.picturePath(e.URL, e.Timestamp)
			if s.camera != nil && !row.Same && row.Status == http.StatusOK {
				row.Shot, row.Kept = shotPath(&e), s.of(e.Coll).Pictures
			}
		}
		digest = e.Digest
		c.Add(row)
	}
	if c.Count == 0 {
		return false, nil
	}
	s.draw.Calendar(w, r, c)
	return true, nil
}

// langOf is the language that the address of a page on the replay's origin names, else the reader's.
func (s *Site) langOf(r *http.Request, a replay.Asked) pages.Lang {
	if a.Lang != "" {
		return pages.Lang(a.Lang)
	}
	return s.draw.Accepted(r)
}

// Banner is what the head of a replayed page is given for its banner.
func (s *Site) Banner(r *http.Request, a replay.Asked, h *replay.History, shown *replay.Answer) string {
	in := s.of(a.Coll)
	b := &draw.Banner{
		Lang: s.draw.Accepted(r), Collection: in.summary(), URL: a.URL, Time: shown.When(),
		Calendar: "/" + in.Name + "/*", Truncated: shown.Truncated != "", Status: shown.Status,
	}
	b.Count, b.More = in.HowMany(r.Context(), h)
	prev, next := h.Neighbours(&shown.Capture)
	if prev != nil {
		b.Prev, b.PrevTime = in.Path(prev.Timestamp, rewrite.Page, prev.URL), prev.When()
	}
	if next != nil {
		b.Next, b.NextTime = in.Path(next.Timestamp, rewrite.Page, next.URL), next.When()
	}
	if shown.Original != nil && shown.Original.Timestamp != shown.Timestamp {
		b.Original = shown.Original.When()
	}
	return s.draw.Script(b)
}

// Home is the address of the page of a collection, or with nil of all; "" where nothing is known of it.
func (s *Site) Home(c *replay.Collection) string {
	switch {
	case s.addresses.Home == "":
		return ""
	case c == nil:
		return s.addresses.Home + "/"
	}
	return s.addresses.Home + "/c/" + c.Name
}

// ServeStatic serves the files that pages load.
func (s *Site) ServeStatic(w http.ResponseWriter, r *http.Request) { s.draw.ServeStatic(w, r) }

// Line is a problem in one line of English.
func (s *Site) Line(p replay.Problem) string {
	return draw.Problem{Kind: p.Kind, URL: p.URL, Cause: p.Cause}.Line()
}

// Problem is the page of an error on the replay's origin.
func (s *Site) Problem(w http.ResponseWriter, r *http.Request, p replay.Problem) {
	lang := s.langOf(r, p.Asked)
	page := draw.Problem{Status: p.Status, Kind: p.Kind, URL: p.URL, Cause: p.Cause}
	if p.URL != "" && p.Coll != nil {
		in := s.of(p.Coll)
		if u, err := weburl.Parse(p.URL); err == nil && s.addresses.Home != "" {
			page.List = in.page("pages?prefix=") + url.QueryEscape(u.Host()+"/")
		}
		if p.Kind == "no-original" || p.Kind == "broken" {
			page.Calendar = "/" + in.Name + "/*/" + p.URL
		}
		if p.Until == "" {
			page.Switch = func(l pages.Lang) string { return "/" + in.Name + "/*" + string(l) + "/" + p.URL }
		}
		if p.Kind == "no-capture" {
			s.missing(r.Context(), in, p.URL, lang, &page)
		}
	}
	s.draw.Problem(w, r, lang, page)
}
