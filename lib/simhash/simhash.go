// Package simhash detects nearly equal texts by 64-bit fingerprints, in any language.
//
// A [Hasher] makes Charikar's fingerprint ("Similarity Estimation Techniques from Rounding Algorithms", 2002) of a
// text's shingles, as Manku, Jain and Das Sarma use it for web pages ("Detecting Near-Duplicates for Web Crawling",
// 2007): the fingerprints of texts that share most shingles differ in few bits. With 64 bits they take pages as nearly
// equal up to a distance of 3, here [Near].
//
// A shingle is the 16 bytes from the beginning of a word. In writing without spaces (letters of three bytes in UTF-8:
// Chinese, Japanese, Thai …), every letter begins one. So there are no word lists, stemming or Unicode tables, and one
// pass over the bytes suffices.
//
// An [Index] holds the newest fingerprints and finds those near to another.
package simhash

import (
	"encoding/binary"
	"math/bits"
)

// Near is the greatest distance of nearly equal pages.
const Near = 3

// Least is how many shingles a text needs for a fingerprint: a few words say too little.
const Least = 16

// shingle is the length of a shingle in bytes.
const shingle = 16

// Distance returns the number of bits in which two fingerprints differ.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Hasher collects the shingles of one text. The zero value is ready. It does not keep the text.
//
// It counts how often each of the 64 bits is set, all at once, with the carry-save adders of Harley and Seal: 16 hashes
// at a time are added to four planes, in which bit i of plane p stands for 2^p in the count of bit i. Each carry out of
// them is worth 16 and is counted in lanes.
type Hasher struct {
	waiting [16]uint64 // hashes not yet in the planes
	all     int        // number of hashes
	planes  [4]uint64
	lanes   [8]uint64 // byte b of lanes[j] counts the carries of bit 8b+j since the last spill
	within  int       // carries since the last spill, at most 255
	carries [64]uint32
}

// Reset prepares h for another text.
func (h *Hasher) Reset() { *h = Hasher{} }

// Add adds a piece of the text in UTF-8, such as a paragraph, with white space folded to single spaces. No shingle goes
// beyond the piece.
func (h *Hasher) Add(text []byte) {
	start := uint64(0x80) // the lowest byte's bit is set if a word begins there
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		spaces := zeros(w ^ 0x2020202020202020)
		starts := (spaces<<8 | start) &^ spaces
		if w&0x8080808080808080 != 0 {
			starts |= zeros(^w & 0xE0E0E0E0E0E0E0E0) // a byte from 0xE0 on begins a letter of three or more bytes
		}
		start = spaces >> 63 << 7
		for starts != 0 {
			h.shingle(text[i+bits.TrailingZeros64(starts)/8:])
			starts &= starts - 1
		}
	}
	for ; i < len(text); i++ {
		if text[i] != ' ' && (start != 0 || text[i] >= 0xE0) {
			h.shingle(text[i:])
		}
		start = 0
		if text[i] == ' ' {
			start = 0x80
		}
	}
}

// zeros returns a word with the highest bit set in each byte that is zero in w, and no other bit.
func zeros(w uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^(w&low + low | w | low)
}

// shingle adds the shingle at the start of text.
func (h *Hasher) shingle(text []byte) {
	if len(text) < shingle {
		var padded [shingle]byte
		copy(padded[:], text)
		text = padded[:]
	}
	h.waiting[h.all%len(h.waiting)] = mix(binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:]))
	if h.all++; h.all%len(h.waiting) == 0 {
		h.carry()
	}
}

// carry adds the 16 waiting hashes to the planes.
func (h *Hasher) carry() {
	ones, twos, fours := h.planes[0], h.planes[1], h.planes[2]
	var eight [2]uint64
	for half := range eight {
		var four [2]uint64
		for quarter := range four {
			w := (*[4]uint64)(h.waiting[8*half+4*quarter:])
			var a, b uint64
			ones, a = add(ones, w[0], w[1])
			ones, b = add(ones, w[2], w[3])
			twos, four[quarter] = add(twos, a, b)
		}
		fours, eight[half] = add(fours, four[0], four[1])
	}
	var carried uint64
	h.planes[3], carried = add(h.planes[3], eight[0], eight[1])
	h.planes[0], h.planes[1], h.planes[2] = ones, twos, fours
	for j := range h.lanes {
		h.lanes[j] += carried >> j & 0x0101010101010101
	}
	if h.within++; h.within == 255 {
		h.spill()
	}
}

// add is a full adder for each of 64 bits.
func add(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// mix hashes 16 bytes, the same on every machine: two 64-by-64-bit multiplications with both halves of the product
// combined, as in wyhash.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xA0761D6478BD642F, b^0xE7037ED1A0B428DB)
	hi, lo = bits.Mul64(hi^lo^0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)
	return hi ^ lo
}

// spill moves the small counters to the large ones.
func (h *Hasher) spill() {
	for j, lane := range h.lanes {
		for b := range 8 {
			h.carries[8*b+j] += uint32(lane >> (8 * b) & 0xFF)
		}
	}
	h.lanes, h.within = [8]uint64{}, 0
}

// Sum returns the fingerprint of the text; 0 if it has fewer than [Least] shingles.
func (h *Hasher) Sum() uint64 {
	if h.all < Least {
		return 0
	}
	h.spill()
	var f uint64
	for i := range 64 {
		ones := int(h.carries[i]) * len(h.waiting)
		for p, plane := range h.planes {
			ones += int(plane>>i&1) << p
		}
		for _, w := range h.waiting[:h.all%len(h.waiting)] {
			ones += int(w >> i & 1)
		}
		if 2*ones > h.all {
			f |= 1 << i
		}
	}
	if f == 0 {
		f = 1 // 0 means none
	}
	return f
}
