package order

// This file is the ordering policy rdf-learn, which learns while it crawls which links lead to RDF, or to pages that
// link to RDF. It keeps two models, and what it knows of each waiting link.

import (
	"math"
	"strings"

	"kavosh"
)

// newRDFLearn makes a policy of our own. While it crawls, it learns which links lead to RDF, and which pages are worth
// a visit since they link to RDF that was not seen yet. The score of a link is the log odds of a rate: the RDF
// documents that are found for each fetch. If p is the probability that the link leads to an RDF document, and h is
// what its page would give as a hub, the rate is 1 − (1 − p)(1 − h). A page with n new links that lead to RDF gives n
// documents for n + 1 fetches, so h is the mean of n / (1 + n).
//
// p and h are logistic regressions, and both learn from every answer. The regression for p begins with what the rules
// of rdf-r know; each rule weighs as much as its published confidence. Features are hashed: the words of a link and its
// place, its type, title and relation, its extension and the rules that hold. Signals say what links gave before that
// had the same folder, shape, page, extension, anchor, rules or file name. The n of a page is known as soon as the page
// was read: it follows from the p of its new links. When RDF is found where p was low, the page that led to it learns
// that as a hub. Words are learned slowly. A link has some forty features, so the first page that gave nothing would
// otherwise make all other links look poor.
//
// The judge says what is wanted (--prefer rdf, or rdf=embedded). Without a judge, RDF documents are wanted.
func newRDFLearn(a *Args) (Policy, error) {
	r := &rdfLearn{
		judge: a.Topic != nil, explore: a.Value("explore"), many: a.Value("many"), onward: a.Value("onward"), hosts: a.Value("hosts"),
		is:  &rdfChance{newChance(a.Value("step"), isSignals), newShares(a.Memory)},
		hub: &rdfChance{newChance(a.Value("step"), hubSignals), newShares(a.Memory)},
	}
	for rule, weight := range rulePriors {
		r.is.believe(feature('r', uint64(rule)), weight)
		r.hub.believe(feature('r', uint64(rule)), 1) // a page that speaks of RDF and is not RDF may link to it
	}
	for kind, weight := range extensionPriors {
		r.is.believe(feature('y', uint64(kind)), weight)
		if kindOfExtension(kind) == plainExtension || kindOfExtension(kind) == rdfExtension {
			r.hub.believe(feature('y', uint64(kind)), -4)
		}
	}
	r.showing = newShowing(a, func(g *besideRDF, own float64) float64 {
		return own + g.drift + r.many*math.Log1p(g.links)/(1+g.fetched)*max(0, 1-1.5*r.lately)
	})
	r.own = r.drifted
	r.why = func(s int32) string { return r.because(&r.links[s]) }
	r.slack, r.looks = 0.1, 32
	return r, nil
}

type rdfLearn struct {
	*showing[besideRDF]               // the waiting links; those of one page and shape are a group
	judge                        bool // the crawl has a judge
	explore, many, onward, hosts float64
	is, hub                      *rdfChance // p and h: whether a link is RDF, and what its page gives as a hub
	links                        []rdfKnown // what is known of waiting links, by slot
	pages, lately                float64    // how many pages were fetched; the running mean of wanted over the last of them

	here rdfKnown // the link to the page that is read now
	page bool     // the links of that page are being scored
	sum  float64  // the sum of p over its new links
	best float64  // the greatest h of its new links
}

// rdfChance predicts a share of links that are good, from their features and from what links like them gave.
type rdfChance struct {
	*chance
	shares *shares
}

// rdfKnown is what is known of a link.
type rdfKnown struct {
	features []uint16          // see look
	like     [likeCount]uint64 // for each likeness, a hash of what the link shares with others; 0 if it shares nothing
	away     float64           // how many pages lie between it and the last wanted page
	seed     bool              // it is a seed
}

// besideRDF is what is known of the links of one page that have the same shape.
type besideRDF struct {
	led            rdfKnown // the link that led to that page
	links, fetched float64  // how many there are, and how many of them were fetched
	drift          float64  // how far their scores have moved since they were found
}

