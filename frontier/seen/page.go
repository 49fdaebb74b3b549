package seen

// This file reads and writes pages, the units in which runs are read from disk. It works on bytes in memory and touches
// no file.

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// A page is the unit of reading: some entries in the order of their keys, with a checksum. Its size is fixed. Its
// numbers are little-endian.
//
//	n       2 bytes: how many entries it has
//	keys    n × 16 bytes, ascending
//	ends    n × 2 bytes: where each value ends, counted from the first
//	values
//	zeros   up to the checksum
//	CRC-32C of all before, 4 bytes
const (
	pageHead   = 2              // bytes of n
	pageTail   = 4              // bytes of the checksum
	pageRecord = len(Key{}) + 2 // bytes of an entry without its value
	minPage    = pageHead + pageTail + pageRecord + MaxEntry
	maxPage    = math.MaxUint16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errChecksum  = fmt.Errorf("%w: a checksum does not match", ErrDamaged)
	errMalformed = fmt.Errorf("%w: malformed", ErrDamaged)
)

// pageWriter gathers the entries of the page that is written next.
type pageWriter struct {
	keys, ends, values []byte
}

// fits reports whether one more value of size bytes fits into a page of page bytes.
func (w *pageWriter) fits(size, page int) bool {
	return pageHead+len(w.keys)+len(w.ends)+len(w.values)+pageRecord+size+pageTail <= page
}

// add adds an entry, for which there must be room. Its key must be greater than all before.
func (w *pageWriter) add(key *Key, value []byte) {
	w.keys = append(w.keys, key[:]...)
	w.values = append(w.values, value...)
	w.ends = binary.LittleEndian.AppendUint16(w.ends, uint16(len(w.values)))
}

// append appends the page, which gets page bytes, to b, and begins the next page.
func (w *pageWriter) append(b []byte, page int) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(w.ends)/2))
	b = append(append(append(b, w.keys...), w.ends...), w.values...)
	b = append(b, make([]byte, page-pageTail-(len(b)-from))...)
	w.keys, w.ends, w.values = w.keys[:0], w.ends[:0], w.values[:0]
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// page is a page that was read and checked.
type page struct {
	n                  int
	keys, ends, values []byte
}

// readPage checks b, a page as it is on disk, and returns it. The page uses the memory of b.
func readPage(b []byte) (p page, err error) {
	if len(b) < minPage {
		return p, errMalformed
	}
	body := b[:len(b)-pageTail]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return p, errChecksum
	}
	n := int(binary.LittleEndian.Uint16(body))
	if n == 0 || pageHead+n*pageRecord > len(body) {
		return p, errMalformed
	}
	p.n = n
	p.keys, body = body[pageHead:pageHead+n*len(Key{})], body[pageHead+n*len(Key{}):]
	p.ends, p.values = body[:2*n], body[2*n:]
	return p, nil
}

// key returns the key of entry i.
func (p *page) key(i int) *Key { return (*Key)(p.keys[i*len(Key{}):]) }

// value returns the value of entry i.
func (p *page) value(i int) ([]byte, error) {
	from := 0
	if i > 0 {
		from = int(binary.LittleEndian.Uint16(p.ends[2*i-2:]))
	}
	to := int(binary.LittleEndian.Uint16(p.ends[2*i:]))
	if from >= to || to-from > MaxEntry || to > len(p.values) {
		return nil, errMalformed
	}
	return p.values[from:to], nil
}

// find returns the index of the entry with that key; -1 if there is none.
func (p *page) find(hi, lo uint64) int {
	i, j := 0, p.n
	for i < j {
		m := int(uint(i+j) >> 1)
		k := p.keys[m*len(Key{}):]
		switch at := binary.BigEndian.Uint64(k); {
		case at < hi:
			i = m + 1
		case at > hi:
			j = m
		default:
			switch at := binary.BigEndian.Uint64(k[8:]); {
			case at < lo:
				i = m + 1
			case at > lo:
				j = m
			default:
				return m
			}
		}
	}
	return -1
}
