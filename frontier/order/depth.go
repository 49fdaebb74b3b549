package order

// newDepth makes the ordering policy in which URLs far from their seeds come first: the score rises by one with each
// hop.
func newDepth(*Args) (Policy, error) {
	return Func(func(c *Candidate) (float64, string) { return float64(c.Task.Hops), "" }), nil
}
