package order

// newRDFURLDist makes an ordering policy that labels links by what they may lead to: R (RDF), HR (a page that links to
// RDF), H (another page) or N (neither). It is rdf-r with URL distance in place of the HR rules: the ablation "R + URL
// distance" of the same thesis (see newRDFR), with the distance of Hati and Kumar 2010 (see newURLDistance). A link
// labelled H becomes HR if its distance to the URL of a page found so far that links to RDF is at most 1. One segment
// that differs makes a distance of 2, and another host makes 32, so this means: the same path with another query.
func newRDFURLDist(a *Args) (Policy, error) {
	on := rulesOn(a)
	parents := newRDFParents(a.Memory)
	l := newLabelling("rdf-urldist", a, func(c *Candidate, at rdfPlace) (rdfLabel, ruleSet) {
		label, s := byRules(c, on)
		if near := parents.like(at) & (1 << ruleR2); label == labelH && near != 0 {
			return labelHR, near
		}
		return label, s
	})
	l.found = parents.add
	return &rdfRHR{labelling: l, parents: parents}, nil
}
