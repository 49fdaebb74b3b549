package grams

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Edges reads text for [Leader]s: of each word only how it begins and how it ends, which is enough to confirm that text goes on in a
// language, though not to find it. The zero value has read nothing; it can be used again after Reset.
type Edges struct {
	Letters [Scripts]int // of each script, in the text that was added last
	Met     uint64       // the scripts that have letters there, a bit each
	hashes  [several][]uint32
	walker  walker
}

// Reset forgets what was read.
func (e *Edges) Reset() {
	for s := range e.hashes {
		e.hashes[s] = e.hashes[s][:0]
	}
}

// Add reads text, every byte of it. Addresses with a scheme are not text.
func (e *Edges) Add(text string) {
	if e.walker.give == nil {
		e.walker.give = e.word
	}
	for ; e.Met != 0; e.Met &= e.Met - 1 {
		e.Letters[bits.TrailingZeros64(e.Met)] = 0
	}
	latin := e.hashes[Latin]
	letters := 0
	for i := 0; i < len(text); {
		if parts(text[i]) {
			i++
			continue
		}
		first, n := upTo(text[i:])
		end, all := i+n, first
		for n == 8 {
			var more uint64
			more, n = upTo(text[end:])
			end, all = end+n, all|more
		}
		if end < len(text) && text[end] == ':' && strings.HasPrefix(text[end:], "://") {
			for end < len(text) && ' ' < text[end] && text[end] < utf8.RuneSelf {
				end++
			}
		} else if all&highest != 0 {
			e.hashes[Latin] = latin
			e.walker.walk(text[i:end])
			latin = e.hashes[Latin]
		} else {
			n := end - i
			letters += n
			first |= 0x20 * each8
			switch n {
			case 1:
				latin = append(latin, hash(' '|first&0xFF<<16|' '<<32))
			case 2:
				latin = append(latin, hash(' '|wide(first)&0xFFFFFFFF<<16|' '<<48))
			default:
				last := first >> (8 * (n - 3) & 63)
				if n > 8 {
					last = uint64(text[end-3]) | uint64(text[end-2])<<8 | uint64(text[end-1])<<16 | 0x202020
				}
				latin = append(latin, hash(' '|wide(first)<<16), hash(wide(last)|' '<<48))
			}
		}
		i = end
	}
	e.hashes[Latin] = latin
	if letters > 0 {
		e.Letters[Latin] += letters
		e.Met |= 1 << Latin
	}
}

// each8 has one in each byte of eight, highest the highest bit of each.
const (
	each8   = 0x0101010101010101
	highest = 0x80 * each8
)

// wide is the first three of some bytes with sixteen bits each.
func wide(bytes uint64) uint64 { return bytes&0xFF | bytes&0xFF00<<8 | bytes&0xFF0000<<16 }

// word takes in a word of any letters.
func (e *Edges) word(script Script, word []uint16) {
	e.Letters[script] += len(word) - 2
	e.Met |= 1 << script
	if int(script) >= several {
		return
	}
	four := func(w []uint16) uint32 {
		return hash(uint64(w[0]) | uint64(w[1])<<16 | uint64(w[2])<<32 | uint64(w[3])<<48)
	}
	h := e.hashes[script]
	if n := len(word); n == 3 {
		h = append(h, hash(uint64(word[0])|uint64(word[1])<<16|uint64(word[2])<<32))
	} else if h = append(h, four(word)); n > 4 {
		h = append(h, four(word[n-4:]))
	}
	e.hashes[script] = h
}

// Leader tells whether text is in a language by the edges of its words: what they say for it and for the languages of its script that
// are nearest to it. It does not change.
type Leader struct {
	slots []uint64 // the low half of a hash, and above it a byte for each language, the leader's first; 0 for none
	shift uint8    // from a hash to its slot
}

// near is how many languages a slot has.
const near = 6