// driftStep is how far a change in one link's value moves the drift of its group: by this share of the change.
const driftStep = 1. / 8

// What links may have in common (likenesses). Each is also the number of its signal.
const (
	likeHost    = iota // the host
	likeFolder         // the host and the first folder of the path
	likeFolders        // the host and two folders; its signal is the share of these, drawn towards the share of the one above
	likeShape          // the shape of the URL
	likePage           // the page in which it was found
	likeBeside         // that page and the shape
	likeExt            // the extension
	likeHostExt        // the host and the extension
	likeAnchor         // the anchor
	likeRules          // the rules that hold, and the kind of the extension
	likeName           // the last segment of the path
	likeCount
	signalPagesAway = likeHost // the signal of rdfKnown.away: likeHost and likeFolder have no signals of their own
)

// Weights before anything was learned, of the signals and of some features.
var (
	isSignals  = signals{likeFolders: 0.3, likeShape: 0.5, likePage: 0.2, likeBeside: 0.4, likeExt: 0.5, likeHostExt: 0.4, likeAnchor: 0.4, likeRules: 0.5, likeName: 0.3}
	hubSignals = signals{signalPagesAway: -0.1, likeFolders: 0.4, likeShape: 0.6, likePage: 0.3, likeBeside: 0.6, likeExt: 0.6, likeHostExt: 0.2, likeAnchor: 0.4, likeRules: 0.3, likeName: 0.3}
	// For each rule, the log odds of its published confidence, rounded down since several rules may hold at once.
	rulePriors      = [ruleR1]float32{ruleEx1: 4, ruleTy1: 3, ruleTi1: 3, ruleAn1: 1.5, ruleCo1: 0.5, ruleTy2: 2, ruleTi2: 2, ruleAn2: 1.5, ruleCo2: 0.5, rulePa2: 1}
	extensionPriors = [plainExtension + 1]float32{htmlExtension: -2, otherExtension: -0.5, plainExtension: -4}
)

// believe gives a feature its first weight. A few answers do not change it much.
func (c *rdfChance) believe(feature uint16, weight float32) {
	c.words.weights[feature], c.words.squares[feature] = weight, 10
}

// signals returns what links like this one gave, as log odds minus odds, which are the log odds for all links.
func (c *rdfChance) signals(k *rdfKnown) (x signals, odds float64) {
	all := c.shares.overall()
	odds = logOdds(all)
	const smooth = 3
	share := all
	for i, key := range k.like {
		switch {
		case key == 0:
		case i <= likeFolders:
			share = c.shares.of(key, share, smooth)
		default:
			x[i] = logOdds(c.shares.of(key, all, smooth)) - odds
		}
	}
	x[likeFolders] = logOdds(share) - odds
	x[signalPagesAway] = min(k.away, 5)
	return x, odds
}

// of returns the predicted share for a link.
func (c *rdfChance) of(k *rdfKnown) float64 {
	x, odds := c.signals(k)
	return logistic(odds + c.logOdds(&x, k.features))
}

// know learns what came of a link: target, from 0 to 1.
func (c *rdfChance) know(k *rdfKnown, target float64) {
	x, odds := c.signals(k)
	c.learn(&x, k.features, odds, target)
	c.shares.learn(target)
	for _, key := range k.like {
		if key != 0 {
			s, _ := c.shares.by.get(key)
			c.shares.by.set(key, share{s.N + 1, s.Hit + target})
		}
	}
}

// rate returns p, h and the expected number of RDF documents for a fetch.
func (r *rdfLearn) rate(k *rdfKnown) (p, h, rate float64) {
	p, h = r.is.of(k), r.hub.of(k)
	return p, h, 1 - (1-p)*(1-h)
}

// drifted returns what a link is worth now, without its group's drift, and moves that drift. A page may have thousands
// of links, whose values rise and fall together. Without a drift, each of them would have to come first and be valued
// anew before it has its right place.
func (r *rdfLearn) drifted(s int32) float64 {
	u := &r.urls[s]
	g := &r.groups[u.group].data
	now := r.value(&r.links[s])
	g.drift += driftStep * (now - u.own - g.drift)
	return now - g.drift
}

