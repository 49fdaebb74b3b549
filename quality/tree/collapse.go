package tree

// This file chooses which nodes of a Tree are drawn, so that a picture holds no more than people and browsers can take. Subtrees
// without defects give way first: all those below one node are one node then.

import (
	"container/heap"
	"math"
	"slices"
)

// Options says what a View shows.
type Options struct {
	Most int     // nodes that are drawn; 0 for DefaultMost
	Open []int32 // nodes whose children are wanted one by one; one that is named again shows more of them
	Shut []int32 // nodes whose children are not wanted
}

// Bounds of a View.
const (
	DefaultMost = 1500 // nodes that are drawn
	fanOfAny    = 40   // children of a node that are drawn one by one
	fanOfOpen   = 150  // … of one that is wanted open
)

// View is what is drawn of a Tree.
type View struct {
	Tree  *Tree
	Nodes []Drawn // each after the one above it
	Size  float64 // of the square in which all lie, with its middle at 0, 0
}

// Drawn is a node that is drawn.
type Drawn struct {
	Node    int  // of Tree; of a Group, the one above
	Group   bool // it stands for several subtrees below Node
	Open    bool // its children are drawn, as far as Tree has any
	Above   int  // the drawn node above it; -1 if there is none
	Members int  // nodes that it stands for
	Depth   int
	X, Y    float64 // of its middle
	Side    float64 // its width and height

	Counts [][Classes]int // by step: the nodes that it stands for, by class
}

// Main returns the class that most of the nodes have for which it stands at a step, of several the worst.
func (d *Drawn) Main(step int) Class {
	most := Absent
	for c := Untold; c < classes; c++ {
		if n := d.Counts[step][c]; n > 0 && n >= d.Counts[step][most] || most == Absent && n > 0 {
			most = c
		}
	}
	return most
}

// Worst returns the worst class of those nodes at a step.
func (d *Drawn) Worst(step int) Class {
	for c := Missing; c > Absent; c-- {
		if d.Counts[step][c] > 0 {
			return c
		}
	}
	return Absent
}

// View chooses what is drawn, and where. The same Options give the same View. It takes time by the nodes of the tree times its steps.
func (t *Tree) View(o Options) *View {
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	v := &View{Tree: t}
	c := chooser{t: t, v: v, fan: map[int32]int{}, shown: map[int32]bool{}, shut: map[int32]bool{}, groups: map[int32][2]int{}, most: o.Most}
	for _, n := range o.Open {
		if n < 0 || int(n) >= len(t.nodes) {
			continue
		}
		c.fan[n] += fanOfOpen
		for at := n; at > Root; at = t.nodes[at].parent {
			c.shown[at] = true
			above := t.nodes[at].parent
			c.fan[above] = max(c.fan[above], fanOfAny)
		}
	}
	for _, n := range o.Shut {
		c.shut[n] = true
	}
	c.all = len(t.nodes) <= o.Most
	c.choose()
	c.count()
	v.lay()
	return v
}

// chooser chooses what a View draws.
type chooser struct {
	t      *Tree
	v      *View
	most   int
	all    bool             // everything fits
	fan    map[int32]int    // of nodes that are wanted open: how many children
	shown  map[int32]bool   // nodes that are drawn by themselves, since something below is wanted
	shut   map[int32]bool   // nodes that are wanted closed
	groups map[int32][2]int // by node: what stands for its other children, without and with defects; 0 for none
	queue  []int            // drawn nodes that may be opened
}

// Len, Less, Swap, Push and Pop make it a heap of the nodes that may be opened: those first that are wanted, then those with the most
// defects below.
func (c *chooser) Len() int { return len(c.queue) }

// Less orders by what is wanted and what is worse.
func (c *chooser) Less(i, j int) bool {
	a, b := int32(c.v.Nodes[c.queue[i]].Node), int32(c.v.Nodes[c.queue[j]].Node)
	if wantA, wantB := c.fan[a] > 0, c.fan[b] > 0; wantA != wantB {
		return wantA
	}
	return c.t.worse(a, b) < 0
}

// Swap swaps two.
func (c *chooser) Swap(i, j int) { c.queue[i], c.queue[j] = c.queue[j], c.queue[i] }

// Push adds one.
func (c *chooser) Push(x any) { c.queue = append(c.queue, x.(int)) }

// Pop takes the last one.
func (c *chooser) Pop() any {
	last := c.queue[len(c.queue)-1]
	c.queue = c.queue[:len(c.queue)-1]
	return last
}

