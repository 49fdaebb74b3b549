package replay

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"kavosh"
	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// searchable reports whether words can be searched for in c, or in any collection when c is nil.
func (s *Server) searchable(c *Collection) bool {
	if c != nil {
		return c.Searcher != nil
	}
	for _, c := range append(s.colls[:len(s.colls):len(s.colls)], s.all) {
		if c.Searcher != nil {
			return true
		}
	}
	return false
}

// maxAsked is the longest question in bytes, as an address holds it: every choice that the page offers holds it again.
const maxAsked = 8 << 10

// searchPage shows what is found for words.
func (s *Server) searchPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	lang := s.pages.LangOf(r)
	p := pages.Search{
		Summary: s.summary(c),
		Path:    func(url string, t time.Time) string { return s.base + replayPath(c, timestamp(t), rewrite.Page, url) },
		Raw:     func(url string, t time.Time) string { return s.base + replayPath(c, timestamp(t), rewrite.Image, url) },
		Details: func(url string, t time.Time) string {
			return s.detailsPath(c, url, timestamp(t))
		},
		Calendar: func(url string) string { return s.calendarPath(c, lang, url) },
	}
	var wrong bool
	p.Query, p.Asked, wrong = pages.Ask(lang, r.URL.Query())
	switch {
	case len(r.URL.RawQuery) > maxAsked:
		s.homeProblem(w, r, http.StatusBadRequest, "bad-request", fmt.Sprintf("the question is longer than %d bytes", maxAsked))
		return
	case c.Searcher == nil:
		s.homeProblem(w, r, http.StatusNotFound, "no-search", "")
		return
	case p.Asked && !wrong:
		result, err := c.Searcher.Search(r.Context(), p.Query)
		if err != nil {
			if r.Context().Err() != nil {
				panic(http.ErrAbortHandler) // nobody waits for it any more
			}
			s.trouble("search: " + err.Error())
			s.homeProblem(w, r, http.StatusInternalServerError, "broken", err.Error())
			return
		}
		p.Result = *result
	}
	s.pages.Search(w, r, p)
}

// languages are those of the pages of c, as its search counts them; none where nothing is searched.
func (s *Server) languages(ctx context.Context, c *Collection) []pages.Count {
	if c.Searcher == nil {
		return nil
	}
	result, err := c.Searcher.Search(ctx, kavosh.Search{Limit: 1})
	if err != nil {
		return nil
	}
	var list []pages.Count
	for _, f := range result.Facets {
		for _, v := range f.Values {
			if f.Field == kavosh.FieldLang {
				list = append(list, pages.Count{Name: v.Value, Count: int64(v.Count)})
			}
		}
	}
	return list
}
