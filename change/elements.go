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
	done  bool     // its operation is known, or that it is the same
	next  *element // with the same key, while elements are matched
}

// held is what a group holds of one kind, in both versions.
type held struct{ old, new []*element }

// elements adds the operations on elements.
func (d *Delta) elements() {
	numbers := make([]int, max(len(d.Old), len(d.New)))
	for i := range numbers {
		numbers[i] = i
	}
	one := func(i int) []int { return numbers[i : i+1 : i+1] } // a list of one block
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
		d.moves(all, what, one)
		d.Operations = slices.Grow(d.Operations, left(all))
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
				d.add(Operation{Do: Update, What: what, From: one(o.block), To: one(n.block), Old: &o.Value, New: &n.Value})
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
					d.add(Operation{Do: Delete, What: what, From: one(e.block), Old: &e.Value})
				}
			}
			for _, e := range h.new {
				if !e.done {
					d.add(Operation{Do: Insert, What: what, To: one(e.block), New: &e.Value})
				}
			}
		}
	}
}

// collect returns the elements of some blocks.
func collect(blocks []*segment.Block, which []int, what Kind) []*element {
	n := 0
	for _, i := range which {
		n += shape(blocks[i])[slices.Index(kinds[:], what)]
	}
	made, list := make([]element, 0, n), make([]*element, 0, n)
	add := func(v Value, block int) {
		made = append(made, element{Value: v, block: block})
		list = append(list, &made[len(made)-1])
	}
	for _, i := range which {
		b := blocks[i]
		switch what {
		case Text:
			for _, t := range b.Texts {
				add(Value{Name: t}, i)
			}
		default:
			of := b.Links
			if what == Image {
				of = b.Images
			}
			for _, e := range of {
				add(Value{e.Name, e.Address}, i)
			}
		}
	}
	return list
}

// left returns how many elements are not done.
func left(all []held) (n int) {
	for _, h := range all {
		for _, list := range [...][]*element{h.old, h.new} {
			for _, e := range list {
				if !e.done {
					n++
				}
			}
		}
	}
	return n
}

// match marks elements of both versions as done that have the same key, one for one, and calls changed with both if it
// is not nil. An empty key matches nothing.
func (h *held) match(key func(*Value) Value, changed func(o, n *element)) {
	at := map[Value]*element{} // the first with a key that is not done
	for _, n := range slices.Backward(h.new) {
		if !n.done {
			if k := key(&n.Value); k != (Value{}) {
				n.next = at[k]
				at[k] = n
			}
		}
	}
	if len(at) == 0 {
		return
	}
	for _, e := range h.old {
		if e.done {
			continue
		}
		k := key(&e.Value)
		n := at[k]
		if n == nil {
			continue
		}
		at[k] = n.next
		e.done, n.done = true, true
		if changed != nil {
			changed(e, n)
		}
	}
}

// moves finds elements that left one block and came to another.
func (d *Delta) moves(all []held, what Kind, one func(int) []int) {
	came := map[Value]*element{} // the first of each
	for _, h := range slices.Backward(all) {
		for _, e := range slices.Backward(h.new) {
			if !e.done {
				e.next = came[e.Value]
				came[e.Value] = e
			}
		}
	}
	for _, h := range all {
		for _, e := range h.old {
			if e.done {
				continue
			}
			to := came[e.Value]
			if to == nil {
				continue
			}
			came[e.Value] = to.next
			e.done, to.done = true, true
			d.add(Operation{Do: Move, What: what, From: one(e.block), To: one(to.block), Old: &e.Value, New: &to.Value})
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
	left := func(list []*element) (which []int) {
		for i := range list {
			if !list[i].done && len(which) < maxTexts {
				which = append(which, i)
			}
		}
		return which
	}
	old, new := left(h.old), left(h.new)
	if len(old) == 0 || len(new) == 0 {
		return
	}
	bags := func(list []*element, which []int) (bags [][]uint64) {
		for _, i := range which {
			bags = append(bags, bag(list[i].Name))
		}
		return bags
	}
	oldBags, newBags := bags(h.old, old), bags(h.new, new)
	var list []likeness
	for a := range old {
		for b := range new {
			if by := dice(oldBags[a], newBags[b], leastAlike); by >= leastAlike {
				list = append(list, likeness{a, b, by})
			}
		}
	}
	mostFirst(list)
	for _, l := range list {
		if o, n := h.old[old[l.i]], h.new[new[l.j]]; !o.done && !n.done {
			o.done, n.done = true, true
			changed(o, n)
		}
	}
}

// bag returns the hashes of the words of a text, sorted.
func bag(text string) []uint64 {
	list := make([]uint64, 0, min(maxWords, 1+len(text)/4))
	for w := range words.All(text) {
		if list = append(list, xxhash.Sum64(w)); len(list) == maxWords {
			break
		}
	}
	slices.Sort(list)
	return list
}

// dice returns twice how many items two sorted lists have in common, for each of their items; 0 if it is less than least.
func dice[T cmp.Ordered](a, b []T, least float64) float64 {
	all := float64(len(a) + len(b))
	if all == 0 || 2*float64(min(len(a), len(b))) < least*all {
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
	return 2 * float64(both) / all
}
