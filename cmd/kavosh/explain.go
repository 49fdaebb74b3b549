package main

// This file is the flag --explain of kavosh crawl: it says what the scope would do with a URL, and crawls nothing.

import (
	"bufio"
	"encoding/json"
	"fmt"

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
}

// explain answers for each URL of --explain as if the first seed linked to it.
func (c *crawlCmd) explain(p *program, list *seeds.List) error {
	s, err := scope.New(c.ScopeOptions())
	if err != nil {
		return usageError{err.Error()}
	}
	if list.First == "" {
		return usage("--explain needs seeds to measure by: name them after the flags")
	}
	all := map[string]bool{}
	for seed, err := range list.All() {
		if err != nil {
			continue // answered already
		}
		all[seed.URL] = true
		if err := s.AddSeed(seed.URL); err != nil {
			return usageError{err.Error()}
		}
		if seed.Plan != nil {
			if err := s.SetPlan(seed.URL, seed.Plan); err != nil {
				return usageError{err.Error()}
			}
		}
	}
	parent := &kavosh.Task{URL: list.First, Seed: list.First, Path: "S"}
	say := func(url string) error {
		e := explainOne(s, parent, all, url)
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
		_, err := fmt.Fprintf(p.out, "%s  %s  %s\n", verdict, name, e.Rule)
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

func explainOne(s *scope.Scope, parent *kavosh.Task, all map[string]bool, url string) explained {
	e := explained{URL: weburl.Hide(url)}
	var err error
	if e.Key, err = seeds.Key(url); err != nil {
		e.Rule = err.Error()
		return e
	}
	if all[e.Key] {
		parent = nil // the URL is a seed itself
	}
	link := kavosh.Link{URL: e.Key, Kind: kavosh.Navigation}
	if parent == nil {
		link.Kind = kavosh.Seed
	}
	d := s.Judge(&link, parent)
	e.In, e.Rule = d.In, d.Rule
	return e
}
