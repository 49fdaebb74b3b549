package order

// This file is the common part of ordering policies in which a page hands a number down to its links, such as fish,
// shark and tunnel. It keeps the number that each waiting URL was handed.

import "kavosh"

// inheriting is a policy in which each page hands a number down to its links, and the score of a link is made from that
// number. The score of a URL rises when a better page links to it too; it never falls. The target of a redirect gets
// the score of the URL that redirected to it.
type inheriting struct {
	// showing holds the waiting URLs, in one group.
	*showing[struct{}]
	name  string                                                                  // of the policy
	had   *known[float64]                                                         // what waiting URLs were handed, by hash
	whole float64                                                                 // what a seed has; greater is better
	hands func(v *Visit, had float64) float64                                     // what a page that was handed had hands on
	score func(v *Visit, l *kavosh.Link, had float64) (score float64, why string) // of a link that is handed had

	here, stood float64 // of the page that is read now: the number that it hands down, and the score that it had
}

func newInheriting(name string, a *Args, whole float64) *inheriting {
	i := &inheriting{name: name, had: newKnown[float64](a.Memory), whole: whole}
	i.showing = newShowing(a, func(_ *struct{}, own float64) float64 { return own })
	i.why = func(s int32) string { return because("found again by a better page", i.urls[s].own) }
	return i
}

// Score implements Policy.
func (i *inheriting) Score(c *Candidate) (float64, string) {
	had, score, why := i.whole, 1.0, "seed 1.00"
	if c.Parent != nil {
		had = i.here
		score, why = i.of(c.Parent, c.Link)
	}
	i.had.set(hash(c.Task.URL), had)
	i.add(c.Task.URL, i.group(0), score)
	return score, why
}

// of returns the score of a link of the page that is read now.
func (i *inheriting) of(v *Visit, l *kavosh.Link) (score float64, why string) {
	if l.Kind == kavosh.Redirect {
		return i.stood, because("as the URL redirected from", i.stood)
	}
	return i.score(v, l, i.here)
}

// Learn implements Learner.
func (i *inheriting) Learn(v *Visit) []Change {
	key := hash(v.Task.URL)
	had, ok := i.had.get(key)
	if !ok {
		had = i.whole
	}
	i.had.delete(key)
	i.stood = v.Task.Score
	if s, ok := i.at[v.Task.URL]; ok {
		i.stood = i.urls[s].own
		i.forget(s)
	}
	i.here = had
	if judged(v) {
		i.here = i.hands(v, had)
	}
	for n := range v.Page.Links {
		l := &v.Page.Links[n]
		s, ok := i.at[l.URL]
		if !ok {
			continue
		}
		if score, _ := i.of(v, l); score > i.urls[s].own {
			i.set(s, score)
		}
		key := hash(l.URL)
		if old, ok := i.had.get(key); ok && i.here > old {
			i.had.set(key, i.here)
		}
	}
	return i.settle()
}

// judged reports whether a visit tells how good its URL was. A redirect does not tell: its target will. A robots.txt
// does not tell.
func judged(v *Visit) bool {
	return v.Task.Kind != kavosh.Prerequisite && (v.Status < 300 || v.Status > 399)
}

// Save implements Keeper. It saves the numbers that URLs were handed.
func (i *inheriting) Save() ([]byte, error) { return save(i.name, 1, i.had.save()) }

// Restore implements Keeper.
func (i *inheriting) Restore(data []byte) error { return restoreTo(i.had, i.name, 1, data) }
