package rdfxml

// This file sorts the attributes of RDF/XML elements by their meaning.

import (
	"strings"

	"kavosh/lib/iri"
	"kavosh/lib/rdf"
)

// The attributes of RDF's own syntax.
const (
	isID = iota
	isAbout
	isNodeID
	isResource
	isDatatype
	isParseType
	syntaxAttributes
)

var syntaxNames = map[string]int{
	"ID": isID, "about": isAbout, "nodeID": isNodeID, "resource": isResource, "datatype": isDatatype, "parseType": isParseType,
}

// Names of RDF's namespace that are neither nodes nor properties, nor attributes that state something: section 6.2.
var (
	notNode      = set("RDF ID about parseType resource nodeID datatype li aboutEach aboutEachPrefix bagID")
	notProperty  = set("RDF ID about parseType resource nodeID datatype Description aboutEach aboutEachPrefix bagID")
	notAttribute = set("RDF Description li aboutEach aboutEachPrefix bagID")
)

func set(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// attributes are those of one element, sorted by meaning.
type attributes struct {
	base       iri.Base // inside the element
	language   string
	given      uint8 // bit set: which values are present
	value      [syntaxAttributes]string
	properties []attribute
}

func (a *attributes) has(which int) bool { return a.given&(1<<which) != 0 }

func (a *attributes) count(which ...int) int {
	n := 0
	for _, w := range which {
		if a.has(w) {
			n++
		}
	}
	return n
}

// sort sorts the attributes of an element in f. It leaves out those that mean nothing, with a warning.
func (r *Reader) sort(t token, f *frame) (attributes, *rdf.Fault) {
	a := attributes{base: f.base, language: f.language}
	root := f.place == document && t.name.space == rdfSpace && t.name.local == "RDF"
	kept := t.attributes[:0]
	for _, at := range t.attributes {
		switch n := at.name; {
		case n.space == xmlSpace:
			switch n.local {
			case "lang":
				if a.language = strings.ToLower(at.value); a.language != "" && !isLanguage(a.language) {
					r.warnings.Warn(r.s.fault("xml:lang %.60q is no language", at.value))
					a.language = ""
				}
			case "base":
				base, err := r.resolve(f.base, at.value)
				if err != nil {
					return a, err
				}
				if len(base) > maxNamespace {
					return a, r.s.fault("a base has more than %d bytes", maxNamespace)
				}
				a.base = iri.NewBase(base)
			}
		case n.space == "" && strings.HasPrefix(strings.ToLower(n.local), "xml"):
		case n.space == rdfSpace, n.space == "":
			which, syntax := syntaxNames[n.local]
			switch {
			case n.space == "" && !(syntax && which != isNodeID && which != isDatatype) && n.local != "type":
				r.warnings.Warn(r.s.fault("the attribute %s has no namespace", n.local))
			case root:
				r.warnings.Warn(r.s.fault("rdf:RDF has an attribute rdf:%s", n.local))
			case strings.HasPrefix(n.local, "aboutEach"): // what the element is about is not known without it
				return a, r.s.fault("rdf:%s is no attribute", n.local)
			case notAttribute[n.local]:
				r.warnings.Warn(r.s.fault("rdf:%s is no attribute", n.local))
			case !syntax:
				at.name.space = rdfSpace
				kept = append(kept, at)
			case a.has(which):
				return a, r.s.fault("rdf:%s stands twice", n.local)
			default:
				a.given |= 1 << which
				a.value[which] = at.value
			}
		default:
			kept = append(kept, at)
		}
	}
	a.properties = kept
	return a, nil
}

// isLanguage reports whether s has the form of a language tag: letters, then parts of letters and digits.
func isLanguage(s string) bool {
	if len(s) > maxName {
		return false
	}
	for i, part := range strings.Split(s, "-") {
		if part == "" {
			return false
		}
		for _, c := range []byte(part) {
			if !(c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9') {
				return false
			}
		}
	}
	return true
}
