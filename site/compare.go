package site

// This file shows two captures of a URL side by side.

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"kavosh/change"
	"kavosh/lib/segment"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// toComparison redirects from the choice of two captures to their comparison.
func (s *Site) toComparison(w http.ResponseWriter, r *http.Request, c *Collection) {
	address, ok := replay.AddressOf(r.FormValue("url"))
	a, err1 := stampOf(r.FormValue("a"))
	b, err2 := stampOf(r.FormValue("b"))
	if err := cmp.Or(err1, err2); !ok || err != nil {
		cause := ""
		if err != nil {
			cause = err.Error()
		}
		s.problem(w, r, http.StatusBadRequest, "bad-request", cause)
		return
	}
	w.Header().Set("Location", s.addresses.Replay+comparePath(c, min(a, b), max(a, b), address))
	w.WriteHeader(http.StatusFound)
}

// Compare shows two captures of a URL side by side, with what changed drawn over them. The page is on the replay's origin,
// so that its script can look into both frames. Scripts of archived pages do not run in these, and can neither load the page
// nor open it: it is for a window of its own.
func (s replayPages) Compare(w http.ResponseWriter, r *http.Request, a replay.Asked) (found bool, err error) {
	lang, c := s.langOf(r, a), s.of(a.Coll)
	if !s.ownWindow(w, r, a) {
		return true, nil
	}
	p := &draw.Comparison{Collection: c.summary(), URL: a.URL, Calendar: "/" + c.Name + "/*" + string(lang) + "/" + a.URL,
		Switch: func(l pages.Lang) string {
			return "/" + c.Name + "/" + a.Time + "-" + a.Until + string(l) + "/" + a.URL
		}}
	old, err := s.side(r.Context(), c, a.URL, a.Time, &p.Old)
	if old == nil || err != nil {
		return false, err
	}
	new, err := s.side(r.Context(), c, a.URL, a.Until, &p.New)
	if new == nil || err != nil {
		return false, err
	}
	if p.Changes, err = s.changes(r.Context(), old, new); err != nil {
		s.trouble(err.Error())
	}
	if s.addresses.Home != "" {
		p.Feed = c.page("changes?url=") + url.QueryEscape(a.URL)
	}
	p.Compare()
	s.draw.Comparison(w, r, lang, p)
	return true, nil
}

// ownWindow reports whether a page that looks into frames is asked for a window of its own. If not, it sends why.
func (s replayPages) ownWindow(w http.ResponseWriter, r *http.Request, a replay.Asked) bool {
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin") // archived pages are in windows of another kind
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		w.Header().Set("Vary", "Sec-Fetch-Dest")
		s.Problem(w, r, replay.Problem{Asked: a, Status: http.StatusForbidden, Kind: "own-window"})
		return false
	}
	return true
}

// changes returns what differs between two captures; nil if one is no page.
func (s *Site) changes(ctx context.Context, old, new *replay.Capture) (*change.Report, error) {
	var versions [2]*segment.Page
	for i, e := range [...]*replay.Capture{old, new} {
		if !change.IsPage(&e.Entry) {
			return nil, nil
		}
		var err error
		if versions[i], err = (&change.Reader{Records: e.Coll.Records}).Page(ctx, &e.Entry); err != nil {
			return nil, err
		}
	}
	report, err := change.Compare(new.URL, versions[0], versions[1])
	if err == nil {
		report.From, report.To = old.When(), new.When()
	}
	return report, err
}

// side fills in one side of a comparison: the capture of a URL nearest to a time, which it returns. It is nil if there is none.
func (s replayPages) side(ctx context.Context, c *Collection, url, stamp string, side *draw.Side) (*replay.Capture, error) {
	at := replay.Moment(stamp)
	h, err := c.History(ctx, url, at)
	if err != nil {
		return nil, err
	}
	a, err := c.Pick(ctx, url, stamp, h.Nearest(url, at, false), s.trouble)
	if err != nil || a == nil {
		return nil, err
	}
	defer a.Close()
	*side = draw.Side{Time: a.When(), Frame: c.Path(a.Timestamp, rewrite.Frame, a.URL), Path: c.Path(a.Timestamp, rewrite.Page, a.URL),
		Status: a.Status, MIME: replay.MediaType(a.Get("Content-Type")), Size: a.Length}
	if s.addresses.Home != "" {
		side.Details = c.detailsPath(a.URL, a.Timestamp)
	}
	if page := s.pageOf(a); page != nil {
		side.Title = clip(page.Title)
		for block := range strings.SplitSeq(page.Text, "\n") {
			if block = strings.TrimSpace(block); block != "" {
				side.Blocks = append(side.Blocks, block)
			}
		}
	}
	return &a.Capture, nil
}
