package engine

// This file finds the results in an answer of a search engine (seeds of the kind "search").

import (
	"maps"
	"net/url"
	"slices"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
)

// maxResults is how many results of a search become seeds.
const maxResults = 200

// results makes of the links of a search engine's answer, whether that is a page, a feed or JSON, its results: those
// that lead to other domains, or have in their query the URL of another that they lead to. Each counts as what the seed
// redirects to, and so as a seed. Whatever else the answer links to is left.
func results(page *kavosh.Page) {
	own := domainOf(page.URL)
	found := page.Links[:0]
	met := map[string]bool{}
	for _, l := range page.Links {
		if l.Kind == kavosh.Embed || len(found) == maxResults {
			continue
		}
		if domainOf(l.URL) == own {
			if l.URL = carried(l.URL); l.URL == "" || domainOf(l.URL) == own {
				continue
			}
		}
		if !met[l.URL] {
			met[l.URL] = true
			l.Kind, l.Element, l.Attr, l.Position = kavosh.Redirect, "search", "result", len(found)
			found = append(found, l)
		}
	}
	page.Links = found
}

// carried returns the URL inside the query of a URL, as a seen-key; "" if there is none.
func carried(from string) string {
	p, ok := scope.Split(from)
	if !ok {
		return ""
	}
	values, err := url.ParseQuery(p.Query)
	if err != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			if key, err := weburl.Key(v); err == nil && weburl.Fetchable(key) {
				return key
			}
		}
	}
	return ""
}

// domainOf is the pay-level domain of a URL.
func domainOf(url string) string {
	p, _ := scope.Split(url)
	return weburl.Domain(p.Name)
}
