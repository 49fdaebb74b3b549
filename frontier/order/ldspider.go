package order

import "kavosh"

// newLDSpiderPLD asks the pay-level domain first that has the most URLs waiting (Isele, Umbrich, Bizer and Harth,
// "LDSpider: an open-source crawling framework for the web of linked data", 2010: a queue for each pay-level domain). It
// is site-size by domains instead of hosts.
func newLDSpiderPLD(a *Args) (Policy, error) {
	return &ldSpider{&siteSize{"ldspider-pld", "domain", domainKey, newKnown[int](a.Memory)}}, nil
}

type ldSpider struct{ *siteSize }

// Needs implements Reader: it follows every URI.
func (*ldSpider) Needs() kavosh.Needs { return kavosh.Needs{RDF: true, URIs: true} }
