package order

// newBreadth asks URLs near their seeds first: the score falls by one a hop.
func newBreadth(*Args) (Policy, error) {
	return Func(func(c *Candidate) (float64, string) { return -float64(c.Task.Hops), "" }), nil
}
