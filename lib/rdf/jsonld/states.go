package jsonld

// This file turns expanded JSON-LD into statements.

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/iri"
	"kavosh/lib/rdf"
)

const (
	rdfSpace  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xsdSpace  = "http://www.w3.org/2001/XMLSchema#"
	xsdDouble = xsdSpace + "double"
)

// states makes statements of an expanded document, as in JSON-LD 1.1 Processing Algorithms and API, 8, but without
// merging nodes first: in a set of statements that makes no difference. Like there, it leaves out what is not
// well-formed, such as a blank node as predicate.
type states struct {
	base   iri.Base
	quads  []rdf.Quad
	blanks rdf.Labels
	known  map[string]rdf.Term // the document's blank nodes, by label
	stated map[rdf.Quad]bool   // quads, to tell those that come twice

	mistake string // why the document states nothing; else ""
}

// nodes makes the statements of one or more nodes in a graph; None is the default graph.
func (s *states) nodes(value any, graph rdf.Term) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			s.nodes(item, graph)
		}
	case map[string]any:
		if isNode(v) {
			s.node(v, graph)
		}
	}
}

func isNode(object map[string]any) bool {
	_, value := object["@value"]
	_, list := object["@list"]
	return !value && !list
}

// node makes the statements about one node and its content and returns the node. It returns None if the node has no
// name that RDF allows; then its statements are left out.
func (s *states) node(object map[string]any, graph rdf.Term) rdf.Term {
	var subject rdf.Term
	if id, ok := object["@id"].(string); ok {
		subject = s.term(id)
	} else {
		subject = s.blanks.New()
	}
	for _, kind := range list(object["@type"]) {
		if kind, ok := kind.(string); ok {
			s.state(subject, rdfSpace+"type", s.term(kind), graph)
		}
	}
	for _, property := range slices.Sorted(maps.Keys(object)) {
		value := object[property]
		switch property {
		case "@graph":
			if subject.Kind == rdf.None {
				s.nodes(value, rdf.Term{Kind: rdf.Literal}) // no valid name of a graph: state nothing
			} else {
				s.nodes(value, subject)
			}
		case "@included":
			s.nodes(value, graph)
		case "@reverse":
			reverse, _ := value.(map[string]any)
			for _, property := range slices.Sorted(maps.Keys(reverse)) {
				for _, item := range list(reverse[property]) {
					s.state(s.object(item, graph), property, subject, graph)
				}
			}
		default:
			if property[:min(1, len(property))] == "@" {
				continue
			}
			for _, item := range list(value) {
				s.state(subject, property, s.object(item, graph), graph)
			}
		}
	}
	return subject
}

func list(value any) []any {
	if l, ok := value.([]any); ok {
		return l
	}
	return []any{value}
}

// state adds a statement if it is well-formed and new: what a document states is a set.
func (s *states) state(subject rdf.Term, predicate string, object, graph rdf.Term) {
	q := rdf.Quad{Subject: subject, Predicate: s.term(predicate), Object: object, Graph: graph}
	if !s.stated[q] && q.Check(true) == nil {
		s.stated[q] = true
		s.quads = append(s.quads, q)
	}
}

// object returns the term for a value, and makes the statements about its content.
func (s *states) object(value any, graph rdf.Term) rdf.Term {
	switch v := value.(type) {
	case string:
		return s.term(v)
	case map[string]any:
		if items, ok := v["@list"]; ok {
			return s.list(list(items), graph)
		}
		if literal, ok := v["@value"]; ok {
			return s.literal(literal, v)
		}
		return s.node(v, graph)
	}
	return rdf.Term{}
}

// list makes a list and returns its first cell.
func (s *states) list(items []any, graph rdf.Term) rdf.Term {
	end := rdf.Term{Kind: rdf.IRI, Value: rdfSpace + "nil"}
	if len(items) == 0 {
		return end
	}
	first := s.blanks.New()
	for i, cell := 0, first; i < len(items); i++ {
		s.state(cell, rdfSpace+"first", s.object(items[i], graph), graph)
		next := end
		if i+1 < len(items) {
			next = s.blanks.New()
		}
		s.state(cell, rdfSpace+"rest", next, graph)
		cell = next
	}
	return first
}

// term returns the IRI or blank node called name, or None.
func (s *states) term(name string) rdf.Term {
	if label, ok := strings.CutPrefix(name, "_:"); ok {
		if _, ok := s.known[label]; !ok {
			s.known[label] = s.blanks.New()
		}
		return s.known[label]
	}
	iri, ok := s.base.Resolve(name)
	if !ok || len(iri) > maxIRI || strings.Count(iri, "#") > 1 {
		return rdf.Term{}
	}
	return rdf.Term{Kind: rdf.IRI, Value: iri}
}

// literal returns the literal of a value object, or None.
func (s *states) literal(value any, object map[string]any) rdf.Term {
	datatype, one := object["@type"].(string)
	if types, many := object["@type"].([]any); many && !one && len(types) > 1 {
		s.mistake = "a literal has several types"
	}
	t := rdf.Term{Kind: rdf.Literal}
	switch v := value.(type) {
	case string:
		t.Value = v
	case bool:
		t.Value, t.Datatype = strconv.FormatBool(v), xsdSpace+"boolean"
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e21 && datatype != xsdDouble {
			t.Value, t.Datatype = strconv.FormatFloat(v, 'f', 0, 64), xsdSpace+"integer"
			if t.Value == "-0" {
				t.Value = "0"
			}
		} else {
			t.Value, t.Datatype = double(v), xsdDouble
		}
	}
	switch datatype {
	case "":
	case "@json":
		t.Value, t.Datatype = string(appendCanonical(nil, value)), rdfSpace+"JSON"
	default:
		iri := s.term(datatype)
		if iri.Kind != rdf.IRI {
			return rdf.Term{}
		}
		t.Datatype = iri.Value
	}
	if t.Datatype == xsdSpace+"string" {
		t.Datatype = ""
	}
	if language, ok := object["@language"].(string); ok {
		t.Language = strings.ToLower(language)
	}
	return t
}

// double returns v in the canonical form of xsd:double: 5.5E0.
func double(v float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'E', -1, 64), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	sign := strings.TrimLeft(exponent[:1], "+")
	exponent = strings.TrimLeft(exponent[1:], "0")
	if exponent == "" {
		exponent = "0"
	}
	return mantissa + "E" + sign + exponent
}
