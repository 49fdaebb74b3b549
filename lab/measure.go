package lab

// This file measures one run: what it found, and how soon.

import (
	"math"
	"slices"
)

// Point is the state of a run after a number of answered requests.
type Point struct {
	Fetches int `json:"n"`
	Missing int `json:"missing,omitempty"` // requests so far without a stored response
	Texts   int `json:"texts"`             // distinct relevant texts found
	Pages   int `json:"pages"`             // relevant pages fetched, those with the same text counted each
	// hosts, and registered domains, of these
	RelevantHosts   int     `json:"relevant_hosts"`
	RelevantDomains int     `json:"relevant_domains"`
	Hosts           float64 `json:"hosts"`           // share of the reachable hosts
	Rank            float64 `json:"rank"`            // share of the reachable PageRank
	Inward          float64 `json:"inward"`          // share of the links to reachable pages
	Hours           float64 `json:"hours,omitempty"` // simulated time
}

// Goal says how soon a run found what is wanted: by fetches, and by requests, of which those count, too, that are missing.
type Goal struct {
	Course
	Requests Course `json:"requests"`
}

// Course says how soon a run found what is wanted: relevant texts, hosts or domains. Shares are from 0 to 1; steps are
// fetches or requests.
type Course struct {
	Recall  [4]float64 `json:"recall"`  // of what can be reached, after as many steps as 5, 12, 25 and 50 % of the reachable pages
	Harvest [4]float64 `json:"harvest"` // relevant pages, hosts or domains for each step until then
	To      [4]int     `json:"to"`      // steps until 50, 80, 95 and 99 % of the recall; 0 if not reached
	Area    float64    `json:"area"`    // area under recall, over as many steps as there are reachable pages: 0 to 1
}

// Measures are the results of one run. Shares are from 0 to 1. Fetches are answered requests, redirects included.
type Measures struct {
	Fetches         int        `json:"fetches"`
	Missing         int        `json:"missing"`
	Goal                       // relevant texts
	RelevantHosts   Goal       `json:"relevant_hosts"`   // hosts of which a relevant page was found
	RelevantDomains Goal       `json:"relevant_domains"` // … registered domains
	ToHours         [4]float64 `json:"to_hours,omitzero"`
	Early           float64    `json:"early"`    // area under recall over the first fetches, earlyTimes as many as there are relevant texts
	Hosts10         float64    `json:"hosts_10"` // share of the reachable hosts after 10 % of the reachable pages
	Rank10          float64    `json:"rank_10"`  // … of PageRank
	In10            float64    `json:"inward_10"`
	Curve           []Point    `json:"curve"` // at most curvePoints points
}

// Shares are the shares of the reachable pages at which Recall and Harvest are taken. Goals are the recalls of To.
var (
	shares = [...]float64{0.05, 0.12, 0.25, 0.50}
	goals  = [...]float64{0.50, 0.80, 0.95, 0.99}
)

const (
	curvePoints = 201
	earlyTimes  = 1.5
)

// Measure computes the measures of a run.
func (r *Reach) Measure(fetches []Fetch) Measures {
	var m Measures
	var p Point
	texts, hosts := newSet(r.texts), newSet(r.hosts)
	found := [...]struct {
		*Goal
		*set
		all int
	}{{&m.Goal, texts, r.Texts}, {&m.RelevantHosts, newSet(r.hosts), r.RelevantHosts}, {&m.RelevantDomains, newSet(r.domains), r.RelevantDomains}}
	var rank, inward float64
	early, first := 0.0, int(earlyTimes*float64(r.Texts))
	every := max(1, (r.Count+curvePoints-2)/(curvePoints-1))
	m.Curve = append(m.Curve, p)
	for _, f := range fetches {
		i := f.Page
		if i == Missing {
			p.Missing++
			for g := range found {
				found[g].Requests.step(p.requests(), r.Count, found[g].of(found[g].all), p.found(g))
			}
			continue
		}
		p.Fetches++
		hosts.add(r.hostOf[i])
		rank += r.rank[i]
		inward += r.inward[i]
		if w := r.what[i]; w >= 0 {
			p.Pages++
			texts.add(w)
			found[1].add(r.hostOf[i])
			found[2].add(r.domainOf[i])
			p.Texts, p.RelevantHosts, p.RelevantDomains = texts.n, found[1].n, found[2].n
		}
		p.Hosts, p.Rank, p.Inward = brief(hosts.of(r.Hosts)), brief(rank/r.Rank), brief(inward/max(r.Inward, 1e-12))
		p.Hours = brief(f.At.Hours())
		for g := range found {
			f := &found[g]
			recall := f.of(f.all)
			f.step(p.Fetches, r.Count, recall, p.found(g))
			f.Requests.step(p.requests(), r.Count, recall, p.found(g))
		}
		if p.Fetches <= first {
			early += texts.of(r.Texts)
		}
		for g, to := range m.To {
			if to == p.Fetches {
				m.ToHours[g] = p.Hours
			}
		}
		if p.Fetches == max(1, r.Count/10) {
			m.Hosts10, m.Rank10, m.In10 = p.Hosts, p.Rank, p.Inward
		}
		if p.Fetches%every == 0 {
			m.Curve = append(m.Curve, p)
		}
	}
	if last := m.Curve[len(m.Curve)-1]; last.Fetches != p.Fetches || last.Missing != p.Missing {
		m.Curve = append(m.Curve, p)
	}
	m.Fetches, m.Missing = p.Fetches, p.Missing
	if p.Fetches < r.Count/10 {
		m.Hosts10, m.Rank10, m.In10 = p.Hosts, p.Rank, p.Inward
	}
	for g := range found {
		f := &found[g]
		f.end(p.Fetches, r.Count, f.of(f.all), p.found(g))
		f.Requests.end(p.requests(), r.Count, f.of(f.all), p.found(g))
	}
	m.Early = (early + texts.of(r.Texts)*float64(max(first-p.Fetches, 0))) / float64(max(first, 1))
	return m
}

