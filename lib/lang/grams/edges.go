package grams

// This file confirms a language by the beginnings and ends of words, which is faster than all n-grams.

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Edges reads only the beginning and end of each word, for [Leader]s. That suffices to confirm that text continues in a
// language, but not to find the language. The zero value is ready. Reset prepares it for another text.
type Edges struct {
	Letters [Scripts]int // letters of each script in the text added last
	Met     uint64       // bit set of the scripts with letters in it
	hashes  [several][]uint32
	walker  walker
}

// Reset forgets what was read.
func (e *Edges) Reset() {
	for s := range e.hashes {
		e.hashes[s] = e.hashes[s][:0]
	}
}

// Add reads text, except addresses with a scheme.
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
			var last uint64
			if end >= 4 {
				last = uint64(text[end-4]) | uint64(text[end-3])<<8 | uint64(text[end-2])<<16 | uint64(text[end-1])<<24
				last >>= 8
			} else {
				last = first >> (8 * (n - 3) & 63)
			}
			latin = append(latin, hash(' '|wide(first|spaces)<<16), hash(wide(last|spaces)|' '<<48))
			if n < 3 {
				latin = latin[:len(latin)-1]
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

const (
	// spaces turns capitals into small letters, and zeros after a word into spaces, in each of eight bytes.
	spaces  = 0x2020202020202020
	highest = 4 * spaces
)

// wide returns the first three bytes with sixteen bits each.
func wide(bytes uint64) uint64 { return bytes&0xFF | bytes&0xFF00<<8 | bytes&0xFF0000<<16 }

// word handles a word of any letters.
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
		h = append(h, alone(uint64(word[1])))
	} else if h = append(h, four(word)); n > 4 {
		h = append(h, four(word[n-4:]))
	}
	e.hashes[script] = h
}

// alone returns the hash of a word of one letter, padded with two spaces to the length of the others.
func alone(letter uint64) uint32 { return hash(' ' | letter<<16 | ' '<<32 | ' '<<48) }

// Leader says whether text is in a language by the edges of its words: by their evidence for it and for the languages
// of its script that are most similar. It does not change.
type Leader struct {
	slots []uint64 // low half of a hash, and above it one byte per language, the leader's first; 0 if empty
	shift uint8    // from a hash to its slot
}

// near is how many languages a slot has.
const near = 6

// Leader makes the leader of a language of a script. It takes some milliseconds and 100 to 200 KB while it is kept.
func (m *Model) Leader(script Script, language int) *Leader {
	t := m.table(script)
	edges := t.edges(script)
	size := bits.Len(uint(len(edges)*3/2) | 15)
	l := &Leader{make([]uint64, 1<<size), uint8(32 - size)}
	languages := append([]int{language}, t.nearest(language, edges)...)
	for _, edge := range edges {
		s := uint64(edge.hash & 0xFFFF)
		for i := range near {
			w := byte(zero)
			if i < len(languages) {
				w = t.weight(edge.row, languages[i])
			}
			s |= uint64(w) << (16 + 8*i)
		}
		at := edge.hash >> l.shift
		for l.slots[at] != 0 {
			at = (at + 1) & uint32(len(l.slots)-1)
		}
		l.slots[at] = s
	}
	return l
}

// edge is an n-gram at the beginning or end of a word, and its row.
type edge struct {
	hash uint32
	row  int
}

// edges returns the edges of a script. A row does not say which letters it is for, so all combinations of the script's
// letters are looked up. Two adjacent ones in a longer edge have a row together, too.
func (t *table) edges(script Script) []edge {
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
	var all []edge
	look := func(key uint64, as uint32) {
		if row := t.find(hash(key)); row >= 0 {
			all = append(all, edge{as, row / t.blocks})
		}
	}
	four := func(key uint64) { look(key, hash(key)) }
	for _, a := range alphabet {
		look(' '|a<<16|' '<<32, alone(a))
		for _, b := range after[a] {
			four(' ' | a<<16 | b<<32 | ' '<<48)
			for _, c := range after[b] {
				four(' ' | a<<16 | b<<32 | c<<48)
				four(a | b<<16 | c<<32 | ' '<<48)
			}
		}
	}
	return all
}

// nearest returns the languages that share the most edges with a language.
func (t *table) nearest(language int, edges []edge) []int {
	alike := make([]int, 8*t.blocks)
	for _, edge := range edges {
		own := int(t.weight(edge.row, language)) - zero
		if own <= 0 {
			continue
		}
		for block, w := range t.rows[edge.row*t.blocks:][:t.blocks] {
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

// Confirms reports whether the words of a script continue in the leader's language: their edges speak for it, by at
// least an eighth of a nat each more than for any similar language, and most of them are known. A few need not speak
// for it: a menu of names is no other language.
func (l *Leader) Confirms(e *Edges, script Script) bool {
	const few = 24
	own, lead, known, all := l.weigh(e, script)
	return 4*own >= (known-few)*PerNat && 8*lead >= known*PerNat && 2*known+4 >= all
}

// weigh adds up the evidence of the edges of a script's words: for the leader over the mean of all languages, and over
// the likeliest similar language, both in units of 1/PerNat nat. known of all edges have evidence.
func (l *Leader) weigh(e *Edges, script Script) (own, lead, known, all int) {
	var even, odd uint64 // sixteen bits per language
	var totals [8]int
	added := 0 // number added since these were emptied
	empty := func() {
		for i := range 4 {
			totals[2*i] += int(even >> (16 * i) & 0xFFFF)
			totals[2*i+1] += int(odd >> (16 * i) & 0xFFFF)
		}
		even, odd, added = 0, 0, 0
	}
	for _, h := range e.hashes[script] {
		s := l.slots[h>>l.shift]
		if uint16(s) != uint16(h) {
			s = l.after(h)
		}
		known += int(min(s, 1))
		s >>= 16
		even += s & laneMask
		odd += s >> 8 & laneMask
		if added++; added == addsFit {
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

// after returns the slot of a hash that is not in its first possible place; 0 if none.
func (l *Leader) after(h uint32) uint64 {
	for at := h >> l.shift; ; at++ {
		if s := l.slots[at&uint32(len(l.slots)-1)]; s == 0 || uint16(s) == uint16(h) {
			return s
		}
	}
}
