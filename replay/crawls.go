package replay

import (
	"context"
	"net/http"

	"kavosh/pages"
)

// Crawls tells of the crawls that made a collection.
type Crawls interface {
	// List are all crawls by their reports, the newest first, without what their logs tell.
	List(ctx context.Context) ([]pages.Crawl, error)
	// Imports are the files of others that were taken in, the newest first.
	Imports(ctx context.Context) ([]pages.Import, error)
	// Crawl is one of them with what its log tells; nil when there is none of that id.
	Crawl(ctx context.Context, id string) (*pages.Crawl, error)
	// Why is what came of a URL in the last crawl that met it. Of one that a rule hides it tells no more than of one never met.
	Why(ctx context.Context, url string) (pages.Why, error)
}

func (s *Server) crawlsPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := pages.Crawls{Summary: s.summary(c)}
	if c.Crawls != nil {
		var err error
		if p.List, err = c.Crawls.List(r.Context()); err == nil {
			p.Imports, err = c.Crawls.Imports(r.Context())
		}
		if err != nil {
			s.homeBroken(w, r, err)
			return
		}
	}
	s.pages.Crawls(w, r, p)
}

func (s *Server) crawlPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if c.Crawls == nil {
		s.crawlsPage(w, r, c)
		return
	}
	crawl, err := c.Crawls.Crawl(r.Context(), r.FormValue("id"))
	switch {
	case err != nil:
		s.homeBroken(w, r, err)
	case crawl == nil:
		s.homeProblem(w, r, http.StatusNotFound, "no-crawl", "")
	default:
		s.pages.Crawl(w, r, s.summary(c), *crawl)
	}
}