// value returns the score of a link without what its group adds. Seeds come first, since somebody asked for them. A
// host of which few pages were seen gets a bonus: it may have more than its links tell.
func (r *rdfLearn) value(k *rdfKnown) float64 {
	if k.seed {
		return seedScore
	}
	_, _, rate := r.rate(k)
	rate = min(max(rate, 1e-6), 1-1e-6)
	host, _ := r.is.shares.by.get(k.like[likeHost])
	return math.Log(rate/(1-rate)) + r.explore*r.hub.words.unsure(k.features)/math.Sqrt(1+r.pages/100) + r.hosts*math.Exp(-host.N/10)
}

// seedScore is above all other scores. Those of links are about 14 at most, and bonuses for what is little known come
// on top.
const seedScore = 30

// because explains the score of a link to people.
func (r *rdfLearn) because(k *rdfKnown) string {
	p, h, _ := r.rate(k)
	why := new(reasons).and("is RDF", p).and("leads to RDF", h)
	before := "log odds by "
	x, _ := r.is.signals(k)
	y, _ := r.hub.signals(k)
	for i, name := range [...]string{"", "", "folder", "shape", "page's links", "beside", "extension", "host's extension", "anchor", "rules", "name"} {
		if part := r.is.weights[i]*x[i] + r.hub.weights[i]*y[i]; name != "" && math.Abs(part) > 0.5 {
			why.and(before+name, part)
			before = ""
		}
	}
	return why.String()
}

// Score implements Policy.
func (r *rdfLearn) Score(c *Candidate) (float64, string) {
	k := r.look(c)
	if p, h, _ := r.rate(&k); r.page && c.Link.Kind != kavosh.Redirect {
		r.sum += p
		r.best = max(r.best, h)
	}
	key := uint64(0)
	if c.Parent != nil {
		key = k.like[likeBeside]
	}
	g := r.group(key)
	if beside := &r.groups[g].data; c.Parent != nil {
		if r.groups[g].size == 0 {
			*beside = besideRDF{led: r.here}
		}
		beside.links++
	}
	s, score := r.add(c.Task.URL, g, r.value(&k)-r.groups[g].data.drift)
	if s >= 0 {
		for len(r.links) <= int(s) {
			r.links = append(r.links, rdfKnown{})
		}
		r.links[s] = k
	}
	return score, r.because(&k)
}

// Learn implements Learner.
func (r *rdfLearn) Learn(v *Visit) []Change {
	r.ended()
	r.here = rdfKnown{}
	s, waited := r.at[v.Task.URL]
	if waited {
		g := r.urls[s].group
		r.here, r.links[s] = r.links[s], rdfKnown{}
		if judged(v) {
			r.learned(v, &r.groups[g].data)
			r.again(g)
		}
		r.forget(s)
	}
	if r.page = judged(v) && waited; r.page {
		r.here.away++
		if r.wanted(v) > 0.5 {
			r.here.away = 0
		}
	}
	return r.settle()
}

// wanted returns how much a document is what the crawl wants, from 0 to 1.
func (r *rdfLearn) wanted(v *Visit) float64 {
	if r.judge {
		return v.Verdict.Score
	}
	return asNumber(v.Page.RDF.Class == kavosh.ClassRDF)
}

// learned lets the models learn what came of the link to the page that is read now. beside is the group of that link.
func (r *rdfLearn) learned(v *Visit, beside *besideRDF) {
	beside.fetched++
	want := r.wanted(v)
	if p := r.is.of(&r.here); want > 0.5 && p < 0.5 && len(beside.led.features) > 0 {
		r.hub.know(&beside.led, 0.5) // it led to one document that p did not expect
	}
	r.is.know(&r.here, want)
	r.pages++
	r.lately += (want - r.lately) / lastPages
}

