package tree

// This file gives each drawn node a place: the crawl in the middle, and what was found later on rings around it. A node has as much of
// a ring as all that is drawn below it takes there, so that nothing covers anything else.

import "math"

// Lengths of the layout, in the units of Drawn.Side.
const (
	between = 6.0  // nodes of a ring
	minRing = 46.0 // from one ring to the next
)

// lay gives the nodes their places. It takes the order of the nodes and what each stands for, and nothing else: a tree looks the same at
// each step.
func (v *View) lay() {
	angle := make([]float64, len(v.Nodes)) // that a node takes, on a circle whose radius is one ring
	below := make([]float64, len(v.Nodes)) // that those below it take
	widest := 0.0
	for i := range v.Nodes {
		d := &v.Nodes[i]
		d.Side = v.side(d)
		widest = max(widest, d.Side)
	}
	for i := len(v.Nodes) - 1; i > 0; i-- {
		d := &v.Nodes[i]
		angle[i] = max(below[i], (d.Side+between)/float64(d.Depth))
		below[d.Above] += angle[i]
	}
	ring := max(minRing, widest+between, below[0]/(2*math.Pi))
	turn := 2 * math.Pi / max(below[0], 1e-9)
	next := make([]float64, len(v.Nodes)) // where the next child of a node begins
	reach := v.Nodes[0].Side
	for i := range v.Nodes {
		d := &v.Nodes[i]
		if d.Above < 0 {
			continue
		}
		from := next[d.Above]
		next[d.Above] += angle[i]
		next[i] = from + (angle[i]-below[i])/2
		radius, at := ring*float64(d.Depth), turn*(from+angle[i]/2)
		d.X, d.Y = radius*math.Sin(at), -radius*math.Cos(at)
		reach = max(reach, radius+d.Side/2)
	}
	v.Size = 2 * (reach + between)
}
