package htmltree

// This file writes parts of a page's tree as text, HTML or XML.

import (
	"slices"
	"strings"
)

// Text returns the text inside n, like the DOM's textContent. ok is false if the page has been written out too often.
func (p *Page) Text(n *Node) (text string, ok bool) {
	if n.First == nil {
		return n.Text, true
	}
	if n.First.Next == nil && n.First.Name == "" {
		return n.First.Text, true // shared, so it costs nothing
	}
	size := 0
	for t := n; t != nil; t = t.next(n) {
		size += len(t.Text)
	}
	if !p.Spend(n, size) {
		return "", false
	}
	var b strings.Builder
	b.Grow(size)
	for t := n; t != nil; t = t.next(n) {
		b.WriteString(t.Text)
	}
	return b.String(), true
}

// Markup returns the content of n as HTML, like innerHTML. With absolute, references are resolved. ok is as in Text.
func (p *Page) Markup(n *Node, absolute bool) (markup string, ok bool) {
	return p.write(writer{page: p, outer: n, absolute: absolute})
}

// Canonical returns the content of n as XML in exclusive canonical form, with HTML elements in XHTML's namespace. ok is
// as in Text.
func (p *Page) Canonical(n *Node) (markup string, ok bool) {
	return p.write(writer{page: p, outer: n, xml: true})
}

func (p *Page) write(w writer) (string, bool) {
	space := xhtml
	if w.xml {
		space = w.namespace(w.outer, "xmlns")
	}
	for c := w.outer.First; c != nil && w.write(c, space); c = c.Next {
	}
	return w.out.String(), p.left >= 0
}

type writer struct {
	page     *Page
	outer    *Node
	xml      bool
	absolute bool
	out      strings.Builder
}

var (
	htmlText = strings.NewReplacer("&", "&amp;", "\u00a0", "&nbsp;", "<", "&lt;", ">", "&gt;")
	htmlAttr = strings.NewReplacer("&", "&amp;", "\u00a0", "&nbsp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	xmlText  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	xmlAttr  = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")
)

// write appends n and reports whether the page may be written out further. around is the namespace of n's parent.
func (w *writer) write(n *Node, around string) bool {
	before := w.out.Len()
	if n.Name == "" {
		w.text(n)
		return w.page.Spend(n, w.out.Len()-before)
	}
	w.out.WriteString("<" + n.Name)
	attrs := n.Attr
	escape, space := htmlAttr, around
	if w.xml {
		escape, space = xmlAttr, ownNamespace(n, around)
		attrs = w.canonical(n, around, space)
	}
	for _, a := range attrs {
		value := a.Value
		if w.absolute && isReference(a.Name) {
			if to, ok := w.page.Resolve(value); ok {
				value = to
			}
		}
		w.out.WriteString(" " + a.Name + `="`)
		escape.WriteString(&w.out, value)
		w.out.WriteByte('"')
	}
	w.out.WriteByte('>')
	if !w.page.Spend(n, w.out.Len()-before) {
		return false
	}
	if !w.xml && kinds[n.Name]&void != 0 {
		return true
	}
	for c := n.First; c != nil; c = c.Next {
		if !w.write(c, space) {
			return false
		}
	}
	w.out.WriteString("</" + n.Name + ">")
	return true
}

func (w *writer) text(n *Node) {
	switch {
	case w.xml:
		xmlText.WriteString(&w.out, n.Text)
	case n.Parent != nil && rawText(n.Parent.Name):
		w.out.WriteString(n.Text)
	default:
		htmlText.WriteString(&w.out, n.Text)
	}
}

// isReference reports whether an attribute's value is a reference.
func isReference(name string) bool {
	switch name {
	case "href", "src", "data", "poster", "cite", "action", "longdesc":
		return true
	}
	return false
}

// rawText reports whether an element's text is not markup.
func rawText(name string) bool {
	switch name {
	case "style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext":
		return true
	}
	return false
}

// Namespaces of elements that HTML knows without a declaration.
const (
	xhtml  = "http://www.w3.org/1999/xhtml"
	svg    = "http://www.w3.org/2000/svg"
	mathML = "http://www.w3.org/1998/Math/MathML"
)

// canonical returns n's attributes in canonical order. Before them come the namespace declarations that n uses and no
// written element around it declares. around and space are the namespaces of unprefixed names around n and in it.
func (w *writer) canonical(n *Node, around, space string) []Attribute {
	var spaces, attrs []Attribute
	for _, a := range n.Attr {
		if a.Name != "xmlns" && !strings.HasPrefix(a.Name, "xmlns:") {
			attrs = append(attrs, a)
			spaces = w.declare(spaces, n, prefix(a.Name))
		}
	}
	if p := prefix(n.Name); p != "" {
		spaces = w.declare(spaces, n, p)
	} else if n.Parent == w.outer || space != around || prefix(n.Parent.Name) != "" {
		spaces = append(spaces, Attribute{"xmlns", space})
	}
	byName := func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(spaces, byName)
	slices.SortFunc(attrs, byName)
	return append(spaces, attrs...)
}

// declare adds the meaning of prefix p at n, unless the element around n has the same.
func (w *writer) declare(spaces []Attribute, n *Node, p string) []Attribute {
	name := "xmlns:" + p
	if p == "" || p == "xml" || slices.ContainsFunc(spaces, func(a Attribute) bool { return a.Name == name }) {
		return spaces
	}
	value := w.namespace(n, name)
	if value == "" || n.Parent != w.outer && prefix(n.Parent.Name) == p && w.namespace(n.Parent, name) == value {
		return spaces
	}
	return append(spaces, Attribute{name, value})
}

func prefix(name string) string {
	before, _, found := strings.Cut(name, ":")
	if !found {
		return ""
	}
	return before
}

// namespace returns the value of the declaration name ("xmlns", "xmlns:p") at n; "" if there is none.
func (w *writer) namespace(n *Node, name string) string {
	for ; n != nil && w.page.Spend(n, 1); n = n.Parent {
		if value, ok := n.Get(name); ok {
			return value
		}
		if space := ownNamespace(n, ""); name == "xmlns" && space != "" {
			return space
		}
	}
	if name == "xmlns" {
		return xhtml
	}
	return ""
}

func ownNamespace(n *Node, around string) string {
	if value, ok := n.Get("xmlns"); ok {
		return value
	}
	switch n.Name {
	case "svg":
		return svg
	case "math":
		return mathML
	}
	return around
}
