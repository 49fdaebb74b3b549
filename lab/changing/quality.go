package changing

// This file measures an archive against the web that it is of, after Ben Saad and Gançarski ("Improving the Quality of Web
// Archives through the Importance of Changes", 2011).

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"kavosh/lab"
	"kavosh/quality"
)

// Quality is what captures are worth, each from 0 to 1. Weighted is by the worth of pages and the importance of changes.
type Quality struct {
	Completeness         float64 // versions that were captured, of all there were
	WeightedCompleteness float64
	Importance           float64 // of what changed since the capture before, summed over captures, of that of all changes
	Coherence            float64 // of what the archive shows of a time: the share of pages that were so at one moment; mean over times
	WeightedCoherence    float64
	Freshness            float64 // share of pages, by worth, whose last capture is as the page is; mean over time
	Useful               float64 // visits that found a version
	Visits               int
}

// Heads are the names of what Row returns.
func Heads() []lab.Words {
	return []lab.Words{{En: "weighted completeness", Fa: "کاملیِ وزن‌دار"}, {En: "completeness", Fa: "کاملی"}, {En: "importance", Fa: "اهمیت"},
		{En: "weighted coherence", Fa: "هم‌زمانیِ وزن‌دار"}, {En: "coherence", Fa: "هم‌زمانی"}, {En: "freshness", Fa: "تازگی"}, {En: "useful visits", Fa: "دیدارهای سودمند"}}
}

// Row returns the means of some qualities, as texts.
func Row(all []Quality) []string {
	var sum [7]float64
	for _, q := range all {
		for i, v := range [...]float64{q.WeightedCompleteness, q.Completeness, q.Importance, q.WeightedCoherence, q.Coherence, q.Freshness, q.Useful} {
			sum[i] += v
		}
	}
	var row []string
	for _, v := range sum {
		row = append(row, fmt.Sprintf("%.3f", v/float64(len(all))))
	}
	return row
}

// queries is for how many times coherence is computed.
const queries = 100

// Measure measures the captures of a web, which are by time. Those before the start show what was known then, and count for
// nothing else.
func Measure(w *Web, captures []Capture) Quality {
	var q Quality
	byPage := make([][]Capture, len(w.Pages))
	for _, c := range captures {
		if c.Page >= 0 {
			byPage[c.Page] = append(byPage[c.Page], c)
		}
		if c.At >= w.Start {
			q.Visits++
		}
	}
	all, found, allW, foundW, allI, foundI := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	fresh, worth := 0.0, 0.0
	for i := range w.Pages {
		p := &w.Pages[i]
		for v := p.version(w.Start-1) + 1; v <= p.version(w.End-1); v++ {
			all++
			allW += p.weight(v)
		}
		for _, c := range p.Changes[p.version(w.Start-1):p.version(w.End-1)] {
			allI += p.Worth * c.E
		}
		had := p.version(w.Start - 1)
		for _, c := range byPage[i] {
			if c.Version > had && c.At >= w.Start {
				found++
				foundW += p.weight(c.Version)
				foundI += p.Worth * p.between(had, c.Version)
				had = c.Version
			}
		}
		worth += p.Worth
		fresh += p.Worth * p.fresh(byPage[i], w.Start, w.End)
	}
	q.Completeness, q.WeightedCompleteness = found/max(all, 1), foundW/max(allW, 1e-12)
	q.Importance = foundI / max(allI, 1e-12)
	q.Freshness, q.Useful = fresh/worth, found/max(float64(q.Visits), 1)
	for k := range queries {
		at := w.Start + (w.End-w.Start)*int64(2*k+1)/(2*queries)
		plain, weighted := coherence(w, byPage, at)
		q.Coherence += plain / queries
		q.WeightedCoherence += weighted / queries
	}
	return q
}

// fresh returns the share of a time in which the last capture of p is as p is.
func (p *Page) fresh(captures []Capture, start, end int64) float64 {
	sum := int64(0)
	for i, c := range captures {
		until := end
		if i+1 < len(captures) {
			until = captures[i+1].At
		}
		if c.Version < len(p.Changes) {
			until = min(until, p.Changes[c.Version].At)
		}
		sum += max(0, until-max(c.At, start))
	}
	return float64(sum) / float64(end-start)
}

// coherence returns how much of what the archive shows of a time, the capture of each page nearest to it, was on the web at
// one moment: the greatest share over all moments.
func coherence(w *Web, byPage [][]Capture, at int64) (plain, weighted float64) {
	var versions, weighed []quality.Span
	weights := 0.0
	for i := range w.Pages {
		captures := byPage[i]
		if len(captures) == 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(captures, at, func(c Capture, at int64) int { return cmp.Compare(c.At, at) })
		if k == len(captures) || k > 0 && at-captures[k-1].At <= captures[k].At-at {
			k--
		}
		p, c := &w.Pages[i], captures[k]
		from, to := int64(math.MinInt64), int64(math.MaxInt64)
		if c.Version > 0 {
			from = p.Changes[c.Version-1].At
		}
		if c.Version < len(p.Changes) {
			to = p.Changes[c.Version].At
		}
		weight := p.weight(c.Version)
		versions, weighed = append(versions, quality.Span{From: from, Until: to, Weight: 1}), append(weighed, quality.Span{From: from, Until: to, Weight: weight})
		weights += weight
	}
	most := quality.Sweep(versions).Weight
	heaviest := quality.Sweep(weighed).Weight
	return most / float64(max(len(versions), 1)), heaviest / max(weights, 1e-12)
}
