package microformats

// This file turns microformats into RDF.

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/xsd"
)

// IRIs for statements: a type is the page of microformats.org that defines it, a property a fragment of the page about
// microformats2. There is no common RDF vocabulary for microformats to use.
const (
	TypeSpace     = "http://microformats.org/wiki/"
	PropertySpace = "http://microformats.org/wiki/microformats2#"
)

const (
	rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
	rdfHTML = "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML"
)

// defined are the types that microformats.org defines. Others are usually no data: CSS frameworks put classes such as
// h-full and h-screen on every page.
var defined = map[string]bool{
	"h-adr": true, "h-card": true, "h-cite": true, "h-entry": true, "h-event": true, "h-feed": true, "h-geo": true, "h-item": true,
	"h-listing": true, "h-news": true, "h-product": true, "h-recipe": true, "h-resume": true, "h-review": true, "h-review-aggregate": true,
}

// Statements returns the items of defined types as RDF, in the default graph. An item is a blank node; a URL an IRI; a
// time known to XML Schema a literal of its datatype; a value with markup an rdf:HTML literal; everything else a plain
// literal. Items inside an item that are not its properties are its "children". Links are left out.
func (d *Data) Statements() []rdf.Quad {
	var w writer
	for _, item := range d.Items {
		w.item(item)
	}
	return w.quads
}

type writer struct {
	quads  []rdf.Quad
	nodes  map[*Item]rdf.Term
	blanks int
}

// add adds a statement if subject and object exist.
func (w *writer) add(s rdf.Term, predicate string, o rdf.Term) {
	if s.Kind == rdf.None || o.Kind == rdf.None {
		return
	}
	w.quads = append(w.quads, rdf.Quad{Subject: s, Predicate: rdf.Term{Kind: rdf.IRI, Value: predicate}, Object: o})
}

// item adds the statements about an item, once, and those inside it. It returns the zero Term for an item without a
// defined type.
func (w *writer) item(i *Item) (node rdf.Term) {
	if node, said := w.nodes[i]; said {
		return node
	}
	if w.nodes == nil {
		w.nodes = map[*Item]rdf.Term{}
	}
	if slices.ContainsFunc(i.Type, func(t string) bool { return defined[t] }) {
		w.blanks++
		node = rdf.Term{Kind: rdf.Blank, Value: "f" + strconv.Itoa(w.blanks)}
	}
	w.nodes[i] = node
	for _, t := range i.Type {
		if defined[t] {
			w.add(node, rdfType, rdf.Term{Kind: rdf.IRI, Value: TypeSpace + t})
		}
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
	if v.Item != nil {
		if node := w.item(v.Item); node.Kind != rdf.None {
			return node
		}
	}
	switch {
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
