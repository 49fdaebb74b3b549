package order

import "kavosh"

// newLDSpiderPLD makes the ordering policy in which the pay-level domain (public suffix plus one label) with the most
// waiting URLs comes first (Isele, Umbrich, Bizer and Harth, "LDSpider: an open-source crawling framework for the web
// of linked data", 2010, which has a queue for each pay-level domain). It is site-size with domains instead of hosts.
func newLDSpiderPLD(a *Args) (Policy, error) {
	return &ldSpider{&siteSize{"ldspider-pld", "domain", domainKey, newKnown[int](a.Memory)}}, nil
}

// ldSpider is siteSize, for a policy that follows every URI in RDF documents.
type ldSpider struct{ *siteSize }

// Needs implements Reader. The policy follows every URI.
func (*ldSpider) Needs() kavosh.Needs { return kavosh.Needs{RDF: true, URIs: true} }
