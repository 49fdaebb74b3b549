package order

// This file is the common part of ordering policies that label each link by what it may lead to (RDF, a page, neither),
// such as rdf-r. It keeps the labels of waiting URLs, and counts how often labels and rules were right.

import (
	"errors"
	"strings"

	"kavosh"
)

// labelling is a policy that labels each link once, when it is found, by what it may lead to: R (an RDF document), HR
// (a page that links to RDF), H (another page) or N (neither). URLs labelled R come first, then HR, then H; N is left
// out. It counts how often labels and rules were right. An "RDF parent" is a page that links to RDF.
//
// The target of a redirect gets the label of the URL that redirected to it. Links in RDF documents are labelled by
// their extension alone: an extension of RDF, or none, is R, one of pages is H, all others are N. A link whose
// extension is known to be neither RDF's nor a page's is N, whatever else is known of it. Both rules are published.
type labelling struct {
	name    string
	filter  bool                                                // do not read bodies that are neither RDF nor pages
	keep    bool                                                // URLs labelled N come last instead of being left out
	label   func(c *Candidate, at rdfPlace) (rdfLabel, ruleSet) // labels a link in a page
	learn   func(v *Visit)                                      // learns more from an answer; may be nil
	found   func(at rdfPlace)                                   // is told of each new RDF parent; may be nil
	waiting *known[rdfFact]                                     // what is known of URLs that wait, by URL
	hoped   *known[ruleSet]                                     // rules of fetched pages labelled HR, by URL, until they prove to be RDF parents
	data    *known[bool]                                        // URLs of RDF documents
	proven  *known[bool]                                        // URLs of RDF parents
	here    rdfFact                                             // what is known of the page that is read now
	rules   [ruleCount]Tally                                    // how often each rule was right
	labels  [labelR + 1]Tally                                   // how often each label was right
}

// rdfFact is what is known of a link that waits.
type rdfFact struct {
	Label  rdfLabel `json:"l"`
	Rules  ruleSet  `json:"r,omitempty"`
	Parent rdfPlace `json:"p"` // the page in which it was found
	Known  bool     `json:"k"` // false if nothing is known
}

// newLabelling makes the policy with that name; label chooses the label of a link in a page, and says by which rules.
func newLabelling(name string, a *Args, label func(c *Candidate, at rdfPlace) (rdfLabel, ruleSet)) *labelling {
	most := max(1, a.Memory/4) // entries of each of the four memories
	l := &labelling{
		name: name, filter: a.Value("filter") != 0, keep: a.Value("keep") != 0, label: label, waiting: newKnown[rdfFact](most),
		hoped: newKnown[ruleSet](most), data: newKnown[bool](most), proven: newKnown[bool](most),
	}
	for r := range ruleCount {
		l.rules[r] = Tally{Name: r.String(), Label: labelR.String()}
		if r >= ruleR1 {
			l.rules[r].Label = labelHR.String()
		}
	}
	for i := range l.labels {
		l.labels[i] = Tally{Name: rdfLabel(i).String(), Label: rdfLabel(i).String()}
	}
	return l
}

// byExtension returns a label that depends on the extension of path alone. The parameter none is the label of a path
// without extension.
func byExtension(path string, none rdfLabel) rdfLabel {
	switch extensionOf(path) {
	case rdfExtension:
		return labelR
	case htmlExtension:
		return labelH
	case noExtension:
		return none
	}
	return labelN
}

// Score implements Policy. The score of a link is the number of its label: R has the greatest.
func (l *labelling) Score(c *Candidate) (float64, string) {
	if c.Parent == nil {
		return float64(labelR), "seed"
	}
	f, why := l.fact(c)
	if f.Label == labelN && !l.keep {
		return LeftOut(), why
	}
	l.waiting.set(hash(c.Task.URL), f)
	return float64(f.Label), why
}

// fact returns what is known of a link, with its label, and the reason for the label in words.
func (l *labelling) fact(c *Candidate) (f rdfFact, why string) {
	if c.Link.Kind == kavosh.Redirect && l.here.Known {
		f = l.here
		return f, f.Label.String() + ": as the URL redirected from"
	}
	f = rdfFact{Parent: rdfPlaceOf(c.Parent.Task.URL), Known: true}
	_, path, _ := split(c.Task.URL)
	switch {
	case isDump(c.Link):
		f.Label = labelR
		return f, "R: a dump"
	case extensionOf(path) == plainExtension:
		return f, "N: extension " + extension(path)
	case c.Parent.Page.RDF.Class == kavosh.ClassRDF:
		f.Label = byExtension(path, labelR)
		return f, f.Label.String() + ": extension, in RDF"
	}
	f.Label, f.Rules = l.label(c, rdfPlaceOf(c.Task.URL))
	why = f.Label.String()
	if f.Rules != 0 {
		why += ": " + f.Rules.String()
	}
	return f, why
}

