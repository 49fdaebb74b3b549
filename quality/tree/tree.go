// Package tree draws how coherent a crawl is as the tree in which its pages were found (Spaniol, Mazeika, Denev and Weikum, "Catch
// me if you can: Visual Analysis of Coherence Defects in Web Archiving", 2009): each page hangs below the one whose link led to it,
// and has the colour of its defect.
//
// A [Builder] is told of captures, and of what a second visit found of each, over one pair of visits or over a series. The [Tree] holds
// a million nodes; a [View] of it has some thousands at most, since subtrees without defects are drawn as one node (collapse.go), and
// gives each a place (layout.go). The nodes, and with them their places, are the same at each step of a series. A View is written as
// SVG (svg.go), PNG (png.go) and GraphML (graphml.go); telling.go finds the nodes that tell most.
package tree

import (
	"cmp"
	"slices"
	"strings"
)

// Class is what a step of a series found of a node.
type Class uint8

// The classes, the worst last.
const (
	Absent Class = iota // neither visit has it, or nothing was compared
	Untold
	Coherent
	Added
	Content
	Structure
	Deleted
	Missing
	classes
)

// Classes is their number.
const Classes = int(classes)

var classNames = [Classes]string{"absent", "untold", "coherent", "added", "content", "structure", "deleted", "missing"}

// String returns the name that package quality gives the class, or "absent".
func (c Class) String() string { return classNames[c] }

// ClassOf returns the class of that name; Absent if there is none.
func ClassOf(name string) Class { return Class(max(0, slices.Index(classNames[:], name))) }

// Defect reports whether the class is a defect. A page that was added is none of the first visit.
func (c Class) Defect() bool { return c >= Content }

// Worst are the classes that pictures show, the worst first.
func Worst() []Class { return []Class{Missing, Deleted, Structure, Content, Added, Coherent, Untold} }

// Shape is how a node is drawn, by what it holds.
type Shape uint8

// The shapes, as the publication has them; what was Flash then is scripts now.
const (
	Ellipse        Shape = iota // HTML
	Hexagon                     // pictures, sound, films
	RoundRectangle              // scripts, styles, and what else runs in a page
	Rectangle                   // PDF and other files
)

var shapeNames = [...]string{"ellipse", "hexagon", "roundrectangle", "rectangle"}

// String returns the name of the shape in GraphML of yFiles.
func (s Shape) String() string { return shapeNames[s] }

// ShapeOf returns the shape of a media type; that of HTML if it is not known.
func ShapeOf(mime string) Shape {
	switch top, _, _ := strings.Cut(mime, "/"); {
	case mime == "" || strings.Contains(mime, "html"):
		return Ellipse
	case top == "image" || top == "audio" || top == "video":
		return Hexagon
	case strings.Contains(mime, "javascript"), strings.Contains(mime, "ecmascript"), strings.Contains(mime, "css"), strings.Contains(mime, "json"), strings.Contains(mime, "flash"), strings.Contains(mime, "wasm"):
		return RoundRectangle
	}
	return Rectangle
}

// Root is the node that stands for the crawl: its seeds hang below it.
const Root = 0

// Tree is the tree of a series of visits. Nodes are numbered in the order in which they were found, so that each comes after the
// one above it. It is safe for concurrent use.
type Tree struct {
	Steps []Step
	Cut   bool // there are more nodes than MaxNodes

	nodes   []node
	classes [][]Class // by step, by node
	kids    []int32   // the children of all nodes, those of a node together
	size    []int32   // nodes of the subtree
	bad     []int32   // of them, those with a defect at a step
}

// Step is a pair of visits that follow each other, by name.
type Step struct{ From, To string }

// MaxNodes is how many nodes a Tree holds. Memory is some 200 bytes a node, and one more for each step.
const MaxNodes = 2_000_000

type node struct {
	url     string
	parent  int32
	depth   int32
	links   int32 // pages that link to it, as the index of links says; 0 if that is not known
	from, n int32 // its children in kids
	shape   Shape
}

// Len returns how many nodes there are, the one of the crawl among them.
func (t *Tree) Len() int { return len(t.nodes) }

// URL returns that of a node; "" for Root.
func (t *Tree) URL(n int) string { return t.nodes[n].url }

// Of returns the node of a URL; false if there is none. It looks at all.
func (t *Tree) Of(url string) (n int, ok bool) {
	n = slices.IndexFunc(t.nodes, func(o node) bool { return o.url == url })
	return n, n >= 0
}

// Class returns what a step found of a node.
func (t *Tree) Class(step, n int) Class { return t.classes[step][n] }

