package microformats

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/xsd"
)

// The IRIs of statements: a type is the page of microformats.org that defines it, a property a fragment of the page on
// microformats2. Nobody else says microformats in RDF, so there is no vocabulary to share.
const (
	TypeSpace     = "http://microformats.org/wiki/"
	PropertySpace = "http://microformats.org/wiki/microformats2#"
)

const (
	rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	rdfHTML = "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML"
)

// Statements says the items in RDF, in the default graph. An item is a blank node; a URL an IRI, a time that XML Schema
// knows a literal of its datatype, a value with markup a literal of rdf:HTML, everything else a plain literal. Items within
// an item that are no property of it are its "children". Links are left out.
func (d *Data) Statements() []rdf.Quad {
	var w writer
	for _, item := range d.Items {
		w.item(item)
	}
	return w.quads
}

type writer struct {
	quads []rdf.Quad
	nodes map[*Item]rdf.Term
}

func (w *writer) add(s rdf.Term, predicate string, o rdf.Term) {
	w.quads = append(w.quads, rdf.Quad{Subject: s, Predicate: rdf.Term{Kind: rdf.IRI, Value: predicate}, Object: o})
}

// item says an item, once.
func (w *writer) item(i *Item) rdf.Term {
	if node, said := w.nodes[i]; said {
		return node
	}
	if w.nodes == nil {
		w.nodes = map[*Item]rdf.Term{}
	}
	node := rdf.Term{Kind: rdf.Blank, Value: "f" + strconv.Itoa(len(w.nodes)+1)}
	w.nodes[i] = node
	for _, t := range i.Type {
		w.add(node, rdfType, rdf.Term{Kind: rdf.IRI, Value: TypeSpace + t})
	}
	for _, name := range slices.Sorted(maps.Keys(i.Properties)) {
		for _, v := range i.Properties[name] {
			w.add(node, PropertySpace+name, w.term(v))
		}
	}
	for _, child := range i.Children {
		w.add(node, PropertySpace+"children", w.item(child))
	}
	return node
}

func (w *writer) term(v Value) rdf.Term {
	switch {
	case v.Item != nil:
		return w.item(v.Item)
	case v.HTML != nil:
		return rdf.Term{Kind: rdf.Literal, Value: *v.HTML, Datatype: rdfHTML}
	case v.kind == 'u' && htmltree.Absolute(v.Text):
		return rdf.Term{Kind: rdf.IRI, Value: v.Text}
	case v.kind == 'd':
		t := strings.Replace(v.Text, " ", "T", 1)
		if datatype := xsd.OfTime(t); datatype != "" {
			return rdf.Term{Kind: rdf.Literal, Value: t, Datatype: datatype}
		}
	}
	return rdf.Term{Kind: rdf.Literal, Value: v.Text}
}
