package order

// This file is the policy reinforce-linear, the default for crawls with a judge: it learns from each fetched page how
// good a link is. It keeps two models, and what it knows of each waiting link; linksignals.go makes scores of that.

import "kavosh"

// newReinforceLinear is ours: from what every fetched page turned out to be it learns how good a link is, by all that is
// known of the link before. Its score is the log odds of two chances: that the page is relevant and, gamma times, that
// what the page links to is. So a hub is worth a visit (the delayed reward of Rennie and McCallum, 1999, with linear
// functions instead of their tables); its reward comes when its links are fetched.
//
// Two kinds of evidence come together in each logistic regression. Signals are a few numbers that mean the same
// everywhere, whose weights begin with a good guess: what the topic makes of anchor, surrounding text and URL, how
// relevant the pages are that link here, and what share was relevant of the pages fetched in the same folders, with URLs
// of the same shape and among the links of the same page, few of them drawn towards what is known of more. Features are
// words of the anchor, the text around and the URL, places in the page and the like, hashed, whose weights begin at
// nothing. What has no page says nothing of its like, or hardly.
//
// Optimism explores: a link of which little is known gets a bonus that decays, and so does one that stands for many, those
// of its page with URLs of its shape, while little of what is fetched is relevant.
//
// What is known of the links that wait is kept. As the model moves, those first in order are valued anew, those beside
// the link that was fetched, those that its page links to, and of the rest some in turn.
func newReinforceLinear(a *Args) (Policy, error) {
	r := &reinforceLinear{
		topic: a.Topic, language: a.Language, gamma: a.Value("gamma"), explore: a.Value("explore"), many: a.Value("many"), shares: newShares(a.Memory),
		relevant: newChance(a.Value("step"), firstSignals), leads: newChance(a.Value("step"), signals{}),
	}
	if r.topic == nil {
		r.topic = func(string) float64 { return 0 }
	}
	r.showing = newShowing(a, func(g *besideKnown, own float64) float64 { return own + r.beside(g) })
	r.own = func(s int32) float64 { return r.value(&r.links[s]) }
	r.why = func(s int32) string { return r.because(&r.links[s], &r.groups[r.urls[s].group].data) }
	r.slack, r.looks = 0.1, 64
	return r, nil
}

type reinforceLinear struct {
	*showing[besideKnown] // links of a page that have the same shape are a group
	topic                 func(text string) float64
	language              string
	gamma, explore, many  float64
	shares                *shares
	relevant, leads       *chance
	links                 []linkKnown // by slot
	pages, lately         float64     // fetched; how relevant the last ones were
	here                  linkKnown   // of the page now read, as its links see it
}

// Score implements Policy.
func (r *reinforceLinear) Score(c *Candidate) (float64, string) {
	k := r.look(c)
	key := uint64(0)
	if c.Parent != nil {
		key = joined(k.page, k.shape)
	}
	g := r.group(key)
	beside := &r.groups[g].data
	if r.groups[g].size == 0 && c.Parent != nil {
		*beside = besideKnown{led: r.here}
	}
	beside.links++
	s, score := r.add(c.Task.URL, g, r.value(&k))
	if s >= 0 {
		for len(r.links) <= int(s) {
			r.links = append(r.links, linkKnown{})
		}
		r.links[s] = k
	}
	return score, r.because(&k, &r.groups[g].data)
}

// Learn implements Learner.
func (r *reinforceLinear) Learn(v *Visit) []Change {
	r.here = linkKnown{}
	if s, ok := r.at[v.Task.URL]; ok {
		g := r.urls[s].group
		k := r.links[s]
		r.links[s] = linkKnown{}
		if judged(v) {
			r.learn(v, &k, &r.groups[g].data)
			r.again(g)
		}
		r.here = k
		r.forget(s)
	} else if judged(v) {
		r.shares.learn(v.Verdict.Score)
	}
	if judged(v) {
		r.here.away++
		if v.Verdict.Relevant() {
			r.here.away = 0
		}
	}
	r.cite(v)
	return r.settle()
}