// choose opens nodes until enough are drawn.
func (c *chooser) choose() {
	c.draw(Root, -1, false)
	for c.Len() > 0 {
		at := heap.Pop(c).(int)
		n := int32(c.v.Nodes[at].Node)
		wanted := c.fan[n] > 0
		if !c.all && !wanted && n != Root && c.t.bad[n] == 0 {
			continue // nothing below it is wrong
		}
		room := c.most - len(c.v.Nodes) - 2 // and two groups
		if !wanted && room < 1 && !c.all {
			break
		}
		c.open(at, n, room)
	}
}

// draw adds a node, or a group of those below one.
func (c *chooser) draw(n int32, above int, group bool) int {
	d := Drawn{Node: int(n), Above: above, Group: group}
	if above >= 0 {
		d.Depth = c.v.Nodes[above].Depth + 1
	}
	c.v.Nodes = append(c.v.Nodes, d)
	at := len(c.v.Nodes) - 1
	if !group && c.t.nodes[n].n > 0 && !c.shut[n] {
		heap.Push(c, at)
	}
	return at
}

// open draws the children of a node: the worst of them by themselves, as far as there is room, and two groups of the others.
func (c *chooser) open(at int, n int32, room int) {
	c.v.Nodes[at].Open = true
	most := max(fanOfAny, c.fan[n])
	if c.all {
		most = len(c.t.nodes)
	} else {
		most = max(1, min(most, room))
	}
	whole := c.all || c.fan[n] >= fanOfOpen || n == Root // also those without defects
	var single []int32                                   // the worst, in that order
	var rest [2]int                                      // others, without and with defects
	var last [2]int32                                    // one of them
	aside := func(k int32) {
		which := 0
		if c.t.bad[k] > 0 {
			which = 1
		}
		rest[which]++
		last[which] = k
	}
	for _, k := range c.t.children(n) {
		if c.shown[k] {
			single = append(single, k)
		}
	}
	wanted := len(single)
	most = max(most, wanted)
	for _, k := range c.t.children(n) {
		if c.shown[k] {
			continue
		}
		if !whole && c.t.bad[k] == 0 {
			aside(k)
			continue
		}
		i, _ := slices.BinarySearchFunc(single[wanted:], k, c.t.worse)
		if i += wanted; i == most {
			aside(k)
			continue
		}
		if single = slices.Insert(single, i, k); len(single) > most {
			aside(single[most])
			single = single[:most]
		}
	}
	for which, many := range rest {
		if many == 1 { // a group of one is that one
			single = append(single, last[which])
		}
	}
	slices.Sort(single)
	for _, k := range single {
		c.draw(k, at, false)
	}
	var groups [2]int
	for which, many := range rest {
		if many > 1 {
			groups[which] = c.draw(n, at, true)
		}
	}
	c.groups[n] = groups
}

// count says for each node that is drawn which nodes it stands for.
func (c *chooser) count() {
	t, nodes := c.t, c.v.Nodes
	by := make([]int32, len(t.nodes)) // what stands for a node
	for i := range by {
		by[i] = -1
	}
	opened := make([]bool, len(nodes))
	for i := range nodes {
		nodes[i].Counts = make([][Classes]int, len(t.Steps))
		if opened[i] = nodes[i].Open; !nodes[i].Group {
			by[nodes[i].Node] = int32(i)
		}
	}
	for n := range t.nodes {
		if above := t.nodes[n].parent; by[n] < 0 {
			if by[n] = by[above]; opened[by[n]] && nodes[by[n]].Node == int(above) {
				which := 0
				if t.bad[n] > 0 {
					which = 1
				}
				by[n] = int32(c.groups[above][which])
			}
		}
		d := &nodes[by[n]]
		d.Members++
		for step, of := range t.classes {
			d.Counts[step][of[n]]++
		}
	}
}

// side returns how wide a node is drawn. The area of one that stands for several is in proportion to their number, as far as it can be
// seen; one that stands for itself is as wide as ten, and a little wider the more below it is coherent.
func (v *View) side(d *Drawn) float64 {
	if d.Open || d.Members <= 1 {
		return 10 + 2*math.Log10(float64(1+v.Tree.size[d.Node]-v.Tree.bad[d.Node]))
	}
	scale := min(10, 160/math.Sqrt(float64(len(v.Tree.nodes))))
	return max(12, scale*math.Sqrt(float64(d.Members)))
}
