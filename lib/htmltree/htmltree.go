// Package htmltree reads a web page to a tree of elements and texts, at a cost linear in its length whatever it holds.
//
// It is for readers of data in pages, which must not be led astray by hostile ones: an HTML parser after the standard
// copies open formatting elements into every paragraph, so that a megabyte can become gigabytes of tree, and ours gives
// up no page for its depth. What the standard does that no data depends on is left out: formatting elements are not
// reopened, and what stands wrongly in a table stays there. Tags are closed as the standard closes them.
//
// build.go makes the tree; write.go turns a part of it back into text or markup; address.go resolves references.
package htmltree

import (
	"fmt"
	"iter"
	"strings"

	"kavosh/lib/iri"
)

// The bounds on a page. What is past them is left out, and Page.Fault tells.
const (
	maxToken      = 4 << 20 // bytes of one tag, comment or text
	maxParts      = 1 << 20 // elements, attributes and texts
	maxAttributes = 128     // of one element; real ones have a few dozen at most
	maxDepth      = 512     // open elements, as many as browsers allow; what is deeper becomes a brother
)

// A page may be written out again (Text, Markup, Resolve) to at most these many bytes: nested elements whose texts are all
// wanted would otherwise cost the square of its length.
const (
	spendTimes = 16
	spendLeast = 1 << 20
)

// Node is an element, with a Name, or a text.
type Node struct {
	Name   string // an element's, in lower case; "" for a text
	Text   string // a text's, with character references resolved
	Attr   []Attribute
	Offset int // where its tag or its text begins in the page, in bytes

	Parent, First, Last, Next *Node
}

// Attribute is one of an element's: no two have the same name, which is in lower case.
type Attribute struct{ Name, Value string }

// Get is the value of the attribute name, and whether the element has it.
func (n *Node) Get(name string) (value string, ok bool) {
	for i := range n.Attr {
		if n.Attr[i].Name == name {
			return n.Attr[i].Value, true
		}
	}
	return "", false
}

// Words are the names in an attribute that holds several, cut at the white space of HTML.
func Words(value string) iter.Seq[string] {
	return strings.FieldsFuncSeq(value, func(c rune) bool { return strings.ContainsRune(blanks, c) })
}

// Children are the nodes directly within n.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.First; c != nil; c = c.Next {
			if !yield(c) {
				return
			}
		}
	}
}

// Page is a page read. It is for one goroutine at a time.
type Page struct {
	Root *Node  // the html element of an HTML page, made up where it has none; of XML, the outermost element
	XML  bool   // it was read as XHTML
	URL  string // what relative references stand against: the page's own URL, or what its base element says

	body  string
	fault *Fault
	left  int // bytes that may still be written
	base  iri.Base
}

// Parse reads a page in UTF-8. xml says that it is XHTML, where an empty element is closed by its own tag. url is the page's,
// absolute.
func Parse(body string, xml bool, url string) *Page {
	p := &Page{XML: xml, body: body, left: spendTimes*len(body) + spendLeast}
	p.setBase(url)
	b := builder{page: p, count: map[string]int{}}
	b.build()
	return p
}

// Elements are all elements, in the page's order.
func (p *Page) Elements() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for n := p.Root; n != nil; n = n.next(p.Root) {
			if n.Name != "" && !yield(n) {
				return
			}
		}
	}
}

// next is the node after n in the page's order, within outer.
func (n *Node) next(outer *Node) *Node {
	if n.First != nil {
		return n.First
	}
	for n != outer {
		if n.Next != nil {
			return n.Next
		}
		n = n.Parent
	}
	return nil
}

// Fault is what was left out because the page goes past a bound: where it begins, as Page.Position counts, and why.
type Fault struct {
	Line, Column int
	Reason       string
}

// Fault tells what was left out first, nil when nothing was.
func (p *Page) Fault() *Fault { return p.fault }

// Position is the line and column of a byte of the page, both from 1; columns are characters.
func (p *Page) Position(offset int) (line, column int) {
	before := p.body[:min(offset, len(p.body))]
	return 1 + strings.Count(before, "\n"), 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

// Stop notes that what begins at n was left out, for a reason such as "more than 7 wonders". The first note stays.
func (p *Page) Stop(n *Node, format string, values ...any) {
	if p.fault == nil {
		line, column := p.Position(n.Offset)
		p.fault = &Fault{Line: line, Column: column, Reason: fmt.Sprintf(format, values...)}
	}
}

// maxNames is how many names an attribute may hold.
const maxNames = 128

// Names cuts an attribute of n at white space, into at most 128 names; that there are more is told as a fault.
func (p *Page) Names(n *Node, value string) (names []string) {
	for name := range Words(value) {
		if len(names) == maxNames {
			p.Stop(n, "an attribute of more than %d names", maxNames)
			break
		}
		names = append(names, name)
	}
	return names
}

// Spend asks whether another size bytes may be made of what n holds. Once it says no, it always does.
func (p *Page) Spend(n *Node, size int) bool {
	if p.left -= size; p.left >= 0 {
		return true
	}
	p.left = -1
	p.Stop(n, "the page says the same too often: more than %d times its length", spendTimes)
	return false
}
