package order

// newBreadth makes the ordering policy in which URLs near their seeds come first: the score falls by one with each hop.
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
		return -float64(c.Task.Hops), ""
	}), nil
}
