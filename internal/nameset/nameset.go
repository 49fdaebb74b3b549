// Package nameset holds sets of millions of names in little memory: 11 to 16 bytes per name, however long.
//
// It keeps only 63-bit hashes with a secret random seed. In a set of a million names, a name that was never added is
// reported as present in one of ten million million questions, and nobody can construct such a name
// (docs/decisions/0223-seeds-by-their-hashes.md).
package nameset

import (
	"hash/maphash"
	"math/bits"
)

// Set is a set of names. The zero value is empty. Has may be called by many goroutines at once; Add only while nobody
// else uses the set.
type Set[K comparable] struct {
	seed  maphash.Seed
	slots []uint64 // hashes, each in the first free slot from its place on; 0 = free
	count int
}

const leastSlots = 64

// Add adds name.
func (s *Set[K]) Add(name K) {
	if s.count >= len(s.slots)/4*3 {
		s.grow()
	}
	if h := s.hash(name); s.put(h) {
		s.count++
	}
}

// Has reports whether name was added.
func (s *Set[K]) Has(name K) bool {
	if s.count == 0 {
		return false
	}
	h := s.hash(name)
	return s.slots[s.find(h)] == h
}

func (s *Set[K]) hash(name K) uint64 { return maphash.Comparable(s.seed, name) | 1 }

// find returns the slot of a hash, or the free slot where it belongs. Places are in the order of the hashes.
func (s *Set[K]) find(h uint64) int {
	place, _ := bits.Mul64(h, uint64(len(s.slots)))
	i := int(place)
	for s.slots[i] != h && s.slots[i] != 0 {
		if i++; i == len(s.slots) {
			i = 0
		}
	}
	return i
}

// put adds h and reports whether it is new.
func (s *Set[K]) put(h uint64) bool {
	i := s.find(h)
	if s.slots[i] == h {
		return false
	}
	s.slots[i] = h
	return true
}

// grow makes the table half as large again.
func (s *Set[K]) grow() {
	old := s.slots
	if old == nil {
		s.seed = maphash.MakeSeed()
	}
	s.slots = make([]uint64, max(leastSlots, len(old)+len(old)/2))
	for _, h := range old {
		if h != 0 {
			s.put(h)
		}
	}
}
