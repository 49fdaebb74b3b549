package order

import "kavosh"

// newFish makes an ordering policy, fish-search (De Bra and Post, 1994; as described by Hersovici et al., "The
// shark-search algorithm", 1998). The judge of the crawl says which pages are relevant. Of a relevant page, the first
// alpha·width links have the score 1, and depth steps to go. Of an irrelevant page, the first width links have the
// score 0.5, and one step less to go than their page had. All other links have the score 0. Links with no step left
// come after all others; the source drops them.
func newFish(a *Args) (Policy, error) {
	width, alpha, depth := a.Value("width"), a.Value("alpha"), a.Value("depth")
	f := newInheriting("fish", a, depth)
	f.hands = func(v *Visit, had float64) float64 {
		if v.Verdict.Relevant() {
			return depth
		}
		return had - 1
	}
	f.score = func(v *Visit, l *kavosh.Link, had float64) (float64, string) {
		position := float64(l.Position)
		switch relevant := v.Verdict.Relevant(); {
		case had < 0:
			return -1, "no relevant page so near -1.00"
		case relevant && position < alpha*width:
			return 1, "parent relevant 1.00"
		case !relevant && position < width:
			return 0.5, "parent irrelevant 0.50"
		}
		return 0, "far down in its page 0.00"
	}
	return f, nil
}
