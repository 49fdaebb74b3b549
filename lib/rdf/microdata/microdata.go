// Package microdata reads microdata in HTML pages as statements.
//
// Items, properties and values follow the HTML standard; the statements follow the W3C's "Microdata to RDF" (second
// edition), with the one useful entry of its registry: schema.org's additionalType is a type.
package microdata

import (
	"strconv"
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/xsd"
)

const (
	maxStatements = 100_000 // in one page
	maxDepth      = 512     // nesting of items
	visitCost     = 4       // bytes of the page's allowance for each node visited, because itemref can lead to a node many times
)

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

// Read returns the statements of a page, in the default graph. If a bound was exceeded, the page's Fault says so.
func Read(page *htmltree.Page) []rdf.Quad {
	r := reader{page: page, subjects: map[*htmltree.Node]rdf.Term{}, ids: map[string]*htmltree.Node{}}
	var tops []*htmltree.Node
	r.scan(page.Root, "", &tops)
	for _, top := range tops {
		r.item(top, kinship{})
	}
	return r.quads
}

type reader struct {
	page      *htmltree.Page
	quads     []rdf.Quad
	subjects  map[*htmltree.Node]rdf.Term // of the items seen
	ids       map[string]*htmltree.Node
	languages map[*htmltree.Node]string // of elements with properties
	full      bool
}

// kinship is what an item inherits from the item it belongs to.
type kinship struct {
	kind, vocabulary string
	depth            int
}

// scan notes ids and languages, and collects the items that are not a property of another.
func (r *reader) scan(n *htmltree.Node, language string, tops *[]*htmltree.Node) {
	var isItem, isProperty bool
	declared := ""
	for _, a := range n.Attr {
		switch a.Name {
		case "id":
			if _, met := r.ids[a.Value]; !met {
				r.ids[a.Value] = n
			}
		case "lang":
			if declared == "" {
				declared, language = "lang", strings.ToLower(a.Value)
			}
		case "xml:lang":
			declared, language = "xml:lang", strings.ToLower(a.Value)
		case "itemscope":
			isItem = true
		case "itemprop", "itemprop-reverse":
			isProperty = true
		}
	}
	if isItem && !isProperty {
		*tops = append(*tops, n)
	}
	if isProperty && language != "" {
		if r.languages == nil {
			r.languages = map[*htmltree.Node]string{}
		}
		r.languages[n] = language
	}
	for c := range n.Children() {
		if c.Name != "" {
			r.scan(c, language, tops)
		}
	}
}

func (r *reader) add(at *htmltree.Node, s rdf.Term, p string, o rdf.Term) {
	if len(r.quads) >= maxStatements {
		r.full = true
		r.page.Stop(at, "more than %d statements of microdata", maxStatements)
		return
	}
	r.quads = append(r.quads, rdf.Quad{Subject: s, Predicate: rdf.Term{Kind: rdf.IRI, Value: p}, Object: o})
}

// item makes the statements of an item, once, and returns its subject.
func (r *reader) item(n *htmltree.Node, kin kinship) rdf.Term {
	if subject, met := r.subjects[n]; met {
		return subject
	}
	subject := rdf.Term{Kind: rdf.Blank, Value: "m" + strconv.Itoa(len(r.subjects)+1)}
	if id, ok := n.Get("itemid"); ok {
		if to := r.reference(id); to.Kind != rdf.None {
			subject = to
		}
	}
	r.subjects[n] = subject
	if kin.depth++; kin.depth > maxDepth {
		r.page.Stop(n, "more than %d items within one another", maxDepth)
		return subject
	}
	types, _ := n.Get("itemtype")
	for i, kind := range r.page.Names(n, types) {
		if !htmltree.Absolute(kind) {
			continue
		}
		r.add(n, subject, rdfType, rdf.Term{Kind: rdf.IRI, Value: kind})
		if i == 0 {
			kin.kind, kin.vocabulary = kind, kind[:strings.LastIndexAny(kind, "/#:")+1]
		}
	}
	r.properties(n, func(p *htmltree.Node) { r.property(subject, p, kin) })
	return subject
}

