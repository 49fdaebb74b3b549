package quality

// This file sorts pages into groups of like behaviour. Pages of a group are taken to be drawn from one chance of each finding in each
// crawl (latent classes, with a Dirichlet prior: the score of a group is the logarithm of how likely its pages are under all such
// chances). Groups are split from the top as long as the score grows: by what one crawl found, in the way that gains most, after which
// pages change over to the half that they are more likely in. Last, groups are joined if that is more likely than both.
//
// For n pages, k crawls and g groups that takes O(n·k·g) steps, and for splitting O(g·k²) words of bits of at most maxLearnt pages.

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Bounds of groups.
const (
	maxGroups  = 24
	maxLearnt  = 2048 // pages by which groups are found; others only join them
	maxRounds  = 8    // in which pages change over
	maxTries   = 3    // ways to split a group that are looked at closely
	maxTelling = 10
)

// Group is pages that behave alike.
type Group struct {
	Pages int   `json:"pages"`
	Habit Habit `json:"habit"`
	// Like is a page that is as likely as they are on average.
	Like string `json:"like"`

	tally tally
}

// Telling is a page that behaves unlike its group.
type Telling struct {
	URL   string   `json:"url"`
	Group int      `json:"group"`
	Off   float64  `json:"off"` // how much more or less likely it is than a page of its group is on average, in standard deviations
	At    []Unlike `json:"at"`  // the crawls that found something else than of the group, at most maxUnlike
	More  int      `json:"more,omitempty"`
}

// Unlike is what one crawl found of a page.
type Unlike struct {
	Crawl int  `json:"crawl"` // its place
	Seen  Seen `json:"seen"`
}

const maxUnlike = 3

// tally counts what each crawl found of the pages of a group.
type tally struct {
	pages int
	seen  [][kinds]int // by crawl
}

func newTally(visits int) tally { return tally{seen: make([][kinds]int, visits)} }

// add adds n times a page: 1, or -1 to take it away.
func (t *tally) add(seen []Seen, n int) {
	t.pages += n
	for k, s := range seen {
		t.seen[k][s.kind()] += n
	}
}

// plus returns the tally of both.
func (t *tally) plus(o *tally) tally {
	sum := newTally(len(t.seen))
	sum.pages = t.pages + o.pages
	for k := range sum.seen {
		for s := range kinds {
			sum.seen[k][s] = t.seen[k][s] + o.seen[k][s]
		}
	}
	return sum
}

// mostly returns what a crawl found of most pages.
func (t *tally) mostly(k int) Seen {
	best := NotSeen
	for s := range kinds {
		if t.seen[k][s] > t.seen[k][best] {
			best = Seen(s)
		}
	}
	return best
}

// prior is what is believed of the chance of each finding before any page is seen: how frequent it is in all.
type prior struct {
	weight [kinds]float64
	sum    float64
	gamma  [kinds + 1][]float64 // logarithms of Γ(weight + n) - Γ(weight); the last of sum
	half   []float64            // of 1/2
}

// priorWeight is as how many pages a prior counts.
const priorWeight = 1

func newPrior(pages []Behaved) *prior {
	var found [kinds]float64
	all := 0.0
	for i := range pages {
		for _, s := range pages[i].Seen {
			found[s.kind()]++
			all++
		}
	}
	p := &prior{}
	for s := range kinds {
		p.weight[s] = 0.05 + priorWeight*found[s]/max(1, all)
		p.sum += p.weight[s]
	}
	for s := range kinds {
		p.gamma[s] = gammas(p.weight[s], len(pages))
	}
	p.gamma[kinds], p.half = gammas(p.sum, len(pages)), gammas(0.5, len(pages))
	return p
}

// gammas returns ln Γ(x+n) - ln Γ(x) for n up to most.
func gammas(x float64, most int) []float64 {
	all := make([]float64, most+1)
	for n := range most {
		all[n+1] = all[n] + math.Log(x+float64(n))
	}
	return all
}

