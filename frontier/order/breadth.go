package order

import "strconv"

// newBreadth asks URLs near their seeds first: the score falls by one a hop.
func newBreadth(map[string]string) (Policy, error) {
	return func(c *Candidate) (float64, string) { return -float64(c.Task.Hops), hopsWhy(c.Task.Hops) }, nil
}

// hopsWhy says a distance in words.
func hopsWhy(hops int) string {
	switch hops {
	case 0:
		return "0 hops from its seed"
	case 1:
		return "1 hop from its seed"
	}
	return strconv.Itoa(hops) + " hops from its seed"
}