// found returns how many relevant pages, hosts or domains were found.
func (p *Point) found(goal int) int {
	return [...]int{p.Pages, p.RelevantHosts, p.RelevantDomains}[goal]
}

// set is which of some things, numbered from 0, were met, and how many of them.
type set struct {
	has []bool
	n   int
}

func newSet(size int) *set { return &set{has: make([]bool, size)} }

func (s *set) add(i int32) {
	if !s.has[i] {
		s.has[i] = true
		s.n++
	}
}

// of returns the share of all that were met.
func (s *set) of(all int) float64 { return float64(s.n) / float64(max(all, 1)) }

// step notes what a run had found after n steps, on a web of which count pages can be reached. Until end is called,
// Area is a sum over steps.
func (c *Course) step(n, count int, recall float64, found int) {
	if n <= count {
		c.Area += recall
	}
	for g, goal := range goals {
		if c.To[g] == 0 && recall >= goal {
			c.To[g] = n
		}
	}
	for s, share := range shares {
		if n == int(share*float64(count)) {
			c.Recall[s], c.Harvest[s] = recall, float64(found)/float64(n)
		}
	}
}

// end ends a run after n steps. One that ended early keeps what it found.
func (c *Course) end(n, count int, recall float64, found int) {
	for s, share := range shares {
		if n < int(share*float64(count)) {
			c.Recall[s], c.Harvest[s] = recall, float64(found)/float64(max(n, 1))
		}
	}
	c.Area = (c.Area + recall*float64(max(count-n, 0))) / float64(max(count, 1))
}

// After returns the state of the run after it fetched this share of the reachable pages, to the nearest half hundredth.
func (r *Result) After(share float64) Point {
	p := r.Curve[0]
	for _, q := range r.Curve {
		if float64(q.Fetches) > share*float64(r.Reachable) {
			break
		}
		p = q
	}
	return p
}

// brief rounds a number, because stored results contain many.
func brief(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// asFetches turns pages into a run that took no time.
func asFetches(pages []int32) []Fetch {
	fetches := make([]Fetch, len(pages))
	for i, p := range pages {
		fetches[i].Page = p
	}
	return fetches
}

// Ideal holds the maximum that 10 % of the reachable pages could contain, for each measure separately.
type Ideal struct {
	Hosts  float64 `json:"hosts"`
	Rank   float64 `json:"rank"`
	Inward float64 `json:"inward"`
	// fetches of one who knows the web to 80 % of the relevant hosts
	Hosts80 int `json:"relevant_hosts_80"`
}

// Ideal computes it.
func (r *Reach) Ideal() Ideal {
	n := max(1, r.Count/10)
	most := func(of []float64, all float64) float64 {
		var values []float64
		for i, in := range r.Pages {
			if in {
				values = append(values, of[i])
			}
		}
		slices.Sort(values)
		sum := 0.0
		for _, v := range values[len(values)-n:] {
			sum += v
		}
		return brief(sum / max(all, 1e-12))
	}
	hosts := r.Measure(asFetches(r.oracle(r.relevantHosts(), r.hosts)))
	return Ideal{Hosts: min(1, float64(n)/float64(r.Hosts)), Rank: most(r.rank, r.Rank), Inward: most(r.inward, r.Inward), Hosts80: hosts.RelevantHosts.To[1]}
}

// All returns the upper bound for any crawl: every relevant text first, wherever it is, then the rest.
func (r *Reach) All() []int32 {
	texts := make([]bool, r.texts)
	var first, rest []int32
	for i := range r.Pages {
		if !r.Pages[i] {
			continue
		}
		if w := r.what[i]; w >= 0 && !texts[w] {
			texts[w] = true
			first = append(first, int32(i))
			continue
		}
		rest = append(rest, int32(i))
	}
	return append(first, rest...)
}