// Leader makes that of a language of a script, which takes some milliseconds, and a hundred kilobytes or two as long as it is kept.
func (m *Model) Leader(script Script, language int) *Leader {
	t := m.table(script)
	rows := t.edges(script)
	size := bits.Len(uint(len(rows)*3/2) | 15)
	l := &Leader{make([]uint64, 1<<size), uint8(32 - size)}
	languages := append([]int{language}, t.nearest(language)...)
	for _, row := range rows {
		h := t.hashes[row]
		s := uint64(h & 0xFFFF)
		for i := range near {
			w := byte(zero)
			if i < len(languages) {
				w = t.weight(row, languages[i])
			}
			s |= uint64(w) << (16 + 8*i)
		}
		at := h >> l.shift
		for l.slots[at] != 0 {
			at = (at + 1) & uint32(len(l.slots)-1)
		}
		l.slots[at] = s
	}
	return l
}

// edges are the rows of n-grams that begin or end words. A row does not tell of which letters it is, so those that letters of the script
// can be are looked up: where two of them stand side by side in a longer one, they say something together, too.
func (t *table) edges(script Script) []int {
	has := func(key uint64) bool { return t.find(hash(key)) >= 0 }
	var alphabet []uint64
	for r := range scripts {
		if letter := uint64(r); scripts[r] == script && int(folded[r]) == r && (r < utf8.RuneSelf || has(letter)) {
			alphabet = append(alphabet, letter)
		}
	}
	after := make(map[uint64][]uint64, len(alphabet))
	for _, a := range alphabet {
		for _, b := range alphabet {
			if has(a | b<<16) {
				after[a] = append(after[a], b)
			}
		}
	}
	var rows []int
	look := func(key uint64) {
		if row := t.find(hash(key)); row >= 0 {
			rows = append(rows, row/t.blocks)
		}
	}
	for _, a := range alphabet {
		look(' ' | a<<16 | ' '<<32)
		for _, b := range after[a] {
			look(' ' | a<<16 | b<<32 | ' '<<48)
			for _, c := range after[b] {
				look(' ' | a<<16 | b<<32 | c<<48)
				look(a | b<<16 | c<<32 | ' '<<48)
			}
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// nearest are the languages that most of what speaks for a language speaks for, too.
func (t *table) nearest(language int) []int {
	alike := make([]int, 8*t.blocks)
	for row := range t.hashes {
		own := int(t.weight(row, language)) - zero
		if own <= 0 {
			continue
		}
		for block, w := range t.rows[row*t.blocks:][:t.blocks] {
			for i := range 8 {
				alike[8*block+i] += own * (int(w>>(8*i)&0xFF) - zero)
			}
		}
	}
	var others []int
	for i := range t.languages {
		if i != language {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return alike[b] - alike[a] })
	return others[:min(len(others), near-1)]
}

// Confirms reports whether the words of a script go on in the leader's language: what their edges say speaks for it, by an eighth of a nat each
// more than for any of those near to it; and of most of them something is known. A few need not speak for it: a menu of names is no other language.
func (l *Leader) Confirms(e *Edges, script Script) bool {
	const few = 24
	own, lead, known, all := l.weigh(e, script)
	return 4*own >= (known-few)*PerNat && 8*lead >= known*PerNat && 2*known+4 >= all
}

// weigh adds up what the edges of a script's words say: for the leader over the mean of all languages, and over the likeliest of those
// near to it, both in units of a nat by PerNat; and how many of them say anything, of how many.
func (l *Leader) weigh(e *Edges, script Script) (own, lead, known, all int) {
	var even, odd uint64 // sixteen bits a language
	var totals [8]int
	empty := func() {
		for i := range 4 {
			totals[2*i] += int(even >> (16 * i) & 0xFFFF)
			totals[2*i+1] += int(odd >> (16 * i) & 0xFFFF)
		}
		even, odd = 0, 0
	}
	slots := l.slots
	mask := uint32(len(slots) - 1)
	for _, h := range e.hashes[script] {
		at := h >> l.shift & mask
		s := slots[at]
		for s != 0 && uint16(s) != uint16(h) {
			at = (at + 1) & mask
			s = slots[at]
		}
		if s == 0 {
			continue
		}
		s >>= 16
		even += s & laneMask
		odd += s >> 8 & laneMask
		if known++; known%addsFit == 0 {
			empty()
		}
	}
	empty()
	rival := 0
	for _, n := range totals[1:near] {
		rival = max(rival, n)
	}
	return totals[0] - zero*known, totals[0] - rival, known, len(e.hashes[script])
}
