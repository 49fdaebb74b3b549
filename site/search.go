package site

// This file shows the page of search results.

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"kavosh"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// searchable reports whether c can be searched by words; if c is nil, whether any collection can.
func (s *Site) searchable(c *Collection) bool {
	if c != nil {
		return c.Searcher != nil
	}
	for _, c := range append(s.collections[:len(s.collections):len(s.collections)], s.all) {
		if c.Searcher != nil {
			return true
		}
	}
	return false
}

// maxAsked is the longest query string in bytes: every link of the results page repeats it.
const maxAsked = 8 << 10

// searchPage shows the results of a search.
func (s *Site) searchPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	lang := s.draw.LangOf(r)
	p := draw.Search{
		Summary: c.summary(),
		Path:    func(url string, t time.Time) string { return c.replayed(replay.Timestamp(t), rewrite.Page, url) },
		Raw:     func(url string, t time.Time) string { return c.replayed(replay.Timestamp(t), rewrite.Image, url) },
		Details: func(url string, t time.Time) string {
			return c.detailsPath(url, replay.Timestamp(t))
		},
		Calendar: func(url string) string { return c.calendarPath(lang, url) },
	}
	if s.takes() {
		p.Picture = func(url string, t time.Time) string { return c.picturePath(url, replay.Timestamp(t)) }
	}
	var wrong bool
	p.Query, p.Asked, wrong = draw.Ask(lang, r.URL.Query())
	switch {
	case len(r.URL.RawQuery) > maxAsked:
		s.problem(w, r, http.StatusBadRequest, "bad-request", fmt.Sprintf("the question is longer than %d bytes", maxAsked))
		return
	case c.Searcher == nil:
		s.problem(w, r, http.StatusNotFound, "no-search", "")
		return
	case p.Asked && !wrong:
		result, err := c.Searcher.Search(r.Context(), p.Query)
		if err != nil {
			s.broken(w, r, "search", err)
			return
		}
		p.Result = *result
	}
	s.draw.Search(w, r, p)
}

// languages returns the languages of the pages of c that are open to all, as its search index counts them; none if c
// cannot be searched.
func (c *Collection) languages(ctx context.Context) []draw.Count {
	if c.Searcher == nil {
		return nil
	}
	result, err := c.Searcher.Search(ctx, kavosh.Search{Limit: 1})
	if err != nil {
		return nil
	}
	var list []draw.Count
	for _, f := range result.Facets {
		for _, v := range f.Values {
			if f.Field == kavosh.FieldLang {
				list = append(list, draw.Count{Name: v.Value, Count: int64(v.Count)})
			}
		}
	}
	return list
}
