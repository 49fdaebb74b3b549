package change

// This file weighs differences.

import (
	"math"
	"slices"

	"kavosh/lib/segment"
)

// Weights say how important blocks and operations are.
type Weights struct {
	// Block returns how important a block is beside others. All are divided by their sum.
	Block func(b *segment.Block) float64
	// Operation returns how important it is, from 0 to 1, that something is done to a kind of element.
	Operation func(do Do, what Kind) float64
	// Calm returns the share of its importance that a block keeps by its past; nil for all.
	Calm func(b *segment.Block) float64
}

// Importance is the importance E of a difference, from 0 to 1.
type Importance struct {
	// Printed is E as its authors print it ("Archiving Web Pages Based on Visual Analysis and Diff", Ben Saad, Gançarski and
	// Pehlivan, 2009): a mean over the kinds of operations and of elements, so that it is at most 0.5, or a quarter of that
	// if all was written anew.
	Printed float64 `json:"printed"`
	// Summed adds up instead ("Archiving the Web using Page Changes Patterns", Ben Saad and Gançarski, 2011): the share of a
	// block's elements to which something was done, each by the importance of what was done.
	Summed float64 `json:"summed"`
	// Weighed is ours: the chance that the content changed, and not what is around it (chance.go), less if little of the page
	// did. Noise does not count.
	Weighed float64 `json:"weighed"`
	// Calm is Weighed with what is known of the page's past, too: what changed often before counts less (History). 0 if
	// nobody asked for it.
	Calm float64 `json:"calm,omitempty"`
}

// kinds and dones are what Importance counts.
var (
	kinds = [...]Kind{Link, Image, Text}
	dones = [...]Do{Insert, Delete, Update, Move}
)

// tally counts what one group holds in the old and the new version, and what was done, by kind of element.
type tally struct {
	held [2][len(kinds)]int
	done [len(kinds)][len(dones)]int
	news [len(kinds)][len(dones)]int // of done, what is no noise
}

func (t *tally) hold(b *segment.Block, version int) {
	for k, n := range [...]int{len(b.Links), len(b.Images), len(b.Texts)} {
		t.held[version][k] += n
	}
}

// of returns how many elements of a kind there are, of which something may be done to one.
func (t *tally) of(k int, do Do) int {
	switch do {
	case Delete:
		return t.held[0][k]
	case Insert:
		return t.held[1][k]
	}
	return max(t.held[0][k], t.held[1][k])
}

// tallies returns what the groups hold, and what was done to it.
func (d *Delta) tallies() []tally {
	list := make([]tally, len(d.groups))
	groups := d.groupOf()
	for n, g := range d.groups {
		for _, i := range g.old {
			list[n].hold(d.Old[i], 0)
		}
		for _, j := range g.new {
			list[n].hold(d.New[j], 1)
		}
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		k, do := slices.Index(kinds[:], o.What), slices.Index(dones[:], o.Do)
		if k < 0 { // of a block: its elements are counted
			continue
		}
		var t *tally
		if len(o.To) > 0 { // what moved counts where it came to
			t = &list[groups[1][o.To[0]]]
		} else {
			t = &list[groups[0][o.From[0]]]
		}
		if t.done[k][do]++; o.Noise == "" {
			t.news[k][do]++
		}
	}
	return list
}

// Importance weighs the difference.
func (d *Delta) Importance(w Weights) Importance {
	tallies := d.tallies()
	weights, all := make([]float64, len(d.groups)), 0.0
	for n, g := range d.groups {
		for _, j := range g.new {
			weights[n] += w.of(d.New[j])
		}
		if len(g.new) == 0 {
			for _, i := range g.old {
				weights[n] += w.of(d.Old[i])
			}
		}
		all += weights[n]
	}
	var e Importance
	for n := range tallies {
		t := &tallies[n]
		printed, summed, news, elements := 0.0, 0.0, 0.0, 0
		for k, what := range kinds {
			elements += max(t.held[0][k], t.held[1][k])
			for i, do := range dones {
				each := w.Operation(do, what)
				by := each * float64(t.done[k][i])
				printed += by / float64(max(1, t.of(k, do)))
				summed += by
				news += each * float64(t.news[k][i])
			}
		}
		e.Printed += weights[n] / all * printed / float64(len(kinds)*len(dones))
		e.Summed += weights[n] / all * min(1, summed/float64(max(1, elements)))
		e.Weighed += weights[n] / all * min(1, news/float64(max(1, elements)))
	}
	chance := 1.0
	if !d.chosen {
		chance = learnt.Chance(d.Counts(w.Calm))
	}
	e.Weighed = matters(chance, e.Weighed)
	return e
}

// matters returns how much a change matters of which it is known by which chance it is of the content, and which share of the page
// it is. That it is of the content counts for more: one word of a long text may be what it is about.
func matters(chance, share float64) float64 {
	if share == 0 {
		return 0
	}
	return chance * (0.3 + 0.7*math.Sqrt(share))
}

// of returns the weight of a block.
func (w *Weights) of(b *segment.Block) float64 {
	if w.Calm == nil {
		return w.Block(b)
	}
	return w.Block(b) * w.Calm(b)
}

// ByPlace are weights by the part of the page that a block is in and by what it holds: the main part counts most, then
// what is beside it, above it and below it; words that are no links count more than lists of links. Who wrote these methods named such
// weights and left them open; ours are in docs/decisions.
func ByPlace() Weights {
	return Weights{Block: placeWeight, Operation: func(do Do, what Kind) float64 {
		switch {
		case do == Move:
			return 0.3
		case do == Update:
			return 0.7
		case what == Image:
			return 1
		}
		return 0.9
	}}
}

func placeWeight(b *segment.Block) float64 {
	text, linked := 0, 0
	for _, t := range b.Texts {
		text += len(t)
	}
	for _, l := range b.Links {
		linked += len(l.Name)
	}
	size := 1 + float64(text+200*len(b.Images))/100 + float64(linked)/400
	switch b.Place {
	case segment.Main, "":
		return size
	case segment.Remarks:
		return 0.4 * size
	case segment.Side, segment.Related:
		return 0.3 * size
	case segment.Head, segment.Menu:
		return 0.2 * size
	case segment.Foot:
		return 0.1 * size
	}
	return 0.02 * size
}
