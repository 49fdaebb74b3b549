package order

// This file gathers what the ordering policy reinforce-linear knows of a link, and makes a score of it.
// reinforcelinear.go has the policy itself, which learns.

import "math"

// linkKnown is what reinforce-linear knows of a link.
type linkKnown struct {
	features            []uint16  // see linkFeatures
	folders             [3]uint64 // hashes of the host, and of the host with one and with two folders
	depth               int       // how many of folders there are
	anchor, around, url float64   // how relevant the topic finds the anchor, the text around it, and the words of the URL
	cited               share     // how many pages link here, and the sum of their verdicts
	best                float64   // the greatest of these verdicts
	named               float64   // whether it names the wanted language (1), another (-1) or none (0)
	away                float64   // irrelevant pages since the last relevant one
	page, shape         uint64    // hashes of the page in which it was found, and of the shape of its URL (path.go)
}

// besideKnown is what reinforce-linear knows of the links of one page that have the same shape.
type besideKnown struct {
	led     linkKnown // the link that led to that page
	way     way       // of these links
	links   float64   // how many of these links were found
	fetched share     // how many of them were fetched, and the sum of their verdicts
	place   uint64    // for diverse: hash of their host or domain
}

// signals are numbers about a link that mean the same on every site, or the weights of these numbers.
type signals [12]float64

// The meaning of each signal. A share is given as its log odds minus the log odds for all pages.
const (
	signalAnchor = iota // how relevant the topic finds the anchor
	signalAround        // … the text around it
	signalURL           // … the words in the URL
	signalBest          // verdict of the best page that links here
	signalCited         // mean verdict of all pages that link here
	signalOften         // log(1 + the sum of these verdicts)
	signalFolder        // share of relevant pages in its folders
	signalShape         // … among URLs of its shape
	signalPage          // … among the links of its page
	signalBeside        // … among those of them that have its shape
	signalAway          // irrelevant pages since the last relevant one
	signalNamed         // whether it names the language of the crawl (1) or another (-1)
)

// firstSignals are the weights of the signals before anything was learned.
var firstSignals = signals{3, 1, 1.5, 1, 0.5, 0.3, 0.7, 0.7, 0.7, 0.7, -0.2, 2}

// How many pages the assumed share counts for, before the first page is seen: with few pages a share stays near the
// assumed one.
const (
	smoothFolder = 3
	smoothBeside = 3 // also for a page or a shape alone
	smoothCited  = 2
)

// foldersOf returns the hashes of the host and the first two folders of a URL, and how many of these there are.
func foldersOf(url string) (folders [3]uint64, n int) {
	p := placeOf(url, len(folders)-1)
	return [3]uint64(p.keys[:3]), p.n
}

// signals returns the signals of a link, except signalBeside.
func (r *reinforceLinear) signals(k *linkKnown) (x signals) {
	all := r.shares.overall()
	odds := logOdds(all)
	x[signalAnchor], x[signalAround], x[signalURL] = k.anchor, k.around, k.url
	x[signalBest] = k.best
	x[signalCited] = logOdds((k.cited.Hit+smoothCited*all)/(k.cited.N+smoothCited)) - odds
	x[signalOften] = math.Log1p(k.cited.Hit)
	share := all
	for _, key := range k.folders[:k.depth] {
		share = r.shares.of(key, share, smoothFolder)
	}
	x[signalFolder] = logOdds(share) - odds
	x[signalShape] = logOdds(r.shares.of(k.shape, all, smoothBeside)) - odds
	x[signalPage] = logOdds(r.shares.of(k.page, all, smoothBeside)) - odds
	x[signalAway] = min(k.away, 5)
	x[signalNamed] = k.named
	return x
}

// besideSignal returns the signal of the links of one page and shape: the share of relevant pages among those of them
// that were fetched.
func (r *reinforceLinear) besideSignal(g *besideKnown) float64 {
	all := r.shares.overall()
	return logOdds((g.fetched.Hit+smoothBeside*all)/(g.fetched.N+smoothBeside)) - logOdds(all)
}

// beside returns what the links beside a link add to its score: what those that were fetched have shown, and a bonus
// for what the others may show. The bonus is greater if there are many of them, if few of them were fetched, and if few
// pages were relevant lately.
func (r *reinforceLinear) beside(g *besideKnown) float64 {
	bonus := r.many * math.Log1p(g.links) / (1 + g.fetched.N) * max(0, 1-1.5*r.lately)
	return r.relevant.weights[signalBeside]*r.besideSignal(g) + bonus
}

// answer returns the chance that the links of g are answered. A seed counts as answered, since somebody asked for it.
func (r *reinforceLinear) answer(g *besideKnown) float64 {
	if g.way.n == 0 {
		return 1
	}
	return r.answers.chance(&g.way)
}

// value returns what the page of a link is worth, without what beside adds.
func (r *reinforceLinear) value(k *linkKnown) float64 {
	x := r.signals(k)
	odds := logOdds(r.shares.overall())
	v := odds + r.relevant.logOdds(&x, k.features)
	if r.gamma > 0 {
		v += r.gamma * min(max(r.leads.logOdds(&x, k.features), -3), 3)
	}
	if r.explore > 0 {
		v += r.explore * r.relevant.words.unsure(k.features) / math.Sqrt(1+r.pages/100)
	}
	return v
}

// because explains the score of a link to people.
func (r *reinforceLinear) because(k *linkKnown, g *besideKnown) string {
	x := r.signals(k)
	x[signalBeside] = r.besideSignal(g)
	chance := logistic(logOdds(r.shares.overall()) + r.relevant.logOdds(&x, k.features))
	why := new(reasons).and("answered", r.answer(g)).and("chance", chance)
	for i, name := range [...]string{"anchor", "around", "url", "page", "pages", "often", "folder", "shape", "page's links", "beside", "away", "named language"} {
		if part := r.relevant.weights[i] * x[i]; math.Abs(part) > 0.2 {
			why.and(name, part)
		}
	}
	return why.and("words", r.relevant.words.sum(k.features)).and("leads on", r.leads.logOdds(&x, k.features)).String()
}

// linkFeatures returns the features of a link, hashed: its words, its host and path, and where in its page it is.
func linkFeatures(c *Candidate) []uint16 {
	f := make([]uint16, 0, 24)
	several := func(kind uint64, text string, most int) {
		n := 0
		eachWord(text, func(word uint64) {
			if n++; n <= most {
				f = append(f, feature(kind, word))
			}
		})
	}
	several('a', c.Link.Anchor, 8)
	several('u', asWords(c.Task.URL), 8)
	several('c', c.Link.Around, 8)
	host, path, _ := split(c.Task.URL)
	h := hash(host)
	last := hash(c.Link.Anchor)
	f = append(f, feature('t', last), feature('s', shapeOf(c.Task.URL)), feature('h', h), feature('x', joined(h, hash(extension(path)))),
		feature('d', uint64(min(len(segments(path)), 8))), feature('k', uint64(c.Task.Hops)), feature('e', hash(c.Link.Element)))
	if c.Parent != nil {
		f = append(f, feature('p', hash(c.Parent.Task.URL)), feature('o', uint64(min(c.Link.Position/8, 16))))
		if parent := hostKey(c.Parent.Task.URL); parent != h {
			f = append(f, feature('j', 1))
		}
	}
	return f
}
