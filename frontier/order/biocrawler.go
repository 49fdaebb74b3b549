package order

// This file is the ordering policy biocrawler, which follows paths that led to RDF documents. It keeps the strength of
// each rule that it learned, and the path to each waiting URL.

import (
	"math"

	"kavosh"
)

// newBioCrawler makes a policy that follows paths which rules say lead to RDF (Batzios, Dimou, Symeonidis and Mitkas,
// "BioCrawler: an intelligent crawler for the semantic web", 2008). A rule stands for a step from one host and folder
// to another. Its strength follows, at a given rate, whether the documents to which it led were RDF: each document pays
// its own rule, and pays the rule before it on the path half as much. The link with the strongest rule is next. A path
// is left after n documents without RDF in a row: URLs beyond come after all others. The source then starts elsewhere.
// The rules and their rates are as we read the source; we left out its agents, energy and vision.
func newBioCrawler(a *Args) (Policy, error) {
	b := &bioCrawler{n: a.Value("n"), rate: a.Value("rate"), strength: newKnown[float64](a.Memory), paths: newKnown[bioPath](a.Memory)}
	b.showing = newShowing(a, func(g *bioRule, own float64) float64 { return own + b.strengthOf(g.key) })
	b.why = func(s int32) string { return b.because(b.groups[b.urls[s].group].data.key, b.urls[s].own) }
	return b, nil
}

type bioCrawler struct {
	*showing[bioRule] // the waiting URLs; those to which one rule leads are a group
	n, rate           float64
	strength          *known[float64] // by the key of a rule
	paths             *known[bioPath] // by URL
	here              bioPath         // of the page that is read now
}

// bioRule is a rule. Its key is a hash of the two folders between which it steps; 0 stands for the step to a seed.
type bioRule struct{ key uint64 }

// bioPath says by which path a URL was found.
type bioPath struct {
	Rule   uint64  `json:"r"` // rule that led to the URL
	Before uint64  `json:"b"` // rule that led to the page before it
	Barren float64 `json:"n"` // how many documents without RDF in a row came before it
}

// atFirst is the strength of a rule by which no document was fetched yet.
const atFirst = 0.5

func (b *bioCrawler) strengthOf(rule uint64) float64 {
	if s, ok := b.strength.get(rule); ok {
		return s
	}
	return atFirst
}

func (b *bioCrawler) because(rule uint64, own float64) string {
	r := new(reasons).and("strength of its rule", b.strengthOf(rule))
	if own < 0 {
		r.count("its path is left after", b.n)
	}
	return r.String()
}

// Score implements Policy.
func (b *bioCrawler) Score(c *Candidate) (float64, string) {
	p := bioPath{}
	if c.Parent != nil {
		p = b.here
		if c.Link.Kind != kavosh.Redirect {
			p = bioPath{joined(folder(c.Parent.Task.URL, math.MaxInt), folder(c.Task.URL, math.MaxInt)), b.here.Rule, b.here.Barren}
		}
	}
	b.paths.set(hash(c.Task.URL), p)
	g := b.group(p.Rule)
	b.groups[g].data.key = p.Rule
	own := -2 * asNumber(p.Barren >= b.n)
	_, score := b.add(c.Task.URL, g, own)
	return score, b.because(p.Rule, own)
}

// Learn implements Learner.
func (b *bioCrawler) Learn(v *Visit) []Change {
	key := hash(v.Task.URL)
	b.here, _ = b.paths.get(key)
	b.paths.delete(key)
	b.take(v.Task.URL)
	if judged(v) {
		found := v.Page.RDF.Class == kavosh.ClassRDF
		b.pay(b.here.Rule, asNumber(found), b.rate)
		b.pay(b.here.Before, asNumber(found), b.rate/2)
		b.here.Barren++
		if found {
			b.here.Barren = 0
		}
	}
	return b.settle()
}

// pay moves the strength of a rule towards reward: 1 for a document that is RDF, 0 for another.
func (b *bioCrawler) pay(rule uint64, reward, rate float64) {
	if rule == 0 {
		return
	}
	s := b.strengthOf(rule)
	b.strength.set(rule, s+rate*(reward-s))
	if g, ok := b.named[rule]; ok {
		b.touch(g)
	}
}

// Needs implements Reader.
func (b *bioCrawler) Needs() kavosh.Needs { return kavosh.Needs{RDF: true} }

type savedBio struct {
	Strength []fact[float64] `json:"strength"`
	Paths    []fact[bioPath] `json:"paths"`
}

// Save implements Keeper.
func (b *bioCrawler) Save() ([]byte, error) {
	return save("biocrawler", 1, savedBio{b.strength.save(), b.paths.save()})
}

// Restore implements Keeper.
func (b *bioCrawler) Restore(data []byte) error {
	s, err := restore[savedBio]("biocrawler", 1, data)
	b.strength.restore(s.Strength)
	b.paths.restore(s.Paths)
	return err
}
