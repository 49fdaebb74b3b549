package main

// This file is the flag --explain of kavosh crawl: it says what the scope would do with a URL, and crawls nothing.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
	"kavosh/seeds"
)

// explained is the answer of kavosh crawl --explain for one URL.
type explained struct {
	URL  string `json:"url"`
	Key  string `json:"key,omitempty"` // as the crawl would know it
	In   bool   `json:"in"`
	Rule string `json:"rule"`
	Seed string `json:"seed,omitempty"` // from which the crawl would come to it, if it is not the only one

	From map[kavosh.StandIn]string `json:"from,omitempty"` // where a rule decides by what the linking page stands in for: what it says
}

// explain answers for each URL of --explain as if the seed that is nearest to it linked to it.
func (c *crawlCmd) explain(p *program, list *seeds.List) error {
	s, err := scope.New(c.ScopeOptions())
	if err != nil {
		return usageError{err.Error()}
	}
	if list.First == "" {
		return usage("--explain needs seeds to measure by: name them after the flags")
	}
	all := newSeedSet(list.First)
	for seed, err := range list.All() {
		if err != nil {
			continue // answered already
		}
		all.add(seed.URL)
		if err := s.AddSeed(seed.URL); err != nil {
			return usageError{err.Error()}
		}
		if seed.Plan != nil {
			if err := s.SetPlan(seed.URL, seed.Plan); err != nil {
				return usageError{err.Error()}
			}
		}
	}
	say := func(url string) error {
		e := explainOne(s, all, url)
		if c.JSON {
			return json.NewEncoder(p.out).Encode(e)
		}
		verdict := "out"
		if e.In {
			verdict = "in "
		}
		name := e.Key
		if name == "" {
			name = e.URL
		}
		from := ""
		if e.Seed != "" {
			from = " (found from the seed " + e.Seed + ")"
		}
		_, err := fmt.Fprintf(p.out, "%s  %s  %s%s\n", verdict, name, e.Rule, from)
		for _, kind := range slices.Sorted(maps.Keys(e.From)) {
			_, err = fmt.Fprintf(p.out, "     but where it is found on %s, which only the crawl can tell: %s\n", standIns[kind], e.From[kind])
		}
		return err
	}
	for _, url := range c.Explain {
		if url != "-" {
			if err := say(url); err != nil {
				return err
			}
			continue
		}
		lines := bufio.NewScanner(p.in)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if lines.Text() == "" {
				continue
			}
			if err := say(lines.Text()); err != nil {
				return err
			}
		}
		if err := lines.Err(); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
	}
	return nil
}

func explainOne(s *scope.Scope, all *seedSet, url string) explained {
	e := explained{URL: weburl.Hide(url)}
	var err error
	if e.Key, err = seeds.Key(url); err != nil {
		e.Rule = err.Error()
		return e
	}
	link := kavosh.Link{URL: e.Key, Kind: kavosh.Seed}
	var parent *kavosh.Task
	if seed := all.nearest(e.Key); seed != e.Key {
		link.Kind, parent = kavosh.Navigation, &kavosh.Task{URL: seed, Seed: seed, Path: "S"}
		if all.n > 1 {
			e.Seed = seed
		}
	}
	d := s.Judge(&link, parent)
	e.In, e.Rule = d.In, d.Rule
	for _, kind := range kavosh.StandIns() {
		link.From = kind
		if from := s.Judge(&link, parent); parent != nil && from.Rule != d.Rule {
			if e.From == nil {
				e.From = map[kavosh.StandIn]string{}
			}
			e.From[kind] = from.Rule
		}
	}
	return e
}

// seedSet is the seeds of a crawl by their hosts. Each seed may have rules of its own.
type seedSet struct {
	first  string
	byHost map[string][]string
	n      int
}

func newSeedSet(first string) *seedSet { return &seedSet{first: first, byHost: map[string][]string{}} }

func (all *seedSet) add(seed string) {
	all.byHost[hostOf(seed)] = append(all.byHost[hostOf(seed)], seed)
	all.n++
}

// nearest returns the seed from which a crawl would most likely come to a URL: of those on its host the one with the
// longest beginning in common, otherwise the first seed.
func (all *seedSet) nearest(url string) string {
	nearest, most := all.first, -1
	for _, seed := range all.byHost[hostOf(url)] {
		if n := common(seed, url); n > most || seed == url {
			nearest, most = seed, n
		}
	}
	return nearest
}

// common returns how many bytes a and b have in common at their beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func hostOf(url string) string {
	p, _ := scope.Split(url)
	return p.Host
}
