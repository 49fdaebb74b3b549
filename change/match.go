package change

// This file tells which block of the old version is which of the new one.

import (
	"cmp"
	"slices"
	"sort"

	"github.com/cespare/xxhash/v2"

	"kavosh/lib/segment"
	"kavosh/lib/words"
)

// group is blocks of the old version that are the same blocks of the new one. One of each is the usual case. More are
// blocks that were split or merged. A group without blocks on one side was inserted or deleted.
type group struct{ old, new []int }

// leaves are the blocks without blocks of one version.
type leaves struct {
	of     []*segment.Block
	in     []int   // the number of the block around each
	keys   [][]key // what each holds, sorted; of those alone that byID does not pair
	paired []int   // the leaf of the other version; -1 for none
}

// key is the number of an address or a word: what two blocks have in common if both hold it.
type key int32

func side(list []*segment.Block) leaves {
	l := leaves{of: list, in: make([]int, 0, len(list)), keys: make([][]key, len(list)), paired: make([]int, len(list))}
	for i := range l.paired {
		l.paired[i] = -1
	}
	for _, b := range list {
		l.in = append(l.in, b.Within)
	}
	return l
}

// What two blocks must have in common to be the same, of what both hold together.
const (
	leastAlike = 0.5
	nearAlike  = 0.25 // for blocks between the same neighbours
	leastParts = 0.8  // of a block, in those into which it was split
)

// matcher matches the leaves of two versions.
type matcher struct {
	old, new leaves
	more     []group        // of blocks that were split or merged
	numbers  map[uint64]key // by kind and hash
	words    []bool         // which keys are words
}

func (m *matcher) pair(i, j int) { m.old.paired[i], m.new.paired[j] = j, i }

// match matches blocks that hold the same, then those that were split or merged, those with the same links and images, those between the same neighbours,
// and last those that hold much of the same. Time grows as n log n, and with the square of the blocks that are left over
// in the end.
func (m *matcher) match() {
	m.byID()
	m.read()
	m.parts(&m.old, &m.new, false)
	m.parts(&m.new, &m.old, true)
	m.byAddress()
	m.between()
	m.byLikeness()
	m.between()
}

// byID pairs blocks that hold the same: those of which there is one in each version, then those beside such, then the
// first of those left with the first.
func (m *matcher) byID() {
	old, new := numbered(m.old.of), numbered(m.new.of)
	for i, b := range m.old.of {
		if len(old[b.ID]) == 1 && len(new[b.ID]) == 1 {
			m.pair(i, new[b.ID][0])
		}
	}
	beside := func(i, step int) {
		if j := m.old.paired[i]; j >= 0 && i+step >= 0 && i+step < len(m.old.of) && j+step >= 0 && j+step < len(m.new.of) &&
			m.old.paired[i+step] < 0 && m.new.paired[j+step] < 0 && m.old.of[i+step].ID == m.new.of[j+step].ID {
			m.pair(i+step, j+step)
		}
	}
	for i := range m.old.of {
		beside(i, 1)
	}
	for i := len(m.old.of) - 1; i >= 0; i-- {
		beside(i, -1)
	}
	at := map[uint64]int{} // how many of new[id] are paired
	for i, b := range m.old.of {
		if m.old.paired[i] >= 0 {
			continue
		}
		list := new[b.ID]
		n := at[b.ID]
		for n < len(list) && m.new.paired[list[n]] >= 0 {
			n++
		}
		if at[b.ID] = n; n < len(list) {
			m.pair(i, list[n])
		}
	}
}

// numbered returns the leaves by ID.
func numbered(list []*segment.Block) map[uint64][]int {
	at := make(map[uint64][]int, len(list))
	for i, b := range list {
		at[b.ID] = append(at[b.ID], i)
	}
	return at
}

// Leaves that hold a key: none, or more than one.
const (
	nobody  = -1
	several = -2
)

// holders returns for each key the one leaf that holds it and is not paired.
func (m *matcher) holders(l *leaves) []int {
	at := slices.Repeat([]int{nobody}, len(m.words))
	for i, list := range l.keys {
		if l.paired[i] >= 0 {
			continue
		}
		for _, k := range list {
			if at[k] == nobody {
				at[k] = i
			} else {
				at[k] = several
			}
		}
	}
	return at
}

// byAddress pairs blocks of which most links and images lead to the same addresses, which no other blocks have.
func (m *matcher) byAddress() {
	old, new := m.holders(&m.old), m.holders(&m.new)
	both := map[[2]int]int{}
	for k, word := range m.words {
		if i, j := old[k], new[k]; !word && i >= 0 && j >= 0 {
			both[[2]int{i, j}]++
		}
	}
	addresses := func(list []key) (n int) {
		for _, k := range list {
			if !m.words[k] {
				n++
			}
		}
		return n
	}
	var pairs []likeness
	for p, n := range both {
		a, b := addresses(m.old.keys[p[0]]), addresses(m.new.keys[p[1]])
		if 4*n > a+b && 2*n >= max(a, b) {
			pairs = append(pairs, likeness{p[0], p[1], m.alike(p[0], p[1], 0)})
		}
	}
	m.pairMost(pairs)
}

