package index

// This file saves look-ups of payloads that the archive does not have.

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"kavosh/internal/store"
)

// filter tells for most new payloads that the store has not met them, so that the store need not be asked: a look-up in
// the store takes ten times as long as all else that a new page needs here. It has one bit for each value of 25 bits of
// a key, 4 MB. With a million known digests, 3 % of the new ones are still looked up in vain; with ten million, a
// quarter.
//
// The zero value is no filter: everything is looked up in the store.
type filter struct{ bits []atomic.Uint64 }

const (
	filterBits = 25
	// maxFiltered is how many digests are read when the store is opened, which takes a quarter of a second. A store
	// with more digests has no filter.
	maxFiltered = 1 << 20
)

// fill adds the digests of a store to the filter, unless there are more than most.
func (f *filter) fill(db *store.DB, most int) error {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte("d"), UpperBound: []byte("e")})
	if err != nil {
		return err
	}
	f.bits = make([]atomic.Uint64, 1<<filterBits/64)
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		if n++; n > most {
			f.bits = nil
			break
		}
		f.add((*[17]byte)(it.Key()))
	}
	return it.Close()
}

func bitOf(key *[17]byte) (word int, bit uint64) {
	n := binary.LittleEndian.Uint32(key[1:]) >> (32 - filterBits)
	return int(n / 64), 1 << (n % 64)
}

// add adds a key.
func (f *filter) add(key *[17]byte) {
	if f.bits != nil {
		word, bit := bitOf(key)
		f.bits[word].Or(bit)
	}
}

// may reports whether a key may have been added. If it returns false, the key was certainly not added.
func (f *filter) may(key *[17]byte) bool {
	if f.bits == nil {
		return true
	}
	word, bit := bitOf(key)
	return f.bits[word].Load()&bit != 0
}
