package schedule

// This file is the policy sharc: pages that change often are visited in the middle of a round, where all others are
// nearest in time (Denev, Mazeika, Spaniol and Weikum, "SHARC: framework for quality-conscious web archiving", 2009). By
// rate of changes from the least, pages go p0, p2, p4, …, p5, p3, p1. Hopeless pages, which change between any two visits,
// would only push the others away from the middle, and go to the ends.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

type sharc struct{ hopeless float64 }

func newSHARC(a *Args) any { return sharc{a.Value("hopeless")} }

// Sweep implements Sweeper.
func (s sharc) Sweep(pages []Page, o *Outlook) []ID {
	rates := make([]float64, len(pages))
	step := o.Length() / float64(o.s.Budget)
	for i := range pages {
		rates[i] = o.Rate(&pages[i])
		if 1-math.Exp(-rates[i]*step) > s.hopeless {
			rates[i] = -1
		}
	}
	byRate := ids(len(pages))
	slices.SortStableFunc(byRate, func(a, b ID) int { return cmp.Compare(rates[a], rates[b]) })
	order := make([]ID, len(pages))
	for k, id := range byRate {
		if k%2 == 0 {
			order[k/2] = id
		} else {
			order[len(order)-1-k/2] = id
		}
	}
	return order
}

// Why implements Sweeper.
func (sharc) Why(p *Page, o *Outlook) string {
	return fmt.Sprintf("its turn comes once a round, the nearer to the middle the more it changes: %.3g times an hour", o.Rate(p))
}

// ids returns the first n page numbers.
func ids(n int) []ID {
	all := make([]ID, n)
	for i := range all {
		all[i] = ID(i)
	}
	return all
}
