package seen

// This file is the Bloom filter of a run, which tells without reading the disk that a key is not in the run.

import (
	"encoding/binary"
	"math/bits"
)

// filter is a Bloom filter in blocks of one cache line each (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient
// Bloom Filters, 2007). The second half of a key chooses the block; six times nine bits of the first half choose bits
// in the block. With ten bits for each key, it reports about 1 % of the keys that were not added as possibly added.
type filter []block

// block is one block of a filter, 512 bits.
type block [8]uint64

const (
	blockBytes = 64 // of a block
	bitsPerKey = 10 // bits of a filter for each key
	probes     = 6  // bits that are set for each key
)

// filterBytes returns the size in bytes of a filter for n keys.
func filterBytes(n int64) int64 { return (n*bitsPerKey/8 + blockBytes) / blockBytes * blockBytes }

func newFilter(size int64) filter { return make(filter, size/blockBytes) }

// block returns the block of a key, by the second half of the key.
func (f filter) block(lo uint64) *block {
	i, _ := bits.Mul64(lo, uint64(len(f)))
	return &f[i]
}

// add adds the key with these two halves.
func (f filter) add(hi, lo uint64) {
	b := f.block(lo)
	for range probes {
		b[hi>>6&7] |= 1 << (hi & 63)
		hi >>= 9
	}
}

// has returns false if the key was certainly not added. It may return true for a key that was not added.
func (f filter) has(hi, lo uint64) bool {
	b := f.block(lo)
	for range probes {
		if b[hi>>6&7]&(1<<(hi&63)) == 0 {
			return false
		}
		hi >>= 9
	}
	return true
}

// append appends the stored form of b, 64 bytes, to a slice.
func (b *block) append(to []byte) []byte {
	for _, w := range b {
		to = binary.LittleEndian.AppendUint64(to, w)
	}
	return to
}

// read sets b from its stored form.
func (b *block) read(from []byte) {
	for i := range b {
		b[i] = binary.LittleEndian.Uint64(from[8*i:])
	}
}
