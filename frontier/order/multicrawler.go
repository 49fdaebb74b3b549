package order

// newMultiCrawler makes the ordering policy in which URLs come first whose extension is one of RDF, or whose link names
// a media type of RDF; pages come next (Harth, Umbrich and Decker, "MultiCrawler: a pipelined architecture for crawling
// and indexing semantic web data", 2006). The source also has five stages with a queue each. This policy does not: here
// many workers lead one URL each through all stages.
func newMultiCrawler(a *Args) (Policy, error) {
	return newLabelling("multicrawler", a, func(c *Candidate, _ rdfPlace) (rdfLabel, ruleSet) {
		return byRules(c, 1<<ruleEx1|1<<ruleTy1)
	}), nil
}
