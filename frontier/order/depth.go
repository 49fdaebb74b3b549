package order

// newDepth asks URLs far from their seeds first: the score rises by one a hop.
func newDepth(map[string]string) (Policy, error) {
	return func(c *Candidate) (float64, string) { return float64(c.Task.Hops), hopsWhy(c.Task.Hops) }, nil
}
