package order

import "kavosh"

// newFish is fish-search (De Bra and Post, 1994; as given by Hersovici et al., "The shark-search algorithm", 1998). Of a
// relevant page the first alpha·width links have the potential 1, and the whole depth to go; of an irrelevant one the
// first width links have 0.5, and one step less than their page; all others have 0. Where no step is left the school
// dies: the source drops those links, here they come after all others.
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