// score is the logarithm of how likely the pages of a group are.
func (p *prior) score(t *tally) (sum float64) {
	for k := range t.seen {
		sum -= p.gamma[kinds][t.pages]
		for s, n := range t.seen[k] {
			sum += p.gamma[s][n]
		}
	}
	return sum
}

// label is the logarithm of how likely it is that so many pages fall to each of two groups, in this order.
func (p *prior) label(a, b int) float64 {
	all, _ := math.Lgamma(float64(a+b) + 1)
	return p.half[a] + p.half[b] - all
}

// chances are the logarithms of how likely each finding is of a page of a group.
func (p *prior) chances(t *tally) [][kinds]float64 {
	c := make([][kinds]float64, len(t.seen))
	for k := range c {
		for s := range kinds {
			c[k][s] = math.Log((float64(t.seen[k][s]) + p.weight[s]) / (float64(t.pages) + p.sum))
		}
	}
	return c
}

// likely is the logarithm of how likely a page is under chances.
func likely(c [][kinds]float64, seen []Seen) (sum float64) {
	for k, s := range seen {
		sum += c[k][s.kind()]
	}
	return sum
}

// Group sorts the pages into groups, and puts both in the order of the picture: each group beside the one that is most like it, the
// steadiest first; its pages by how often they changed. The same pages give the same groups.
func (g *Grid) Group() {
	if len(g.Pages) == 0 {
		return
	}
	p := newPrior(g.Pages)
	learnt := g.Pages[:min(len(g.Pages), maxLearnt)] // they are in an order of chance
	all := make([]int, len(learnt))
	for i := range all {
		all[i] = i
	}
	var tallies []tally
	for _, members := range p.splitAll(learnt, all) {
		t := newTally(len(g.Visits))
		for _, i := range members {
			t.add(learnt[i].Seen, 1)
		}
		tallies = append(tallies, t)
	}
	tallies = p.join(tallies)
	tallies = p.settle(g.Pages, tallies)
	g.order(p, tallies)
}

// splitAll splits pages as long as groups gain by it.
func (p *prior) splitAll(pages []Behaved, all []int) (groups [][]int) {
	open := [][]int{all}
	for len(open) > 0 {
		members := open[len(open)-1]
		open = open[:len(open)-1]
		a, b := p.split(pages, members)
		if b == nil || len(groups)+len(open) >= 2*maxGroups {
			groups = append(groups, members)
			continue
		}
		open = append(open, a, b)
	}
	return groups
}

// split splits pages in two; b is nil if nothing is gained.
func (p *prior) split(pages []Behaved, members []int) (a, b []int) {
	if len(members) < 2 {
		return members, nil
	}
	visits := len(pages[0].Seen)
	whole := newTally(visits)
	for _, i := range members {
		whole.add(pages[i].Seen, 1)
	}
	alone, best := p.score(&whole), 0.0
	for _, way := range p.ways(pages, members, &whole) {
		in := make([]bool, len(members))
		for at, i := range members {
			in[at] = pages[i].Seen[way.visit].kind() == way.kind
		}
		one, other := p.changeOver(pages, members, in)
		if one.pages == 0 || other.pages == 0 {
			continue
		}
		gain := p.score(one) + p.score(other) + p.label(one.pages, other.pages) - alone
		if gain <= best {
			continue
		}
		best, a, b = gain, nil, nil
		for at, i := range members {
			if in[at] {
				a = append(a, i)
			} else {
				b = append(b, i)
			}
		}
	}
	return a, b
}

// way is a way to split pages: by what a crawl found.
type way struct {
	visit, kind int
	gain        float64
}

