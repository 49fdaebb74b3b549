package simhash

import "math"

// Index holds the newest fingerprints, each with a value, in bounded memory: 24 bytes each besides the values, and
// 2 MiB. It is not safe for concurrent use.
//
// Two fingerprints at a distance of at most 3 have one of their four quarters in common, whichever bits differ (Manku et
// al., section 3, with four tables of which each is looked up by 16 bits). So one chain of fingerprints for each value of
// each quarter is all that is looked through.
type Index[V any] struct {
	entries []entry[V] // the one added n-th stands at (n-1) modulo their number
	added   uint64
	newest  [quarters][1 << 16]uint64 // number of the newest with that quarter, 0 for none
}

type entry[V any] struct {
	fingerprint uint64
	before      [quarters]uint32 // how many were added between it and the one before with that quarter; 0 for none
	value       V
}

const quarters = 4

// maxLooked bounds how many fingerprints of a chain are looked at, the newest: texts of one site may share a quarter.
const maxLooked = 512

// NewIndex is an index of the capacity newest fingerprints.
func NewIndex[V any](capacity int) *Index[V] {
	return &Index[V]{entries: make([]entry[V], 0, max(1, min(capacity, math.MaxUint32)))}
}

// Find is the value of the fingerprint nearest to f and its distance, when there is one within [Near]. Of those at the
// same distance the one found first stands, which is among the newest.
func (x *Index[V]) Find(f uint64) (value V, distance int, found bool) {
	distance = Near + 1
	for q := range quarters {
		n := x.newest[q][quarter(f, q)]
		for range maxLooked {
			if n == 0 || n+uint64(cap(x.entries)) <= x.added {
				break // the end, or one that is forgotten
			}
			e := &x.entries[(n-1)%uint64(cap(x.entries))]
			if d := Distance(e.fingerprint, f); d < distance {
				value, distance, found = e.value, d, true
				if d == 0 {
					return value, 0, true
				}
			}
			if e.before[q] == 0 {
				break
			}
			n -= uint64(e.before[q])
		}
	}
	return value, distance, found
}

// Add takes f in. When the index is full it forgets the oldest.
func (x *Index[V]) Add(f uint64, value V) {
	e := entry[V]{fingerprint: f, value: value}
	x.added++
	for q := range quarters {
		newest := &x.newest[q][quarter(f, q)]
		if gap := x.added - *newest; *newest > 0 && gap < uint64(cap(x.entries)) {
			e.before[q] = uint32(gap)
		}
		*newest = x.added
	}
	if len(x.entries) < cap(x.entries) {
		x.entries = append(x.entries, e)
	} else {
		x.entries[(x.added-1)%uint64(cap(x.entries))] = e
	}
}

func quarter(f uint64, q int) uint16 { return uint16(f >> (16 * q)) }
