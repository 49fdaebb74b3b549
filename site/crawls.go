package site

import (
	"context"
	"net/http"

	"kavosh/site/draw"
)

// Crawls describes the crawls that made a collection.
type Crawls interface {
	// List returns all crawls, the newest first, by their reports only, without their logs.
	List(ctx context.Context) ([]draw.Crawl, error)
	// Imports returns the imported files, the newest first.
	Imports(ctx context.Context) ([]draw.Import, error)
	// Crawl returns the crawl with the given id, with the numbers of its log; nil if there is none.
	Crawl(ctx context.Context, id string) (*draw.Crawl, error)
	// Why returns what happened to a URL in the last crawl that met it. For a URL that an access rule hides, it answers
	// as for one that no crawl met.
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
