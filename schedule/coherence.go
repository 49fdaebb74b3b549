package schedule

// This file is the policy coherence-advanced: a round begins with pages unlikely to change before its end (Spaniol, Denev,
// Mazeika, Weikum and Senellart, "Data quality in web archiving", 2009). From the likeliest to change on, each page whose
// risk to change before the end of the round is too great is skipped; the skipped pages come last.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

type coherence struct{ risk float64 }

func newCoherence(a *Args) any { return coherence{a.Value("risk")} }

// Sweep implements Sweeper.
func (c coherence) Sweep(pages []Page, o *Outlook) []ID {
	rates := make([]float64, len(pages))
	for i := range pages {
		rates[i] = o.Rate(&pages[i])
	}
	byRate := ids(len(pages))
	slices.SortStableFunc(byRate, func(a, b ID) int { return cmp.Compare(rates[b], rates[a]) })
	step := o.Length() / float64(o.s.Budget)
	var order, skipped []ID
	for _, id := range byRate {
		if left := float64(len(pages)-len(order)) * step; 1-math.Exp(-rates[id]*left) > c.risk {
			skipped = append(skipped, id)
		} else {
			order = append(order, id)
		}
	}
	return append(order, skipped...)
}

// Why implements Sweeper.
func (coherence) Why(p *Page, o *Outlook) string {
	return fmt.Sprintf("its turn comes once a round, early if it is unlikely to change before the end: it changes %.3g times an hour", o.Rate(p))
}