// isDump reports whether a link leads to a dump of a data set: void:dataDump, or the data of a semantic sitemap.
func isDump(l *kavosh.Link) bool {
	return l.Attr == "void:dataDump" || l.Element == "sitemap" && l.Attr == "data"
}

// Learn implements Learner. It returns no changes of scores.
func (l *labelling) Learn(v *Visit) []Change {
	key := hash(v.Task.URL)
	l.here, _ = l.waiting.get(key)
	l.waiting.delete(key)
	is, ok := labelOf(v)
	if !ok {
		return nil
	}
	if l.learn != nil {
		l.learn(v)
	}
	if is == labelR {
		l.data.set(key, true)
		if l.here.Known {
			l.parent(l.here.Parent)
		}
	}
	if v.Status == 200 {
		l.count(key, is)
	}
	if is == labelH {
		for i := range v.Page.Links {
			if ok, _ := l.data.get(hash(v.Page.Links[i].URL)); ok {
				l.parent(rdfPlaceOf(v.Task.URL))
				break
			}
		}
	}
	return nil
}

// labelOf returns what a document turned out to be: R, H or N. ok is false for a robots.txt, and if the answer does not
// tell what the document is.
func labelOf(v *Visit) (is rdfLabel, ok bool) {
	switch v.Page.RDF.Class {
	case kavosh.ClassRDF:
		is = labelR
	case kavosh.ClassPage, kavosh.ClassEmbedded:
		is = labelH
	case kavosh.Unclassed:
		return labelN, false
	}
	return is, v.Task.Kind != kavosh.Prerequisite
}

// parent notes that the page at this place links to RDF.
func (l *labelling) parent(at rdfPlace) {
	if known, _ := l.proven.get(at.URL); known {
		return
	}
	l.proven.set(at.URL, true)
	if l.found != nil {
		l.found(at)
	}
	if rules, ok := l.hoped.get(at.URL); ok {
		l.hoped.delete(at.URL)
		l.right(labelHR, rules)
	}
}

// count counts whether the label of a link was right, by what the link led to. Only answers with status 200 are
// counted.
func (l *labelling) count(key uint64, is rdfLabel) {
	f := &l.here
	if !f.Known {
		return
	}
	l.labels[f.Label].Applied++
	for r := range ruleCount {
		if f.Rules.has(r) {
			l.rules[r].Applied++
		}
	}
	switch {
	case f.Label == is:
		l.right(f.Label, f.Rules)
	case f.Label == labelHR && is == labelH:
		l.hoped.set(key, f.Rules)
	}
}

// right counts that a label, and the rules that gave it, were right.
func (l *labelling) right(label rdfLabel, rules ruleSet) {
	l.labels[label].Correct++
	for r := range ruleCount {
		if rules.has(r) {
			l.rules[r].Correct++
		}
	}
}

// Tallies implements Accountant.
func (l *labelling) Tallies() []Tally {
	all := append([]Tally(nil), l.labels[:]...)
	for _, r := range l.rules {
		if r.Applied > 0 {
			all = append(all, r)
		}
	}
	return all
}

// Reads implements Filter. With the parameter "filter", a body is read only if its Content-Type says RDF or HTML, or if
// the link was labelled R. A robots.txt is always read.
func (l *labelling) Reads(t *kavosh.Task, contentType string) bool {
	if !l.filter || t.Score >= float64(labelR) || t.Kind == kavosh.Prerequisite {
		return true
	}
	media, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	media = strings.TrimSpace(media)
	return media == "text/html" || media == "application/xhtml+xml" || isRDFType(media)
}

// Needs implements Reader.
func (l *labelling) Needs() kavosh.Needs { return kavosh.Needs{RDF: true} }

type savedLabelling struct {
	Waiting []fact[rdfFact] `json:"waiting"`
	Hoped   []fact[ruleSet] `json:"hoped"`
	Data    []fact[bool]    `json:"data"`
	Proven  []fact[bool]    `json:"proven"`
	Rules   []Tally         `json:"rules"`
	Labels  []Tally         `json:"labels"`
}

func (l *labelling) save() savedLabelling {
	return savedLabelling{l.waiting.save(), l.hoped.save(), l.data.save(), l.proven.save(), l.rules[:], l.labels[:]}
}

func (l *labelling) restore(s savedLabelling) error {
	for _, f := range s.Waiting {
		if f.Value.Label > labelR {
			return errors.New(l.name + ": what it knew has a label that cannot be")
		}
	}
	l.waiting.restore(s.Waiting)
	l.hoped.restore(s.Hoped)
	l.data.restore(s.Data)
	l.proven.restore(s.Proven)
	copy(l.rules[:], s.Rules)
	copy(l.labels[:], s.Labels)
	return nil
}

// Save implements Keeper.
func (l *labelling) Save() ([]byte, error) { return save(l.name, 1, l.save()) }

// Restore implements Keeper.
func (l *labelling) Restore(data []byte) error {
	s, err := restore[savedLabelling](l.name, 1, data)
	if err == nil {
		err = l.restore(s)
	}
	return err
}
