package quads

// This file parses patterns, by which people ask for RDF statements, and chooses which of the store's sort orders
// answers one fastest. It keeps nothing and reads no file.

import (
	"fmt"
	"strings"

	"kavosh/lib/rdf"
)

// Pattern asks for statements with the same terms as its own. A zero Term stands for any term.
type Pattern struct{ Subject, Predicate, Object, Graph rdf.Term }

// Prefix is a short name for the beginning of IRIs.
type Prefix struct{ Name, IRI string }

// Prefixes returns the short names of well-known vocabularies, for patterns and for writing.
func Prefixes() []Prefix {
	return []Prefix{
		{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}, {"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
		{"owl", "http://www.w3.org/2002/07/owl#"}, {"xsd", "http://www.w3.org/2001/XMLSchema#"},
		{"dc", "http://purl.org/dc/elements/1.1/"}, {"dcterms", "http://purl.org/dc/terms/"}, {"dcat", "http://www.w3.org/ns/dcat#"},
		{"foaf", "http://xmlns.com/foaf/0.1/"}, {"schema", "http://schema.org/"}, {"skos", "http://www.w3.org/2004/02/skos/core#"},
		{"void", "http://rdfs.org/ns/void#"}, {"prov", "http://www.w3.org/ns/prov#"}, {"sioc", "http://rdfs.org/sioc/ns#"},
		{"vcard", "http://www.w3.org/2006/vcard/ns#"}, {"geo", "http://www.w3.org/2003/01/geo/wgs84_pos#"}, {"org", "http://www.w3.org/ns/org#"},
		{"doap", "http://usefulinc.com/ns/doap#"}, {"cc", "http://creativecommons.org/ns#"}, {"og", "http://ogp.me/ns#"},
		{"sh", "http://www.w3.org/ns/shacl#"}, {"vann", "http://purl.org/vocab/vann/"}, {"xhv", "http://www.w3.org/1999/xhtml/vocab#"},
	}
}

// ParsePattern parses a pattern: three terms, or four with the graph, in the syntax of N-Triples. ? and ?name stand for
// any term, and "a" for rdf:type. An IRI may be written with one of Prefixes. An IRI that begins with http needs no
// brackets. An error names the wrong term.
func ParsePattern(text string) (Pattern, error) {
	var terms [4]rdf.Term
	rest := strings.TrimSpace(text)
	n := 0
	for ; rest != "" && rest != "."; n++ {
		if n == len(terms) {
			return Pattern{}, fmt.Errorf("the pattern has more than four terms: %q is too much", rest)
		}
		word, after, err := cutWord(rest)
		if err == nil {
			terms[n], err = readTerm(word)
		}
		if err != nil {
			return Pattern{}, err
		}
		rest = strings.TrimSpace(after)
	}
	if n < 3 {
		return Pattern{}, fmt.Errorf("a pattern has three terms, or four with the graph: %q has %d; ? stands for any", text, n)
	}
	p := Pattern{terms[0], terms[1], terms[2], terms[3]}
	switch {
	case p.Subject.Kind == rdf.Literal:
		return p, fmt.Errorf("no statement is about a literal: write ? or an IRI first")
	case p.Predicate.Kind == rdf.Literal, p.Predicate.Kind == rdf.Blank:
		return p, fmt.Errorf("a predicate is an IRI: write ? or an IRI in the second place")
	case p.Graph.Kind == rdf.Literal:
		return p, fmt.Errorf("a graph is an IRI: write ? or the document's URL in the fourth place")
	}
	return p, nil
}

// cutWord returns the first term of s as it is written, and the rest.
func cutWord(s string) (word, rest string, err error) {
	end := 0
	switch s[0] {
	case '<':
		if end = strings.IndexByte(s, '>'); end < 0 {
			return "", "", fmt.Errorf("%s is not closed by >", s)
		}
	case '"':
		for end = 1; end < len(s) && s[end] != '"'; end++ {
			if s[end] == '\\' {
				end++
			}
		}
		if end >= len(s) {
			return "", "", fmt.Errorf("%s is not closed by \"", s)
		}
	}
	if space := strings.IndexAny(s[end:], " \t\n"); space >= 0 {
		return s[:end+space], s[end+space:], nil
	}
	return s, "", nil
}

// readTerm parses one term of a pattern.
func readTerm(word string) (t rdf.Term, err error) {
	switch {
	case word[0] == '?':
		return t, nil
	case word == "a":
		return rdf.Term{Kind: rdf.IRI, Value: rdfType}, nil
	case strings.HasPrefix(word, "_:") && len(word) > 2:
		return rdf.Term{Kind: rdf.Blank, Value: word[2:]}, nil
	case word[0] != '"':
		iri, err := readIRI(word)
		return rdf.Term{Kind: rdf.IRI, Value: iri}, err
	}
	end := strings.LastIndexByte(word, '"')
	t = rdf.Term{Kind: rdf.Literal, Value: unescape(word[1:end])}
	switch tail := word[end+1:]; {
	case tail == "":
	case tail[0] == '@' && len(tail) > 1:
		t.Language = strings.ToLower(tail[1:])
	case strings.HasPrefix(tail, "^^"):
		if t.Datatype, err = readIRI(tail[2:]); t.Datatype == xsd+"string" {
			t.Datatype = ""
		}
	default:
		err = fmt.Errorf("%s is no literal: write \"text\", \"text\"@en or \"text\"^^<datatype>", word)
	}
	return t, err
}

const (
	rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	xsd     = "http://www.w3.org/2001/XMLSchema#"
)

// readIRI parses <iri>, prefix:name or http…
func readIRI(word string) (string, error) {
	if strings.HasPrefix(word, "<") && strings.HasSuffix(word, ">") {
		return unescape(word[1 : len(word)-1]), nil
	}
	if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
		return word, nil
	}
	name, local, ok := strings.Cut(word, ":")
	if !ok {
		return "", fmt.Errorf("%q is no term: write <IRI>, prefix:name, \"text\", _:label or ?", word)
	}
	for _, p := range Prefixes() {
		if p.Name == name {
			return p.IRI + local, nil
		}
	}
	return "", fmt.Errorf("%q: no prefix %s is known here; write the IRI in < and >", word, name)
}

// Matches reports whether a pattern asks for q.
func (p Pattern) Matches(q rdf.Quad) bool {
	any := rdf.Term{}
	return (p.Subject == any || p.Subject == q.Subject) && (p.Predicate == any || p.Predicate == q.Predicate) &&
		(p.Object == any || p.Object == q.Object) && (p.Graph == any || p.Graph == q.Graph)
}

// plan returns with which bytes the keys begin that have to be read, and the known terms as text. A store has each
// statement under four keys, one for each order of its terms. plan takes the order in which the most known terms come
// before the first unknown one. Of equal ones, it prefers the graph's: a document has fewer statements than a
// predicate.
func (p Pattern) plan() (prefix string, wanted [4]string) {
	for i, t := range [4]rdf.Term{p.Subject, p.Predicate, p.Object, p.Graph} {
		wanted[i] = string(appendTerm(nil, t))
	}
	prefix, most := "s", 0
	for _, tag := range []byte("gsop") {
		begin, bound := string(tag), 0
		for _, at := range orderOf(tag) {
			if wanted[at] == "" {
				break
			}
			begin += wanted[at]
			bound++
		}
		if bound > most {
			prefix, most = begin, bound
		}
	}
	return prefix, wanted
}
