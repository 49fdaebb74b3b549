package rdfa

// This file copies the patterns of RDFa (rdfa:copy).

import (
	"kavosh/lib/rdf"
)

// copyPatterns gives each subject of rdfa:copy the statements of the pattern that it names, and removes the patterns
// (HTML+RDFa 1.1, section 3.5).
func (r *reader) copyPatterns() {
	if !r.copied {
		return
	}
	pattern := rdf.Term{Kind: rdf.IRI, Value: rdfaNS + "Pattern"}
	patterns := map[rdf.Term][]rdf.Quad{} // statements of each pattern
	for _, q := range r.quads {
		if q.Predicate.Value == rdfType && q.Object == pattern {
			patterns[q.Subject] = nil
		}
	}
	isCopy := func(q rdf.Quad) bool {
		_, ok := patterns[q.Object]
		return ok && q.Predicate.Value == rdfaNS+"copy"
	}
	used := map[rdf.Term]bool{}
	var copies []rdf.Quad
	for _, q := range r.quads {
		if _, ok := patterns[q.Subject]; ok {
			patterns[q.Subject] = append(patterns[q.Subject], q)
		}
		if isCopy(q) {
			used[q.Object] = true
			copies = append(copies, q)
		}
	}
	stated := r.quads
	r.quads = nil
	for _, q := range stated {
		if !used[q.Subject] && !isCopy(q) {
			r.quads = append(r.quads, q)
		}
	}
	for _, q := range copies {
		if !used[q.Subject] {
			r.copyPattern(q.Subject, q.Object, patterns, map[rdf.Term]bool{})
		}
	}
}

// copyPattern adds the statements of a pattern to a subject, and those of patterns that the pattern itself copies.
func (r *reader) copyPattern(subject, from rdf.Term, patterns map[rdf.Term][]rdf.Quad, met map[rdf.Term]bool) {
	if met[from] || r.full {
		return
	}
	met[from] = true
	for _, q := range patterns[from] {
		_, isPattern := patterns[q.Object]
		switch {
		case q.Predicate.Value == rdfaNS+"copy" && isPattern:
			r.copyPattern(subject, q.Object, patterns, met)
		case q.Predicate.Value == rdfType && q.Object.Value == rdfaNS+"Pattern":
		default:
			r.add(r.page.Root, subject, q.Predicate, q.Object)
		}
	}
}
