package main

// This file learns by which chance an operation is of the content of a page.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"kavosh/change"
)

// learn prints the odds that tell best which of some pairs changed in their content. Sites, and both labels of each,
// count alike.
func learn(sites [][]pair) {
	o := change.Odds{Where: map[change.Where]float64{}, Done: map[change.Class]float64{}}
	for _, pairs := range sites {
		for _, p := range pairs {
			for _, c := range p.counts {
				o.Where[c.Where] = 0
				c.Where = ""
				o.Done[c.Class] = -1
			}
		}
	}
	loss := func() float64 {
		sum := 0.0
		for _, pairs := range sites {
			var by [2]struct{ sum, n float64 }
			for _, p := range pairs {
				if len(p.counts) == 0 {
					continue
				}
				chance := min(0.999, max(0.001, o.Chance(p.counts)))
				if !p.content {
					chance = 1 - chance
				}
				label := &by[map[bool]int{true: 1}[p.content]]
				label.sum -= math.Log(chance)
				label.n++
			}
			for _, l := range by {
				sum += l.sum / max(20, l.n) // a few pairs tell little
			}
		}
		for _, v := range o.Where {
			sum += 0.002 * v * v
		}
		for _, v := range o.Done {
			sum += 0.002 * (v + 1) * (v + 1)
		}
		return sum
	}
	wheres := slices.Sorted(maps.Keys(o.Where))
	dones := slices.SortedFunc(maps.Keys(o.Done), func(a, b change.Class) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	least := loss()
	for step := 2.0; step > 0.05; step /= 2 {
		for range 6 {
			for _, w := range wheres {
				least = try(o.Where, w, step, least, loss)
			}
			for _, d := range dones {
				least = try(o.Done, d, step, least, loss)
			}
		}
	}
	fmt.Printf("loss %.4f\n", least)
	for _, w := range wheres {
		fmt.Printf("%q: %.1f,\n", w, o.Where[w])
	}
	for _, d := range dones {
		fmt.Printf("{What: %q, Do: %q, Long: %v}: %.1f,\n", d.What, d.Do, d.Long, o.Done[d])
	}
}

// try moves a value up or down by a step if there is less loss then, and returns the least.
func try[K comparable](of map[K]float64, k K, step, least float64, loss func() float64) float64 {
	had := of[k]
	for _, v := range [...]float64{had + step, had - step} {
		of[k] = v
		if l := loss(); l < least {
			return l
		}
	}
	of[k] = had
	return least
}
