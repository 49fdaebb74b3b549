package order

// This file learns how likely links are answered. Many links are dead, and a request to a dead link costs as much as
// any other. So an order that predicts what a page gives, which is all that relevant pages can teach it, multiplies its
// prediction by the chance that there is a page.

import "math"

// answers counts, among the URLs that were requested, those that gave a page: an answer with a status from 200 to 299.
type answers struct{ shares *shares }

func newAnswers(most int) *answers { return &answers{newShares(most)} }

// way is what the chance of an answer goes by: hashes that a URL has in common with others, the widest first. All links
// of one page whose URLs have one shape have the same way.
type way struct {
	keys [5]uint64
	n    int
}

// wayOf returns the way of a link: whether it leads to another host, from which host it leads to there (or within it),
// from which page, to which host, and to URLs of which shape. A URL without a page that links to it has the last two.
func wayOf(c *Candidate) (w way) {
	to := hostKey(c.Task.URL)
	if c.Parent != nil {
		from := hostKey(c.Parent.Task.URL)
		across := uint64(asNumber(from != to))
		w.add('c', across)
		w.add('f'+across, from)
		w.add('p'+across, hash(c.Parent.Task.URL))
	}
	w.add('h', to)
	w.add('s', shapeOf(c.Task.URL))
	return w
}

func (w *way) add(kind, key uint64) {
	w.keys[w.n] = joined(kind, key)
	w.n++
}

// What is believed before anything was seen. Each share is drawn towards that of the key before it, as if smoothAnswers
// more URLs with that share had been requested: of a host of which nothing is known, as much is expected as of others
// to which the same page and its host link.
const (
	firstAnswers  = 0.9 // of all links
	smoothAnswers = 2
)

// chance returns the chance of an answer, above 0 and below 1.
func (a *answers) chance(w *way) float64 {
	p := (a.shares.all.Hit + smoothAnswers*firstAnswers) / (a.shares.all.N + smoothAnswers)
	for _, key := range w.keys[:w.n] {
		p = a.shares.of(key, p, smoothAnswers)
	}
	return p
}

// learn learns what came of a link. A redirect and a robots.txt tell nothing.
func (a *answers) learn(v *Visit, w *way) {
	if judged(v) {
		a.shares.learn(asNumber(answered(v)), w.keys[:w.n]...)
	}
}

// answered reports whether a page came.
func answered(v *Visit) bool { return v.Status >= 200 && v.Status <= 299 }

// expected returns the log odds that a request gives what is wanted. p is the chance of an answer, odds are the log odds
// that the answer is wanted. Where p is 1, both are the same; the result never exceeds the log odds of p.
func expected(odds, p float64) float64 {
	if odds > 0 { // so that no power is too large
		return math.Log(p) - math.Log(math.Exp(-odds)+(1-p))
	}
	return math.Log(p) + odds - math.Log1p((1-p)*math.Exp(odds))
}
