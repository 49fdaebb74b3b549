package main

// This file compares what crawls of a site found.

// found is what a crawl found of what another did.
type found struct{ links, resources share }

type share struct{ has, of int }

func (s share) value() float64 {
	if s.of == 0 {
		return 1
	}
	return float64(s.has) / float64(s.of)
}

func (s *share) add(t share) { s.has, s.of = s.has+t.has, s.of+t.of }

// recall returns what of the links and resources of always a crawl found. A resource must have been requested, in
// whatever role; a link must be known. What again, if it is not nil, did not find is left out.
func recall(crawl, always, again *run) (f found) {
	for url, of := range always.Met {
		if of < link || again != nil && !again.knows(url, of) {
			continue
		}
		here := &f.links
		if of == resource {
			here = &f.resources
		}
		here.of++
		if crawl.knows(url, of) {
			here.has++
		}
	}
	return f
}

func (r *run) knows(url string, as role) bool {
	role, ok := r.Met[url]
	return ok && (as == link || role > untried)
}
