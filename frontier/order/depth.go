package order

// newDepth asks URLs far from their seeds first: the score rises by one a hop.
func newDepth(*Args) (Policy, error) {
	return Func(func(c *Candidate) (float64, string) { return float64(c.Task.Hops), "" }), nil
}
