package order

// newMultiCrawler asks those URLs first whose extension, or the media type that their link names, is one of RDF, then pages
// (Harth, Umbrich and Decker, "MultiCrawler: a pipelined architecture for crawling and indexing semantic web data", 2006).
// Its five stages with a queue each are another matter: a crawl here leads one URL at a time through all stages, by many
// workers.
func newMultiCrawler(a *Args) (Policy, error) {
	return newLabelling("multicrawler", a, func(c *Candidate, _ rdfPlace) (rdfLabel, ruleSet) {
		return byRules(c, 1<<ruleEx1|1<<ruleTy1)
	}), nil
}
