package order

import "kavosh"

// newSindice makes the ordering policy in which URLs that were submitted (seeds) come first, then URLs that sitemaps
// list, then all others. Within each of these, URLs nearer to their seeds come first (Oren, Delbru, Catasta, Cyganiak,
// Stenzhorn and Tummarello, "Sindice.com: a document-oriented lookup index for open linked data", 2008).
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
