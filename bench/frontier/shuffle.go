package main

import "math/bits"

// shuffle is a pseudorandom permutation of the numbers below n that takes no memory: a Feistel network over the next
// power of four, applied until the result is below n (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
type shuffle struct {
	n    uint64
	half int
	seed uint64
}

func newShuffle(n, seed uint64) shuffle {
	return shuffle{n, max(bits.Len64(n-1)+1, 2) / 2, seed}
}

// at returns the number at place i < n.
func (s shuffle) at(i uint64) uint64 {
	mask := uint64(1)<<s.half - 1
	for {
		l, r := i>>s.half, i&mask
		for round := range uint64(4) {
			l, r = r, l^mix(r^s.seed^round<<56)&mask
		}
		if i = l<<s.half | r; i < s.n {
			return i
		}
	}
}

// mix is SplitMix64's mixing function (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
