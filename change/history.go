package change

// This file knows the past of a page. What changes in every version, such as the news of a minute, says less when it
// changes again; what came and went before, or differs between two fetches close in time, is noise.

import (
	"cmp"
	"time"

	"kavosh/lib/segment"
)

// History is how often the blocks of a page changed, from one version to the next. The zero value knows of no version.
type History struct {
	blocks []past        // of the leaves of the newest version
	went   map[trace]int // how often an element went away
}

// past is that of one block.
type past struct {
	seen, changed int
	volatile      bool // it differed between two fetches close in time
}

// trace is an element as it is known again.
type trace struct {
	what Kind
	Value
}

// Bounds of a history.
const (
	closeInTime = 10 * time.Minute // between two fetches: what differs then differs for each reader
	maxTraces   = 20_000           // elements
	maxRotating = 12               // words of a text that comes and goes; what has more is written for this page
)

// Next adds the difference between the newest version and the next one, which was fetched so long after it.
func (h *History) Next(d *Delta, after time.Duration) {
	touched := d.touched()
	if h.went == nil {
		h.went = map[trace]int{}
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		if o.What != Block && o.Do != Move && o.Old != nil && len(h.went) < maxTraces {
			h.went[trace{o.What, *o.Old}]++
		}
	}
	next := make([]past, len(d.New))
	for n, g := range d.groups {
		p := h.of(g)
		if len(g.old) == 0 {
			continue // it is new
		}
		if p.seen++; touched[n] {
			p.changed++
			p.volatile = p.volatile || after <= closeInTime
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
			volatile := p.volatile
			p = h.blocks[i]
			p.volatile = p.volatile || volatile
		}
	}
	return p
}

// Mark marks operations of the difference between the newest version and the next one that are noise by the past: what comes
// or goes again, and what is in a block that differed between two fetches close in time.
func (h *History) Mark(d *Delta) {
	groups := d.groupOf()
	for i := range d.Operations {
		o := &d.Operations[i]
		if o.Noise != "" || o.What == Block || o.Do == Move || long(o.Old) || long(o.New) {
			continue
		}
		if o.What != Image && d.whereabouts(o) == amid {
			continue // it may be put back, or corrected at once
		}
		switch value := cmp.Or(o.New, o.Old); {
		case h.went[trace{o.What, *value}] > 0:
			o.Noise = Variant
		case h.volatileIn(d, groups, o):
			o.Noise = Volatile
		}
	}
	d.noiseOfBlocks(nil)
}

// long reports whether a value is a text that was written for this page.
func long(v *Value) bool {
	return v != nil && hasWords(v.Name, maxRotating)
}

// volatileIn reports whether all blocks of an operation differed between two fetches close in time.
func (h *History) volatileIn(d *Delta, groups [2]map[int]int, o *Operation) bool {
	for v, list := range [2][]int{o.From, o.To} {
		for _, i := range list {
			if !h.of(d.groups[groups[v][i]]).volatile {
				return false
			}
		}
	}
	return true
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
	w.Calm = func(b *segment.Block) float64 { return calm[b] }
	return w
}

// groupOf returns the group of each block, of the old and the new version.
func (d *Delta) groupOf() [2]map[int]int {
	groups := [2]map[int]int{{}, {}}
	for n, g := range d.groups {
		for v, list := range [2][]int{g.old, g.new} {
			for _, i := range list {
				groups[v][i] = n
			}
		}
	}
	return groups
}

// touched tells for each group whether something was done to it.
func (d *Delta) touched() []bool {
	groups := d.groupOf()
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
