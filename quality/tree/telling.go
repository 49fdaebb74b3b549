package tree

// This file finds the nodes that tell most: where in the tree the defects come from.

import "slices"

// Telling is a node with what was found there: the node, and those that hang directly below it.
type Telling struct {
	Node   int
	Pages  int          // it and those below
	Counts [Classes]int // of them
}

// weights are what a defect of each class counts for: what is lost more than what changed.
var weights = [Classes]int{Missing: 4, Deleted: 3, Structure: 2, Content: 1}

func (t *Telling) weight() (sum int) {
	for c, n := range t.Counts {
		sum += weights[c] * n
	}
	return sum
}

// Telling returns the nodes that tell most of a step, most of them at most, the first the one at and below which the defects weigh
// most. Each defect counts at one node alone: at the one above it, or at itself if something hangs below it.
func (t *Tree) Telling(step, most int) []Telling {
	var best []Telling
	for n := range t.nodes {
		o := Telling{Node: n}
		add := func(k int) {
			o.Pages++
			o.Counts[t.classes[step][k]]++
		}
		if n != Root && t.nodes[n].n > 0 {
			add(n)
		}
		for _, k := range t.children(int32(n)) {
			if t.nodes[k].n == 0 {
				add(int(k))
			}
		}
		if o.weight() == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, o, func(a, b Telling) int {
			if d := b.weight() - a.weight(); d != 0 {
				return d
			}
			return a.Node - b.Node
		})
		if at < most {
			best = slices.Insert(best, at, o)
			best = best[:min(len(best), most)]
		}
	}
	return best
}
