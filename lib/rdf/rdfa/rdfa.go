// Package rdfa reads RDFa 1.1 in HTML and XHTML: statements made by attributes of a page's elements.
//
// It follows RDFa Core 1.1, section 7.5 (rdfa.go; comments give the steps' numbers), HTML+RDFa 1.1, which adds times
// and the copying of patterns (copy.go), and the W3C's initial context (vocabulary.go). term.go reads terms and CURIEs.
// What a processor may add is left out: the processor graph, and what vocabularies entail.
//
// The cost is linear in the page's length: see maxStatements, and htmltree.Page.Names and Spend.
package rdfa

import (
	"strconv"
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/xsd"
)

const maxStatements = 100_000 // in one page

const (
	rdfNS  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rdfaNS = "http://www.w3.org/ns/rdfa#"
	xhvNS  = "http://www.w3.org/1999/xhtml/vocab#"

	rdfType = rdfNS + "type"
)

// Read returns the statements of a page, in the default graph. If a bound was exceeded, the page's Fault says so.
func Read(page *htmltree.Page) []rdf.Quad {
	r := reader{page: page, prefixes: map[string][]string{}, labels: map[string]string{}}
	base := iri(page.URL)
	r.element(page.Root, context{subject: base, object: base, lists: &lists{subject: base}})
	r.copyPatterns()
	return r.quads
}

type reader struct {
	page     *htmltree.Page
	quads    []rdf.Quad
	prefixes map[string][]string // the meaning of each prefix, innermost declaration last
	labels   map[string]string   // the page's blank nodes, by their labels
	blanks   int
	copied   bool // rdfa:copy was seen
	full     bool
}

// context is what an element inherits from its parent.
type context struct {
	subject, object rdf.Term // the parent's
	incomplete      []incomplete
	lists           *lists
	language, vocab string
}

// incomplete is a statement that waits for an element to supply its other end.
type incomplete struct {
	predicate rdf.Term
	backward  bool
	list      *list // gets the other end; nil makes a statement of its own
}

// lists holds the lists begun for one subject, by predicate and in order.
type lists struct {
	subject rdf.Term
	all     []*list
	by      map[rdf.Term]*list
}

type list struct {
	predicate rdf.Term
	items     []rdf.Term
}

// of returns the list of a predicate and begins it if necessary.
func (l *lists) of(predicate rdf.Term) *list {
	one := l.by[predicate]
	if one == nil {
		if l.by == nil {
			l.by = map[rdf.Term]*list{}
		}
		one = &list{predicate: predicate}
		l.by[predicate] = one
		l.all = append(l.all, one)
	}
	return one
}

func iri(s string) rdf.Term { return rdf.Term{Kind: rdf.IRI, Value: s} }

func (r *reader) blank() rdf.Term {
	r.blanks++
	return rdf.Term{Kind: rdf.Blank, Value: "r" + strconv.Itoa(r.blanks)}
}

func (r *reader) add(at *htmltree.Node, s, p, o rdf.Term) {
	if len(r.quads) >= maxStatements {
		r.full = true
		r.page.Stop(at, "more than %d statements of RDFa", maxStatements)
		return
	}
	r.copied = r.copied || p.Value == rdfaNS+"copy"
	r.quads = append(r.quads, rdf.Quad{Subject: s, Predicate: p, Object: o})
}

// attributes are the attributes of an element that RDFa reads; nil means absent.
type attributes struct {
	about, resource, href, src           *string
	property, rel, rev, typeof, datatype *string
	content, datetime, inlist            *string
	vocab, prefix, lang, xmlLang         *string
}

func (a *attributes) read(n *htmltree.Node) (any bool) {
	for i := range n.Attr {
		var to **string
		switch n.Attr[i].Name {
		case "about":
			to = &a.about
		case "resource":
			to = &a.resource
		case "href":
			to = &a.href
		case "src":
			to = &a.src
		case "property":
			to = &a.property
		case "rel":
			to = &a.rel
		case "rev":
			to = &a.rev
		case "typeof":
			to = &a.typeof
		case "datatype":
			to = &a.datatype
		case "content":
			to = &a.content
		case "datetime":
			to = &a.datetime
		case "inlist":
			to = &a.inlist
		case "vocab":
			to = &a.vocab
		case "prefix":
			to = &a.prefix
		case "lang":
			to = &a.lang
		case "xml:lang":
			to = &a.xmlLang
		default:
			any = any || strings.HasPrefix(n.Attr[i].Name, "xmlns:")
			continue
		}
		*to, any = &n.Attr[i].Value, true
	}
	return any
}

