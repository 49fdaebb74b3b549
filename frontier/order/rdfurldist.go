package order

// newRDFURLDist is rdf-r with URL distance in place of the HR rules (the ablation "R + URL distance" of the same thesis;
// the distance is that of Hati and Kumar 2010, see newURLDistance): a link called H is HR when its distance to the URL of
// an RDF parent found so far is at most 1. Since one segment that differs makes 2, and another host 32, that is: the same
// path with another query.
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