// ended lets the model of hubs learn what the page gave whose links were scored last.
func (r *rdfLearn) ended() {
	if r.page && len(r.here.features) > 0 {
		n := r.sum + r.onward*r.best
		r.hub.know(&r.here, n/(1+n))
	}
	r.page, r.sum, r.best = false, 0, 0
}

// again computes anew the value of some links of a group.
func (r *rdfLearn) again(g int32) {
	ids := r.groups[g].members.ids
	for _, s := range append([]int32(nil), ids[:min(len(ids), mostBeside)]...) {
		r.set(s, r.value(&r.links[s])-r.groups[g].data.drift)
	}
	r.touch(g)
}

// look returns what is known of a new link.
func (r *rdfLearn) look(c *Candidate) rdfKnown {
	if c.Link.Kind == kavosh.Redirect && len(r.here.features) > 0 {
		return r.here // the target stands for the URL that redirects
	}
	l := c.Link
	host, path, _ := split(c.Task.URL)
	h, ext := hash(host), hash(suffix(path))
	shape := joined(shapeOf(c.Task.URL), ext)
	rules, kind := rulesOfLink(l, c.Task.URL), extensionOf(path)
	k := rdfKnown{away: r.here.away, features: linkFeatures(c), seed: c.Parent == nil}
	add := func(kind uint64, what uint64) { k.features = append(k.features, feature(kind, what)) }
	for rule := range ruleR1 {
		if rules.has(rule) {
			add('r', uint64(rule))
			add('R', joined(h, uint64(rule)))
		}
	}
	add('y', uint64(kind))
	add('Y', ext)
	add('l', hash(l.Rel))
	if l.Type != "" {
		add('T', hash(l.Type))
	}
	if l.Title != "" {
		add('i', hash(l.Title))
	}
	if c.Parent != nil {
		add('q', hash(string(c.Parent.Page.RDF.Class)))
		k.like[likePage] = hash(c.Parent.Task.URL)
		k.like[likeBeside] = joined(k.like[likePage], shape)
	}
	folders, n := foldersOf(c.Task.URL)
	copy(k.like[:], folders[:n])
	k.like[likeShape] = shape
	k.like[likeExt], k.like[likeHostExt] = joined('Y', ext), joined(h, ext)
	if l.Anchor != "" {
		k.like[likeAnchor] = joined('A', hash(l.Anchor))
	}
	k.like[likeRules] = joined('r', uint64(rules)<<8|uint64(kind))
	if all := segments(path); len(all) > 0 {
		k.like[likeName] = joined('N', hash(all[len(all)-1]))
		add('z', hash(all[len(all)-1]))
	}
	return k
}

// suffix returns what follows the first dot of the last segment, without digits, such as "ttl.html": pages that show a
// file often have such names. It uses the last 32 bytes at most.
func suffix(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	_, after, _ := strings.Cut(last, ".")
	return strings.Map(digitless, after[max(0, len(after)-32):])
}

// Needs implements Reader.
func (r *rdfLearn) Needs() kavosh.Needs { return kavosh.Needs{RDF: true} }

type savedRDFLearn struct {
	Is, Hub             savedChance
	IsShares, HubShares savedShares
	Pages, Lately       float64
}

// Save implements Keeper. It saves the models and the shares. URLs that wait keep the scores that they have in the
// queue.
func (r *rdfLearn) Save() ([]byte, error) {
	return save("rdf-learn", 1, savedRDFLearn{r.is.save(), r.hub.save(), r.is.shares.save(), r.hub.shares.save(), r.pages, r.lately})
}

// Restore implements Keeper.
func (r *rdfLearn) Restore(data []byte) error {
	s, err := restore[savedRDFLearn]("rdf-learn", 1, data)
	if err == nil {
		err = r.is.restore(s.Is)
	}
	if err == nil {
		err = r.hub.restore(s.Hub)
	}
	if err != nil {
		return err
	}
	r.is.shares.restore(s.IsShares)
	r.hub.shares.restore(s.HubShares)
	r.pages, r.lately = s.Pages, s.Lately
	return nil
}
