package changing

// This file visits all pages of a web, and then all once more, as a crawl with two rounds does (schedule/second.go).

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"kavosh/schedule"
)

// Twice is a crawl of two rounds, each of all pages, evenly apart from the start of what is measured.
type Twice struct {
	Web   *Web
	Hours float64 // of a round
}

// at returns when the k-th visit of the first round is made, and of the second from len(Pages) on.
func (c *Twice) at(k int) int64 {
	return c.Web.Start + int64(float64(k)*c.Hours*3600/float64(len(c.Web.Pages)))
}

// Unchanged returns the share of pages that do not change between their visits, if the rounds go in these orders.
func (c *Twice) Unchanged(first, second []int) float64 {
	n := len(c.Web.Pages)
	visited := make([]int64, n)
	for k, i := range first {
		visited[i] = c.at(k)
	}
	same := 0
	for k, i := range second {
		if p := &c.Web.Pages[i]; p.version(visited[i]) == p.version(c.at(n+k)) {
			same++
		}
	}
	return float64(same) / float64(n)
}

// Oracle returns the greatest share that any second round can have after a first: pages go by when they change next, and those
// that no place is left for are left out.
func (c *Twice) Oracle(first []int) float64 {
	n := len(c.Web.Pages)
	var until []int64
	for k, i := range first {
		p := &c.Web.Pages[i]
		if v := p.version(c.at(k)); v < len(p.Changes) {
			until = append(until, p.Changes[v].At)
		} else {
			until = append(until, c.at(2*n))
		}
	}
	slices.Sort(until)
	kept := 0
	for _, at := range until {
		if c.at(n+kept) < at {
			kept++
		}
	}
	return float64(kept) / float64(n)
}

// Knowledge is what is known of the rates of pages when the second round begins.
type Knowledge string

// What may be known.
const (
	Nil      Knowledge = "nothing"
	Modified Knowledge = "Last-Modified"
	Daily    Knowledge = "seven daily crawls"
	All      Knowledge = "all changes of four weeks" // also those to come
)

// Rates returns how often each page changes an hour, as far as that is known. first is the order of the first round.
func (c *Twice) Rates(of Knowledge, first []int) []float64 {
	w := c.Web
	known := make([]schedule.Known, len(w.Pages))
	for k, i := range first {
		p := &w.Pages[i]
		switch visit := c.at(k); of {
		case Modified:
			if said := p.tell(Capture{i, visit, p.version(visit)}); p.Tells == Truth && !said.IsZero() {
				known[i] = schedule.Known{Changes: 1, Hours: float64(visit-said.Unix()) / 3600}
			}
		case Daily:
			const days, day = 7, 24 * 3600
			changed := 0
			for d := int64(days); d > 0; d-- {
				if p.version(visit-d*day) != p.version(visit-(d-1)*day) {
					changed++
				}
			}
			known[i] = schedule.Counted(days+1, changed, days*24)
		case All:
			known[i] = schedule.Known{Changes: float64(len(p.Changes)), Hours: float64(w.End-w.Begin) / 3600}
		}
	}
	sites := map[uint32]schedule.Known{}
	var all schedule.Known
	for i := range known {
		site := sites[w.Pages[i].Site]
		site.Add(known[i])
		sites[w.Pages[i].Site] = site
		all.Add(known[i])
	}
	rates := make([]float64, len(known))
	for i := range known {
		site := sites[w.Pages[i].Site]
		rates[i] = schedule.Drawn(known[i], site, site, all)
	}
	return rates
}

// Orders are the names of what Order knows.
func Orders() []string {
	return []string{"loss", "sharc", "most changing first", "least changing first", "as visited", "last visited first", "random"}
}

// Order returns an order of the second round: "loss" is that of crawls, "sharc" goes from the most changing page to the least
// and leaves for the end what has changed by its beginning with a chance of 95 %.
func (c *Twice) Order(name string, first []int, rates []float64, seed uint64) []int {
	n := len(first)
	rng := rand.New(rand.NewPCG(seed, 22))
	score := make([]float64, n) // the greatest comes first
	for k, i := range first {
		seen := schedule.Seen{Rate: rates[i], Since: float64(c.at(n)-c.at(k)) / 3600}
		switch name {
		case "loss":
			score[i] = seen.Loss(c.Hours)
		case "sharc":
			if score[i] = seen.Rate; seen.Same() < 0.05 {
				score[i] -= 1e6
			}
		case "most changing first":
			score[i] = seen.Rate
		case "least changing first":
			score[i] = -seen.Rate
		case "as visited":
			score[i] = -float64(k)
		case "last visited first":
			score[i] = float64(k)
		case "random":
			score[i] = rng.Float64()
		}
	}
	order := slices.Clone(first)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return order
}

// First returns the order of a first round in which links are found: by chance.
func (c *Twice) First(seed uint64) []int {
	return rand.New(rand.NewPCG(seed, 21)).Perm(len(c.Web.Pages))
}
