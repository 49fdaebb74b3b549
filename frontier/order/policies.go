package order

// This file is the list of all ordering policies, with their parameters and sources. To add a policy, add a line here.

// List returns every policy, in the order in which the help shows them. The first is the default.
func List() []Entry {
	yes := func(name, about string, Default float64) Param {
		return Param{Name: name, About: about + "; 0 or 1", Default: Default, Most: 1, WholeNumber: true}
	}
	part := func(name, about string, Default float64) Param {
		return Param{Name: name, About: about, Default: Default, Most: 1}
	}
	weight := func(name, about string, Default float64) Param {
		return Param{Name: name, About: about, Default: Default, Most: 1e6}
	}
	whole := func(name, about string, Default, least, most float64) Param {
		return Param{Name: name, About: about, Default: Default, Least: least, Most: most, WholeNumber: true}
	}
	least := whole("least", "pages that a rule needs", 2, 1, 1000)
	return []Entry{
		{Name: "breadth", About: "fewest navigation steps from a seed first, then first found", New: newBreadth,
			Params: []Param{yes("filter", "leave out extensions of what is surely neither page nor RDF", 0)}},
		{Name: "depth", About: "most navigation steps from a seed first, then first found", New: newDepth},
		{Name: "random", About: "in an order drawn from the URL and a seed", New: newRandom},
		{Name: "best", About: "links whose words, or whose page, are nearest to the topic", Source: "Cho, Garcia-Molina, Page 1998; Pant, Srinivasan, Menczer 2004", New: newBest,
			Params: []Param{weight("anchor", "weight of the anchor", 4), weight("around", "of the text around it", 2), weight("url", "of words in the URL", 2), weight("parent", "of the page that holds the link", 2), yes("answered", "the score counts times the chance of an answer", 0)}},
		{Name: "fish", About: "links of relevant pages, and some steps beyond", Source: "De Bra, Post 1994", New: newFish,
			Params: []Param{whole("width", "links of a page that count", 10, 1, 1e4), {Name: "alpha", About: "more of them for relevant pages, times", Default: 1.5, Least: 1, Most: 100}, whole("depth", "steps to go after a relevant page", 3, 0, 100)}},
		{Name: "shark", About: "fish with degrees of relevance, and by anchors too", Source: "Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim, Ur 1998", New: newShark,
			Params: []Param{part("decay", "what is left of relevance after a step", 0.5), part("beta", "share of the anchor, the rest is the text around it", 0.8), part("gamma", "share of what is inherited, the rest is anchor and text", 0.5)}},
		{Name: "tunnel", About: "fewest irrelevant pages since a relevant one", Source: "Bergmark, Lagoze, Sbityakov 2002", New: newTunnel,
			Params: []Param{whole("limit", "irrelevant pages in a row after which a path ends; 0 is hard focus", 3, 0, 1000), part("decay", "what is left of the score after an irrelevant page", 0.5)}},
		{Name: "bayes", About: "links of the pages most probably relevant", Source: "Chakrabarti, van den Berg, Dom 1999", New: newBayes,
			Params: []Param{yes("hard", "go on from relevant pages alone", 0)}},
		{Name: "context-graph", About: "links of pages like those that were few links from a target, on another web", Source: "Diligenti, Coetzee, Lawrence, Giles, Gori 2000", New: newContextGraph,
			Params: []Param{part("sure", "probability that a page's level needs", 0.3)}},
		{Name: "reinforce", About: "depth-first, links rising and falling with their page and its other links", Source: "Meybodi, Rezvanian, Fattahi; Rennie, McCallum 1999", New: newReinforce,
			Params: []Param{part("alpha", "how far a link goes to its reward", 0.5), part("beta", "what a page's reward does to its links", 0.3), part("sibling", "… to the other links beside it", 0.1), part("gamma", "what is left of a reward a step back", 0.5), whole("back", "steps that a reward goes back", 2, 0, maxBack), {Name: "floor", About: "usefulness under which links come last", Default: -mostUseful, Least: -mostUseful, Most: 1}, yes("multiplicative", "rewards are ratios", 0)}},
		{Name: "reinforce-linear", About: "links most like those that led to relevant pages, by all that is known of them", Source: "Rennie, McCallum 1999, the rest is ours", New: newReinforceLinear,
			Params: []Param{part("gamma", "weight of what a page leads to", 0.1), part("step", "how fast words are learned", 0.2), weight("explore", "bonus of what is little known", 0.3), weight("many", "bonus of what stands for many, while little is found", 0.7)}},
		{Name: "diverse", About: "relevant pages of as many hosts as possible", Source: "an aim of Kontogiannis, Kelesis, Pollatos, Giannakopoulos, Paliouras 2021, the rest is ours", New: newDiverse,
			Params: []Param{{Name: "fall", About: "how fast pages lose worth with the relevant ones of their host", Default: 2, Most: 100}, {Name: "tire", About: "… with all fetched pages of their host", Default: 1, Most: 100}, weight("onward", "worth of a new host to which a page leads", 0.03), yes("domains", "registered domains take the place of hosts", 0)}},
		{Name: "host-majority", About: "hosts, and folders in them, that gave the greatest share of relevant pages", New: newHostMajority,
			Params: []Param{whole("folders", "folders of the path that count, too", 0, 0, maxFolders), {Name: "smooth", About: "pages that one's first belief counts for", Default: 2, Least: 0.01, Most: 1000}}},
		{Name: "url-distance", About: "URLs near those of relevant pages", Source: "Hati, Kumar 2010", New: newURLDistance},
		{Name: "rules", About: "learned rules from extensions, words and hosts in URLs", Source: "Umbrich, Karnstedt, Harth 2009", New: newRules,
			Params: []Param{least}},
		{Name: "wire", About: "a weighted sum of terms, language first by default", Source: "Castillo 2004; Azimzadeh, Yari, Aleahmad 2009", New: newWire,
			Params: []Param{
				weight("pagerank", "PageRank over the links seen", 0), weight("wlscore", "… with weighted links", 0), weight("hub", "hub score", 0), weight("auth", "authority score", 0),
				weight("siterank", "PageRank of the host", 0), weight("queuesize", "share of the waiting URLs that are of its host", 0), weight("depth", "nearness to a seed", 95), weight("static", "not made on demand", 0),
				weight("random", "chance", 5), weight("language", "verdict on the page that holds the link", 500), whole("cycle", "pages after which all is computed anew; 0 is by and by", 0, 0, 1e9), whole("most", "depth from which all are equal", 20, 1, 1000),
			}},
		{Name: "opic", About: "pages that the others, by the weight they have themselves, point to", Source: "Abiteboul, Preda, Cobena 2003", New: newOPIC},
		{Name: "indegree", About: "pages that the most pages link to", Source: "Cho, Garcia-Molina, Page 1998", New: newIndegree},
		{Name: "site-size", About: "hosts with the most URLs waiting", Source: "Baeza-Yates, Castillo, Marin, Rodriguez 2005", New: newSiteSize},
		{Name: "tianwang", About: "URLs with few folders and parameters, and some at random", Source: "TianWang 2.0, Peking University", New: newTianwang,
			Params: []Param{whole("n", "picks by weight", 3, 1, 1000), whole("m", "picks at random that follow them", 1, 1, 1000), weight("links", "weight of log(1 + pages that link to it)", 0), weight("father", "weight of log(1 + pages that link to the page it was found in)", 0), weight("start", "what it begins with", 10), weight("word", "what search, proxy or gate in the URL costs", 2)}},
		{Name: "rdf-r", About: "links that ten rules call RDF", Source: "a thesis at Ferdowsi University, ablation R", New: newRDFR, Params: rdfParams(ruleR1)},
		{Name: "rdf-rhr", About: "the same, then pages whose URLs are like those of pages that link to RDF", Source: "a thesis at Ferdowsi University, R+HR", New: newRDFRHR,
			Params: append(rdfParams(ruleCount), yes("relabel", "URLs that wait are labelled anew when such a page is found", 0))},
		{Name: "rdf-urldist", About: "the same by the distance of URLs", Source: "the same thesis; Hati, Kumar 2010", New: newRDFURLDist, Params: rdfParams(ruleR1)},
		{Name: "rdf-umbrich", About: "links that learned rules call RDF, by extension, words and hosts in URLs", Source: "Umbrich, Karnstedt, Harth 2009", New: newRDFUmbrich,
			Params: append(rdfParams(0), least)},
		{Name: "rdf-learn", About: "links most like those that led to RDF, or to pages that link to RDF, by all that is known of them", New: newRDFLearn,
			Params: []Param{part("step", "how fast words are learned", 0.1), weight("explore", "bonus of what is little known", 0.1), weight("many", "bonus of what stands for many, while little is found", 0.3), part("onward", "weight of a page's best link to pages, beside its links to RDF", 0.5), weight("hosts", "bonus of a host of which nothing was seen", 5)}},
		{Name: "swse", About: "domains in turn, those with little RDF less often; pages are not read on", Source: "Hogan, Harth, Umbrich, Kinsella, Polleres, Decker 2011", New: newSWSE,
			Params: []Param{yes("html", "what pages link to comes last instead of being left out", 1)}},
		{Name: "biocrawler", About: "paths that led to RDF by learned rules, each left after some pages without", Source: "Batzios, Dimou, Symeonidis, Mitkas 2008", New: newBioCrawler,
			Params: []Param{whole("n", "documents without RDF in a row after which a path is left", 5, 1, 1000), part("rate", "how fast a rule's strength follows what it led to", 0.2)}},
		{Name: "ldspider-pld", About: "domains with the most URLs waiting", Source: "Isele, Umbrich, Bizer, Harth 2010", New: newLDSpiderPLD},
		{Name: "multicrawler", About: "links whose extension or type attribute is one of RDF", Source: "Harth, Umbrich, Decker 2006", New: newMultiCrawler, Params: rdfParams(0)},
		{Name: "sindice", About: "what was submitted, then what sitemaps list", Source: "Oren, Delbru, Catasta, Cyganiak, Stenzhorn, Tummarello 2008", New: newSindice},
		{Name: "mix", Parts: 2, About: "its parts choose in turn, each as often as the number before it says", New: newMix},
		{Name: "sum", Parts: 1, About: "the scores of its parts, each times the number before it", New: newSum},
		{Name: "then", Parts: 2, About: "by the first, and by the second where the first makes no difference", New: newThen},
		{Name: "quota", Parts: 1, Number: "pages", About: "by its part, but every host gives so many pages before any gives more", New: newQuota},
		{Name: "capped", Parts: 1, About: "by its part, within bounds that published experiments had; 0 is none", New: newCapped,
			Params: []Param{whole("links", "links of a page that count", 0, 0, 1e9), whole("sites", "hosts of the crawl", 0, 0, 1e9), whole("pages", "URLs taken in of a host", 0, 0, 1e9), yes("away", "a link to another domain counts only in pages of the seeds' domains", 0)}},
		{Name: "above", Parts: 1, Number: "a score", About: "by its part, but what it gives no greater score is left out", New: newAbove},
	}
}
