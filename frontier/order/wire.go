package order

// This file is the ordering policy wire: a weighted sum of terms, such as the language of the parent page, depth and
// PageRank. It keeps the graph of the links seen, and the terms of each waiting URL.

import "kavosh"

// newWire makes the score of WIRE (Castillo, "Effective Web crawling", 2004) with the language term of a Persian
// crawler built on it (Azimzadeh, Yari and Aleahmad, 2009). Here that term is the judge's verdict on the page that
// holds the link, whatever the judge looks for. The score is the sum of all terms, each times its weight. The terms are
// between 0 and 1. depth is (most − depth + 1)/most, with the depth counted from 1. static is 1 for a URL that looks
// like a file and 0 for one that looks made on demand. random depends on the URL and the seed. queuesize is the share
// of the waiting URLs that are of its host. pagerank, wlscore (PageRank with weighted links), hub, auth and siterank
// are computed from the links seen so far, and divided by the greatest of all.
//
// WIRE computes scores in cycles. With cycle=N this policy does so after every N pages; with cycle=0 the cycles grow
// with the crawl. Between cycles a new link gets the terms that are known when it is found. With cycle=0 a waiting URL
// also rises with each new link to it: a page hands its rank to its links in equal parts.
func newWire(a *Args) (Policy, error) {
	w := &wire{seed: a.Seed, cycle: int(a.Value("cycle")), next: max(int(a.Value("cycle")), 1), most: a.Value("most")}
	for i, name := range wireTerms {
		w.weights[i] = a.Value(name)
	}
	w.showing = newShowing(a, func(_ *struct{}, own float64) float64 { return own })
	w.why = func(s int32) string { return w.because(&w.terms[s]) }
	w.waits = newKnown[int](a.Memory)
	for _, i := range []int{wirePagerank, wireWLScore, wireHub, wireAuth, wireSiteRank} {
		if w.weights[i] != 0 {
			w.graph = newGraph(a.Memory)
		}
	}
	return w, nil
}

// The numbers of the terms, in the order of wireTerms.
const (
	wirePagerank = iota
	wireWLScore
	wireHub
	wireAuth
	wireSiteRank
	wireQueueSize
	wireDepth
	wireStatic
	wireRandom
	wireLanguage
	wireCount
)

// wireTerms has the names of the terms, which are also the names of their weights.
var wireTerms = [wireCount]string{"pagerank", "wlscore", "hub", "auth", "siterank", "queuesize", "depth", "static", "random", "language"}

type wire struct {
	*showing[struct{}]
	seed    uint64
	cycle   int
	most    float64                     // the depth from which all URLs are equal
	weights [wireCount]float64          // of the terms
	terms   [][wireCount]float64        // of waiting URLs, by slot
	graph   *graph                      // the links seen; nil if no term needs it
	ranks   [wireSiteRank + 1][]float64 // the ranks that the last cycle computed, by node or host
	top     [wireSiteRank + 1]float64   // the greatest of each
	waits   *known[int]                 // how many URLs wait, by host
	pages   int                         // how many were fetched
	next    int                         // the number of pages at which the next cycle is due
	met     map[string]bool             // memory of eachOnce
}

// Score implements Policy.
func (w *wire) Score(c *Candidate) (float64, string) {
	url := c.Task.URL
	var t [wireCount]float64
	t[wireDepth] = max(0, (w.most-float64(c.Task.Hops))/w.most)
	t[wireStatic] = asNumber(isStatic(url))
	t[wireRandom] = uniform(url, w.seed)
	if c.Parent != nil {
		t[wireLanguage] = c.Parent.Verdict.Score
	}
	host := hostKey(url)
	n, _ := w.waits.get(host)
	w.waits.set(host, n+1)
	t[wireQueueSize] = float64(n+1) / float64(len(w.at)+1)
	if w.graph != nil {
		w.ranked(&t, w.graph.node(url))
		if c.Parent != nil && w.cycle == 0 {
			w.handOn(&t, c.Parent)
		}
	}
	s, score := w.add(url, w.group(0), w.sum(&t))
	if s >= 0 {
		for len(w.terms) <= int(s) {
			w.terms = append(w.terms, [wireCount]float64{})
		}
		w.terms[s] = t
	}
	return score, w.because(&t)
}

// sum returns the score that the terms make.
func (w *wire) sum(t *[wireCount]float64) (sum float64) {
	for i, x := range t {
		sum += w.weights[i] * x
	}
	return sum
}

func (w *wire) because(t *[wireCount]float64) string {
	var r reasons
	for i := range t {
		if part := w.weights[i] * t[i]; part != 0 {
			r.and(wireTerms[i], part)
		}
	}
	return r.String()
}

