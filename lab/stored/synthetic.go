package stored

// This file generates stored webs from a few numbers.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Synthetic describes a generated web: pages on hosts, some of them relevant, which link to each other more than by
// chance. Defaults are beside the fields.
type Synthetic struct {
	Pages    int     // 10,000
	Hosts    int     // 100
	Degree   float64 // mean number of links per page, 12
	Relevant float64 // share of the pages that are relevant, 0.05
	Locality float64 // how much more often than by chance a page links to its own kind, 0 to 1: 0.6
	Clusters float64 // how concentrated relevant pages are on few hosts, 0 to 1: 0.5
	Inside   float64 // share of links within a host, 0.75
	Missing  float64 // share of links to pages that do not exist, 0.05
	Hint     float64 // how often an anchor text tells the topic of the page, 0.5
	Seed     uint64
}

// fields returns the numbers that a specification can set, in the order for errors.
func (s *Synthetic) fields() (names []string, set map[string]func(float64)) {
	set = map[string]func(float64){
		"pages": func(v float64) { s.Pages = int(v) }, "hosts": func(v float64) { s.Hosts = int(v) }, "degree": func(v float64) { s.Degree = v },
		"relevant": func(v float64) { s.Relevant = v }, "locality": func(v float64) { s.Locality = v },
		"clusters": func(v float64) { s.Clusters = v },
		"inside":   func(v float64) { s.Inside = v }, "missing": func(v float64) { s.Missing = v }, "hint": func(v float64) { s.Hint = v },
		"seed": func(v float64) { s.Seed = uint64(v) },
	}
	return []string{"pages", "hosts", "degree", "relevant", "locality", "clusters", "inside", "missing", "hint", "seed"}, set
}

// ParseSynthetic parses "name=value,…" and uses defaults for the rest.
func ParseSynthetic(spec string) (*Synthetic, error) {
	s := &Synthetic{Pages: 10_000, Hosts: 100, Degree: 12, Relevant: 0.05, Locality: 0.6, Clusters: 0.5, Inside: 0.75,
		Missing: 0.05, Hint: 0.5, Seed: 1}
	names, set := s.fields()
	for part := range strings.SplitSeq(spec, ",") {
		if part == "" {
			continue
		}
		name, text, _ := strings.Cut(part, "=")
		f := set[name]
		v, err := strconv.ParseFloat(text, 64)
		if f == nil || err != nil || v < 0 || v > 1e8 || math.IsNaN(v) {
			return nil, fmt.Errorf("synthetic web: %q is not understood: write NAME=NUMBER, from 0 to 100000000, NAME being one of %s", part, strings.Join(names, ", "))
		}
		f(v)
	}
	for _, share := range []float64{s.Relevant, s.Locality, s.Clusters, s.Inside, s.Missing, s.Hint} {
		if share > 1 {
			return nil, fmt.Errorf("synthetic web: a share of %v is above 1: write one from 0 to 1", share)
		}
	}
	if s.Pages < 2 || s.Pages > 5_000_000 || s.Hosts < 1 || s.Hosts > s.Pages || s.Degree < 1 || s.Degree > 500 {
		return nil, fmt.Errorf("synthetic web: pages must be from 2 to 5000000, hosts from 1 to pages, degree from 1 to 500")
	}
	return s, nil
}

// SyntheticTopic is the word on relevant pages of a synthetic web, and their label.
const SyntheticTopic = "relevant"

// filler are words without a topic.
var filler = [...]string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "omicron"}

// Web generates the web: always the same for the same numbers.
func (s *Synthetic) Web() *Web {
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	hostOf, relevant := s.assignHosts(rng)
	byHost := make([][]int32, s.Hosts)
	var kinds [2][]int32 // all pages, and the relevant ones
	for i := range s.Pages {
		byHost[hostOf[i]] = append(byHost[hostOf[i]], int32(i))
		kinds[0] = append(kinds[0], int32(i))
		if relevant[i] {
			kinds[1] = append(kinds[1], int32(i))
		}
	}
	urls := make([]string, s.Pages)
	for h, pages := range byHost {
		for n, i := range pages {
			urls[i] = fmt.Sprintf("http://h%d.test/%d/%d.html", h, n%7, n)
		}
		if len(pages) > 0 {
			urls[pages[0]] = fmt.Sprintf("http://h%d.test/", h)
		}
	}
	pages := make([]GraphPage, s.Pages)
	b := newBuilder(fmt.Sprintf("synthetic-%d", s.Seed))
	for i := range pages {
		pages[i] = s.page(rng, i, urls, hostOf, relevant, byHost, kinds[1])
		a := pages[i].answer()
		b.add(pages[i].URL, &a, pages[i].Labels)
	}
	b.web.answer = func(i int) (Answer, error) { return pages[i].answer(), nil }
	return b.web
}

// assignHosts places pages on hosts, few of them large, and says which are relevant.
func (s *Synthetic) assignHosts(rng *rand.Rand) (hostOf []int, relevant []bool) {
	hostOf, relevant = make([]int, s.Pages), make([]bool, s.Pages)
	want := int(s.Relevant * float64(s.Pages))
	for i := range hostOf {
		if i < s.Hosts {
			hostOf[i] = i
			continue
		}
		hostOf[i] = int(float64(s.Hosts) * math.Pow(rng.Float64(), 2))
	}
	homes := rng.Perm(s.Hosts)[:max(1, s.Hosts/10)]
	for tries := 0; want > 0 && tries < 100*s.Pages; tries++ {
		i := rng.IntN(s.Pages)
		if relevant[i] || rng.Float64() < s.Clusters && !slices.Contains(homes, hostOf[i]) {
			continue
		}
		relevant[i] = true
		want--
	}
	return hostOf, relevant
}

// page makes page i with its links.
func (s *Synthetic) page(rng *rand.Rand, i int, urls []string, hostOf []int, relevant []bool, byHost [][]int32, like []int32) GraphPage {
	p := GraphPage{URL: urls[i], Status: 200, Title: fmt.Sprintf("Page %d", i)}
	var text []string
	for range 20 + rng.IntN(40) {
		text = append(text, filler[rng.IntN(len(filler))])
	}
	if relevant[i] {
		p.Labels = []string{SyntheticTopic}
		for range 3 {
			text[rng.IntN(len(text))] = SyntheticTopic
		}
	}
	p.Text = strings.Join(text, " ")
	link := func(to string, about bool) {
		anchor := filler[rng.IntN(len(filler))]
		if about && rng.Float64() < s.Hint {
			anchor = SyntheticTopic
		}
		p.Links = append(p.Links, GraphLink{URL: to, Anchor: anchor, Around: filler[rng.IntN(len(filler))]})
	}
	if i+1 < len(urls) { // a chain, so that every page can be reached
		link(urls[i+1], relevant[i+1])
	}
	for range int(s.Degree * (0.5 + rng.Float64())) {
		home := byHost[hostOf[i]]
		to := int32(rng.IntN(s.Pages))
		switch {
		case rng.Float64() < s.Missing:
			link(fmt.Sprintf("http://h%d.test/gone/%d", hostOf[i], rng.IntN(1<<20)), false)
			continue
		case relevant[i] && len(like) > 0 && rng.Float64() < s.Locality:
			to = like[rng.IntN(len(like))]
		case rng.Float64() < s.Inside:
			to = home[rng.IntN(len(home))]
		}
		link(urls[to], relevant[to])
	}
	return p
}
