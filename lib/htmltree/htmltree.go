// Package htmltree parses a web page into a tree of elements and texts, at a cost linear in its length.
//
// It is made for readers of data in hostile pages. A parser that follows the standard copies open formatting elements
// into every paragraph, so a megabyte can become gigabytes of tree. This one does not reopen formatting elements and
// leaves misplaced content of a table in place, because no data depends on either. It accepts pages of any depth. Tags
// are closed as in the standard.
//
// build.go builds the tree; write.go turns a part of it back into text or markup; address.go resolves references.
package htmltree

import (
	"fmt"
	"iter"
	"strings"

	"kavosh/lib/iri"
)

// Bounds on a page. What exceeds them is left out, and Page.Fault says so.
const (
	maxToken      = 4 << 20 // bytes of one tag, comment or text
	maxParts      = 1 << 20 // elements, attributes and texts
	maxAttributes = 128     // per element; real ones have a few dozen at most
	maxDepth      = 512     // open elements, as in browsers; deeper ones become siblings
)

// A page may be written out again (Text, Markup, Resolve) up to this many bytes. Otherwise nested elements whose texts
// are all wanted would cost the square of the page's length.
const (
	spendTimes = 16
	spendLeast = 1 << 20
)

// Node is an element (with a Name) or a text.
type Node struct {
	Name   string // of an element, in lower case; "" for a text
	Text   string // of a text, with character references resolved
	Attr   []Attribute
	Offset int // offset of its tag or text in the page, in bytes

	Parent, First, Last, Next *Node
}

// Attribute is an attribute of an element. Names are in lower case and unique within an element.
type Attribute struct{ Name, Value string }

// Get returns the value of an attribute; false if the element does not have it.
func (n *Node) Get(name string) (value string, ok bool) {
	for i := range n.Attr {
		if n.Attr[i].Name == name {
			return n.Attr[i].Value, true
		}
	}
	return "", false
}

// Words yields the words in an attribute, separated by HTML's white space.
func Words(value string) iter.Seq[string] {
	return strings.FieldsFuncSeq(value, func(c rune) bool { return strings.ContainsRune(blanks, c) })
}

// Children yields the direct children of n.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.First; c != nil; c = c.Next {
			if !yield(c) {
				return
			}
		}
	}
}

// Page is a parsed page. Only one goroutine may use it at a time.
type Page struct {
	Root *Node  // the html element, added if missing; for XML the outermost element
	XML  bool   // it was parsed as XHTML
	URL  string // base of relative references: the page's own URL, or that of its base element

	body  string
	fault *Fault
	left  int // bytes that may still be written
	base  iri.Base
}

// Parse parses a page in UTF-8. With xml it is XHTML, in which <x/> closes an element. url is the page's absolute URL.
func Parse(body string, xml bool, url string) *Page {
	p := &Page{XML: xml, body: body, left: spendTimes*len(body) + spendLeast}
	p.setBase(url)
	b := builder{page: p, count: map[string]int{}}
	b.build()
	return p
}

// Elements yields all elements in document order.
func (p *Page) Elements() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for n := p.Root; n != nil; n = n.next(p.Root) {
			if n.Name != "" && !yield(n) {
				return
			}
		}
	}
}

// next returns the node after n in document order, within outer.
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

// Fault says what was left out because a bound was exceeded: where it begins, as in Page.Position, and why.
type Fault struct {
	Line, Column int
	Reason       string
}

// Fault returns the first thing that was left out; nil if nothing was.
func (p *Page) Fault() *Fault { return p.fault }

// Position returns the line and column of a byte offset, both from 1; columns count characters.
func (p *Page) Position(offset int) (line, column int) {
	before := p.body[:min(offset, len(p.body))]
	return 1 + strings.Count(before, "\n"), 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

// Stop notes that all from n on was left out, for a reason such as "more than 7 wonders". Only the first note is kept.
func (p *Page) Stop(n *Node, format string, values ...any) {
	if p.fault == nil {
		line, column := p.Position(n.Offset)
		p.fault = &Fault{Line: line, Column: column, Reason: fmt.Sprintf(format, values...)}
	}
}

// maxNames is how many names an attribute may contain.
const maxNames = 128

// Names splits an attribute of n at white space into at most 128 names. If there are more, it notes a fault.
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

// Spend reports whether size more bytes may be written for n. Once it returns false, it always does.
func (p *Page) Spend(n *Node, size int) bool {
	if p.left -= size; p.left >= 0 {
		return true
	}
	p.left = -1
	p.Stop(n, "the page says the same too often: more than %d times its length", spendTimes)
	return false
}
