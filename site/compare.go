package site

// This file shows two captures of a URL side by side.

import (
	"cmp"
	"context"
	"net/http"
	"strings"

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

// Compare shows two captures of a URL side by side. The page is on the replay's origin, so that its script can scroll
// both frames together.
func (s replayPages) Compare(w http.ResponseWriter, r *http.Request, a replay.Asked) (found bool, err error) {
	lang, c := s.langOf(r, a), s.of(a.Coll)
	p := &draw.Comparison{Collection: c.summary(), URL: a.URL, Calendar: "/" + c.Name + "/*" + string(lang) + "/" + a.URL,
		Switch: func(l pages.Lang) string {
			return "/" + c.Name + "/" + a.Time + "-" + a.Until + string(l) + "/" + a.URL
		}}
	found, err = s.side(r.Context(), c, a.URL, a.Time, &p.Old)
	if found && err == nil {
		found, err = s.side(r.Context(), c, a.URL, a.Until, &p.New)
	}
	if !found || err != nil {
		return false, err
	}
	p.Compare()
	s.draw.Comparison(w, r, lang, p)
	return true, nil
}

// side fills in one side of a comparison: the capture of a URL nearest to a time. It returns false if there is none.
func (s replayPages) side(ctx context.Context, c *Collection, url, stamp string, side *draw.Side) (bool, error) {
	at := replay.Moment(stamp)
	h, err := c.History(ctx, url, at)
	if err != nil {
		return false, err
	}
	a, err := c.Pick(ctx, url, stamp, h.Nearest(url, at, false), s.trouble)
	if err != nil || a == nil {
		return false, err
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
	return true, nil
}
