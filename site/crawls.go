package site

import (
	"context"
	"net/http"

	"kavosh/site/draw"
)

// Crawls tells of the crawls that made a collection.
type Crawls interface {
	// List are all crawls by their reports, the newest first, without what their logs tell.
	List(ctx context.Context) ([]draw.Crawl, error)
	// Imports are the files of others that were taken in, the newest first.
	Imports(ctx context.Context) ([]draw.Import, error)
	// Crawl is one of them with what its log tells; nil when there is none of that id.
	Crawl(ctx context.Context, id string) (*draw.Crawl, error)
	// Why is what came of a URL in the last crawl that met it. Of one that a rule hides it tells no more than of one never met.
	Why(ctx context.Context, url string) (draw.Why, error)
}

func (s *Site) crawlsPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := draw.Crawls{Summary: c.summary()}
	if c.Crawls != nil {
		var err error
		if p.List, err = c.Crawls.List(r.Context()); err == nil {
			p.Imports, err = c.Crawls.Imports(r.Context())
		}
		if err != nil {
			s.broken(w, r, "index", err)
			return
		}
	}
	s.draw.Crawls(w, r, p)
}

func (s *Site) crawlPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if c.Crawls == nil {
		s.crawlsPage(w, r, c)
		return
	}
	crawl, err := c.Crawls.Crawl(r.Context(), r.FormValue("id"))
	switch {
	case err != nil:
		s.broken(w, r, "index", err)
	case crawl == nil:
		s.problem(w, r, http.StatusNotFound, "no-crawl", "")
	default:
		s.draw.Crawl(w, r, c.summary(), *crawl)
	}
}
