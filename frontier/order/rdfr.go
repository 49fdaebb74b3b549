package order

// This file is the ordering policies rdf-r and rdf-rhr, which label links by fixed rules: R (RDF), HR (a page that
// links to RDF), H (another page) or N (neither). rdfrules.go has the rules, labelling.go what all such policies do.

import "kavosh"

// newRDFR makes the policy in which URLs come first whose links lead to RDF by the R rules: ten rules about extension,
// type attribute, title, anchor, surrounding text and path. They come from a thesis at Ferdowsi University on a focused
// crawler for RDF among HTML; this policy is its ablation "R". A link to which no rule applies is H if its extension is
// one of pages or it has none; otherwise it is N.
func newRDFR(a *Args) (Policy, error) {
	on := rulesOn(a)
	return newLabelling("rdf-r", a, func(c *Candidate, _ rdfPlace) (rdfLabel, ruleSet) { return byRules(c, on) }), nil
}

// byRules returns the label that the R rules in on give to a link, and the rules that hold.
func byRules(c *Candidate, on ruleSet) (rdfLabel, ruleSet) {
	if s := rulesOfLink(c.Link, c.Task.URL) & on; s != 0 {
		return labelR, s
	}
	_, path, _ := split(c.Task.URL)
	return max(byExtension(path, labelH), labelN), 0
}

// rulesOn returns the rules that the parameters switch on.
func rulesOn(a *Args) (s ruleSet) {
	for r := range ruleCount {
		if a.values[r.String()] != 0 {
			s |= 1 << r
		}
	}
	return s
}

// rdfParams returns the parameters of policies that label links: a switch for each rule before end, which is on by
// default, and what is done with links labelled N.
func rdfParams(end rdfRule) []Param {
	var all []Param
	for r := range end {
		all = append(all, Param{Name: r.String(), About: r.about() + "; 0 or 1", Default: 1, Most: 1, WholeNumber: true})
	}
	return append(all, Param{Name: "keep", About: "URLs called neither RDF nor page come last, not left out; 0 or 1", Most: 1, WholeNumber: true},
		Param{Name: "filter", About: "bodies that are said to be neither RDF nor page are not read, unless the link was called RDF; 0 or 1", Most: 1, WholeNumber: true})
}

// about explains a rule to people.
func (r rdfRule) about() string {
	return [...]string{
		"rule: extension of RDF", "rule: media type of RDF in the type attribute", "rule: … in the title", "rule: … in the anchor", "rule: … in the text around",
		"rule: word of RDF in the type attribute", "rule: … in the title", "rule: … in the anchor", "rule: … in the text around", "rule: … in the path",
		"rule: like the URL of a page that links to RDF but for the last segment", "rule: … but for the query",
	}[r]
}

// newRDFRHR makes rdf-r with the HR rules (the same thesis, its proposed method "R+HR"). A link that the R rules label
// H becomes HR if its URL is like the URL of a page found so far that links to RDF. They are alike if they differ only
// in the last segment of a path of several segments (r1), or only in the query (r2). As published, a link keeps the
// label that it got when it was found. With relabel=1, which is ours, waiting URLs become HR when such a page is found
// later.
func newRDFRHR(a *Args) (Policy, error) {
	on := rulesOn(a)
	parents := newRDFParents(a.Memory)
	l := newLabelling("rdf-rhr", a, func(c *Candidate, at rdfPlace) (rdfLabel, ruleSet) {
		label, s := byRules(c, on)
		if label == labelH {
			if s = parents.like(at) & on; s != 0 {
				label = labelHR
			}
		}
		return label, s
	})
	l.found = parents.add
	p := &rdfRHR{labelling: l, parents: parents}
	if a.Value("relabel") == 0 {
		return p, nil
	}
	return newRelabelling(a, p), nil
}

// rdfRHR is a labelling that remembers the pages that link to RDF.
type rdfRHR struct {
	*labelling
	parents rdfParents
}

type savedRHR struct {
	savedLabelling
	Parents savedParents `json:"parents"`
}

// Save implements Keeper.
func (p *rdfRHR) Save() ([]byte, error) {
	return save(p.name, 1, savedRHR{p.labelling.save(), p.parents.save()})
}

// Restore implements Keeper.
func (p *rdfRHR) Restore(data []byte) error {
	s, err := restore[savedRHR](p.name, 1, data)
	if err == nil {
		err = p.labelling.restore(s.savedLabelling)
	}
	p.parents.restore(s.Parents)
	return err
}

// relabelling is rdfRHR with relabel=1: waiting URLs labelled H become HR when a page like them is found that links to
// RDF.
type relabelling struct {
	*rdfRHR
	*showing[relabelled] // the waiting URLs; those that are alike are a group
}

// relabelled is what is known of URLs that are alike: whether one of them is a page that links to RDF.
type relabelled struct{ parent bool }

func newRelabelling(a *Args, p *rdfRHR) *relabelling {
	r := &relabelling{rdfRHR: p}
	r.showing = newShowing(a, func(g *relabelled, own float64) float64 {
		if own == float64(labelH) && g.parent {
			return float64(labelHR)
		}
		return own
	})
	r.why = func(s int32) string { return "HR: like a page found later" }
	add := p.found
	p.found = func(at rdfPlace) {
		add(at)
		if g, ok := r.named[at.like()]; ok {
			r.groups[g].data.parent = true
			r.touch(g)
		}
	}
	return r
}

// like returns the hash of what URLs have in common that are alike by the HR rules.
func (p rdfPlace) like() uint64 {
	if p.Folder != 0 {
		return p.Folder
	}
	return p.Path
}

// Score implements Policy.
func (r *relabelling) Score(c *Candidate) (float64, string) {
	score, why := r.rdfRHR.Score(c)
	if score != LeftOut() {
		r.add(c.Task.URL, r.group(rdfPlaceOf(c.Task.URL).like()), score)
	}
	return score, why
}

// Learn implements Learner.
func (r *relabelling) Learn(v *Visit) []Change {
	r.take(v.Task.URL)
	r.rdfRHR.Learn(v)
	return r.settle()
}

// Needs implements Reader.
func (r *relabelling) Needs() kavosh.Needs { return r.rdfRHR.Needs() }