// isStatic reports whether a URL looks like a file, and not like a page that a program makes.
func isStatic(url string) bool {
	_, path, query := split(url)
	if query != "" {
		return false
	}
	switch extension(path) {
	case "", "html", "htm", "xhtml", "txt", "pdf", "xml", "rdf":
		return true
	}
	return false
}

// ranked sets the terms that the last cycle computed for a node.
func (w *wire) ranked(t *[wireCount]float64, node int32) {
	for i := range w.ranks {
		at := node
		if i == wireSiteRank && node >= 0 {
			at = w.graph.host[node]
		}
		if at >= 0 && int(at) < len(w.ranks[i]) && w.top[i] > 0 {
			t[i] = w.ranks[i][at] / w.top[i]
		}
	}
}

// handOn adds, to the terms of a link of a page, its part of the rank of that page.
func (w *wire) handOn(t *[wireCount]float64, v *Visit) {
	from, ok := w.graph.at[hash(v.Task.URL)]
	if !ok {
		return
	}
	var parent [wireCount]float64
	w.ranked(&parent, from)
	part := 0.85 / float64(max(len(v.Page.Links), 1))
	for _, i := range []int{wirePagerank, wireWLScore, wireAuth} {
		t[i] = min(1, t[i]+max(parent[i], 1e-3)*part)
	}
}

// Learn implements Learner.
func (w *wire) Learn(v *Visit) []Change {
	w.take(v.Task.URL)
	host := hostKey(v.Task.URL)
	if n, _ := w.waits.get(host); n > 0 {
		w.waits.set(host, n-1)
	}
	w.pages++
	if w.graph == nil {
		return w.settle()
	}
	from := w.graph.node(v.Task.URL)
	again := from >= 0 && len(w.graph.out[from]) > 0
	at := 0
	eachOnce(v, &w.met, func(l *kavosh.Link) {
		at++
		if !again {
			w.graph.link(from, w.graph.node(l.URL), linkWeight(l, float64(at)/float64(len(v.Page.Links)+1)))
		}
		if s, ok := w.at[l.URL]; ok && w.cycle == 0 {
			w.handOn(&w.terms[s], v)
			w.set(s, w.sum(&w.terms[s]))
		}
	})
	if w.pages == w.next {
		w.compute()
		if w.next += w.cycle; w.cycle == 0 {
			w.next += max(wireCycle, w.pages/4)
		}
	}
	return w.settle()
}

// wireCycle is the least number of pages between cycles with cycle=0. Cycles become rarer as the crawl grows.
const wireCycle = 256

// linkWeight returns the weight of a link, after Baeza-Yates and Davis ("Web page ranking using link attributes",
// 2004): more for a long anchor, and more for a link early in its page. before is the part of the page's links that
// come before it.
func linkWeight(l *kavosh.Link, before float64) float32 {
	return float32(2 + min(float64(len(l.Anchor))/40, 1) - before)
}

// compute runs a cycle: it computes all ranks and all scores anew.
func (w *wire) compute() {
	fill := func(i int, ranks []float64) {
		w.ranks[i], w.top[i] = ranks, 0
		for _, x := range ranks {
			w.top[i] = max(w.top[i], x)
		}
	}
	if w.weights[wirePagerank] != 0 {
		fill(wirePagerank, w.graph.pageRank(false))
	}
	if w.weights[wireWLScore] != 0 {
		fill(wireWLScore, w.graph.pageRank(true))
	}
	if w.weights[wireSiteRank] != 0 {
		fill(wireSiteRank, w.graph.ofHosts().pageRank(false))
	}
	if w.weights[wireHub] != 0 || w.weights[wireAuth] != 0 {
		hubs, authorities := w.graph.hits()
		fill(wireHub, hubs)
		fill(wireAuth, authorities)
	}
	for s := range w.urls {
		u := &w.urls[s]
		if u.url == "" {
			continue
		}
		t := &w.terms[s]
		if node, ok := w.graph.at[hash(u.url)]; ok {
			w.ranked(t, node)
		}
		n, _ := w.waits.get(hostKey(u.url))
		t[wireQueueSize] = float64(n) / float64(max(len(w.at), 1))
		w.set(int32(s), w.sum(t))
	}
}

// Save implements Keeper. It saves how many URLs of each host wait. The links seen are not saved; they are gathered
// anew.
func (w *wire) Save() ([]byte, error) { return save("wire", 1, w.waits.save()) }

// Restore implements Keeper.
func (w *wire) Restore(data []byte) error { return restoreTo(w.waits, "wire", 1, data) }
