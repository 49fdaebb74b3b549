package schedule

// This file is the list of all policies. To add one, add a line here.

// List returns every policy, in the order in which the help shows them.
func List() []Entry {
	part := func(name, about string, Default float64) Param {
		return Param{Name: name, About: about, Default: Default, Most: 1}
	}
	form := func(Default int, words ...string) Param {
		return Param{Name: "form", About: "one of " + sentence(words), Default: float64(Default), Words: words}
	}
	alpha := Param{Name: "alpha", About: "with form=sum, what an hour since the last visit adds", Default: 0.01, Most: 1000}
	const published = "Ben Saad, Gançarski 2011"
	const monitor = 0.05
	return []Entry{
		{Name: "round-robin", About: "the page that waited longest", New: newRoundRobin},
		{Name: "uniform", About: "all pages in turn, in another order each round", New: newUniform},
		{Name: "frequency", About: "pages whose time between two changes is over, the longest waiting first", Source: "Cho, Garcia-Molina 2003", New: newFrequency},
		{Name: "urgency", About: "worth × importance of changes × time since the last visit", Source: "Ben Saad, Gançarski, Pehlivan 2009", New: newUrgency,
			Params: []Param{form(1, "literal", "rate", "integral")}},
		{Name: "pattern", About: "rate of changes at this hour × time since the last visit", Source: published, New: newPattern, Monitor: monitor,
			Params: []Param{form(2, "sum", "product", "integral"), alpha}},
		{Name: "importance-pattern", About: "importance of changes at this hour × time since the last visit", Source: published, New: newImportancePattern, Monitor: monitor,
			Params: []Param{form(2, "sum", "product", "integral"), alpha}},
		{Name: "coherence-advanced", About: "all pages in turn, of those unlikely to change before the end the likeliest first", Source: "Spaniol, Denev, Mazeika, Weikum, Senellart 2009", New: newCoherence,
			Params: []Param{part("risk", "chance of a change before the end of the round, above which a page comes last", 0.5)}},
		{Name: "sharc", About: "all pages in turn, those that change most in the middle", Source: "Denev, Mazeika, Spaniol, Weikum 2009", New: newSHARC,
			Params: []Param{part("hopeless", "chance of a change between two visits in a row, above which a page goes to the ends", 0.95)}},
		{Name: "freshness", About: "pages that make the archive freshest for the visit: the optimum for changes at a constant rate", Source: "Azar, Horvitz, Lubetzky, Peres, Shahaf 2018; Kolobov, Peres, Lubetzky, Horvitz 2019", New: newFreshness},
		{Name: "gain", About: "pages of which a visit brings the most: by rate, rhythm, importance, and what sites tell of their pages", New: newGain, Signals: true},
	}
}

func sentence(words []string) string {
	text := words[0]
	for _, w := range words[1:] {
		text += ", " + w
	}
	return text
}
