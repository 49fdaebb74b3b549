package warc

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// smallRecord is the size in bytes of header, block and end up to which a record is packed by smallDeflater at the
// fastest level. Above it, a code made for the record spares more bytes than the code itself takes.
const smallRecord = 1 << 10

// smallDeflater packs small records as gzip members with the fixed code of deflate (RFC 1951, section 3.2.6). For a
// request of some hundred bytes a general compressor takes most of its time making a code for it. It finds repeats by the
// last place of each hash of four bytes.
type smallDeflater struct {
	last [1 << smallBits]uint16 // place of that hash, plus one; 0 for none
}

const smallBits = 9 // of the hash: 1 KiB of table

// member appends data as a gzip member to dst. data is at most smallRecord bytes.
func (d *smallDeflater) member(dst, data []byte) []byte {
	clear(d.last[:])
	dst = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255) // deflate, no name or time, fastest, unknown system
	w := bitWriter{dst: dst, acc: 1 | 1<<1, held: 3}        // the last block, of the fixed code
	next := 0                                               // first byte not yet coded
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

// bitWriter appends bits to dst; those not yet appended are in acc, lowest first.
type bitWriter struct {
	dst  []byte
	acc  uint64
	held uint
}

// put adds n bits; flush comes before there are more than 64.
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

// literals adds each byte by the fixed code: 8 bits below 144, else 9. Codes begin with their highest bit.
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

// repeat adds length bytes, 4 to 258, from distance back.
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

// scale finds v on one of deflate's two scales, whose steps double after each 1<<fine of them: the step, and what is
// left within it in n bits.
func scale(v int, fine uint) (step, left int, n uint) {
	if v < 2<<fine {
		return v, 0, 0
	}
	n = uint(bits.Len(uint(v))) - fine - 1
	return v>>n + int(n)<<fine, v & (1<<n - 1), n
}
