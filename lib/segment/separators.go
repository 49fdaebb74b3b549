package segment

// This file nests blocks by the separators between them.

import (
	"cmp"
	"slices"
)

// separator is a gap that goes through all of a group of blocks, between the blocks before and those from at on.
type separator struct {
	at     int // index, in the order of the direction
	weight int // from 1 to 10
}

// maxNested bounds how deep blocks are nested in one round.
const maxNested = 24

// nest makes one block of the pool: it is parted at its heaviest separators, its parts at theirs, and so on, as when
// VIPS merges blocks over the lightest first. A block's coherence is the less, the heavier the separators in it.
func nest(pool []*candidate, rules []Rect, coherence, deep int) *Block {
	if len(pool) == 1 {
		b := pool[0].block
		b.Coherence = max(b.Coherence, coherence)
		return b
	}
	down, across := slices.Clone(pool), pool
	slices.SortStableFunc(down, func(a, b *candidate) int { return int(a.block.Rect.Y - b.block.Rect.Y) })
	slices.SortStableFunc(across, func(a, b *candidate) int { return int(a.block.Rect.X - b.block.Rect.X) })
	horizontal, vertical := separators(down, rules, true), separators(across, nil, false)
	order, found, most := down, horizontal, heaviest(horizontal)
	if v := heaviest(vertical); v > most {
		order, found, most = across, vertical, v
	}
	b := &Block{Coherence: max(coherence, min(10, 11-most))}
	if most == 0 { // they overlap
		b.Coherence = coherence
	}
	add := func(part *Block) {
		b.Blocks = append(b.Blocks, part)
		b.Rect = union(b.Rect, part.Rect)
		if b.Place = part.Place; b.Blocks[0].Place != part.Place {
			b.Place = ""
		}
	}
	if most == 0 || deep >= maxNested {
		for _, p := range down {
			add(p.block)
		}
		return b
	}
	from := 0
	for _, s := range append(found, separator{len(order), most}) {
		if s.weight == most {
			add(nest(slices.Clone(order[from:s.at]), rules, b.Coherence, deep+1))
			from = s.at
		}
	}
	return b
}

func heaviest(list []separator) int {
	most := 0
	for _, s := range list {
		most = max(most, s.weight)
	}
	return most
}

// separators finds the separators between blocks that are in the order of their beginnings. VIPS finds them by shrinking
// and splitting one that covers all; what is left is what no block lies on.
func separators(order []*candidate, rules []Rect, down bool) []separator {
	var found []separator
	ends := func(r Rect) (int32, int32) {
		if down {
			return r.Y, r.Y + r.H
		}
		return r.X, r.X + r.W
	}
	_, reach := ends(order[0].block.Rect)
	last := order[0] // the one that reaches furthest
	for i, c := range order[1:] {
		begin, end := ends(c.block.Rect)
		if begin >= reach {
			found = append(found, separator{i + 1, weigh(last, c, begin-reach, down && ruled(rules, reach, begin), down)})
		}
		if end >= reach {
			reach, last = end, c
		}
	}
	return found
}

// ruled reports whether an hr lies between two heights. rules are in the order of theirs.
func ruled(rules []Rect, from, to int32) bool {
	i, _ := slices.BinarySearchFunc(rules, from, func(r Rect, y int32) int { return cmp.Compare(r.Y, y) })
	return i < len(rules) && rules[i].Y+rules[i].H <= to
}

// weigh is the weight of a separator between two blocks, by the five rules of VIPS. The paper says what makes it heavier,
// and leaves open by how much.
func weigh(a, b *candidate, width int32, ruled, down bool) int {
	weight := 1 + min(4, int(width)/10) // the wider, the heavier
	if ruled {
		weight += 3
	}
	if a.box.Background != b.box.Background {
		weight += 2
	}
	if down {
		if first, second := fontOf(a.box), fontOf(b.box); second.Size > first.Size || second.Size == first.Size && second.Bold && !first.Bold {
			weight += 2 // a heading begins
		} else if first != second {
			weight++
		}
		if alike(a.box, b.box) {
			weight--
		}
	}
	if a.block.Place != b.block.Place { // ours: parts of the page that say what they are
		weight += 3
	}
	return max(1, min(10, weight))
}

// fontOf returns the font of the first text in a box.
func fontOf(b *Box) Font {
	for b.Name != "" {
		i := slices.IndexFunc(b.Boxes, func(c *Box) bool { return c.valid })
		if i < 0 {
			break
		}
		b = b.Boxes[i]
	}
	return b.Font
}

// alike reports whether two blocks are built alike: both are texts, or elements of one name.
func alike(a, b *Box) bool { return a.textual && b.textual || a.Name == b.Name && a.Name != "div" }