// properties calls visit for each element that is a property of the item n.
func (r *reader) properties(n *htmltree.Node, visit func(*htmltree.Node)) {
	var met map[*htmltree.Node]bool // needed only where itemref may lead to an element twice
	refs, _ := n.Get("itemref")
	if refs != "" {
		met = map[*htmltree.Node]bool{n: true}
	}
	var look func(*htmltree.Node)
	look = func(e *htmltree.Node) {
		if e.Name == "" || met[e] || r.full || !r.page.Spend(e, visitCost) {
			return
		}
		if met != nil {
			met[e] = true
		}
		var isItem, isProperty bool
		for i := range e.Attr {
			switch e.Attr[i].Name {
			case "itemscope":
				isItem = true
			case "itemprop", "itemprop-reverse":
				isProperty = true
			}
		}
		if isProperty {
			visit(e)
		}
		if !isItem {
			for c := range e.Children() {
				look(c)
			}
		}
	}
	for c := range n.Children() {
		look(c)
	}
	for _, id := range r.page.Names(n, refs) {
		if e := r.ids[id]; e != nil {
			look(e)
		}
	}
}

// property makes the statements of one property element of an item.
func (r *reader) property(subject rdf.Term, p *htmltree.Node, kin kinship) {
	var value rdf.Term
	if _, isItem := p.Get("itemscope"); isItem {
		value = r.item(p, kin)
	} else if value = r.value(p); value.Kind == rdf.None {
		return
	}
	names, _ := p.Get("itemprop")
	for _, name := range r.page.Names(p, names) {
		predicate := r.predicate(name, kin)
		if predicate == "" {
			continue
		}
		r.add(p, subject, predicate, value)
		if isAdditionalType(predicate) {
			r.add(p, subject, rdfType, value)
		}
	}
	if value.Kind == rdf.Literal {
		return
	}
	names, _ = p.Get("itemprop-reverse")
	for _, name := range r.page.Names(p, names) {
		if predicate := r.predicate(name, kin); predicate != "" {
			r.add(p, value, predicate, subject)
		}
	}
}

func isAdditionalType(predicate string) bool {
	return predicate == "http://schema.org/additionalType" || predicate == "https://schema.org/additionalType"
}

// predicate returns the IRI of a property's name; "" if the page's allowance is used up.
func (r *reader) predicate(name string, kin kinship) string {
	switch {
	case htmltree.Absolute(name):
		return name
	case !r.page.Spend(r.page.Root, len(kin.vocabulary)+3*len(name)):
		return ""
	case kin.kind == "":
		to, _ := r.page.Resolve("#" + escape(name))
		return to
	}
	return kin.vocabulary + escape(name)
}

// escape percent-encodes what a fragment cannot contain.
func escape(name string) string {
	const bad = "\"#%<>[\\]^{|}`"
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte(bad, c) >= 0 {
			b.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// links says which attribute of an element names what it links to.
var links = map[string]string{
	"audio": "src", "embed": "src", "iframe": "src", "img": "src", "source": "src", "track": "src", "video": "src",
	"a": "href", "area": "href", "link": "href", "object": "data",
}

// value returns the value of an element that is not an item; the zero Term if it has none.
func (r *reader) value(n *htmltree.Node) rdf.Term {
	literal := rdf.Term{Kind: rdf.Literal}
	if attribute := links[n.Name]; attribute != "" {
		if to, ok := n.Get(attribute); ok {
			return r.reference(to)
		}
		return literal
	}
	has := true
	switch n.Name {
	case "meta":
		literal.Value, _ = n.Get("content")
	case "data", "meter":
		literal.Value, _ = n.Get("value")
		if literal.Datatype = xsd.OfNumber(literal.Value); literal.Datatype != "" {
			return literal
		}
	case "time":
		if literal.Value, has = n.Get("datetime"); !has {
			literal.Value, has = r.page.Text(n)
		}
		if literal.Datatype = xsd.OfTime(literal.Value); literal.Datatype != "" {
			return literal
		}
	default:
		literal.Value, has = r.page.Text(n)
	}
	if !has {
		return rdf.Term{}
	}
	literal.Language = r.languages[n]
	return literal
}

// reference returns the IRI that a reference means; the zero Term if it is invalid.
func (r *reader) reference(s string) rdf.Term {
	if to, ok := r.page.Resolve(s); ok {
		return rdf.Term{Kind: rdf.IRI, Value: to}
	}
	return rdf.Term{}
}
