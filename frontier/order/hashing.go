package order

import (
	"math/bits"

	"kavosh/lib/words"
)

// hash returns the FNV-1a hash of s, mixed by the last steps of SplitMix64 so that all of its bits are good.
func hash[T string | []byte](s T) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return mix64(h)
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// mix64 mixes the bits of h, as SplitMix64 does.
func mix64(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// joined returns one hash of two hashes. Their order matters.
func joined(a, b uint64) uint64 { return mix64(bits.RotateLeft64(a, 17) ^ b*fnvPrime) }

// uniform returns a number from 0 to below 1, which depends on url and seed alone.
func uniform(url string, seed uint64) float64 {
	return float64(joined(mix64(seed+1), hash(url))>>11) / (1 << 53)
}

// eachWord calls f with a hash of every word of text.
func eachWord(text string, f func(word uint64)) {
	for word := range words.All(text) {
		f(hash(word))
	}
}
