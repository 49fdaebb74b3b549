package order

// This file is the policy reinforce: each link has a usefulness, which rises and falls with what its page and the links
// beside it turn out to be. It keeps the usefulness of the links of each page.

import "math"

// newReinforce is depth-first search with two inheritances (Meybodi, Rezvanian and Fattahi, after Rennie and McCallum,
// "Using reinforcement learning to spider the Web efficiently", 1999). Every link has a usefulness, at first 0.5. When a
// page was fetched whose link had q, its reward r being 1 if it is relevant and r̄ the mean of all rewards so far,
//
//	q ← q + alpha·(r − q)            of the link itself
//	child = q + beta·(r − r̄)         of the page's links, met before or not: the better one counts
//	q ← q + sibling·(r − r̄)          of the other links of the page that held it
//	q ← q + sibling·gamma^d·r        of the other links of pages d steps above that one: the delayed reward
//
// The source says "by a ratio": with multiplicative=1 r − r̄ makes way for a factor of 1 ± beta, or sibling. beta alone
// (sibling=0) is what it compares with. Links under floor, which it drops, come after all others. Of equal ones the
// links of the page fetched last come first.
//
// All links of a page have one usefulness, so that a change of it is one step in a heap. What differs by less than a
// fiftieth counts as equal, which spares most changes in the queue.
func newReinforce(a *Args) (Policy, error) {
	r := &reinforce{
		alpha: a.Value("alpha"), beta: a.Value("beta"), sibling: a.Value("sibling"), gamma: a.Value("gamma"), back: int(a.Value("back")),
		floor: a.Value("floor"), ratio: a.Value("multiplicative") == 1,
	}
	r.showing = newShowing(a, func(g *siblings, _ float64) float64 { return r.score(g) })
	r.why = func(s int32) string { return because("usefulness", r.groups[r.urls[s].group].data.q) }
	r.slack = 0.02
	return r, nil
}

type reinforce struct {
	*showing[siblings]
	alpha, beta, sibling, gamma, floor float64
	back                               int
	ratio                              bool
	rewards                            share
	pages                              float64
}

// siblings are the links of a page.
type siblings struct {
	q     float64
	page  float64         // how many were fetched before it
	above [maxBack]uint64 // groups of the link that led to it, of the one that led to that …
}

// maxBack bounds how far a reward goes back.
const maxBack = 8

// What is under the floor comes so far below what is not; usefulness stays within mostUseful either way.
const (
	underFloor = 1e6
	mostUseful = 1e3
)

func (r *reinforce) score(g *siblings) float64 {
	score := g.q + g.page*1e-12
	if g.q < r.floor {
		score -= underFloor
	}
	return score
}

// moved is q after a reward that was so much better than the mean; relevant gives the direction of a ratio.
func (r *reinforce) moved(q, by, better float64, relevant bool) float64 {
	switch {
	case !r.ratio:
		q += by * better
	case relevant:
		q *= 1 + by
	default:
		q *= 1 - by
	}
	return min(max(q, -mostUseful), mostUseful)
}

// Score implements Policy.
func (r *reinforce) Score(c *Candidate) (float64, string) {
	key := uint64(0)
	if c.Parent != nil {
		key = hash(c.Parent.Task.URL)
	}
	g := r.group(key)
	if c.Parent == nil && r.groups[g].size == 0 {
		r.groups[g].data = siblings{q: firstUseful}
	}
	_, score := r.add(c.Task.URL, g, 0)
	return score, because("usefulness", r.groups[g].data.q)
}

const firstUseful = 0.5

// Learn implements Learner.
func (r *reinforce) Learn(v *Visit) []Change {
	old := siblings{q: firstUseful}
	from := uint64(0)
	if s, ok := r.at[v.Task.URL]; ok {
		g := &r.groups[r.urls[s].group]
		old, from = g.data, g.key
		r.forget(s)
	}
	child := old.q
	if judged(v) {
		relevant := v.Verdict.Relevant()
		reward := asNumber(relevant)
		better := reward - (r.rewards.Hit+0.5)/(r.rewards.N+1)
		child = r.moved(old.q+r.alpha*(reward-old.q), r.beta, better, relevant)
		r.useful(from, func(q float64) float64 { return r.moved(q, r.sibling, better, relevant) })
		for d, above := range old.above[:r.back] {
			if above == 0 || !relevant {
				break
			}
			r.useful(above, func(q float64) float64 {
				return r.moved(q, r.sibling*math.Pow(r.gamma, float64(d+1)), 1, true)
			})
		}
		r.rewards = share{r.rewards.N + 1, r.rewards.Hit + reward}
	}
	r.pages++
	page := siblings{q: child, page: r.pages}
	page.above[0] = from
	copy(page.above[1:], old.above[:])
	g := r.group(hash(v.Task.URL))
	r.groups[g].data = page
	for i := range v.Page.Links {
		s, ok := r.at[v.Page.Links[i].URL]
		if ok && r.groups[r.urls[s].group].data.q < child {
			r.move(s, g, 0)
		}
	}
	r.touch(g)
	return r.settle()
}

// useful changes the usefulness of the group called key, if any of it waits.
func (r *reinforce) useful(key uint64, to func(q float64) float64) {
	if g, ok := r.named[key]; ok {
		r.groups[g].data.q = to(r.groups[g].data.q)
		r.touch(g)
	}
}

// Save implements Keeper: the mean reward. What waited keeps its score.
func (r *reinforce) Save() ([]byte, error) { return save("reinforce", 1, r.rewards) }

// Restore implements Keeper.
func (r *reinforce) Restore(data []byte) (err error) {
	r.rewards, err = restore[share]("reinforce", 1, data)
	return err
}
