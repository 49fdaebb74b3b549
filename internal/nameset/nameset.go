// Package nameset holds sets of millions of names in little memory: 11 to 16 bytes a name, however long it is.
//
// Names are kept by their hashes alone, of 63 bits and with a seed of their own that nobody outside knows. So a name that was
// never added is taken for one that was in one of ten million million questions to a set of a million, and nobody can choose a
// name that is (docs/decisions/0223-seeds-by-their-hashes.md).
package nameset

import (
	"hash/maphash"
	"math/bits"
)

// Set is a set of names. The zero value is empty. Has may be called by many at once, Add by one who is alone.
type Set[K comparable] struct {
	seed  maphash.Seed
	slots []uint64 // hashes, each in the first free slot from its place on; 0 is free
	count int
}

const leastSlots = 64

// Add makes name one of the set.
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

// find is the slot of a hash, or the free one where it belongs. Places are in the order of the hashes.
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

// put says that h is new.
func (s *Set[K]) put(h uint64) bool {
	i := s.find(h)
	if s.slots[i] == h {
		return false
	}
	s.slots[i] = h
	return true
}

// grow makes half as many slots more.
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
