package order

// This file is the ordering policy opic: URLs that hold the most "cash", which pages hand to the pages they link to,
// come first. It keeps the cash of all URLs that it knows.

import "kavosh"

// newOPIC makes the policy in which URLs with the most cash come first (Abiteboul, Preda and Cobena, "Adaptive on-line
// page importance computation", 2003). Each seed begins with cash 1. A page that is fetched hands all its cash to its
// links in equal parts. Cash that comes to a page after it was fetched stays with it (its history), until it is fetched
// again.
func newOPIC(a *Args) (Policy, error) {
	o := &opic{showing: newShowing(a, func(_ *struct{}, own float64) float64 { return own }), history: newKnown[float64](a.Memory)}
	o.why = func(s int32) string { return because("cash", o.urls[s].own) }
	return o, nil
}

type opic struct {
	// showing holds the waiting URLs with their cash, in one group.
	*showing[struct{}]
	history *known[float64] // cash of URLs that do not wait, by hash
	part    float64         // what the page that is read now hands to each of its links
	met     map[string]bool // memory of eachOnce
}

// Score implements Policy.
func (o *opic) Score(c *Candidate) (float64, string) {
	cash := 1.0
	if c.Parent != nil {
		cash = o.part
	}
	key := hash(c.Task.URL)
	if before, ok := o.history.get(key); ok { // Learn handed it cash already, as it did not know that the URL is new
		cash = before
		o.history.delete(key)
	}
	_, score := o.add(c.Task.URL, o.group(0), cash)
	return score, because("cash", score)
}

// Learn implements Learner.
func (o *opic) Learn(v *Visit) []Change {
	key := hash(v.Task.URL)
	cash, ok := o.history.get(key)
	if s, waits := o.at[v.Task.URL]; waits {
		cash += o.urls[s].own
		o.forget(s)
	} else if !ok {
		cash = v.Task.Score
	}
	links := 0
	eachOnce(v, &o.met, func(*kavosh.Link) { links++ })
	if links == 0 {
		o.history.set(key, cash)
		return o.settle()
	}
	o.history.set(key, 0)
	o.part = cash / float64(links)
	eachOnce(v, &o.met, func(l *kavosh.Link) {
		if s, ok := o.at[l.URL]; ok {
			o.set(s, o.urls[s].own+o.part)
			return
		}
		key := hash(l.URL)
		before, _ := o.history.get(key)
		o.history.set(key, before+o.part)
	})
	return o.settle()
}

// Save implements Keeper.
func (o *opic) Save() ([]byte, error) { return save("opic", 1, o.history.save()) }

// Restore implements Keeper.
func (o *opic) Restore(data []byte) error { return restoreTo(o.history, "opic", 1, data) }
