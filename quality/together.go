package quality

// This file tells when versions of pages were there together (Ben Saad and Gançarski, "Improving the Quality of Web Archives
// through the Importance of Changes", 2011): a set of versions is coherent if the times in which they are valid have a
// moment in common. How far it is, is the greatest share that has.

import (
	"cmp"
	"slices"
	"time"
)

// Span is the time in which a version is valid: From ≤ t < Until, in any unit.
type Span struct {
	From, Until int64
	Weight      float64
}

// Sweep returns the first time in which the spans that are valid have the greatest weight together, until one of them ends or another
// begins, and that weight: one pass over their sorted ends, in O(n log n). An empty span counts for nothing.
func Sweep(spans []Span) (best Span) {
	type end struct {
		at     int64
		weight float64 // below 0 where a span ends
	}
	ends := make([]end, 0, 2*len(spans))
	for _, s := range spans {
		if s.From < s.Until {
			ends = append(ends, end{s.From, s.Weight}, end{s.Until, -s.Weight})
		}
	}
	slices.SortFunc(ends, func(a, b end) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.weight, b.weight)) })
	sum := 0.0
	for _, e := range ends {
		if best.Until == best.From && e.at > best.From {
			best.Until = e.at
		}
		if sum += e.weight; sum > best.Weight {
			best = Span{e.at, e.at, sum}
		}
	}
	return best
}

// Bounds is a share of pages, each from 0 to 1. Where nobody knows of each version when it began and ended, the truth lies
// between both.
type Bounds struct {
	Least float64 `json:"least"` // of pages whose versions are known to be valid
	Most  float64 `json:"most"`  // … and of those whose versions may be
}

// Together says how many of some versions of pages were there at one moment.
type Together struct {
	At            time.Time `json:"at,omitzero"`    // the first moment at which most are known to be
	Until         time.Time `json:"until,omitzero"` // when that is over
	Pages         Bounds    `json:"pages"`
	Weighted      Bounds    `json:"weighted"` // by the importance of pages
	WeightedAt    time.Time `json:"weighted_at,omitzero"`
	WeightedUntil time.Time `json:"weighted_until,omitzero"`
}

// lives are the times in which versions are valid: known, and possible.
type lives struct {
	known, possible []Span
	weight          float64 // of all
}

// add adds a version.
func (l *lives) add(known, possible Span, weight float64) {
	known.Weight, possible.Weight = weight, weight
	l.known, l.possible = append(l.known, known), append(l.possible, possible)
	l.weight += weight
}

// together sweeps over all of them. Afterwards they weigh nothing any more.
func (l *lives) together() (t Together) {
	if len(l.known) == 0 {
		return t
	}
	best, most := Sweep(l.known), Sweep(l.possible)
	t.Weighted = Bounds{min(1, best.Weight/l.weight), min(1, most.Weight/l.weight)} // sums are rounded
	t.WeightedAt, t.WeightedUntil = second(best.From), second(best.Until)
	for i := range l.known {
		l.known[i].Weight, l.possible[i].Weight = 1, 1
	}
	best, most = Sweep(l.known), Sweep(l.possible)
	t.At, t.Until = second(best.From), second(best.Until)
	t.Pages = Bounds{best.Weight / float64(len(l.known)), most.Weight / float64(len(l.known))}
	return t
}

// at returns the share of pages whose versions are valid at a moment. The spans weigh 1 each.
func (l *lives) at(moment int64) Bounds {
	share := func(spans []Span) float64 {
		n := 0
		for _, s := range spans {
			if s.has(moment) {
				n++
			}
		}
		return float64(n) / float64(max(1, len(spans)))
	}
	return Bounds{share(l.known), share(l.possible)}
}
