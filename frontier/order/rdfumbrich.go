package order

// This file is the ordering policy rdf-umbrich, which learns rules from parts of URLs to what documents turned out to
// be. It keeps the counts behind these rules.

import "errors"

// newRDFUmbrich makes the policy that labels links by association rules from URLs to what documents turned out to be
// (Umbrich, Karnstedt and Harth, "Fast and scalable pattern mining for media-type focused crawling", 2009; in the form
// FC-R2 in which a thesis compared it). The condition of a rule is the file extension, a word of the path, or the host
// with a word of the path. The rules of a URL are tried in that order; the first with a confidence of more than a half
// labels the link R, H or N. If no rule has that, the link is H.
func newRDFUmbrich(a *Args) (Policy, error) {
	u := &rdfUmbrich{least: a.Value("least"), answers: newKnown[classCounts](a.Memory)}
	u.labelling = newLabelling("rdf-umbrich", a, u.labelOf)
	u.labelling.learn = u.learned
	return u, nil
}

type rdfUmbrich struct {
	*labelling
	least   float64             // documents that a rule needs before it counts
	answers *known[classCounts] // what documents were, by the condition of a rule
	keys    []uint64
}

// classCounts counts documents by what they were: N, H, HR (always 0) and R.
type classCounts [labelR + 1]float64

// labelOf returns the label that the rules give to a link.
func (u *rdfUmbrich) labelOf(c *Candidate, _ rdfPlace) (rdfLabel, ruleSet) {
	u.keys = antecedents(u.keys, c.Task.URL)
	for _, key := range u.keys {
		counts, _ := u.answers.get(key)
		sum := counts[labelN] + counts[labelH] + counts[labelR]
		if sum < u.least {
			continue
		}
		for _, label := range [...]rdfLabel{labelR, labelH, labelN} {
			if counts[label] > sum/2 {
				return label, 0
			}
		}
	}
	return labelH, 0
}

// learned counts a document for the conditions that its URL fulfils.
func (u *rdfUmbrich) learned(v *Visit) {
	is, _ := labelOf(v)
	u.keys = antecedents(u.keys, v.Task.URL)
	for _, key := range u.keys {
		counts, _ := u.answers.get(key)
		counts[is]++
		u.answers.set(key, counts)
	}
}

type savedUmbrich struct {
	savedLabelling
	Answers []fact[classCounts] `json:"answers"`
}

// Save implements Keeper.
func (u *rdfUmbrich) Save() ([]byte, error) {
	return save(u.name, 1, savedUmbrich{u.labelling.save(), u.answers.save()})
}

// Restore implements Keeper.
func (u *rdfUmbrich) Restore(data []byte) error {
	s, err := restore[savedUmbrich](u.name, 1, data)
	if err == nil {
		err = u.labelling.restore(s.savedLabelling)
	}
	for _, f := range s.Answers {
		for _, n := range f.Value {
			if n < 0 {
				err = errors.New("rdf-umbrich: what it knew has a count below 0")
			}
		}
	}
	if err == nil {
		u.answers.restore(s.Answers)
	}
	return err
}
