package rdf

import (
	"hash/maphash"
	"strings"
)

// chunk is how many bytes of strings are allocated at once: a term costs no allocation of its own, and one that outlives
// its document keeps no more than this alive.
const chunk = 16 << 10

// arena makes strings out of bytes.
type arena struct{ b strings.Builder }

func (a *arena) add(parts ...[]byte) string {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if a.b.Cap()-a.b.Len() < n {
		a.b = strings.Builder{}
		a.b.Grow(max(chunk, n))
	}
	from := a.b.Len()
	for _, p := range parts {
		a.b.Write(p)
	}
	return a.b.String()[from:]
}

// memory knows names that were read lately, by how they are written, so that a name which comes again, as predicates
// and subjects do, is neither checked nor made again.
type memory struct {
	seed  maphash.Seed
	names [1024]struct{ written, means string }
}

// of is the place where a name stands, when it is known.
func (m *memory) of(written []byte) *struct{ written, means string } {
	return &m.names[maphash.Bytes(m.seed, written)%uint64(len(m.names))]
}
