package order

// This file is the ordering policy quota(PAGES,part): every host gives so many pages before any host gives more. It
// keeps the number of pages fetched of each host.

import (
	"errors"

	"kavosh"
)

// newQuota makes the policy quota. In each round every host may give that many pages. URLs of hosts in an earlier round
// come before URLs of hosts in a later round; within a round the order is that of the part.
func newQuota(a *Args) (Policy, error) {
	if len(a.Parts) != 1 || a.Number < 1 || a.Number != float64(int(a.Number)) {
		return nil, errors.New("quota takes one part and a whole number of pages, as in quota(5,breadth)")
	}
	q := &quota{part: a.Parts[0], pages: int(a.Number), fetched: newKnown[int](a.Memory)}
	q.showing = newShowing(a, func(host *uint64, own float64) float64 { return before(-float64(q.round(*host)), own) })
	q.why = func(s int32) string { return q.because(q.groups[q.urls[s].group].data, q.urls[s].own) }
	return q, nil
}

type quota struct {
	*showing[uint64] // the waiting URLs; those of one host are a group
	part             Part
	pages            int         // of a host in each round
	fetched          *known[int] // pages fetched, by host
}

// round returns the round in which the host is, from 1.
func (q *quota) round(host uint64) int {
	n, _ := q.fetched.get(host)
	return 1 + n/q.pages
}

func (q *quota) because(host uint64, own float64) string {
	return new(reasons).count("round of its host", float64(q.round(host))).and(q.part.Name, own).String()
}

// Score implements Policy.
func (q *quota) Score(c *Candidate) (float64, string) {
	own, _ := q.part.Policy.Score(c)
	host := hostKey(c.Task.URL)
	g := q.group(host)
	q.groups[g].data = host
	_, score := q.add(c.Task.URL, g, own)
	return score, q.because(host, own)
}

// Learn implements Learner.
func (q *quota) Learn(v *Visit) []Change {
	q.take(v.Task.URL)
	if l, ok := q.part.Policy.(Learner); ok {
		for _, c := range l.Learn(v) {
			if s, ok := q.at[c.URL]; ok {
				q.set(s, c.Score)
			}
		}
	}
	if v.Task.Kind != kavosh.Prerequisite {
		host := hostKey(v.Task.URL)
		n, _ := q.fetched.get(host)
		q.fetched.set(host, n+1)
		if g, ok := q.named[host]; ok {
			q.touch(g)
		}
	}
	return q.settle()
}

// Needs implements Reader.
func (q *quota) Needs() kavosh.Needs { return needs(q.part.Policy) }

type savedQuota struct {
	Fetched []fact[int] `json:"fetched"`
	Part    []byte      `json:"part"`
}

// Save implements Keeper.
func (q *quota) Save() ([]byte, error) {
	part, err := savePart(q.part.Policy)
	if err != nil {
		return nil, err
	}
	return save("quota", 1, savedQuota{q.fetched.save(), part})
}

// Restore implements Keeper.
func (q *quota) Restore(data []byte) error {
	s, err := restore[savedQuota]("quota", 1, data)
	if err != nil {
		return err
	}
	q.fetched.restore(s.Fetched)
	return restorePart(q.part.Policy, s.Part)
}
