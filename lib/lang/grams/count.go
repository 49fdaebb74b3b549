package grams

// This file adds up the evidence of a text's n-grams for each language.

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Counter reads text and adds up the evidence of its letters and n-grams for each script. The zero value with a Model
// is ready. Reset prepares it for another text.
type Counter struct {
	Model   *Model
	Letters [Scripts]int // of each script
	Met     uint64       // bit set of the scripts with letters
	sums    [several]sum
	index   []uint16 // by hash of a piece: its index in pieces plus one; 0 if none
	pieces  []piece  // pieces seen so far: most of a text are a few that repeat
	lanes   []uint64 // evidence of each piece, in the form of sum
	walker  walker
	meets   func(Script, []uint16) // meetWord
	reads   func(Script, []uint16) // readWord
	one     piece                  // the new piece being read
	mixed   bool                   // … it has words in several scripts
	found   [4 * longest]int       // rows of a word's n-grams
}

// several is the number of scripts that are used by several languages.
const several = int(Tibetan) + 1

// sum is the evidence of n-grams of one script: sixteen bits per language, and totals for the overflow.
type sum struct {
	lanes [2 * mostBlocks]uint64
	adds  int // additions to lanes since they were emptied
	total [8 * mostBlocks]int32
	grams int // total number of n-grams
}

const (
	laneMask = 0x00FF00FF00FF00FF
	// bytesFit is how many weights fit into eight bits, addsFit how many into sixteen.
	bytesFit = 4
	addsFit  = 1<<16/(heaviest+1) - 1
)

// piece is a stretch of text whose only ASCII characters are letters, with its evidence. All other ASCII characters end
// words, so the evidence is the same wherever the piece occurs.
type piece struct {
	bytes   [3]uint64 // padded with zeros
	lanes   uint32    // where its evidence begins in lanes
	grams   uint16
	letters uint8
	script  Script // script of all its words
}

const (
	// mostPieces and mostLanes bound the cached pieces to some megabytes; if exceeded, the cache is emptied.
	indexBits  = 16
	mostPieces = 3 << indexBits / 8
	mostLanes  = 1 << 19
	// probes is how many places of the index are tried for a piece.
	probes = 16
)

// Reset forgets what was counted.
func (c *Counter) Reset() {
	c.Letters, c.Met = [Scripts]int{}, 0
	for i := range c.sums {
		if s := &c.sums[i]; s.grams > 0 {
			*s = sum{}
		}
	}
}

// Add reads text, except addresses with a scheme.
func (c *Counter) Add(text string) {
	if c.index == nil {
		c.index = make([]uint16, 1<<indexBits)
		c.meets, c.reads = c.meetWord, c.readWord
	}
	for i := 0; i < len(text); {
		if parts(text[i]) {
			i++
			continue
		}
		var bytes [3]uint64
		n := 0
		end := i
		for ; n < len(bytes); n++ {
			w, size := upTo(text[end:])
			bytes[n] = w
			if end += size; size < 8 {
				break
			}
		}
		for n == len(bytes) && end < len(text) && !parts(text[end]) {
			end++
		}
		if strings.HasPrefix(text[end:], "://") {
			for end < len(text) && ' ' < text[end] && text[end] < utf8.RuneSelf {
				end++
			}
		} else if n < len(bytes) {
			c.add(text[i:end], &bytes)
		} else {
			c.read(text[i:end])
		}
		i = end
	}
}

// parts reports whether a byte always ends a word: any ASCII character but a letter.
func parts(b byte) bool { return b < utf8.RuneSelf && (b|0x20 < 'a' || 'z' < b|0x20) }

// upTo returns those of the first eight bytes of text before the first that parts words, zero-padded, and their number.
func upTo(text string) (bytes uint64, size int) {
	if len(text) < 8 {
		var padded [8]byte
		copy(padded[:], text)
		bytes = binary.LittleEndian.Uint64(padded[:])
	} else {
		bytes = uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	}
	const ones, high = 0x0101010101010101, 0x8080808080808080
	low := bytes&^high | 0x20*ones
	letter := (low + (0x80-'a')*ones) &^ (low + (0x7F-'z')*ones)
	ends := ^(letter | bytes) & high
	if ends == 0 {
		return bytes, 8
	}
	size = bits.TrailingZeros64(ends) / 8
	return bytes & (1<<(8*size) - 1), size
}

// add adds the evidence of a piece.
func (c *Counter) add(text string, bytes *[3]uint64) {
	at := c.find(bytes)
	if at == nil {
		c.read(text)
		return
	}
	if *at == 0 {
		if len(c.pieces) == mostPieces || len(c.lanes) > mostLanes {
			clear(c.index)
			c.pieces, c.lanes = c.pieces[:0], c.lanes[:0]
			at = c.find(bytes)
		}
		if c.meet(text); c.mixed {
			c.read(text)
			return
		}
		c.one.bytes = *bytes
		c.pieces = append(c.pieces, c.one)
		*at = uint16(len(c.pieces))
	}
	p := &c.pieces[*at-1]
	if p.letters == 0 {
		return
	}
	c.Letters[p.script] += int(p.letters)
	c.Met |= 1 << p.script
	if p.grams == 0 {
		return
	}
	s := &c.sums[p.script]
	s.room(int(p.grams))
	lanes := c.lanes[p.lanes:][:2*c.Model.tables[p.script].blocks]
	to := s.lanes[:len(lanes)]
	for j, lane := range lanes {
		to[j] += lane
	}
}

