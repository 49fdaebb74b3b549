package order

// This file is the ordering policy reinforce-linear, the default for crawls with a judge: it learns from each fetched
// page how good a link is. It keeps two models, and what it knows of each waiting link; linksignals.go makes scores of
// that.

import "kavosh"

// newReinforceLinear makes a policy of our own. From each fetched page it learns how good a link is, by all that was
// known of the link before. What a page is worth is the sum of two log odds: that it is relevant, and, times gamma, that
// the pages to which it links are. So a hub is worth a visit (the delayed reward of Rennie and
// McCallum, 1999, with linear functions instead of their tables); the hub's reward comes when its links are fetched.
//
// The score of a link is what its page is worth, times the chance that the link is answered: as log odds, see expected.
// Each of the two is a logistic regression with two kinds of input. Signals are a few numbers that mean the same on
// every site; in the model of relevance, their weights begin with a good guess. They say how relevant the topic finds
// anchor, surrounding text and URL, how relevant the pages are that link here, and which share of pages was relevant
// that were fetched from the same folders, from URLs of the same shape, and from the links of the same page. A share of
// few pages is drawn towards the share of more pages. Features are hashed: words of the anchor, of the text around it
// and of the URL, places in the page and the like; their weights begin at 0. A dead link, which has an answer with a status outside 200
// to 299 or none, teaches them nothing: it tells how likely links like it are answered (answers.go).
//
// Bonuses make the policy explore: a link of which little is known gets one, which shrinks as more pages are fetched.
// So does a link that stands for many others (those of its page with URLs of its shape), while few of the pages fetched
// are relevant.
//
// What is known of waiting links is kept. As the models change, some links are valued anew after each visit: those that
// come first, those beside the link that was fetched, those to which its page links, and some of all others in turn.
func newReinforceLinear(a *Args) (Policy, error) {
	r := &reinforceLinear{
		topic: a.Topic, language: a.Language, gamma: a.Value("gamma"), explore: a.Value("explore"), many: a.Value("many"),
		shares: newShares(a.Memory), answers: newAnswers(a.Memory),
		relevant: newChance(a.Value("step"), firstSignals), leads: newChance(a.Value("step"), signals{}),
	}
	if r.topic == nil {
		r.topic = func(string) float64 { return 0 }
	}
	r.showing = newShowing(a, func(g *besideKnown, own float64) float64 { return expected(own+r.beside(g), r.answer(g)) })
	r.own = func(s int32) float64 { return r.value(&r.links[s]) }
	r.explain = r.because
	r.why = func(s int32) string { return r.explain(&r.links[s], &r.groups[r.urls[s].group].data) }
	r.slack, r.looks = 0.1, 64
	return r, nil
}

type reinforceLinear struct {
	*showing[besideKnown]                           // the waiting links; those of one page and shape are a group
	topic                 func(text string) float64 // how relevant a few words are, from 0 to 1
	language              string                    // that the crawl prefers
	gamma, explore, many  float64
	shares                *shares
	answers               *answers
	relevant, leads       *chance                                   // the models: whether a page is relevant, and whether its links lead to such pages
	links                 []linkKnown                               // what is known of waiting links, by slot
	pages, lately         float64                                   // how many pages were fetched; how relevant the last of them were
	here                  linkKnown                                 // the link to the page that is read now
	explain               func(k *linkKnown, g *besideKnown) string // says to people what a score is made of
	place                 func(url string) uint64                   // for diverse: a hash of the host of a URL, or of its domain; else nil
}

// Score implements Policy.
func (r *reinforceLinear) Score(c *Candidate) (float64, string) {
	k := r.look(c)
	key, place := uint64(0), uint64(0)
	if r.place != nil {
		place = r.place(c.Task.URL)
		key = place
	}
	if c.Parent != nil {
		key = joined(k.page, k.shape)
	}
	g := r.group(key)
	beside := &r.groups[g].data
	if r.groups[g].size == 0 {
		*beside = besideKnown{place: place}
		if c.Parent != nil {
			beside.led, beside.way = r.here, wayOf(c)
		}
	}
	beside.links++
	s, score := r.add(c.Task.URL, g, r.value(&k))
	if s >= 0 {
		for len(r.links) <= int(s) {
			r.links = append(r.links, linkKnown{})
		}
		r.links[s] = k
	}
	return score, r.explain(&k, &r.groups[g].data)
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
	} else if judged(v) && answered(v) {
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
	gone      = 0.1 // part of a page for which a page counts that could not be had
	lastPages = 7   // pages over which lately is a running mean
)

// learn lets the models learn what came of a link k; beside is the group of k.
func (r *reinforceLinear) learn(v *Visit, k *linkKnown, beside *besideKnown) {
	w := beside.way
	if w.n == 0 { // a seed
		w = wayOf(&Candidate{Task: v.Task})
	}
	r.answers.learn(v, &w)
	if !answered(v) {
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

// How many links one visit may value anew.
const (
	mostBeside = 32  // links beside the link that was fetched
	mostCited  = 128 // waiting links to which the page links
)

// again computes anew the value of some links of a group.
func (r *reinforceLinear) again(g int32) {
	ids := r.groups[g].members.ids
	for _, s := range append([]int32(nil), ids[:min(len(ids), mostBeside)]...) {
		r.set(s, r.value(&r.links[s]))
	}
	r.touch(g)
}

// cite notes, for waiting links, that the page of this visit links to them.
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
	Answers  savedShares `json:"answers"`
	Relevant savedChance `json:"relevant"`
	Leads    savedChance `json:"leads"`
	Pages    float64     `json:"pages"`
	Lately   float64     `json:"lately"`
}

// Save implements Keeper. It saves the models and the shares. URLs that wait keep the scores that they have in the
// queue.
func (r *reinforceLinear) Save() ([]byte, error) {
	return save("reinforce-linear", 4, savedLinear{r.shares.save(), r.answers.shares.save(), r.relevant.save(), r.leads.save(), r.pages, r.lately})
}

// Restore implements Keeper.
func (r *reinforceLinear) Restore(data []byte) error {
	s, err := restore[savedLinear]("reinforce-linear", 4, data)
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
	r.answers.shares.restore(s.Answers)
	r.pages, r.lately = s.Pages, s.Lately
	return nil
}

// look returns what is known of a new link.
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
		if l.Kind == kavosh.Redirect { // the target stands for the URL that redirects
			k.anchor, k.around, k.url = max(k.anchor, r.here.anchor), max(k.around, r.here.around), max(k.url, r.here.url)
			k.cited, k.best = r.here.cited, r.here.best
		}
	}
	return k
}
