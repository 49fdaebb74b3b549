package order

// This file is the ordering policy reinforce: each link has a usefulness, which rises and falls with what its page and
// the links beside it turn out to be. The judge of the crawl says which pages are relevant. The file keeps the
// usefulness of the links of each page.

import "math"

// newReinforce makes depth-first search with two inheritances (Meybodi, Rezvanian and Fattahi, after Rennie and
// McCallum, "Using reinforcement learning to spider the Web efficiently", 1999). Each link has a usefulness q, at first
// 0.5. When a page was fetched, its reward r is 1 if it is relevant and 0 otherwise; r̄ is the mean of all rewards so
// far. Then
//
//	q ← q + alpha·(r − q)            for the link to that page
//	child = q + beta·(r − r̄)         for the links of that page; a link that was met before keeps the better number
//	q ← q + sibling·(r − r̄)          for the other links beside the link to that page
//	q ← q + sibling·gamma^d·r        for the other links of pages d steps further back: the delayed reward
//
// The source says "by a ratio": with multiplicative=1 the factors 1 ± beta and 1 ± sibling take the place of the terms
// with r − r̄. The source compares this with beta alone (sibling=0). Links with a usefulness below floor come after all
// others; the source drops them. Among links of equal usefulness those of the page fetched last come first.
//
// All links of a page have one usefulness, so that a change of it costs one step in a heap. Differences below a
// fiftieth count as equal, which saves most changes in the queue.
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
	*showing[siblings]                 // the waiting URLs; those found in one page are a group
	alpha, beta, sibling, gamma, floor float64
	back                               int   // how many steps a reward goes back
	ratio                              bool  // multiplicative=1
	rewards                            share // of all pages
	pages                              float64
}

// siblings is what is known of the links of one page.
type siblings struct {
	q     float64         // their usefulness
	page  float64         // how many pages had been fetched when it was, so that later pages come first
	above [maxBack]uint64 // keys of groups: that of the link to the page, that of the link to the page before, and so on
}

// maxBack is how many steps a reward goes back at most.
const maxBack = 8

// A usefulness below the floor counts as underFloor less, so that it comes after all others. Usefulness lies between
// -mostUseful and mostUseful.
const (
	underFloor = 1e6
	mostUseful = 1e3
)

// score returns the score of the links of g.
func (r *reinforce) score(g *siblings) float64 {
	score := g.q + g.page*1e-12
	if g.q < r.floor {
		score -= underFloor
	}
	return score
}

// moved returns q after a reward. better is the reward minus the mean reward, and by is how much it counts. With ratios
// only relevant matters: it says whether q grows or shrinks.
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

// firstUseful is the usefulness of a link before anything was learned.
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

// useful changes the usefulness of the group with that key, if any of its URLs waits.
func (r *reinforce) useful(key uint64, to func(q float64) float64) {
	if g, ok := r.named[key]; ok {
		r.groups[g].data.q = to(r.groups[g].data.q)
		r.touch(g)
	}
}

// Save implements Keeper. It saves the mean reward. URLs that wait keep the scores that they have in the queue.
func (r *reinforce) Save() ([]byte, error) { return save("reinforce", 1, r.rewards) }

// Restore implements Keeper.
func (r *reinforce) Restore(data []byte) (err error) {
	r.rewards, err = restore[share]("reinforce", 1, data)
	return err
}
