package index

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"kavosh/internal/store"
)

// filter knows of most payloads that were never met that they were not, so that the store need not be asked, which takes
// it ten times as long as all else that a new page needs of it. It has a bit for each value of 25 of the key's, 4 MB: of a
// million digests known, three new ones in a hundred are asked for in vain, of ten million, a quarter.
//
// The zero value knows nothing and lets the store be asked for everything.
type filter struct{ bits []atomic.Uint64 }

const (
	filterBits = 25
	// maxFiltered is how many digests are read when the store is opened, a quarter of a second's work. Of an archive with
	// more of them nothing is known beforehand.
	maxFiltered = 1 << 20
)

// fill makes the filter of a store's digests, unless there are more than most.
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

// add notes a key.
func (f *filter) add(key *[17]byte) {
	if f.bits != nil {
		word, bit := bitOf(key)
		f.bits[word].Or(bit)
	}
}

// may reports whether a key can be one that was noted.
func (f *filter) may(key *[17]byte) bool {
	if f.bits == nil {
		return true
	}
	word, bit := bitOf(key)
	return f.bits[word].Load()&bit != 0
}