// ways returns the ways to split pages that gain most.
func (p *prior) ways(pages []Behaved, members []int, whole *tally) []way {
	words := (len(members) + 63) / 64
	sets := make([][kinds][]uint64, len(whole.seen)) // which pages, by crawl and finding
	for k := range sets {
		for s := range kinds {
			if whole.seen[k][s] > 0 {
				sets[k][s] = make([]uint64, words)
			}
		}
		for at, i := range members {
			sets[k][pages[i].Seen[k].kind()][at/64] |= 1 << (at % 64)
		}
	}
	var list []way
	for k := range sets {
		for s, set := range sets[k] {
			if set == nil || whole.seen[k][s] == whole.pages {
				continue
			}
			one, other := newTally(len(sets)), newTally(len(sets))
			one.pages, other.pages = whole.seen[k][s], whole.pages-whole.seen[k][s]
			for at := range sets {
				for of, beside := range sets[at] {
					if beside != nil {
						one.seen[at][of] = common(set, beside)
						other.seen[at][of] = whole.seen[at][of] - one.seen[at][of]
					}
				}
			}
			list = append(list, way{k, s, p.score(&one) + p.score(&other) + p.label(one.pages, other.pages)})
		}
	}
	slices.SortStableFunc(list, func(a, b way) int { return cmp.Compare(b.gain, a.gain) })
	return list[:min(len(list), maxTries)]
}

// common counts the bits that two sets have in common.
func common(a, b []uint64) (n int) {
	for i := range a {
		n += bits.OnesCount64(a[i] & b[i])
	}
	return n
}

// changeOver lets pages change over between two groups to the one that they are more likely in.
func (p *prior) changeOver(pages []Behaved, members []int, in []bool) (one, other *tally) {
	a, b := newTally(len(pages[0].Seen)), newTally(len(pages[0].Seen))
	of := map[bool]*tally{true: &a, false: &b}
	for at, i := range members {
		of[in[at]].add(pages[i].Seen, 1)
	}
	for range maxRounds {
		chancesA, chancesB := p.chances(&a), p.chances(&b)
		share := math.Log((float64(a.pages) + 0.5) / (float64(b.pages) + 0.5))
		moved := false
		for at, i := range members {
			if better := likely(chancesA, pages[i].Seen)+share > likely(chancesB, pages[i].Seen); better != in[at] {
				of[in[at]].add(pages[i].Seen, -1)
				of[better].add(pages[i].Seen, 1)
				in[at], moved = better, true
			}
		}
		if !moved {
			break
		}
	}
	return &a, &b
}

// join joins groups that are more likely to be one, and those that are the most like each other until there are few enough.
func (p *prior) join(tallies []tally) []tally {
	for len(tallies) > 1 {
		gain, a, b := math.Inf(-1), 0, 0
		for i := range tallies {
			for j := range i {
				sum := tallies[i].plus(&tallies[j])
				if own := p.score(&sum) - p.score(&tallies[i]) - p.score(&tallies[j]) - p.label(tallies[i].pages, tallies[j].pages); own > gain {
					gain, a, b = own, j, i
				}
			}
		}
		if gain < 0 && len(tallies) <= maxGroups {
			break
		}
		tallies[a] = tallies[a].plus(&tallies[b])
		tallies = slices.Delete(tallies, b, b+1)
	}
	return tallies
}

// settle lets all pages join the group that they are most likely in, and returns the groups that have pages.
func (p *prior) settle(pages []Behaved, tallies []tally) []tally {
	for range maxRounds {
		moved := false
		var chances [][][kinds]float64
		for i := range tallies {
			chances = append(chances, p.chances(&tallies[i]))
		}
		next := make([]tally, len(tallies))
		for i := range next {
			next[i] = newTally(len(tallies[i].seen))
		}
		for i := range pages {
			b, best := &pages[i], math.Inf(-1)
			group := 0
			for to := range tallies {
				if fit := likely(chances[to], b.Seen) + math.Log(float64(tallies[to].pages)+0.5); fit > best {
					group, best = to, fit
				}
			}
			moved = moved || group != b.Group
			b.Group = group
			next[group].add(b.Seen, 1)
		}
		if tallies = next; !moved {
			break
		}
	}
	place := make([]int, len(tallies))
	var kept []tally
	for i := range tallies {
		if place[i] = len(kept); tallies[i].pages > 0 {
			kept = append(kept, tallies[i])
		}
	}
	for i := range pages {
		pages[i].Group = place[pages[i].Group]
	}
	return kept
}

