package simhash

// This file finds fingerprints of texts that are near to another.

import "math"

// Index holds the newest fingerprints, each with a value, in bounded memory: 24 bytes each plus the values, and 2 MiB.
// It is not safe for concurrent use.
//
// Two fingerprints at a distance of at most 3 agree in at least one of their four quarters (Manku et al., section 3,
// with four tables indexed by 16 bits). So for each value of each quarter there is one chain of fingerprints, and a
// search looks through four chains.
type Index[V any] struct {
	entries []entry[V] // the n-th added is at (n-1) modulo their number
	added   uint64
	newest  [quarters][1 << 16]uint64 // number of the newest entry with that quarter; 0 if none
}

type entry[V any] struct {
	fingerprint uint64
	before      [quarters]uint32 // how many were added since the previous entry with that quarter; 0 if none
	value       V
}

const quarters = 4

// maxLooked bounds how many fingerprints of a chain are compared, the newest first: texts of one site may share a
// quarter.
const maxLooked = 512

// NewIndex returns an index that holds the capacity newest fingerprints.
func NewIndex[V any](capacity int) *Index[V] {
	return &Index[V]{entries: make([]entry[V], 0, max(1, min(capacity, math.MaxUint32)))}
}

// Find returns the value of the fingerprint nearest to f, and its distance, if there is one within [Near]. At equal
// distance it returns one of the newest.
func (x *Index[V]) Find(f uint64) (value V, distance int, found bool) {
	distance = Near + 1
	for q := range quarters {
		n := x.newest[q][quarter(f, q)]
		for range maxLooked {
			if n == 0 || n+uint64(cap(x.entries)) <= x.added {
				break // the end of the chain, or forgotten entries
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

// Add adds f. If the index is full, it drops the oldest.
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
