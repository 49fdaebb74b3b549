package order

// newBreadth makes the ordering policy in which URLs near their seeds come first: the score falls by one with each hop.
// Among those that sitemaps list, what they say decides (listed.go).
// With filter=1 it leaves out URLs whose extension says that they are surely neither page nor RDF, as breadth-first
// crawlers of the semantic web do.
func newBreadth(a *Args) (Policy, error) {
	filter := a.Value("filter") != 0
	return Func(func(c *Candidate) (float64, string) {
		if filter && c.Parent != nil {
			if _, path, _ := split(c.Task.URL); extensionOf(path) == plainExtension {
				return LeftOut(), "extension " + extension(path)
			}
		}
		score, why := -float64(c.Task.Hops), ""
		if c.Link.Listed != nil {
			var listed float64
			listed, why = listedScore(c.Link.Listed, c.Task.Added)
			score += listed
		}
		return score, why
	}), nil
}
