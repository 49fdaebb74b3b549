package pattern

// This file learns how far a site's word on the times of its changes can be believed.

// Trust is how a site's word agreed with what visits found. The zero value knows nothing.
type Trust struct {
	ChangedRight, ChangedAll     float32 // visits that found a change; of them, those before which the site told of one
	UnchangedRight, UnchangedAll float32 // the same of visits that found none
}

// chances returns the chances that the site tells of a change that was, and of none that was not. Both are a half before
// anything was checked.
func (t Trust) chances() (changed, unchanged float64) {
	return float64(t.ChangedRight+1) / float64(t.ChangedAll+2), float64(t.UnchangedRight+1) / float64(t.UnchangedAll+2)
}

// Of returns how much the site's word says, from 0 to 1: 0 if it says the same whatever was, 1 if it is always true. (The sum of
// both chances less one is Youden's index.)
func (t Trust) Of() float64 {
	changed, unchanged := t.chances()
	return max(0, changed+unchanged-1)
}

// Believe returns the chance that a page changed, of which the site told that it did or did not, and of which it was
// otherwise thought with a chance of before. It is Bayes' rule.
func (t Trust) Believe(told bool, before float64) float64 {
	changed, unchanged := t.chances()
	ifChanged, ifNot := changed, 1-unchanged // the chances of its word in both cases
	if !told {
		ifChanged, ifNot = 1-changed, unchanged
	}
	return before * ifChanged / (before*ifChanged + (1-before)*ifNot)
}

// Check notes what a site told, that a page changed since the last visit or not, and what the visit found.
func (t *Trust) Check(told, found bool) {
	right, all := &t.UnchangedRight, &t.UnchangedAll
	if found {
		right, all = &t.ChangedRight, &t.ChangedAll
	}
	*all++
	if told == found {
		*right++
	}
	if *all > 200 { // a site may begin to lie, or stop
		*right, *all = *right/2, *all/2
	}
}