// parts finds blocks of one side whose content lies in two or more of the other that have little else. back tells that
// one is the new version, so that they were merged.
func (m *matcher) parts(one, other *leaves, back bool) {
	holder := m.holders(other)
	tells := make([]int, len(other.of)) // how many keys of a leaf tell something: what more than one holds does not
	for _, j := range holder {
		if j >= 0 {
			tells[j]++
		}
	}
	in := make([]int, len(other.of)) // how many keys of a leaf of one are in each
	for i := range one.of {
		if one.paired[i] >= 0 {
			continue
		}
		telling, held := 0, []int(nil)
		for _, k := range one.keys[i] {
			j := holder[k]
			if j != several {
				telling++
			}
			if j >= 0 {
				if in[j] == 0 {
					held = append(held, j)
				}
				in[j]++
			}
		}
		into, all := []int(nil), 0
		for _, j := range held {
			if other.paired[j] < 0 && float64(in[j]) >= leastParts*float64(tells[j]) {
				into = append(into, j)
				all += in[j]
			}
			in[j] = 0
		}
		if len(into) < 2 || float64(all) < leastParts*float64(telling) {
			continue
		}
		slices.Sort(into)
		for _, j := range into {
			other.paired[j] = i
		}
		one.paired[i] = into[0]
		if back {
			m.more = append(m.more, group{into, []int{i}})
		} else {
			m.more = append(m.more, group{[]int{i}, into})
		}
	}
}

// between pairs the blocks that are left between two that are paired in order: as many on both sides by their places,
// else those that hold something of the same, in order.
func (m *matcher) between() {
	i, j := 0, 0
	for _, p := range append(m.inOrder(), [2]int{len(m.old.of), len(m.new.of)}) {
		m.gap(m.old.left(i, p[0]), m.new.left(j, p[1]))
		i, j = p[0]+1, p[1]+1
	}
}

// left returns the leaves from i to before end that are not paired.
func (l *leaves) left(i, end int) []int {
	var list []int
	for ; i < end; i++ {
		if l.paired[i] < 0 {
			list = append(list, i)
		}
	}
	return list
}

// maxGap is how many blocks of a gap are compared with each other.
const maxGap = 64

func (m *matcher) gap(old, new []int) {
	if len(old) == 0 || len(new) == 0 {
		return
	}
	if len(old) <= maxGap && len(new) <= maxGap {
		m.align(old, new)
	}
	old = slices.DeleteFunc(old, func(i int) bool { return m.old.paired[i] >= 0 })
	new = slices.DeleteFunc(new, func(j int) bool { return m.new.paired[j] >= 0 })
	if len(old) != len(new) {
		return
	}
	for n, i := range old {
		j := new[n]
		if a, b := m.old.of[i], m.new.of[j]; m.alike(i, j, 0) > 0 || a.Place == b.Place && shape(a) == shape(b) {
			m.pair(i, j)
		}
	}
}

// align pairs blocks in order so that they are as alike as can be together (as Needleman and Wunsch, 1970).
func (m *matcher) align(old, new []int) {
	wide := len(new) + 1
	best := make([]float64, (len(old)+1)*wide) // of what comes from old[x] and new[y] on
	alike := make([]float64, len(best))
	for x := len(old) - 1; x >= 0; x-- {
		for y := len(new) - 1; y >= 0; y-- {
			at := x*wide + y
			best[at] = max(best[at+wide], best[at+1])
			if alike[at] = m.alike(old[x], new[y], nearAlike); alike[at] >= nearAlike {
				best[at] = max(best[at], alike[at]+best[at+wide+1])
			}
		}
	}
	for x, y := 0, 0; x < len(old) && y < len(new); {
		switch at := x*wide + y; {
		case alike[at] >= nearAlike && best[at] == alike[at]+best[at+wide+1]:
			m.pair(old[x], new[y])
			x, y = x+1, y+1
		case best[at] == best[at+wide]:
			x++
		default:
			y++
		}
	}
}

// shape is how much of each kind a block holds.
func shape(b *segment.Block) [3]int { return [...]int{len(b.Links), len(b.Images), len(b.Texts)} }

// inOrder returns the pairs of leaves that come in the same order in both versions: the most that do.
func (m *matcher) inOrder() [][2]int {
	var tails []int // by length: the leaf at which the run of that length ends that ends first
	before := make([]int, len(m.old.of))
	for i, j := range m.old.paired {
		if before[i] = -1; j < 0 || m.new.paired[j] != i {
			continue
		}
		n := sort.Search(len(tails), func(n int) bool { return m.old.paired[tails[n]] >= j })
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	var list [][2]int
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			list = append(list, [2]int{i, m.old.paired[i]})
		}
	}
	slices.Reverse(list)
	return list
}

// maxLikenesses is how many pairs of blocks are compared that lie anywhere; pages that differ in more are other pages.
const maxLikenesses = 250_000

