package order

// newRandom makes the ordering policy whose order depends on the URL and the seed alone. It is the plainest policy to
// beat.
func newRandom(a *Args) (Policy, error) {
	seed := a.Seed
	return Func(func(c *Candidate) (float64, string) { return uniform(c.Task.URL, seed), "" }), nil
}