// element does what section 7.5 says for one element, and continues with its children.
func (r *reader) element(n *htmltree.Node, around context) {
	var a attributes
	if !a.read(n) && n != r.page.Root { // most elements of most pages
		r.children(n, around)
		return
	}
	c := around
	r.vocabulary(n, &a, &c)      // step 2
	declared := r.declare(n, &a) // step 3
	if a.xmlLang != nil {        // step 4
		c.language = strings.ToLower(*a.xmlLang)
	} else if a.lang != nil {
		c.language = strings.ToLower(*a.lang)
	}
	if a.property != nil {
		a.rel, a.rev = withoutTerms(a.rel), withoutTerms(a.rev)
	}

	subject, object, typed, skip := r.subjects(n, &a, &c) // steps 5 and 6
	if typed.Kind != rdf.None {                           // step 7
		for _, t := range r.names(n, *a.typeof, c.vocab) {
			r.add(n, typed, iri(rdfType), t)
		}
	}
	if subject != c.lists.subject { // step 8
		c.lists = &lists{subject: subject}
	}
	var pending []incomplete
	if a.rel != nil || a.rev != nil {
		object, pending = r.relations(n, &a, &c, subject, object) // steps 9 and 10
	}
	if a.property != nil {
		r.property(n, &a, &c, subject, typed) // step 11
	}
	if !skip { // step 12
		r.complete(n, around, subject)
	}
	inner := c // step 13
	if !skip {
		inner.subject, inner.object, inner.incomplete = subject, subject, pending
		if object.Kind != rdf.None {
			inner.object = object
			inner.lists = &lists{subject: object}
		}
	}
	r.children(n, inner)
	for _, l := range []*lists{inner.lists, c.lists} { // step 14
		if l != around.lists || n == r.page.Root {
			r.close(n, l)
		}
	}
	r.withdraw(declared)
}

func (r *reader) children(n *htmltree.Node, c context) {
	for child := range n.Children() {
		if r.full {
			return
		}
		if child.Name != "" {
			r.element(child, c)
		}
	}
}

// subjects returns the new subject, the current object resource and the typed resource of an element; the zero Term for
// none. skip means that it changes nothing.
func (r *reader) subjects(n *htmltree.Node, a *attributes, c *context) (subject, object, typed rdf.Term, skip bool) {
	about := r.resource(a.about)
	if about.Kind == rdf.None && n == r.page.Root {
		about = iri(r.page.URL) // as if it had an empty about attribute
	}
	inherits := n.Name == "head" || n.Name == "body" // HTML+RDFa, section 3.1
	refers := r.firstOf(a.resource, a.href, a.src)
	subject = about
	switch {
	case a.rel != nil || a.rev != nil: // step 6
		if a.typeof != nil {
			typed = about
		}
		if subject.Kind == rdf.None {
			subject = c.object
		}
		object = refers
		if object.Kind == rdf.None && a.typeof != nil && a.about == nil && n != r.page.Root && !inherits {
			object = r.blank()
		}
		if a.typeof != nil && a.about == nil && n != r.page.Root {
			typed = object
		}
	case a.property != nil && a.content == nil && a.datatype == nil: // step 5.1
		if subject.Kind == rdf.None {
			subject = c.object
		}
		if a.typeof != nil {
			if typed = about; typed.Kind == rdf.None {
				typed = refers
			}
			if typed.Kind == rdf.None && inherits {
				typed = c.object
			}
			if typed.Kind == rdf.None {
				typed = r.blank()
			}
			object = typed
		}
	default: // step 5.2
		if subject.Kind == rdf.None {
			subject = refers
		}
		if subject.Kind == rdf.None && a.typeof != nil && !inherits {
			subject = r.blank()
		}
		if subject.Kind == rdf.None {
			subject = c.object
			skip = a.property == nil && a.typeof == nil
		}
		if a.typeof != nil {
			typed = subject
		}
	}
	return subject, object, typed, skip
}