const (
	gone      = 0.1 // of a page, that one counts for which is not there
	lastPages = 7   // that count for what was found of late
)

// learn lets the model know what became of a link k, and what lies beside it.
func (r *reinforceLinear) learn(v *Visit, k *linkKnown, beside *besideKnown) {
	if v.Status < 200 || v.Status > 299 {
		beside.fetched.N += gone
		return
	}
	reward := v.Verdict.Score
	x := r.signals(k)
	x[signalBeside] = r.besideSignal(beside)
	odds := logOdds(r.shares.overall())
	r.relevant.learn(&x, k.features, odds, reward)
	if led := &beside.led; len(led.features) > 0 {
		x := r.signals(led)
		r.leads.learn(&x, led.features, odds, reward)
	}
	beside.fetched.N, beside.fetched.Hit = beside.fetched.N+1, beside.fetched.Hit+reward
	r.shares.learn(reward, append(k.folders[:k.depth:k.depth], k.shape, k.page)...)
	r.pages++
	r.lately += (reward - r.lately) / lastPages
}

// What one visit may value anew.
const (
	mostBeside = 32
	mostCited  = 128
)

// again values some links of a group anew.
func (r *reinforceLinear) again(g int32) {
	ids := r.groups[g].members.ids
	for _, s := range append([]int32(nil), ids[:min(len(ids), mostBeside)]...) {
		r.set(s, r.value(&r.links[s]))
	}
	r.touch(g)
}

// cite tells waiting links that a page links to them.
func (r *reinforceLinear) cite(v *Visit) {
	n := 0
	for i := range v.Page.Links {
		s, ok := r.at[v.Page.Links[i].URL]
		if !ok || n == mostCited {
			continue
		}
		n++
		k := &r.links[s]
		k.cited.N++
		k.cited.Hit += v.Verdict.Score
		k.best = max(k.best, v.Verdict.Score)
		k.away = min(k.away, r.here.away)
		r.set(s, r.value(k))
	}
}

type savedLinear struct {
	Shares   savedShares `json:"shares"`
	Relevant savedChance `json:"relevant"`
	Leads    savedChance `json:"leads"`
	Pages    float64     `json:"pages"`
	Lately   float64     `json:"lately"`
}

// Save implements Keeper: the model and the shares. What waited keeps its score.
func (r *reinforceLinear) Save() ([]byte, error) {
	return save("reinforce-linear", 3, savedLinear{r.shares.save(), r.relevant.save(), r.leads.save(), r.pages, r.lately})
}

// Restore implements Keeper.
func (r *reinforceLinear) Restore(data []byte) error {
	s, err := restore[savedLinear]("reinforce-linear", 3, data)
	if err == nil {
		err = r.relevant.restore(s.Relevant)
	}
	if err == nil {
		err = r.leads.restore(s.Leads)
	}
	if err != nil {
		return err
	}
	r.shares.restore(s.Shares)
	r.pages, r.lately = s.Pages, s.Lately
	return nil
}

// look gathers what is known of a new link.
func (r *reinforceLinear) look(c *Candidate) linkKnown {
	l := c.Link
	k := linkKnown{
		anchor: r.topic(l.Anchor), around: r.topic(l.Around), url: r.topic(asWords(c.Task.URL)), away: r.here.away,
		named: namedLanguage(c.Task.URL, l.Hreflang, r.language), features: linkFeatures(c),
	}
	k.folders, k.depth = foldersOf(c.Task.URL)
	k.shape = shapeOf(c.Task.URL)
	if c.Parent != nil {
		k.page = hash(c.Parent.Task.URL)
		k.cited = share{1, c.Parent.Verdict.Score}
		k.best = c.Parent.Verdict.Score
		if l.Kind == kavosh.Redirect { // its target is what was meant
			k.anchor, k.around, k.url = max(k.anchor, r.here.anchor), max(k.around, r.here.around), max(k.url, r.here.url)
			k.cited, k.best = r.here.cited, r.here.best
		}
	}
	return k
}
