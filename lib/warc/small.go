package warc

// This file compresses small WARC records faster than a general compressor can.

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// smallRecord is the largest record, in bytes with header and end, that smallDeflater packs (at the fastest level
// only). Above it, a Huffman code made for the record saves more bytes than it costs.
const smallRecord = 1 << 10

// smallDeflater packs small records as gzip members with deflate's fixed code (RFC 1951, section 3.2.6). For a request
// of a few hundred bytes, a general compressor spends most of its time making a code. It finds repeats through a table
// with the last position of each hash of four bytes.
type smallDeflater struct {
	last [1 << smallBits]uint16 // last position of each hash, plus one; 0 if none
}

const smallBits = 9 // size of the hash: the table takes 1 KiB

// member appends data, at most smallRecord bytes, to dst as a gzip member.
func (d *smallDeflater) member(dst, data []byte) []byte {
	clear(d.last[:])
	dst = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255) // deflate, no name or time, fastest, unknown system
	w := bitWriter{dst: dst, acc: 1 | 1<<1, held: 3}        // last block, fixed code
	next := 0                                               // the first byte not yet coded
	for at := 0; at+4 <= len(data); {
		word := binary.LittleEndian.Uint32(data[at:])
		slot := &d.last[word*2654435761>>(32-smallBits)]
		before := int(*slot) - 1
		*slot = uint16(at + 1)
		if before < 0 || binary.LittleEndian.Uint32(data[before:]) != word {
			at++
			continue
		}
		length := 4
		for length < 258 && at+length < len(data) && data[before+length] == data[at+length] {
			length++
		}
		w.literals(data[next:at])
		w.repeat(length, at-before)
		at += length
		next = at
	}
	w.literals(data[next:])
	w.put(0, 7) // end of block
	w.flush()
	if w.held > 0 {
		w.dst = append(w.dst, byte(w.acc))
	}
	dst = binary.LittleEndian.AppendUint32(w.dst, crc32.ChecksumIEEE(data))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(data)))
}

// bitWriter appends bits to dst. acc holds the bits not yet appended, lowest first.
type bitWriter struct {
	dst  []byte
	acc  uint64
	held uint
}

// put adds n bits. Call flush before acc holds more than 64.
func (w *bitWriter) put(v uint32, n uint) {
	w.acc |= uint64(v) << w.held
	w.held += n
}

// flush leaves at most 7 bits in acc.
func (w *bitWriter) flush() {
	n := len(w.dst)
	w.dst = binary.LittleEndian.AppendUint64(w.dst, w.acc)[:n+int(w.held>>3)]
	w.acc >>= w.held &^ 7
	w.held &= 7
}

// literals adds each byte in the fixed code: 8 bits for bytes below 144, else 9. Codes begin with their highest bit.
func (w *bitWriter) literals(data []byte) {
	for i, c := range data {
		if c < 144 {
			w.put(uint32(bits.Reverse8(0x30+c)), 8)
		} else {
			w.put(uint32(bits.Reverse8(0xc8+(c-144)>>1))|uint32(c&1)<<8, 9)
		}
		if i&3 == 3 {
			w.flush()
		}
	}
	w.flush()
}

// repeat adds a repeat of length bytes (4 to 258) that begins distance bytes back.
func (w *bitWriter) repeat(length, distance int) {
	symbol, left, n := 28, 0, uint(0)
	if length < 258 {
		symbol, left, n = scale(length-3, 2)
	}
	if symbol++; symbol < 24 {
		w.put(bits.Reverse32(uint32(symbol))>>25, 7)
	} else {
		w.put(uint32(bits.Reverse8(uint8(0xc0+symbol-24))), 8)
	}
	w.put(uint32(left), n)
	symbol, left, n = scale(distance-1, 1)
	w.put(bits.Reverse32(uint32(symbol))>>27, 5)
	w.put(uint32(left), n)
	w.flush()
}

// scale places v on one of deflate's two scales, on which the step size doubles after every 1<<fine steps. It returns
// the step, and the n bits that are left within it.
func scale(v int, fine uint) (step, left int, n uint) {
	if v < 2<<fine {
		return v, 0, 0
	}
	n = uint(bits.Len(uint(v))) - fine - 1
	return v>>n + int(n)<<fine, v & (1<<n - 1), n
}