// find returns where the index has a piece or could store it; nil if too many others are near (a page can cause that).
func (c *Counter) find(bytes *[3]uint64) *uint16 {
	hash := (bytes[0] ^ (bytes[1]^bytes[2]*wordPrime)*wordPrime) * gramPrime >> (64 - indexBits)
	for range probes {
		at := &c.index[hash%(1<<indexBits)]
		if *at == 0 || c.pieces[*at-1].bytes == *bytes {
			return at
		}
		hash++
	}
	return nil
}

// meet reads a new piece into c.one. A piece with words in several scripts cannot be cached.
func (c *Counter) meet(text string) {
	c.one, c.mixed = piece{lanes: uint32(len(c.lanes))}, false
	c.walker.give = c.meets
	c.walker.walk(text)
	if c.mixed {
		c.lanes = c.lanes[:c.one.lanes]
	}
}

func (c *Counter) meetWord(script Script, word []uint16) {
	p, t := &c.one, c.Model.table(script)
	if c.mixed = c.mixed || p.letters > 0 && p.script != script; c.mixed {
		return
	}
	if p.letters == 0 && t != nil {
		n := len(c.lanes) + 2*t.blocks
		c.lanes = slices.Grow(c.lanes, 2*t.blocks)[:n]
		clear(c.lanes[p.lanes:])
	}
	p.script = script
	p.letters += uint8(len(word) - 2)
	if t != nil {
		found := t.look(word, &c.found)
		t.add(c.lanes[p.lanes:], found)
		p.grams += uint16(len(found))
	}
}

// read adds the evidence of the words of a text.
func (c *Counter) read(text string) {
	c.walker.give = c.reads
	c.walker.walk(text)
}

func (c *Counter) readWord(script Script, word []uint16) {
	c.Letters[script] += len(word) - 2
	c.Met |= 1 << script
	if t := c.Model.table(script); t != nil {
		found := t.look(word, &c.found)
		s := &c.sums[script]
		s.room(len(found))
		t.add(s.lanes[:], found)
	}
}

// look finds the rows of a word's n-grams that the table has: of one letter (not ASCII); of four; of three, or of two
// if there is none of three; and of the whole word.
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

// room makes sure that the lanes have room for more rows.
func (s *sum) room(rows int) {
	if s.adds += rows; s.adds > addsFit {
		s.empty()
		s.adds = rows
	}
	s.grams += rows
}

// add adds rows to lanes, eight languages at a time, and four rows before their bytes are widened.
func (t *table) add(lanes []uint64, found []int) {
	row := func(i int) []uint64 { return t.rows[found[i]:][:t.blocks] }
	lanes = lanes[:2*t.blocks]
	for ; len(found) >= bytesFit; found = found[bytesFit:] {
		r0, r1, r2, r3 := row(0), row(1), row(2), row(3)
		for block, w := range r0 {
			w += r1[block] + r2[block] + r3[block]
			lanes[2*block] += w & laneMask
			lanes[2*block+1] += w >> 8 & laneMask
		}
	}
	for i := range found {
		for block, w := range row(i) {
			lanes[2*block] += w & laneMask
			lanes[2*block+1] += w >> 8 & laneMask
		}
	}
}

// wordPrime and gramPrime spread keys over 64 bits: FNV's prime and the golden ratio.
const (
	wordPrime = 0x100000001B3
	gramPrime = 0x9E3779B97F4A7C15
)

func hash(key uint64) uint32 {
	key *= gramPrime
	return uint32((key ^ key>>29) * gramPrime >> 32)
}

// find returns where the row of a hash begins; negative if there is none.
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

// PerNat is how much a sum grows per nat.
const PerNat = 7

// Sums appends, for each language of a script, the evidence of its n-grams over the mean of all languages, in units of
// 1/PerNat nat. It returns the number of n-grams too.
func (c *Counter) Sums(dst []int32, script Script) (sums []int32, grams int) {
	t := c.Model.table(script)
	if t == nil {
		return dst, 0
	}
	s, n := &c.sums[script], len(dst)
	mean := int32(zero * s.grams)
	dst = slices.Grow(dst, 8*t.blocks)[:n+8*t.blocks]
	for block := range t.blocks {
		even, odd := s.lanes[2*block], s.lanes[2*block+1]
		total, to := s.total[8*block:][:8], dst[n+8*block:][:8]
		to[0] = total[0] + int32(even&0xFFFF) - mean
		to[1] = total[1] + int32(odd&0xFFFF) - mean
		to[2] = total[2] + int32(even>>16&0xFFFF) - mean
		to[3] = total[3] + int32(odd>>16&0xFFFF) - mean
		to[4] = total[4] + int32(even>>32&0xFFFF) - mean
		to[5] = total[5] + int32(odd>>32&0xFFFF) - mean
		to[6] = total[6] + int32(even>>48) - mean
		to[7] = total[7] + int32(odd>>48) - mean
	}
	return dst[:n+len(t.languages)], s.grams
}
