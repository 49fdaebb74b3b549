package frontier

import (
	"encoding/binary"

	"kavosh/frontier/seen"
)

// recent remembers the keys of URLs that were accepted and offered lately. Most links of a page lead to URLs that the
// last pages led to as well, and an accepted URL stays accepted: for these the disk need not be asked. Keys are kept
// whole, so that nothing is taken for known that is not. Frontier.applying guards it.
type recent struct {
	slots []seen.Key // a key's first bytes give its slot; a new key replaces the old one there
}

const recentSlots = 1 << 16 // 1 MB, which stays in the processor's cache

func newRecent() recent { return recent{make([]seen.Key, recentSlots)} }

func (r *recent) slot(key *seen.Key) *seen.Key {
	return &r.slots[binary.LittleEndian.Uint32(key[:])%recentSlots]
}

func (r *recent) has(key *seen.Key) bool { return *r.slot(key) == *key }

func (r *recent) add(key *seen.Key) { *r.slot(key) = *key }
