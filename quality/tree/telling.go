package tree

// This file finds the nodes that tell most: where in the tree the defects come from.

import "slices"

// Telling is a node with what was found of those directly below it.
type Telling struct {
	Node   int
	Below  int          // nodes directly below it
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

// Telling returns the nodes that tell most of a step, at most so many, the first the one with the heaviest defects directly below it.
func (t *Tree) Telling(step, most int) []Telling {
	var best []Telling
	for n := range t.nodes {
		o := Telling{Node: n, Below: int(t.nodes[n].n)}
		for _, k := range t.children(int32(n)) {
			o.Counts[t.classes[step][k]]++
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
