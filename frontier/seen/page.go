package seen

// This file reads and writes pages, the units in which runs are read from disk. It works on bytes in memory and touches
// no file.

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// A page is the unit of reading: entries in the order of their keys, with a checksum. Numbers are little-endian.
//
//	n       2 bytes
//	keys    n × 16 bytes, ascending
//	ends    n × 2 bytes: where each value ends, counted from the first
//	values
//	zeros
//	CRC-32C of all before, 4 bytes
const (
	pageHead   = 2
	pageTail   = 4
	pageRecord = len(Key{}) + 2 // of a record without its value
	minPage    = pageHead + pageTail + pageRecord + MaxEntry
	maxPage    = math.MaxUint16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errChecksum  = fmt.Errorf("%w: a checksum does not match", ErrDamaged)
	errMalformed = fmt.Errorf("%w: malformed", ErrDamaged)
)

// pageWriter gathers the entries of one page.
type pageWriter struct {
	keys, ends, values []byte
}

// fits reports whether one more value of size bytes has room in a page of that many bytes.
func (w *pageWriter) fits(size, page int) bool {
	return pageHead+len(w.keys)+len(w.ends)+len(w.values)+pageRecord+size+pageTail <= page
}

func (w *pageWriter) add(key *Key, value []byte) {
	w.keys = append(w.keys, key[:]...)
	w.values = append(w.values, value...)
	w.ends = binary.LittleEndian.AppendUint16(w.ends, uint16(len(w.values)))
}

// append appends the page to b and begins the next.
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

// readPage checks b, a page as it lies on disk.
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

func (p *page) key(i int) *Key { return (*Key)(p.keys[i*len(Key{}):]) }

// value is the value of entry i.
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

// find is the place of a key; -1 for none.
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