// order puts groups and pages in the order of the picture, and finds the pages that are unlike their groups.
func (g *Grid) order(p *prior, tallies []tally) {
	chain := chained(tallies)
	place := make([]int, len(tallies))
	g.Groups = []Group{}
	var chances [][][kinds]float64
	for to, from := range chain {
		place[from] = to
		t := tallies[from]
		g.Groups = append(g.Groups, Group{Pages: t.pages, Habit: t.habit(g.Visits), tally: t})
		chances = append(chances, p.chances(&t))
	}
	fits := make([]float64, len(g.Pages))
	sums := make([]struct{ fit, square float64 }, len(g.Groups))
	for i := range g.Pages {
		b := &g.Pages[i]
		b.Group = place[b.Group]
		fits[i] = likely(chances[b.Group], b.Seen)
		sums[b.Group].fit += fits[i]
		sums[b.Group].square += fits[i] * fits[i]
	}
	nearest := slices.Repeat([]float64{math.Inf(1)}, len(g.Groups))
	g.Telling = []Telling{}
	for i := range g.Pages {
		b := &g.Pages[i]
		of, n := &g.Groups[b.Group], float64(g.Groups[b.Group].Pages)
		mean := sums[b.Group].fit / n
		off := math.Abs(fits[i] - mean)
		if off < nearest[b.Group] || off == nearest[b.Group] && b.URL < of.Like {
			nearest[b.Group], of.Like = off, b.URL
		}
		if t := g.unlike(b); t.At != nil {
			t.Off = off / math.Sqrt(max(1, sums[b.Group].square/n-mean*mean))
			g.Telling = append(g.Telling, t)
		}
	}
	slices.SortFunc(g.Telling, func(a, b Telling) int { return cmp.Or(cmp.Compare(b.Off, a.Off), strings.Compare(a.URL, b.URL)) })
	g.Telling = slices.Clone(g.Telling[:min(len(g.Telling), maxTelling)])
	slices.SortFunc(g.Pages, func(a, b Behaved) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.changes(), b.changes()), slices.Compare(a.Seen, b.Seen), strings.Compare(a.URL, b.URL))
	})
}

// changes counts the crawls that found a change.
func (b *Behaved) changes() (n int) {
	for _, s := range b.Seen {
		if s == Changed {
			n++
		}
	}
	return n
}

// unlike says where a page is unlike most of its group.
func (g *Grid) unlike(b *Behaved) Telling {
	t := Telling{URL: b.URL, Group: b.Group}
	for k, s := range b.Seen {
		if s.kind() == g.Groups[b.Group].tally.mostly(k).kind() {
			continue
		}
		if len(t.At) < maxUnlike {
			t.At = append(t.At, Unlike{k, s})
		} else {
			t.More++
		}
	}
	return t
}

// chained returns groups, each beside the one that is most like it: the first is the one that changes least.
func chained(tallies []tally) []int {
	steadiest := func(i int) float64 {
		n := 0.0
		for k := range tallies[i].seen {
			n += float64(tallies[i].seen[k][Same]) / float64(tallies[i].pages)
		}
		return n
	}
	left := make([]int, len(tallies))
	for i := range left {
		left[i] = i
	}
	at := slices.MaxFunc(left, func(a, b int) int { return cmp.Compare(steadiest(a), steadiest(b)) })
	var chain []int
	for {
		chain = append(chain, at)
		if left = slices.DeleteFunc(left, func(i int) bool { return i == at }); len(left) == 0 {
			return chain
		}
		last := &tallies[at]
		at = slices.MinFunc(left, func(a, b int) int { return cmp.Compare(apart(last, &tallies[a]), apart(last, &tallies[b])) })
	}
}

// apart is how unlike two groups are: the sum over all crawls of the differences of shares.
func apart(a, b *tally) (sum float64) {
	for k := range a.seen {
		for s := range kinds {
			sum += math.Abs(float64(a.seen[k][s])/float64(a.pages) - float64(b.seen[k][s])/float64(b.pages))
		}
	}
	return sum
}
