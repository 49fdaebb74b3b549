package judge

// This file measures how good a trained model is, and turns its margins into probabilities.

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Report says how well a method did in cross-validation: the pages are divided into parts, and each part is judged by a
// model trained on the others.
type Report struct {
	Parts    int  `json:"parts"`   // number of parts
	Grouped  bool `json:"grouped"` // no group is in two parts; false if there were too few groups
	Groups   int  `json:"groups"`
	Relevant int  `json:"relevant"` // pages
	Other    int  `json:"other"`

	Precision float64 `json:"precision"` // of pages that score at least kavosh.RelevantFrom
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	AUC       float64 `json:"auc"`     // probability that a relevant page scores higher than another one
	Brier     float64 `json:"brier"`   // mean squared error of the score: 0 is best
	Bins      []Bin   `json:"bins"`    // whether scores are good as probabilities
	For       []Word  `json:"for"`     // words typical of relevant pages, the most typical first
	Against   []Word  `json:"against"` // words typical of the others

	scored []scored
}

// Bin holds the pages whose scores are in one fifth of the scale.
type Bin struct {
	Pages int     `json:"pages"`
	Score float64 `json:"score"` // their mean score
	Share float64 `json:"share"` // share of them that is relevant
}

// Word is a word that distinguishes the two kinds of pages.
type Word struct {
	Text   string  `json:"text"`
	Weight float64 `json:"weight"` // how much it contributes to the distance between the mean pages of both kinds
}

// scored is a page with its margin, by a model trained without its group.
type scored struct {
	margin, score float64
	relevant      bool
	part          int
}

// maxParts is the number of parts, if there are enough groups.
const maxParts = 5

// validate tests a method by cross-validation. The scores of a part are calibrated on the margins of the other parts.
func (t *Trainer) validate(method string) *Report {
	r := &Report{Groups: len(t.groups), Relevant: t.relevant, Other: len(t.pages) - t.relevant}
	part := t.assignParts(r)
	r.scored = make([]scored, len(t.pages))
	for k := range r.Parts {
		var rest []example
		for i := range t.pages {
			if part[i] != k {
				rest = append(rest, t.pages[i])
			}
		}
		m := trainModel(method, rest)
		for i, p := range t.pages {
			if part[i] == k {
				r.scored[i] = scored{margin: m.margin(p.vector), relevant: p.relevant, part: k}
			}
		}
	}
	for k := range r.Parts {
		var rest []scored
		for _, s := range r.scored {
			if s.part != k {
				rest = append(rest, s)
			}
		}
		slope, offset := platt(rest)
		for i := range r.scored {
			if s := &r.scored[i]; s.part == k {
				s.score = sigmoid(slope*s.margin + offset)
			}
		}
	}
	r.measure()
	return r
}

// assignParts assigns each page to a part: whole groups, the largest first, each to the part with the fewest pages of the kind
// that is rarer in the group. If a kind has only one group, it assigns single pages.
func (t *Trainer) assignParts(r *Report) []int {
	sizes := make([][2]int, len(t.groups)) // per group, the number of other and of relevant pages
	for i := range t.pages {
		sizes[t.pages[i].group][side(t.pages[i].relevant)]++
	}
	with := [2]int{}
	for _, s := range sizes {
		for kind := range with {
			if s[kind] > 0 {
				with[kind]++
			}
		}
	}
	part := make([]int, len(t.pages))
	r.Parts, r.Grouped = min(maxParts, with[0], with[1]), true
	if r.Parts < 2 {
		r.Parts, r.Grouped = maxParts, false
		var dealt [2]int
		for i := range t.pages {
			kind := side(t.pages[i].relevant)
			part[i] = dealt[kind] % r.Parts
			dealt[kind]++
		}
		return part
	}
	groups := make([]int, len(sizes))
	for g := range groups {
		groups[g] = g
	}
	slices.SortStableFunc(groups, func(a, b int) int {
		return cmp.Or(cmp.Compare(sizes[b][1], sizes[a][1]), cmp.Compare(sizes[b][0], sizes[a][0]))
	})
	of := make([]int, len(sizes))
	filled := make([][2]int, r.Parts)
	for _, g := range groups {
		kind := side(sizes[g][1] > 0)
		best := 0
		for k := range filled {
			if filled[k][kind] < filled[best][kind] {
				best = k
			}
		}
		of[g] = best
		filled[best][0] += sizes[g][0]
		filled[best][1] += sizes[g][1]
	}
	for i := range t.pages {
		part[i] = of[t.pages[i].group]
	}
	return part
}

func side(relevant bool) int {
	if relevant {
		return 1
	}
	return 0
}