// Counts returns how many nodes have each class at a step.
func (t *Tree) Counts(step int) (counts [Classes]int) {
	for _, c := range t.classes[step][1:] {
		counts[c]++
	}
	return counts
}

// children returns the nodes below a node, in their order.
func (t *Tree) children(n int32) []int32 {
	o := &t.nodes[n]
	return t.kids[o.from : o.from+o.n]
}

// Builder makes a Tree.
type Builder struct {
	tree Tree
	ids  map[string]int32
	shut []bool // by node: it may not be shown
}

// NewBuilder returns a Builder for a series with the given steps.
func NewBuilder(steps []Step) *Builder {
	b := &Builder{tree: Tree{Steps: steps, classes: make([][]Class, len(steps))}, ids: map[string]int32{}}
	b.Node("", "", Ellipse)
	return b
}

// Node adds a node, if it is new, and returns its number. via is the URL of the page whose link led to it: if that has no node yet, it
// hangs below Root. It returns false if there are too many.
func (b *Builder) Node(url, via string, shape Shape) (n int, ok bool) {
	if id, ok := b.ids[url]; ok {
		return int(id), true
	}
	t := &b.tree
	if t.Cut = len(t.nodes) >= MaxNodes; t.Cut {
		return 0, false
	}
	parent, depth := b.ids[via], int32(0)
	if len(t.nodes) == Root {
		parent = -1
	} else {
		depth = t.nodes[parent].depth + 1
	}
	n = len(t.nodes)
	b.ids[url] = int32(n)
	t.nodes = append(t.nodes, node{url: url, parent: parent, depth: depth, shape: shape})
	b.shut = append(b.shut, false)
	for i := range t.classes {
		t.classes[i] = append(t.classes[i], Absent)
	}
	return n, true
}

// Find returns the node of a URL.
func (b *Builder) Find(url string) (n int, ok bool) {
	id, ok := b.ids[url]
	return int(id), ok
}

// Tell says what a step found of a node.
func (b *Builder) Tell(step, n int, c Class) { b.tree.classes[step][n] = c }

// Link says how many pages link to a node.
func (b *Builder) Link(n, pages int) { b.tree.nodes[n].links = int32(pages) }

// Hide takes a node out: what hangs below it then hangs below the next one above.
func (b *Builder) Hide(n int) { b.shut[n] = true }

// Told reports whether a step has found anything of a node.
func (b *Builder) Told(n int) bool {
	return slices.ContainsFunc(b.tree.classes, func(of []Class) bool { return of[n] != Absent })
}

// Tree returns what was built. The Builder is of no more use then.
func (b *Builder) Tree() *Tree {
	t := &b.tree
	b.ids = nil
	to := make([]int32, len(t.nodes)) // where a node goes; of one that is hidden, where the next one above goes
	kept := int32(0)
	for i := range t.nodes {
		o := t.nodes[i]
		if o.parent >= 0 {
			o.parent = to[o.parent]
			o.depth = t.nodes[o.parent].depth + 1
		}
		if b.shut[i] {
			to[i] = o.parent
			continue
		}
		to[i] = kept
		t.nodes[kept] = o
		for _, of := range t.classes {
			of[kept] = of[i]
		}
		kept++
	}
	t.nodes = slices.Clip(t.nodes[:kept])
	for i := range t.classes {
		t.classes[i] = t.classes[i][:kept]
	}
	t.join()
	return t
}

// join fills in what follows from the nodes.
func (t *Tree) join() {
	for i := range t.nodes[1:] {
		t.nodes[t.nodes[i+1].parent].n++
	}
	from := int32(0)
	for i := range t.nodes {
		o := &t.nodes[i]
		o.from, from, o.n = from, from+o.n, 0
	}
	t.kids = make([]int32, from)
	for i := range t.nodes[1:] {
		above := &t.nodes[t.nodes[i+1].parent]
		t.kids[above.from+above.n] = int32(i + 1)
		above.n++
	}
	t.size, t.bad = make([]int32, len(t.nodes)), make([]int32, len(t.nodes))
	for i := len(t.nodes) - 1; i >= 0; i-- {
		t.size[i]++
		if slices.ContainsFunc(t.classes, func(of []Class) bool { return of[i].Defect() }) {
			t.bad[i]++
		}
		if above := t.nodes[i].parent; above >= 0 {
			t.size[above] += t.size[i]
			t.bad[above] += t.bad[i]
		}
	}
}

// worse orders nodes by the defects below them, then by their size, then as they were found.
func (t *Tree) worse(a, b int32) int {
	return cmp.Or(cmp.Compare(t.bad[b], t.bad[a]), cmp.Compare(t.size[b], t.size[a]), cmp.Compare(a, b))
}
