package site

// This file draws the archive's own pages on the replay's origin.

import (
	"net/http"
	"net/url"

	"kavosh/change"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// replayPages implements [replay.Pages]: the pages of this site that are on the replay's origin. calendar.go and
// compare.go have the larger ones.
type replayPages struct{ *Site }

// langOf returns the language in the URL of a page on the replay's origin, or else the reader's.
func (s replayPages) langOf(r *http.Request, a replay.Asked) pages.Lang {
	if a.Lang != "" {
		return pages.Lang(a.Lang)
	}
	return s.draw.Accepted(r)
}

// Banner returns the markup for the banner of a replayed page.
func (s replayPages) Banner(r *http.Request, a replay.Asked, h *replay.History, shown *replay.Answer) string {
	in := s.of(a.Coll)
	b := &draw.Banner{
		Lang: s.draw.Accepted(r), Collection: in.summary(), URL: a.URL, Time: shown.When(),
		Calendar: "/" + in.Name + "/*", Truncated: shown.Truncated != "", Status: shown.Status,
	}
	if change.IsPage(&shown.Entry) {
		b.Framed = "/" + in.Name + "/" + shown.Timestamp + "links"
	}
	b.Count, b.More = in.HowMany(r.Context(), h)
	prev, next := h.Neighbours(&shown.Capture)
	if prev != nil {
		b.Prev, b.PrevTime = in.Path(prev.Timestamp, rewrite.Page, prev.URL), prev.When()
		b.Changes = "/" + in.Name + "/" + prev.Timestamp + "-" + shown.Timestamp
	}
	if next != nil {
		b.Next, b.NextTime = in.Path(next.Timestamp, rewrite.Page, next.URL), next.When()
	}
	if shown.Original != nil && shown.Original.Timestamp != shown.Timestamp {
		b.Original = shown.Original.When()
	}
	return s.draw.Script(b)
}

// Home returns the URL of a collection's page, or with nil that of all collections; "" if it is not known.
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

// Line returns a problem as one line of English.
func (s replayPages) Line(p replay.Problem) string {
	return draw.Problem{Kind: p.Kind, URL: p.URL, Cause: p.Cause}.Line()
}

// Problem sends an error page of the replay's origin.
func (s replayPages) Problem(w http.ResponseWriter, r *http.Request, p replay.Problem) {
	lang := s.langOf(r, p.Asked)
	page := draw.Problem{Status: p.Status, Kind: p.Kind, URL: p.URL, Cause: p.Cause, Until: p.Opens}
	if !p.Opens.IsZero() {
		page.Cause = "" // it says the same
	}
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
