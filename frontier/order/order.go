// Package order holds the policies that say which of a host's waiting URLs comes first: one file a policy, one line in List.
//
// A policy is a function from a candidate to a score; the higher score is asked sooner. It is called once for each URL
// that is new to the crawl, when the URL is queued. What is asked before everything (robots.txt) and after everything
// (guessed links) is the frontier's own rule, not a policy's.
package order

import (
	"fmt"
	"slices"
	"strings"

	"kavosh"
)

// Candidate is a URL about to be queued, with all that is known of it before it is fetched.
type Candidate struct {
	Link *kavosh.Link // how it was found
	Task *kavosh.Task // as it will be queued: Hops, Path, Via, Seed are set, ID and Score are not yet
}

// Policy scores a candidate and says why in a few words for people, such as "2 hops from its seed".
// It must not keep the candidate, and must be safe for concurrent use. A score that is not a number counts as 0.
type Policy func(c *Candidate) (score float64, why string)

// Entry is one line of List: a policy that --order can name.
type Entry struct {
	Name   string
	About  string   // one line for people
	Params []string // keys that New understands
	New    func(params map[string]string) (Policy, error)
}

// List is every policy, in the order in which help shows them. The first is the default.
func List() []Entry {
	return []Entry{
		{Name: "breadth", About: "fewest navigation steps from a seed first, then first found", New: newBreadth},
		{Name: "depth", About: "most navigation steps from a seed first, then first found", New: newDepth},
	}
}

// Parse makes the policy that spec names: NAME or NAME,key=value,…; the empty spec is the first of List.
// Its errors name the part that is wrong and what may stand there.
func Parse(spec string) (Policy, error) {
	list := List()
	if spec == "" {
		return list[0].New(nil)
	}
	name, rest, _ := strings.Cut(spec, ",")
	i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		names := make([]string, len(list))
		for i, e := range list {
			names[i] = e.Name
		}
		return nil, fmt.Errorf("order %q: no policy of that name; use one of %s", name, strings.Join(names, ", "))
	}
	e := list[i]
	params := make(map[string]string)
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(part, "=")
		switch {
		case !ok:
			return nil, fmt.Errorf("order %q: parameter %q has no value; write key=value", name, part)
		case !slices.Contains(e.Params, key) && len(e.Params) == 0:
			return nil, fmt.Errorf("order %q: unknown parameter %q; %s takes none", name, key, name)
		case !slices.Contains(e.Params, key):
			return nil, fmt.Errorf("order %q: unknown parameter %q; use one of %s", name, key, strings.Join(e.Params, ", "))
		}
		if _, twice := params[key]; twice {
			return nil, fmt.Errorf("order %q: parameter %q is given twice; keep one", name, key)
		}
		params[key] = value
	}
	p, err := e.New(params)
	if err != nil {
		return nil, fmt.Errorf("order %q: %w", name, err)
	}
	return p, nil
}
