package change

// This file weighs blocks by their past: what changes in every version, such as a date, a counter or an advertisement, says
// little when it changes again.

import "kavosh/lib/segment"

// History is how often the blocks of a page changed, from one version to the next. The zero value knows of no version.
type History struct {
	blocks []past // of the leaves of the newest version
}

// past is that of one block.
type past struct{ seen, changed int }

// Next adds the difference between the newest version and the next one.
func (h *History) Next(d *Delta) {
	touched := d.touched()
	next := make([]past, len(d.New))
	for n, g := range d.groups {
		p := h.of(g)
		if len(g.old) == 0 {
			continue // it is new
		}
		if p.seen++; touched[n] {
			p.changed++
		}
		for _, j := range g.new {
			next[j] = p
		}
	}
	h.blocks = next
}

// of returns the past of a group: of its blocks, that of the one that changed most.
func (h *History) of(g group) (p past) {
	for _, i := range g.old {
		if i < len(h.blocks) && (h.blocks[i].changed > p.changed || p.seen == 0) {
			p = h.blocks[i]
		}
	}
	return p
}

// Weigh returns weights for the difference between the newest version and the next one: those of w, less for a block the more often
// it changed. A block of which nothing is known keeps its weight.
func (h *History) Weigh(d *Delta, w Weights) Weights {
	calm := map[*segment.Block]float64{}
	for _, g := range d.groups {
		p := h.of(g)
		share := float64(1+p.seen-p.changed) / float64(1+p.seen)
		for _, i := range g.old {
			calm[d.Old[i]] = share
		}
		for _, j := range g.new {
			calm[d.New[j]] = share
		}
	}
	return Weights{Block: func(b *segment.Block) float64 { return w.Block(b) * calm[b] }, Operation: w.Operation}
}

// touched tells for each group whether something was done to it.
func (d *Delta) touched() []bool {
	groups := [2]map[int]int{{}, {}}
	for n, g := range d.groups {
		for v, list := range [2][]int{g.old, g.new} {
			for _, i := range list {
				groups[v][i] = n
			}
		}
	}
	touched := make([]bool, len(d.groups))
	for _, o := range d.Operations {
		for v, list := range [2][]int{o.From, o.To} {
			for _, i := range list {
				touched[groups[v][i]] = true
			}
		}
	}
	return touched
}
