package rdfa

// This file turns the names in RDFa attributes into IRIs.

import (
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
)

// attribute returns the terms that the names in an attribute mean; none if it is absent.
func (r *reader) attribute(n *htmltree.Node, value *string, vocab string) []rdf.Term {
	if value == nil {
		return nil
	}
	return r.names(n, *value, vocab)
}

// names returns what the names in an attribute mean: terms, CURIEs or absolute IRIs. It leaves out names that mean
// nothing, and blank nodes, which cannot be predicates.
func (r *reader) names(n *htmltree.Node, value, vocab string) (out []rdf.Term) {
	for _, name := range r.page.Names(n, value) {
		if t := r.name(name, vocab); t.Kind == rdf.IRI {
			out = append(out, t)
		}
	}
	return out
}

func (r *reader) name(name, vocab string) rdf.Term {
	if !strings.Contains(name, ":") {
		switch {
		case !isTerm(name):
		case vocab != "":
			return r.join(vocab, name)
		default:
			if to, ok := term(name, r.page.XML); ok {
				return iri(to)
			}
		}
		return rdf.Term{}
	}
	if t, ok := r.curie(name); ok {
		return t
	}
	if htmltree.Absolute(name) {
		return iri(name)
	}
	return rdf.Term{}
}

// curie returns what prefix:reference means; ok is false if the prefix was not declared.
func (r *reader) curie(s string) (t rdf.Term, ok bool) {
	prefix, reference, found := strings.Cut(s, ":")
	switch {
	case !found || strings.HasPrefix(reference, "//"):
		return rdf.Term{}, false
	case prefix == "_":
		return r.label(reference), true
	case prefix == "":
		return r.join(xhvNS, reference), true
	}
	prefix = strings.ToLower(prefix)
	space, ok := "", false
	if declared := r.prefixes[prefix]; len(declared) > 0 {
		space, ok = declared[len(declared)-1], true
	} else {
		space, ok = prefixes[prefix]
	}
	if !ok {
		return rdf.Term{}, false
	}
	return r.join(space, reference), true
}

// join returns the IRI made of both parts; the zero Term if it is invalid.
func (r *reader) join(space, reference string) rdf.Term {
	if !htmltree.IsIRI(reference) || !r.page.Spend(r.page.Root, len(space)+len(reference)) {
		return rdf.Term{}
	}
	return iri(space + reference)
}

// label returns the blank node with this label in the page.
func (r *reader) label(s string) rdf.Term {
	if _, ok := r.labels[s]; !ok {
		r.labels[s] = r.blank().Value
	}
	return rdf.Term{Kind: rdf.Blank, Value: r.labels[s]}
}

// resource returns the value of about or resource: a CURIE, with or without brackets, or an IRI reference.
func (r *reader) resource(value *string) rdf.Term {
	if value == nil {
		return rdf.Term{}
	}
	s := strings.TrimSpace(*value)
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		t, _ := r.curie(s[1 : len(s)-1])
		return t
	}
	if t, ok := r.curie(s); ok {
		return t
	}
	return r.reference(s)
}

// reference returns the IRI that a reference means; the zero Term if it is invalid.
func (r *reader) reference(s string) rdf.Term {
	if to, ok := r.page.Resolve(s); ok {
		return iri(to)
	}
	return rdf.Term{}
}

// firstOf returns the value of the first of resource, href and src that has one.
func (r *reader) firstOf(resource, href, src *string) rdf.Term {
	if t := r.resource(resource); t.Kind != rdf.None {
		return t
	}
	for _, s := range []*string{href, src} {
		if s != nil {
			return r.reference(*s)
		}
	}
	return rdf.Term{}
}

// isTerm reports whether s may be a term: its first character is not a digit, dot, hyphen or the like.
func isTerm(s string) bool {
	c := s[0]
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// withoutTerms returns rel or rev of an element with a property. Names without a colon do not count there (HTML+RDFa,
// section 3.1); if none is left, the attribute does not count.
func withoutTerms(value *string) *string {
	if value == nil {
		return nil
	}
	var kept []string
	for name := range htmltree.Words(*value) {
		if strings.Contains(name, ":") {
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	joined := strings.Join(kept, " ")
	return &joined
}

func (r *reader) vocabulary(n *htmltree.Node, a *attributes, c *context) {
	if a.vocab == nil {
		return
	}
	c.vocab = ""
	if strings.TrimSpace(*a.vocab) == "" {
		return
	}
	if t := r.reference(*a.vocab); t.Kind != rdf.None {
		c.vocab = t.Value
		r.add(n, iri(r.page.URL), iri(rdfaNS+"usesVocabulary"), t)
	}
}

// declare adds the prefixes that an element declares and returns their names: first its namespaces, then its prefix
// attribute, which wins.
func (r *reader) declare(n *htmltree.Node, a *attributes) (declared []string) {
	declare := func(prefix, space string) {
		prefix = strings.ToLower(prefix)
		if prefix == "_" || !htmltree.Absolute(space) {
			return
		}
		r.prefixes[prefix] = append(r.prefixes[prefix], space)
		declared = append(declared, prefix)
	}
	for i := range n.Attr {
		if prefix, ok := strings.CutPrefix(n.Attr[i].Name, "xmlns:"); ok {
			declare(prefix, n.Attr[i].Value)
		}
	}
	if a.prefix == nil {
		return declared
	}
	name := ""
	for word := range htmltree.Words(*a.prefix) {
		prefix, isPrefix := strings.CutSuffix(word, ":")
		switch {
		case name == "" && isPrefix && prefix != "" && !strings.Contains(prefix, ":"):
			name = prefix
		case name != "":
			declare(name, word)
			name = ""
		}
	}
	return declared
}

func (r *reader) withdraw(declared []string) {
	for _, prefix := range declared {
		all := r.prefixes[prefix]
		r.prefixes[prefix] = all[:len(all)-1]
	}
}
