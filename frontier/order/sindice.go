package order

import "kavosh"

// newSindice asks what was submitted first, then what sitemaps list, then all else, each by breadth (Oren, Delbru, Catasta,
// Cyganiak, Stenzhorn and Tummarello, "Sindice.com: a document-oriented lookup index for open linked data", 2008).
func newSindice(*Args) (Policy, error) {
	return Func(func(c *Candidate) (float64, string) {
		near := 1 / float64(1+c.Task.Hops)
		switch c.Link.Kind {
		case kavosh.Seed:
			return 2 + near, "submitted"
		case kavosh.Sitemap:
			return 1 + near, "in a sitemap"
		}
		return near, ""
	}), nil
}