// measure computes the measures from the scores.
func (r *Report) measure() {
	const bins = 5
	r.Bins = make([]Bin, bins)
	var right, taken, relevant int
	for _, s := range r.scored {
		truth := float64(side(s.relevant))
		relevant += side(s.relevant)
		if s.score >= 0.5 {
			taken++
			right += side(s.relevant)
		}
		r.Brier += (s.score - truth) * (s.score - truth) / float64(len(r.scored))
		b := &r.Bins[min(int(s.score*bins), bins-1)]
		b.Pages++
		b.Score += s.score
		b.Share += truth
	}
	for i := range r.Bins {
		if b := &r.Bins[i]; b.Pages > 0 {
			b.Score /= float64(b.Pages)
			b.Share /= float64(b.Pages)
		}
	}
	if taken > 0 {
		r.Precision = float64(right) / float64(taken)
	}
	r.Recall = float64(right) / float64(relevant)
	if right > 0 {
		r.F1 = 2 * r.Precision * r.Recall / (r.Precision + r.Recall)
	}
	r.AUC = auc(r.scored)
}

// auc returns the area under the ROC curve, by ranks; equal scores share their ranks.
func auc(all []scored) float64 {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	ranks, relevant := 0.0, 0
	for i := 0; i < len(sorted); {
		n, in := 0, 0
		for ; i+n < len(sorted) && sorted[i+n].score == sorted[i].score; n++ {
			in += side(sorted[i+n].relevant)
		}
		ranks += float64(in) * (float64(2*i+n+1) / 2)
		relevant += in
		i += n
	}
	other := len(sorted) - relevant
	if relevant == 0 || other == 0 {
		return 0
	}
	return (ranks - float64(relevant)*float64(relevant+1)/2) / float64(relevant) / float64(other)
}

// platt fits the sigmoid that turns margins into probabilities (Platt, "Probabilistic Outputs for Support Vector
// Machines", 1999). It uses Platt's softened targets and Newton's method, and halves a step until it helps.
func platt(all []scored) (slope, offset float64) {
	relevant := 0
	for _, s := range all {
		relevant += side(s.relevant)
	}
	other := len(all) - relevant
	target := [2]float64{1 / float64(other+2), float64(relevant+1) / float64(relevant+2)}
	loss := func(a, b float64) (sum float64) {
		for _, s := range all {
			z := a*s.margin + b
			sum += math.Log1p(math.Exp(-math.Abs(z))) + max(z, 0) - target[side(s.relevant)]*z
		}
		return sum
	}
	slope, offset = 0, math.Log(float64(relevant+1)/float64(other+1))
	now := loss(slope, offset)
	for range 100 {
		var ga, gb, haa, hab, hbb float64
		for _, s := range all {
			p := sigmoid(slope*s.margin + offset)
			miss, bend := p-target[side(s.relevant)], p*(1-p)
			ga += miss * s.margin
			gb += miss
			haa += bend * s.margin * s.margin
			hab += bend * s.margin
			hbb += bend
		}
		haa, hbb = haa+1e-12, hbb+1e-12
		det := haa*hbb - hab*hab
		if det <= 0 {
			break
		}
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		step, better := 1.0, false
		for ; step > 1e-6; step /= 2 {
			if next := loss(slope-step*da, offset-step*db); next < now-1e-9 {
				now, better = next, true
				slope, offset = slope-step*da, offset-step*db
				break
			}
		}
		if !better {
			break
		}
	}
	return slope, offset
}

// maxTelling bounds Report.For and Against. The last word must weigh at least 2 % of the first.
const maxTelling = 15

// tellingWords returns the words in which the mean pages of the two kinds differ most.
func (t *Trainer) tellingWords(m *Model) (pro, contra []Word) {
	means := make([]float64, buckets)
	for i := range t.pages {
		by := 1 / float64(t.relevant)
		if !t.pages[i].relevant {
			by = -1 / float64(len(t.pages)-t.relevant)
		}
		for _, f := range t.pages[i].vector {
			means[f.bucket] += by * float64(f.value)
		}
	}
	for b, name := range t.names {
		w := Word{name, means[b] * float64(m.weights[b])}
		switch {
		case w.Weight > 0 && means[b] > 0:
			pro = append(pro, w)
		case w.Weight > 0:
			contra = append(contra, w)
		}
	}
	for _, ws := range [...]*[]Word{&pro, &contra} {
		slices.SortFunc(*ws, func(a, b Word) int {
			return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Text, b.Text))
		})
		n := 0
		for n < min(len(*ws), maxTelling) && (*ws)[n].Weight > (*ws)[0].Weight/50 {
			n++
		}
		*ws = slices.Clone((*ws)[:n])
	}
	return pro, contra
}

// Base returns the Brier score of a judge that gives every page the share of relevant pages: a model must do better.
func (r *Report) Base() float64 {
	share := float64(r.Relevant) / float64(r.Relevant+r.Other)
	return share * (1 - share)
}
