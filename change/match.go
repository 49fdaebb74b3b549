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
	keys   [][]key // what each holds, sorted; made when first asked for
	paired []int   // the leaf of the other version; -1 for none
}

// key is what two blocks have in common if both hold it.
type key struct {
	what Kind
	hash uint64
}

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
	more     []group // of blocks that were split or merged
}

func (m *matcher) pair(i, j int) { m.old.paired[i], m.new.paired[j] = j, i }

// match matches blocks that hold the same, then those that were split or merged, those with the same links and images, those between the same neighbours,
// and last those that hold much of the same. Time grows as n log n, and with the square of the blocks that are left over
// in the end.
func (m *matcher) match() {
	m.byID()
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

// byAddress pairs blocks of which most links and images lead to the same addresses, which no other blocks have.
func (m *matcher) byAddress() {
	holders := func(l *leaves) (at map[key]int, count []int) {
		at, count = map[key]int{}, make([]int, len(l.of))
		for i := range l.of {
			if l.paired[i] >= 0 {
				continue
			}
			for _, k := range l.keysOf(i) {
				if k.what == Text {
					continue
				}
				if _, ok := at[k]; ok {
					at[k] = -1
				} else {
					at[k] = i
				}
				count[i]++
			}
		}
		return at, count
	}
	old, oldCount := holders(&m.old)
	new, newCount := holders(&m.new)
	both := map[[2]int]int{}
	for k, i := range old {
		if j, ok := new[k]; ok && i >= 0 && j >= 0 {
			both[[2]int{i, j}]++
		}
	}
	for p, n := range both {
		if i, j := p[0], p[1]; 4*n > oldCount[i]+newCount[j] && 2*n >= max(oldCount[i], newCount[j]) {
			m.pair(i, j) // no other pair can have as many
		}
	}
}

// parts finds blocks of one side whose content lies in two or more of the other that have little else. back tells that
// one is the new version, so that they were merged.
func (m *matcher) parts(one, other *leaves, back bool) {
	holder := map[key]int{} // the one leaf of other that holds it; several for more
	const several = -1
	for j := range other.of {
		if other.paired[j] >= 0 {
			continue
		}
		for _, k := range other.keysOf(j) {
			if _, ok := holder[k]; ok {
				holder[k] = several
			} else {
				holder[k] = j
			}
		}
	}
	telling := func(keys []key) (list []key) { // what more than one holds tells nothing
		for _, k := range keys {
			if j, ok := holder[k]; !ok || j != several {
				list = append(list, k)
			}
		}
		return list
	}
	tells := map[int]int{} // how many keys of a leaf of other tell something
	for j := range other.of {
		if other.paired[j] < 0 {
			tells[j] = len(telling(other.keysOf(j)))
		}
	}
	for i := range one.of {
		if one.paired[i] >= 0 {
			continue
		}
		keys := telling(one.keysOf(i))
		in, all := map[int]int{}, 0
		for _, k := range keys {
			if j, ok := holder[k]; ok {
				in[j]++
			}
		}
		var into []int
		for j, n := range in {
			if other.paired[j] < 0 && float64(n) >= leastParts*float64(tells[j]) {
				into = append(into, j)
				all += n
			}
		}
		if len(into) < 2 || float64(all) < leastParts*float64(len(keys)) {
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
		if a, b := m.old.of[i], m.new.of[j]; m.alike(i, j) > 0 || a.Place == b.Place && shape(a) == shape(b) {
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
			if alike[at] = m.alike(old[x], new[y]); alike[at] >= nearAlike {
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
	type likeness struct {
		i, j int
		by   float64
	}
	var list []likeness
	if len(old)*len(new) > maxLikenesses {
		return
	}
	for _, i := range old {
		for _, j := range new {
			if by := m.alike(i, j); by >= leastAlike {
				list = append(list, likeness{i, j, by})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b likeness) int { return cmp.Compare(b.by, a.by) })
	for _, l := range list {
		if m.old.paired[l.i] < 0 && m.new.paired[l.j] < 0 {
			m.pair(l.i, l.j)
		}
	}
}

// alike returns how much of what two blocks hold is in both, from 0 to 1 (Dice).
func (m *matcher) alike(i, j int) float64 {
	a, b := m.old.keysOf(i), m.new.keysOf(j)
	if len(a)+len(b) == 0 {
		return 0
	}
	both := 0
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch c := compareKeys(a[x], b[y]); {
		case c < 0:
			x++
		case c > 0:
			y++
		default:
			both++
			x++
			y++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.hash, b.hash))
}

// keysOf returns what a leaf holds: its addresses, and the words of its texts and links.
func (l *leaves) keysOf(i int) []key {
	if l.keys[i] != nil {
		return l.keys[i]
	}
	list := []key{}
	b := l.of[i]
	for _, e := range b.Links {
		list = append(list, key{Link, hash(e.Address)})
		list = appendWords(list, e.Name)
	}
	for _, e := range b.Images {
		list = append(list, key{Image, hash(e.Address)})
	}
	for _, t := range b.Texts {
		list = appendWords(list, t)
	}
	slices.SortFunc(list, compareKeys)
	l.keys[i] = slices.Compact(list)
	return l.keys[i]
}

func appendWords(list []key, text string) []key {
	for w := range words.All(text) {
		list = append(list, key{Text, xxhash.Sum64(w)})
	}
	return list
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
