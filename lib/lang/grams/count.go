package grams

import (
	"slices"
	"unicode/utf8"
)

// Counter reads text and adds up, for each script, what its letters and n-grams say. The zero value with a Model counts
// nothing yet; it can be used again after Reset.
type Counter struct {
	Model   *Model
	Letters [Scripts]int // of each script
	sums    [several]sum
	met     [several]*met
	found   [4 * longest]int // where the rows of a word begin
}

// several is how many scripts have several languages.
const several = int(Tibetan) + 1

// sum is what n-grams of one script add up to, sixteen bits a language, and what overflowed from there.
type sum struct {
	lanes [2 * mostBlocks]uint64
	adds  int // to lanes since they were emptied
	total [8 * mostBlocks]int32
	grams int // added in all
}

const (
	laneMask = 0x00FF00FF00FF00FF
	// bytesFit is how many weights fit into eight bits, addsFit into sixteen.
	bytesFit = 4
	addsFit  = 1<<16/(heaviest+1) - 1
)

// Reset forgets what was counted.
func (c *Counter) Reset() {
	c.Letters = [Scripts]int{}
	for i := range c.sums {
		if s := &c.sums[i]; s.grams > 0 {
			*s = sum{}
		}
	}
}

// Add reads text, every byte of it.
func (c *Counter) Add(text string) {
	walk(text, func(script Script, word []uint16) {
		c.Letters[script] += len(word) - 2
		if int(script) < several {
			if t := c.Model.tables[script]; t != nil {
				c.add(script, t, word)
			}
		}
	})
}

// add adds what the n-grams of a word say.
func (c *Counter) add(script Script, t *table, word []uint16) {
	s := &c.sums[script]
	letters := word[1 : len(word)-1]
	if len(letters) > longestMet {
		found := t.look(word, &c.found)
		s.room(len(found))
		t.add(s.lanes[:], found)
		return
	}
	m := c.met[script]
	if m == nil {
		m = &met{lanes: make([]uint64, 2*t.blocks*metWords)}
		c.met[script] = m
	}
	h := uint64(len(letters))
	for _, l := range letters {
		h = (h ^ uint64(l)) * wordPrime
	}
	slot := h * gramPrime >> (64 - metBits)
	w, lanes := &m.words[slot], m.lanes[2*t.blocks*int(slot):][:2*t.blocks]
	if int(w.length) != len(letters) || !slices.Equal(w.letters[:len(letters)], letters) {
		found := t.look(word, &c.found)
		clear(lanes)
		t.add(lanes, found)
		w.length, w.grams = uint8(len(letters)), uint8(len(found))
		copy(w.letters[:], letters)
	}
	s.room(int(w.grams))
	for j, lane := range lanes {
		s.lanes[j] += lane
	}
}

// met are words of one script that were read, with what their n-grams add up to: most words of a text are a few that come again and again.
type met struct {
	words [metWords]metWord
	lanes []uint64 // two for each eight languages, for each word; as in sum
}

type metWord struct {
	letters [longestMet]uint16
	length  uint8
	grams   uint8
}

const (
	metBits    = 12
	metWords   = 1 << metBits
	longestMet = 15 // letters of a word that is kept
)

// look gives where the rows of a word's n-grams begin, of those that the table has: of one letter, where it is none of ASCII's; of four;
// of three, or of two where there is none of three; and of the whole word.
func (t *table) look(word []uint16, found *[4 * longest]int) []int {
	n := 0
	look := func(h uint32) bool {
		if t.known[h>>(32-knownBits)/64]>>(h>>(32-knownBits)%64)&1 == 0 {
			return false
		}
		row := t.find(h)
		if row < 0 {
			return false
		}
		found[n] = row
		n++
		return true
	}
	whole := uint64(0)
	for i := range len(word) - 1 {
		k1 := uint64(word[i])
		k2 := k1 | uint64(word[i+1])<<16
		whole = (whole ^ k1) * wordPrime
		if k1 >= utf8.RuneSelf {
			look(hash(k1))
		}
		if i+2 < len(word) {
			k3 := k2 | uint64(word[i+2])<<32
			if i+3 < len(word) {
				look(hash(k3 | uint64(word[i+3])<<48))
			}
			if look(hash(k3)) {
				continue
			}
		}
		look(hash(k2))
	}
	if len(word) >= 5 {
		look(hash(whole | 1))
	}
	return found[:n]
}

// room makes room in the lanes for some rows.
func (s *sum) room(rows int) {
	if s.adds += rows; s.adds > addsFit {
		s.empty()
		s.adds = rows
	}
	s.grams += rows
}

// add adds rows to lanes, eight languages at a time, four rows before their bytes are widened.
func (t *table) add(lanes []uint64, found []int) {
	for block := range t.blocks {
		rows := t.rows[block:]
		var low, high uint64
		rest := found
		for ; len(rest) >= bytesFit; rest = rest[bytesFit:] {
			w := rows[rest[0]] + rows[rest[1]] + rows[rest[2]] + rows[rest[3]]
			low += w & laneMask
			high += w >> 8 & laneMask
		}
		w := uint64(0)
		for _, row := range rest {
			w += rows[row]
		}
		lanes[2*block] += low + w&laneMask
		lanes[2*block+1] += high + w>>8&laneMask
	}
}

// wordPrime and gramPrime spread keys over 64 bits: FNV's prime and the golden ratio's.
const (
	wordPrime = 0x100000001B3
	gramPrime = 0x9E3779B97F4A7C15
)

func hash(key uint64) uint32 {
	key *= gramPrime
	return uint32((key ^ key>>29) * gramPrime >> 32)
}

// find is where the row of a hash begins, or less than 0.
func (t *table) find(h uint32) int {
	mask := uint32(len(t.slots) - 1)
	for at := h >> t.shift; ; at++ {
		switch slot := t.slots[at&mask]; {
		case slot == 0:
			return -1
		case slot>>16 == h&0xFFFF:
			return (int(slot&0xFFFF) - 1) * t.blocks
		}
	}
}

// empty moves the lanes to the totals.
func (s *sum) empty() {
	for j, lane := range s.lanes {
		for k := range 4 {
			s.total[8*(j/2)+2*k+j%2] += int32(lane >> (16 * k) & 0xFFFF)
		}
		s.lanes[j] = 0
	}
	s.adds = 0
}

// Scores appends what the n-grams of a script add up to for each of its languages, in nats over the mean of all languages,
// and tells how many n-grams there were.
func (c *Counter) Scores(dst []float64, script Script) (scores []float64, grams int) {
	if int(script) >= several || c.Model.tables[script] == nil {
		return dst, 0
	}
	s := &c.sums[script]
	s.empty()
	for i := range c.Model.tables[script].languages {
		dst = append(dst, float64(s.total[i]-int32(zero*s.grams))/perNat)
	}
	return dst, s.grams
}
