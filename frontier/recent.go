package frontier

import "encoding/binary"

// recent remembers the keys of URLs that were accepted and offered lately. Most links of a page lead to URLs that the
// last pages led to as well, and an accepted URL stays accepted: for these the disk need not be asked. Keys are kept
// whole, so that nothing is taken for known that is not. Frontier.applying guards it.
type recent struct {
	slots [][16]byte // by the key's first bytes; the newer key takes the place
}

const recentSlots = 1 << 19 // 8 MB

func newRecent() recent { return recent{make([][16]byte, recentSlots)} }

func (r *recent) slot(key *[17]byte) *[16]byte {
	return &r.slots[binary.LittleEndian.Uint32(key[1:])%recentSlots]
}

func (r *recent) has(key *[17]byte) bool { return *r.slot(key) == [16]byte(key[1:]) }

func (r *recent) add(key *[17]byte) { *r.slot(key) = [16]byte(key[1:]) }
