package judge

// This file turns the words of a page into numbers, for models.

import (
	"math"
	"slices"
)

// feature is the weight of a word in a page.
type feature struct {
	bucket uint32 // hash of the word, below buckets
	value  float32
}

const (
	// buckets is the number of buckets. Words in the same bucket count as the same word (Weinberger et al., "Feature
	// Hashing for Large Scale Multitask Learning", 2009). A large training set has a quarter as many words, so few share
	// one.
	buckets = 1 << 18
	// maxWords is how many words of a page are read: more would hardly change a verdict.
	maxWords = 20_000
)

// FNV-1a, because it is short and well known. Stored models depend on it.
const (
	fnvStart = 14695981039346656037
	fnvPrime = 1099511628211
)

func hashOf(start uint64, word []byte) uint64 {
	for _, c := range word {
		start = (start ^ uint64(c)) * fnvPrime
	}
	return start
}

func bucketOf(hash uint64) uint32 { return uint32((hash ^ hash>>32) & (buckets - 1)) }

// features yields the features of a page with their words, each as often as it occurs: the words of title and text, and
// the title's words again as title words. (Pairs of adjacent words made no class of WebKB clearer, at twice the cost.)
func (d *document) features(yield func(bucket uint32, word []byte) bool) {
	titled := hashOf(fnvStart, []byte("title "))
	for w := range each(d.title) {
		if !yield(bucketOf(hashOf(fnvStart, w)), w) || !yield(bucketOf(hashOf(titled, w)), w) {
			return
		}
	}
	n := 0
	for w := range each(d.text) {
		if n++; n > maxWords || !yield(bucketOf(hashOf(fnvStart, w)), w) {
			return
		}
	}
}

// vectorOf returns the page's vector: 1 + ln of each feature's count, scaled to length 1, so that long pages count no
// more than short ones. It is empty for a page without words, and valid until the next call.
func (d *document) vectorOf() []feature {
	d.hashes = d.hashes[:0]
	for b := range d.features {
		d.hashes = append(d.hashes, b)
	}
	slices.Sort(d.hashes)
	d.vector = d.vector[:0]
	squares := 0.0
	for i := 0; i < len(d.hashes); {
		n := 1
		for i+n < len(d.hashes) && d.hashes[i+n] == d.hashes[i] {
			n++
		}
		value := 1 + math.Log(float64(n))
		squares += value * value
		d.vector = append(d.vector, feature{d.hashes[i], float32(value)})
		i += n
	}
	length := float32(math.Sqrt(squares))
	for i := range d.vector {
		d.vector[i].value /= length
	}
	return d.vector
}
