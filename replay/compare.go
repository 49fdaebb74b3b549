package replay

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// toComparison leads from the choice of two captures to their comparison.
func (s *Server) toComparison(w http.ResponseWriter, r *http.Request, c *Collection) {
	address, ok := addressOf(r.FormValue("url"))
	a, err1 := stampOf(r.FormValue("a"))
	b, err2 := stampOf(r.FormValue("b"))
	if err := cmp.Or(err1, err2); !ok || err != nil {
		cause := ""
		if err != nil {
			cause = err.Error()
		}
		s.homeProblem(w, r, http.StatusBadRequest, "bad-request", cause)
		return
	}
	w.Header().Set("Location", s.base+comparePath(c, min(a, b), max(a, b), address))
	w.WriteHeader(http.StatusFound)
}

// compare shows two captures of a URL side by side. The page lies on the replay's origin, so that its script may keep the
// two frames in step.
func (s *Server) compare(w http.ResponseWriter, r *http.Request, rt route) {
	lang := pages.Lang(rt.lang)
	if lang == "" {
		lang = s.pages.Accepted(r)
	}
	p := &pages.Comparison{Collection: s.summary(rt.coll), URL: rt.url, Calendar: "/" + rt.coll.Name + "/*" + string(lang) + "/" + rt.url,
		Switch: func(l pages.Lang) string {
			return "/" + rt.coll.Name + "/" + rt.time + "-" + rt.until + string(l) + "/" + rt.url
		}}
	found, err := s.side(r.Context(), rt, rt.time, &p.Old)
	if found && err == nil {
		found, err = s.side(r.Context(), rt, rt.until, &p.New)
	}
	if err != nil {
		s.broken(w, r, rt, err)
		return
	}
	if !found {
		s.problem(w, r, rt, http.StatusNotFound, "no-capture")
		return
	}
	p.Compare()
	s.pages.Comparison(w, r, lang, p)
}

// side fills in one side of a comparison: the capture nearest to a time. It is false when there is none.
func (s *Server) side(ctx context.Context, rt route, stamp string, side *pages.Side) (bool, error) {
	at := moment(stamp)
	h, err := s.history(ctx, rt.coll, rt.url, at)
	if err != nil {
		return false, err
	}
	a, err := s.pick(ctx, rt, h.nearest(rt.url, at, false))
	if err != nil || a == nil {
		return false, err
	}
	defer a.Close()
	*side = pages.Side{Time: a.when(), Frame: replayPath(rt.coll, a.Timestamp, rewrite.Frame, a.URL), Path: replayPath(rt.coll, a.Timestamp, rewrite.Page, a.URL),
		Status: a.status, MIME: mediaType(a.get("Content-Type")), Size: a.Length}
	if s.home != "" {
		side.Details = s.detailsPath(rt.coll, a.URL, a.Timestamp)
	}
	if page := s.readPage(a); page != nil {
		side.Title = clip(page.Title)
		for block := range strings.SplitSeq(page.Text, "\n") {
			if block = strings.TrimSpace(block); block != "" {
				side.Blocks = append(side.Blocks, block)
			}
		}
	}
	return true, nil
}
