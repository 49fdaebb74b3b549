package rdfa

import (
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
)

// attribute is the terms that the names in an attribute mean, none when it is not there.
func (r *reader) attribute(n *htmltree.Node, value *string, vocab string) []rdf.Term {
	if value == nil {
		return nil
	}
	return r.names(n, *value, vocab)
}

// names is what the names in an attribute mean: terms, CURIEs or absolute IRIs. Those that mean nothing are left out, and
// so are blank nodes, which are no predicates.
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

// curie is what prefix:reference means; ok is false when the prefix was not declared.
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

// join is the IRI made of both, the zero Term when it is none.
func (r *reader) join(space, reference string) rdf.Term {
	if !htmltree.IsIRI(reference) || !r.page.Spend(r.page.Root, len(space)+len(reference)) {
		return rdf.Term{}
	}
	return iri(space + reference)
}

// label is the blank node that the page calls so.
func (r *reader) label(s string) rdf.Term {
	if _, ok := r.labels[s]; !ok {
		r.labels[s] = r.blank().Value
	}
	return rdf.Term{Kind: rdf.Blank, Value: r.labels[s]}
}

// resource is what about or resource says: a CURIE, in brackets or not, or an IRI reference.
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

// reference is the IRI that a reference means, the zero Term when it can be none.
func (r *reader) reference(s string) rdf.Term {
	if to, ok := r.page.Resolve(s); ok {
		return iri(to)
	}
	return rdf.Term{}
}

// firstOf is what the first of resource, href and src says that says anything.
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

// isTerm says that s may be a term: the first character is no digit, dot, hyphen or the like.
func isTerm(s string) bool {
	c := s[0]
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// withoutTerms is rel or rev of an element with a property: names without a colon do not count there (HTML+RDFa, section
// 3.1), and where none is left the attribute does not.
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

// vocabulary takes the vocab attribute to heart.
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

// declare adds the prefixes that an element declares, and names them: those of its namespaces, then those of its prefix
// attribute, which win.
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
