package order

// newRandom asks URLs in an order that the URL and the seed decide: the plainest thing to beat.
func newRandom(a *Args) (Policy, error) {
	seed := a.Seed
	return Func(func(c *Candidate) (float64, string) { return uniform(c.Task.URL, seed), "" }), nil
}
