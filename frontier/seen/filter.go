package seen

// This file is the Bloom filter of a run, which tells without reading the disk that a key is not in the run.

import (
	"encoding/binary"
	"math/bits"
)

// filter is a Bloom filter in blocks of one cache line each (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient
// Bloom Filters, 2007): the second half of a key chooses the block, six times nine bits of the first half the bits in
// it. With ten bits a key it takes about 1 % of the keys that are not there for such as may be.
type filter []block

type block [8]uint64

const (
	blockBytes = 64
	bitsPerKey = 10
	probes     = 6
)

// filterBytes is how large a filter for n keys is.
func filterBytes(n int64) int64 { return (n*bitsPerKey/8 + blockBytes) / blockBytes * blockBytes }

func newFilter(size int64) filter { return make(filter, size/blockBytes) }

func (f filter) block(lo uint64) *block {
	i, _ := bits.Mul64(lo, uint64(len(f)))
	return &f[i]
}

func (f filter) add(hi, lo uint64) {
	b := f.block(lo)
	for range probes {
		b[hi>>6&7] |= 1 << (hi & 63)
		hi >>= 9
	}
}

// has is false when the key was certainly not added.
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

func (b *block) append(to []byte) []byte {
	for _, w := range b {
		to = binary.LittleEndian.AppendUint64(to, w)
	}
	return to
}

func (b *block) read(from []byte) {
	for i := range b {
		b[i] = binary.LittleEndian.Uint64(from[8*i:])
	}
}
