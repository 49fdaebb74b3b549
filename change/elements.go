package change

// This file finds the links, images and texts that differ.

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"kavosh/lib/segment"
	"kavosh/lib/words"
)

func hash(s string) uint64 { return xxhash.Sum64String(s) }

// element is a link, an image or a text of a block.
type element struct {
	Value
	block int
	done  bool // its operation is known, or that it is the same
}

// held is what a group holds of one kind, in both versions.
type held struct{ old, new []*element }

// elements adds the operations on elements.
func (d *Delta) elements() {
	for _, what := range [...]Kind{Link, Image, Text} {
		all := make([]held, len(d.groups))
		for n, g := range d.groups {
			h := &all[n]
			if len(g.old) == 1 && len(g.new) == 1 && d.Old[g.old[0]].ID == d.New[g.new[0]].ID {
				continue
			}
			h.old, h.new = collect(d.Old, g.old, what), collect(d.New, g.new, what)
			h.match(func(v *Value) Value { return *v }, nil)
		}
		d.moves(all, what)
		var apart held // of blocks that came or went
		for n, g := range d.groups {
			switch {
			case len(g.new) == 0:
				apart.old = append(apart.old, all[n].old...)
			case len(g.old) == 0:
				apart.new = append(apart.new, all[n].new...)
			}
		}
		for n, h := range append(all, apart) {
			if n < len(all) && (len(d.groups[n].old) == 0 || len(d.groups[n].new) == 0) {
				continue // it is in apart
			}
			changed := func(o, n *element) {
				d.add(Operation{Do: Update, What: what, From: []int{o.block}, To: []int{n.block}, Old: &o.Value, New: &n.Value})
			}
			if what == Text {
				h.match(func(v *Value) Value { return Value{Name: dated(v.Name)} }, changed)
				h.texts(changed)
			} else { // an address says what it is, rather than a name
				h.match(func(v *Value) Value { return Value{v.Name, canonical(v.Address)} }, changed)
				h.match(func(v *Value) Value { return Value{Address: v.Address} }, changed)
				h.match(func(v *Value) Value { return Value{Name: v.Name} }, changed)
			}
			for _, e := range h.old {
				if !e.done {
					d.add(Operation{Do: Delete, What: what, From: []int{e.block}, Old: &e.Value})
				}
			}
			for _, e := range h.new {
				if !e.done {
					d.add(Operation{Do: Insert, What: what, To: []int{e.block}, New: &e.Value})
				}
			}
		}
	}
}

// collect returns the elements of some blocks.
func collect(blocks []*segment.Block, which []int, what Kind) []*element {
	var list []*element
	for _, i := range which {
		b := blocks[i]
		switch what {
		case Text:
			for _, t := range b.Texts {
				list = append(list, &element{Value: Value{Name: t}, block: i})
			}
		default:
			of := b.Links
			if what == Image {
				of = b.Images
			}
			for _, e := range of {
				list = append(list, &element{Value: Value{e.Name, e.Address}, block: i})
			}
		}
	}
	return list
}

// match marks elements of both versions as done that have the same key, one for one, and calls changed with both if it
// is not nil. An empty key matches nothing.
func (h *held) match(key func(*Value) Value, changed func(o, n *element)) {
	at := map[Value][]int{}
	for j, e := range h.new {
		if !e.done {
			k := key(&e.Value)
			at[k] = append(at[k], j)
		}
	}
	for _, e := range h.old {
		if e.done {
			continue
		}
		k := key(&e.Value)
		list := at[k]
		if len(list) == 0 || k == (Value{}) {
			continue
		}
		at[k] = list[1:]
		n := h.new[list[0]]
		e.done, n.done = true, true
		if changed != nil {
			changed(e, n)
		}
	}
}

// moves finds elements that left one block and came to another.
func (d *Delta) moves(all []held, what Kind) {
	type place struct{ group, at int }
	came := map[Value][]place{}
	for n := range all {
		for j := range all[n].new {
			if e := all[n].new[j]; !e.done {
				came[e.Value] = append(came[e.Value], place{n, j})
			}
		}
	}
	for n := range all {
		for i := range all[n].old {
			e := all[n].old[i]
			list := came[e.Value]
			if e.done || len(list) == 0 {
				continue
			}
			came[e.Value] = list[1:]
			to := all[list[0].group].new[list[0].at]
			e.done, to.done = true, true
			d.add(Operation{Do: Move, What: what, From: []int{e.block}, To: []int{to.block}, Old: &e.Value, New: &to.Value})
		}
	}
}

// Bounds of the texts of one block that are compared with each other.
const (
	maxTexts = 200
	maxWords = 500 // of each, from its beginning
)

// texts pairs texts that share at least half of their words.
func (h *held) texts(changed func(o, n *element)) {
	left := func(list []*element) (which []int, bags [][]uint64) {
		for i := range list {
			if !list[i].done && len(which) < maxTexts {
				which = append(which, i)
				bags = append(bags, bag(list[i].Name))
			}
		}
		return which, bags
	}
	old, oldBags := left(h.old)
	if len(old) == 0 {
		return
	}
	new, newBags := left(h.new)
	type likeness struct {
		a, b int
		by   float64
	}
	var list []likeness
	for a := range old {
		for b := range new {
			if by := common(oldBags[a], newBags[b]); by >= leastAlike {
				list = append(list, likeness{a, b, by})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y likeness) int { return cmp.Compare(y.by, x.by) })
	for _, l := range list {
		if o, n := h.old[old[l.a]], h.new[new[l.b]]; !o.done && !n.done {
			o.done, n.done = true, true
			changed(o, n)
		}
	}
}

// bag returns the hashes of the words of a text, sorted.
func bag(text string) []uint64 {
	var list []uint64
	for w := range words.All(text) {
		if list = append(list, xxhash.Sum64(w)); len(list) == maxWords {
			break
		}
	}
	slices.Sort(list)
	return list
}

// common returns twice the words that two texts have in common, for each of their words.
func common(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	both := 0
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch {
		case a[x] < b[y]:
			x++
		case a[x] > b[y]:
			y++
		default:
			both++
			x++
			y++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}