// byLikeness pairs what is left with what is most like it, wherever it is.
func (m *matcher) byLikeness() {
	old, new := m.old.left(0, len(m.old.of)), m.new.left(0, len(m.new.of))
	var list []likeness
	if len(old)*len(new) > maxLikenesses {
		return
	}
	for _, i := range old {
		for _, j := range new {
			if by := m.alike(i, j, leastAlike); by >= leastAlike {
				list = append(list, likeness{i, j, by})
			}
		}
	}
	m.pairMost(list)
}

// likeness is how far one thing of the old version and one of the new one are alike.
type likeness struct {
	i, j int
	by   float64
}

// mostFirst sorts by how far they are alike, then by their order.
func mostFirst(list []likeness) {
	slices.SortFunc(list, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
	})
}

// pairMost pairs blocks, those first that are most alike.
func (m *matcher) pairMost(list []likeness) {
	mostFirst(list)
	for _, l := range list {
		if m.old.paired[l.i] < 0 && m.new.paired[l.j] < 0 {
			m.pair(l.i, l.j)
		}
	}
}

// alike returns how much of what two blocks hold is in both, from 0 to 1; 0 if it is less than least.
func (m *matcher) alike(i, j int, least float64) float64 {
	return dice(m.old.keys[i], m.new.keys[j], least)
}

// read notes what the leaves hold that are not paired: addresses, and the words of texts and links.
func (m *matcher) read() {
	m.numbers = map[uint64]key{}
	for _, l := range [...]*leaves{&m.old, &m.new} {
		for i, b := range l.of {
			if l.paired[i] < 0 {
				l.keys[i] = m.keysOf(b)
			}
		}
	}
}

func (m *matcher) keysOf(b *segment.Block) []key {
	list := make([]key, 0, 16)
	add := func(kind, hash uint64, word bool) {
		k, ok := m.numbers[kind^hash]
		if !ok {
			k = key(len(m.words))
			m.numbers[kind^hash] = k
			m.words = append(m.words, word)
		}
		list = append(list, k)
	}
	const link, image = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f // so that an address is not the key of a word
	said := func(text string) {
		for w := range words.All(text) {
			add(0, xxhash.Sum64(w), true)
		}
	}
	for _, e := range b.Links {
		add(link, hash(e.Address), false)
		said(e.Name)
	}
	for _, e := range b.Images {
		add(image, hash(e.Address), false)
	}
	for _, t := range b.Texts {
		said(t)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// groups returns all groups, those of the old version first, in order.
func (m *matcher) groups() []group {
	inMore := map[[2]int]bool{}
	for _, g := range m.more {
		for _, i := range g.old {
			inMore[[2]int{0, i}] = true
		}
		for _, j := range g.new {
			inMore[[2]int{1, j}] = true
		}
	}
	list := m.more
	for i, j := range m.old.paired {
		switch {
		case inMore[[2]int{0, i}]:
		case j < 0:
			list = append(list, group{old: []int{i}})
		default:
			list = append(list, group{[]int{i}, []int{j}})
		}
	}
	for j, i := range m.new.paired {
		if i < 0 {
			list = append(list, group{new: []int{j}})
		}
	}
	return list
}

// blocks adds the operations on blocks. A block moved if it comes in another order and lies in another element; that
// blocks in one element changed places is nothing.
func (d *Delta) blocks(m *matcher) {
	kept := make([]bool, len(m.old.of))
	to, from := map[[2]int]int{}, map[[2]int]int{}
	for _, p := range m.inOrder() {
		kept[p[0]] = true
	}
	for i, j := range m.old.paired {
		if j < 0 {
			continue
		}
		n := 1
		if kept[i] { // what stayed tells more of the elements than what came to them
			n = 2
		}
		to[[2]int{m.old.in[i], m.new.in[j]}] += n
		from[[2]int{m.new.in[j], m.old.in[i]}] += n
	}
	becomes, was := mostOf(to), mostOf(from)
	for _, g := range d.groups {
		switch {
		case len(g.new) == 0:
			d.add(Operation{Do: Delete, What: Block, From: g.old})
		case len(g.old) == 0:
			d.add(Operation{Do: Insert, What: Block, To: g.new})
		case len(g.new) > 1:
			d.add(Operation{Do: Split, What: Block, From: g.old, To: g.new})
		case len(g.old) > 1:
			d.add(Operation{Do: Merge, What: Block, From: g.old, To: g.new})
		case kept[g.old[0]]:
		case becomes[m.old.in[g.old[0]]] != m.new.in[g.new[0]] || was[m.new.in[g.new[0]]] != m.old.in[g.old[0]]:
			d.add(Operation{Do: Move, What: Block, From: g.old, To: g.new})
		}
	}
}

func (d *Delta) add(o Operation) { d.Operations = append(d.Operations, o) }

// mostOf returns for each first of the counted pairs the second that it has most; of several the least.
func mostOf(count map[[2]int]int) map[int]int {
	most := map[int]int{}
	for p, n := range count {
		if at, ok := most[p[0]]; !ok || n > count[[2]int{p[0], at}] || n == count[[2]int{p[0], at}] && p[1] < at {
			most[p[0]] = p[1]
		}
	}
	return most
}