// relations makes the statements of rel and rev, or leaves them pending if the element names no object.
func (r *reader) relations(n *htmltree.Node, a *attributes, c *context, subject, object rdf.Term) (rdf.Term, []incomplete) {
	rel, rev := r.attribute(n, a.rel, c.vocab), r.attribute(n, a.rev, c.vocab)
	if object.Kind != rdf.None {
		for _, p := range rel {
			if a.inlist != nil {
				l := c.lists.of(p)
				l.items = append(l.items, object)
			} else {
				r.add(n, subject, p, object)
			}
		}
		for _, p := range rev {
			r.add(n, object, p, subject)
		}
		return object, nil
	}
	var pending []incomplete
	for _, p := range rel {
		if a.inlist != nil {
			pending = append(pending, incomplete{predicate: p, list: c.lists.of(p)})
		} else {
			pending = append(pending, incomplete{predicate: p})
		}
	}
	for _, p := range rev {
		pending = append(pending, incomplete{predicate: p, backward: true})
	}
	return r.blank(), pending
}

// complete makes the statements that the elements around it left pending.
func (r *reader) complete(n *htmltree.Node, around context, subject rdf.Term) {
	for _, i := range around.incomplete {
		switch {
		case i.list != nil:
			i.list.items = append(i.list.items, subject)
		case i.backward:
			r.add(n, subject, i.predicate, around.subject)
		default:
			r.add(n, around.subject, i.predicate, subject)
		}
	}
}

func (r *reader) property(n *htmltree.Node, a *attributes, c *context, subject, typed rdf.Term) {
	predicates := r.attribute(n, a.property, c.vocab)
	if len(predicates) == 0 {
		return
	}
	value := r.value(n, a, c, typed)
	if value.Kind == rdf.None {
		return
	}
	for _, p := range predicates {
		if a.inlist != nil {
			l := c.lists.of(p)
			l.items = append(l.items, value)
		} else {
			r.add(n, subject, p, value)
		}
	}
}

// value returns the current property value; the zero Term if it would be too long.
func (r *reader) value(n *htmltree.Node, a *attributes, c *context, typed rdf.Term) rdf.Term {
	datatype := ""
	if a.datatype != nil {
		if named := r.names(n, *a.datatype, c.vocab); len(named) > 0 && named[0].Kind == rdf.IRI {
			datatype = named[0].Value
		}
	}
	ok := true
	literal := rdf.Term{Kind: rdf.Literal, Datatype: datatype}
	switch {
	case datatype == rdfNS+"XMLLiteral" && a.content == nil:
		literal.Value, ok = r.page.Canonical(n)
	case datatype == rdfNS+"HTML" && a.content == nil:
		literal.Value, ok = r.page.Markup(n, false)
	case a.content != nil:
		literal.Value = *a.content
	case a.datetime != nil:
		literal.Value = *a.datetime
		if a.datatype == nil {
			literal.Datatype = xsd.OfTime(literal.Value)
		}
	case a.datatype == nil && a.rel == nil && a.rev == nil:
		if to := r.firstOf(a.resource, a.href, a.src); to.Kind != rdf.None {
			return to
		}
		if typed.Kind != rdf.None && a.about == nil {
			return typed
		}
		fallthrough
	default:
		literal.Value, ok = r.page.Text(n)
		if n.Name == "time" && a.datatype == nil {
			literal.Datatype = xsd.OfTime(literal.Value)
		}
	}
	if !ok {
		return rdf.Term{}
	}
	if literal.Datatype == xsd.Namespace+"string" {
		literal.Datatype = ""
	} else if literal.Datatype == "" {
		literal.Language = c.language
	}
	return literal
}

// close makes the statements of lists, once.
func (r *reader) close(n *htmltree.Node, l *lists) {
	for _, one := range l.all {
		next := iri(rdfNS + "nil")
		for i := len(one.items) - 1; i >= 0 && !r.full; i-- {
			node := r.blank()
			r.add(n, node, iri(rdfNS+"first"), one.items[i])
			r.add(n, node, iri(rdfNS+"rest"), next)
			next = node
		}
		r.add(n, l.subject, one.predicate, next)
	}
	l.all = nil
}
