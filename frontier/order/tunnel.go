package order

import (
	"math"

	"kavosh"
)

// newTunnel makes the ordering policy that follows links through irrelevant pages up to a limit (Bergmark, Lagoze and
// Sbityakov, "Focused crawls, tunneling, and digital libraries", 2002). The judge of the crawl says which pages are
// relevant. The score is multiplied by decay for each irrelevant page since the last relevant one. Links behind more
// than limit irrelevant pages come after all others. So limit=0 is hard focus, which goes on from relevant pages alone,
// and the greatest limit is soft focus, which follows all links. It is also dynamic depth: a path ends limit steps
// after its last relevant page.
func newTunnel(a *Args) (Policy, error) {
	limit, decay := a.Value("limit"), a.Value("decay")
	f := newInheriting("tunnel", a, 0) // handed down: minus the number of irrelevant pages since the last relevant one
	f.hands = func(v *Visit, had float64) float64 {
		if v.Verdict.Relevant() {
			return 0
		}
		return had - 1
	}
	f.score = func(_ *Visit, _ *kavosh.Link, had float64) (float64, string) {
		score := math.Pow(decay, -had)
		if -had > limit {
			score -= 2
		}
		return score, new(reasons).count("irrelevant pages since a relevant one", 0-had).and("score", score).String()
	}
	return f, nil
}
