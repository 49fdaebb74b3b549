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

// recall returns what of the URLs of always a crawl found. A resource must have been requested, in whatever role. What
// again, if it is not nil, did not find is left out.
func recall(crawl, always, again *run) (f found) {
	for url, embedded := range always.Met {
		if again != nil {
			if _, ok := again.Met[url]; !ok {
				continue
			}
		}
		here := &f.links
		if embedded {
			here = &f.resources
		}
		here.of++
		if _, ok := crawl.Met[url]; ok {
			here.has++
		}
	}
	return f
}
