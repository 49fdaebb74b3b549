package order

// This file is the ordering policy contest, in which those of several policies choose most often whose choices gave the
// most. turns.go makes the choices; this file keeps what they gave.

import (
	"fmt"
	"math"
)

// newContest makes the policy contest. Its parts rank the same waiting URLs, and all learn from every page. Parts choose
// the more often, the more their choices (picks) gave: as the squares of what they gave on the mean, of late. Turns are
// dealt out by stride scheduling (Waldspurger and Weihl, "Stride scheduling", 1995), so that nothing is random. A pick
// gives the verdict on its page, and 0 if the link is dead. It counts for every part that liked the URL best.
func newContest(a *Args) (Policy, error) {
	parts := make([]turn, len(a.Parts))
	for i, p := range a.Parts {
		parts[i] = turn{Part: p, picks: 1}
	}
	t := newTurns(a.Memory, parts)
	t.gains = newGains(len(parts))
	return t, nil
}

// gains is what the picks of the parts of a contest gave. Memory: the scores of mostGiven picks under way.
type gains struct {
	of     []share        // picks and what they gave, by part, the older the less
	all    share          // the same of all picks
	owed   []float64      // the turns that each part is due
	picked *known[picked] // the picks under way, by the hash of the URL
}

// picked is the part that picked a URL, and the scores that the parts gave it.
type picked struct {
	by     int
	scores []float64
}

const (
	keptGains   = 0.95 // what is left of a pick's weight after another pick
	smoothGains = 2    // picks with the mean of all that one believes in, before a part's first
)

func newGains(parts int) *gains {
	return &gains{of: make([]share, parts), owed: make([]float64, parts), picked: newKnown[picked](mostGiven)}
}

// learn notes what came of a pick; likes reports whether a part has no better URL than one with this score. A redirect
// tells nothing.
func (g *gains) learn(v *Visit, likes func(part int, score float64) bool) {
	key := hash(v.Task.URL)
	p, ok := g.picked.get(key)
	if !ok || !judged(v) {
		return
	}
	g.picked.delete(key)
	gave := 0.0
	if answered(v) {
		gave = v.Verdict.Score
	}
	g.all = g.all.later(gave, 1)
	for i := range g.of {
		g.of[i] = g.of[i].later(gave, asNumber(i == p.by || likes(i, p.scores[i])))
	}
}

// later returns s after another pick, which counts n times.
func (s share) later(gave, n float64) share {
	return share{s.N*keptGains + n, s.Hit*keptGains + n*gave}
}

// mean returns what the picks of a part give on the mean. With few picks it is drawn towards that of all.
func (g *gains) mean(part int) float64 {
	all := (g.all.Hit + 0.05) / (g.all.N + 1)
	return (g.of[part].Hit + smoothGains*all) / (g.of[part].N + smoothGains)
}

// choose returns the part that picks now: the one to which most turns are due; of equal ones, the first.
func (g *gains) choose() int {
	sum, at := 0.0, 0
	for i := range g.owed {
		sum += g.mean(i) * g.mean(i)
	}
	for i := range g.owed {
		if g.owed[i] += g.mean(i) * g.mean(i) / sum; g.owed[i] > g.owed[at] {
			at = i
		}
	}
	g.owed[at]--
	return at
}

type savedGains struct {
	Of   []share   `json:"of"`
	All  share     `json:"all"`
	Owed []float64 `json:"owed"`
}

func (g *gains) save() *savedGains { return &savedGains{g.of, g.all, g.owed} }

// restore takes over what was saved.
func (g *gains) restore(s *savedGains) error {
	if s == nil || len(s.Of) != len(g.of) || len(s.Owed) != len(g.of) {
		return errParts
	}
	for _, x := range append(s.Of, s.All) {
		if !(x.N >= 0 && x.Hit >= 0 && x.Hit <= x.N) {
			return fmt.Errorf("contest: picks cannot have given %v of %v", x.Hit, x.N)
		}
	}
	for _, turns := range s.Owed {
		if !(math.Abs(turns) <= float64(len(g.of))) {
			return fmt.Errorf("contest: a part cannot be due %v turns", turns)
		}
	}
	copy(g.of, s.Of)
	copy(g.owed, s.Owed)
	g.all = s.All
	return nil
}
