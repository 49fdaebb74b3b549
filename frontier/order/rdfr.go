package order

// This file is the policies rdf-r and rdf-rhr, which label links by fixed rules: R (RDF), HR (a page that links to
// RDF), H (another page) or N (neither). rdfrules.go has the rules, labelling.go what all such policies do.

import "kavosh"

// newRDFR asks those URLs first whose links lead to RDF by the R rules (a thesis at Ferdowsi University on a focused crawler
// for RDF among HTML; its ablation "R"): ten rules over extension, type attribute, title, anchor, surrounding text and path.
// What no rule calls R is H when its extension is one of pages or it has none, else N.
func newRDFR(a *Args) (Policy, error) {
	on := rulesOn(a)
	return newLabelling("rdf-r", a, func(c *Candidate, _ rdfPlace) (rdfLabel, ruleSet) { return byRules(c, on) }), nil
}

// byRules is what the R rules that are on make of a link.
func byRules(c *Candidate, on ruleSet) (rdfLabel, ruleSet) {
	if s := rulesOfLink(c.Link, c.Task.URL) & on; s != 0 {
		return labelR, s
	}
	_, path, _ := split(c.Task.URL)
	return max(byExtension(path, labelH), labelN), 0
}

// rulesOn are the rules that the parameters switch on.
func rulesOn(a *Args) (s ruleSet) {
	for r := range ruleCount {
		if a.values[r.String()] != 0 {
			s |= 1 << r
		}
	}
	return s
}

// rdfParams are the parameters of labellings: the rules before end, each on, and what is done with what is called N.
func rdfParams(end rdfRule) []Param {
	var all []Param
	for r := range end {
		all = append(all, Param{Name: r.String(), About: r.about() + "; 0 or 1", Default: 1, Most: 1, WholeNumber: true})
	}
	return append(all, Param{Name: "keep", About: "URLs called neither RDF nor page come last, not left out; 0 or 1", Most: 1, WholeNumber: true},
		Param{Name: "filter", About: "bodies that are said to be neither RDF nor page are not read, unless the link was called RDF; 0 or 1", Most: 1, WholeNumber: true})
}

func (r rdfRule) about() string {
	return [...]string{
		"rule: extension of RDF", "rule: media type of RDF in the type attribute", "rule: … in the title", "rule: … in the anchor", "rule: … in the text around",
		"rule: word of RDF in the type attribute", "rule: … in the title", "rule: … in the anchor", "rule: … in the text around", "rule: … in the path",
		"rule: like the URL of a page that links to RDF but for the last segment", "rule: … but for the query",
	}[r]
}

// newRDFRHR is rdf-r with the HR rules (the same thesis, its proposed method "R+HR"): a link that the R rules call H is HR
// when its URL is like that of an RDF parent found so far: the same but for the last segment of a path of several (r1), or
// but for the query (r2). As published a link keeps the label that it was given when it was found. With relabel, which is
// ours, URLs that wait become HR when a parent like them is found.
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

// relabelling labels URLs HR that wait as H, when an RDF parent like them is found.
type relabelling struct {
	*rdfRHR
	*showing[relabelled] // URLs like each other are a group
}

// relabelled is what is known of URLs that are like each other.
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

// like is what URLs have in common that the HR rules call like each other.
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
