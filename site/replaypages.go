package site

import (
	"net/http"
	"net/url"

	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// replayPages are the pages of this site that lie on the replay's origin, as replay.Pages has them; calendar.go and compare.go have the
// larger ones.
type replayPages struct{ *Site }

// langOf is the language that the address of a page on the replay's origin names, else the reader's.
func (s replayPages) langOf(r *http.Request, a replay.Asked) pages.Lang {
	if a.Lang != "" {
		return pages.Lang(a.Lang)
	}
	return s.draw.Accepted(r)
}

// Banner is what the head of a replayed page is given for its banner.
func (s replayPages) Banner(r *http.Request, a replay.Asked, h *replay.History, shown *replay.Answer) string {
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
func (s replayPages) Home(c *replay.Collection) string {
	switch {
	case s.addresses.Home == "":
		return ""
	case c == nil:
		return s.addresses.Home + "/"
	}
	return s.addresses.Home + "/c/" + c.Name
}

// ServeStatic serves the files that pages load.
func (s replayPages) ServeStatic(w http.ResponseWriter, r *http.Request) { s.draw.ServeStatic(w, r) }

// Line is a problem in one line of English.
func (s replayPages) Line(p replay.Problem) string {
	return draw.Problem{Kind: p.Kind, URL: p.URL, Cause: p.Cause}.Line()
}

// Problem is the page of an error on the replay's origin.
func (s replayPages) Problem(w http.ResponseWriter, r *http.Request, p replay.Problem) {
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
