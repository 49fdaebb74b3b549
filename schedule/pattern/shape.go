package pattern

// This file makes of what was seen what is believed: shrunk, merged, grouped.

import (
	"cmp"
	"math"
	"slices"
)

// Shape is what is believed of a rhythm. 1 is the mean over a week in both.
type Shape struct {
	Changes    [Bins]float32 // changes in an hour of the bin, for one in a mean hour
	Importance [Bins]float32 // importance of a change in the bin, for that of a mean change
}

// Flat is the shape of pages that change at all hours alike.
func Flat() *Shape {
	s := new(Shape)
	for b := range Bins {
		s.Changes[b], s.Importance[b] = 1, 1
	}
	return s
}

// Strength of what is believed before anything is seen, in changes a bin.
const believed = 2

// Shape returns what is believed after p: it lies between what was seen and what is common, the nearer to what is common
// the less was seen. Hours beside each other differ from what is common alike, unless they surely do not.
func (p *Pattern) Shape(common *Shape) *Shape {
	s := new(Shape)
	seen, importance := float32(0), float32(0)
	for b := range Bins {
		seen += p.Seen[b]
		importance += p.Importance[b]
	}
	meanE := float32(1)
	if seen > 0 && importance > 0 {
		meanE = importance / seen
	}
	for _, of := range p.periods(common) {
		var t tally
		usual := float32(0)
		for b := of.first; b < of.end; b++ {
			t.add(p, b, common)
			usual += p.Seen[b] * common.Importance[b]
		}
		for b := of.first; b < of.end; b++ {
			s.Changes[b] = common.Changes[b] * (t.seen + believed) / (t.expected + believed)
			s.Importance[b] = common.Importance[b] * (t.importance/meanE + believed) / (usual + believed)
		}
	}
	s.normalise()
	return s
}

// ofWeek is how many days of a usual week are of each kind.
var ofWeek = [kinds]float32{5, 1, 1}

func (s *Shape) normalise() {
	changes, importance := float32(0), float32(0)
	for b := range Bins {
		changes += s.Changes[b] * ofWeek[b/24] / (7 * 24)
		importance += s.Changes[b] * s.Importance[b] * ofWeek[b/24] / (7 * 24)
	}
	for b := range Bins {
		s.Importance[b] *= changes / importance
		s.Changes[b] /= changes
	}
}

// standsOut is how far above the mean, which is 1, a bin must be that Strongest names.
const standsOut = 1.2

// Strongest returns the bins with the greatest of some numbers, one for each bin, in their order: those that stand out, at most three.
func Strongest(numbers []float64) (bins []int) {
	for b, v := range numbers {
		if v >= standsOut {
			bins = append(bins, b)
		}
	}
	slices.SortStableFunc(bins, func(a, b int) int { return cmp.Compare(numbers[b], numbers[a]) })
	return bins[:min(3, len(bins))]
}

// Period is neighbouring hours of one kind of day that do not surely differ.
type Period struct{ first, end int } // bins

// Of returns the kind of day, the first hour, and the hour after the last.
func (p Period) Of() (kind Kind, first, end int) {
	return Kind(p.first / 24), p.first % 24, p.first%24 + p.end - p.first
}

// tally is what was seen in some bins.
type tally struct{ expected, seen, importance float32 }

func (t *tally) add(p *Pattern, b int, common *Shape) {
	t.expected += p.Expected[b] * common.Changes[b]
	t.seen += p.Seen[b]
	t.importance += p.Importance[b]
}

// differs returns how surely two rates of changes differ: the likelihood ratio of Poisson counts, as a chi square of one
// degree of freedom.
func differs(a, b tally) float64 {
	if a.expected <= 0 || b.expected <= 0 {
		return 0
	}
	both := float64(a.seen+b.seen) / float64(a.expected+b.expected)
	return 2 * (against(a, both) + against(b, both))
}

// against returns how much likelier what was seen is at its own rate than at another.
func against(t tally, rate float64) float64 {
	seen, expected := float64(t.seen), float64(t.expected)
	g := rate*expected - seen
	if seen > 0 {
		g += seen * math.Log(seen/(max(rate, 1e-12)*expected))
	}
	return g
}

// surely is the chi square of one degree of freedom that is passed by chance once in a thousand times.
const surely = 10.8

// Periods cuts each kind of day into periods: from single hours on, the two neighbours that differ least are merged until all
// surely differ.
func (p *Pattern) Periods() []Period { return p.periods(Flat()) }

// periods is Periods of how far hours differ from what is common.
func (p *Pattern) periods(common *Shape) []Period {
	var all []Period
	for k := range int(kinds) {
		var of []Period
		var seen []tally
		for b := k * 24; b < (k+1)*24; b++ {
			of = append(of, Period{b, b + 1})
			var t tally
			t.add(p, b, common)
			seen = append(seen, t)
		}
		for len(of) > 1 {
			least, at := math.Inf(1), 0
			for i := range len(of) - 1 {
				if d := differs(seen[i], seen[i+1]); d < least {
					least, at = d, i
				}
			}
			if least > surely {
				break
			}
			of[at].end = of[at+1].end
			t := seen[at+1]
			seen[at] = tally{seen[at].expected + t.expected, seen[at].seen + t.seen, seen[at].importance + t.importance}
			of, seen = slices.Delete(of, at+1, at+2), slices.Delete(seen, at+1, at+2)
		}
		all = append(all, of...)
	}
	return all
}

// mostGroups bounds the groups of Group.
const mostGroups = 64

// Group puts patterns of like shape together. It returns the number of the group of each, from 0, and what each group has
// seen. A pattern begins a group of its own only if it surely differs from all there are; those of which the most was
// seen come first. There are at most 64 groups; what would begin another joins the one it differs from least.
func Group(patterns []*Pattern) (of []int, groups []Pattern) {
	seen := make([]float32, len(patterns))
	byEvidence := make([]int, len(patterns))
	for i, p := range patterns {
		byEvidence[i] = i
		for b := range Bins {
			seen[i] += p.Seen[b]
		}
	}
	slices.SortStableFunc(byEvidence, func(a, b int) int { return cmp.Compare(seen[b], seen[a]) })
	of = make([]int, len(patterns))
	for _, i := range byEvidence {
		least, at := math.Inf(1), -1
		for g := range groups {
			if d := distance(patterns[i], &groups[g]); d < least {
				least, at = d, g
			}
		}
		if at < 0 || least > apart && len(groups) < mostGroups {
			at = len(groups)
			groups = append(groups, Pattern{})
		}
		of[i] = at
		groups[at].Add(patterns[i])
	}
	return of, groups
}

// apart is the chi square of 35 degrees of freedom, the two-hour cells of distance less one, that is passed by chance once
// in a thousand times.
const apart = 66.6

// distance returns how surely the shapes of two patterns differ, whatever their levels: a chi square over cells of two hours.
func distance(a, b *Pattern) float64 {
	var levelA, levelB tally
	flat := Flat()
	for i := range Bins {
		levelA.add(a, i, flat)
		levelB.add(b, i, flat)
	}
	if levelA.seen == 0 || levelB.seen == 0 {
		return 0
	}
	ra, rb := levelA.seen/levelA.expected, levelB.seen/levelB.expected
	sum := 0.0
	for i := 0; i < Bins; i += 2 {
		var ta, tb tally
		for k := i; k < i+2; k++ {
			ta.add(a, k, flat)
			tb.add(b, k, flat)
		}
		ta.expected, tb.expected = ta.expected*ra, tb.expected*rb
		sum += differs(ta, tb)
	}
	return sum
}
