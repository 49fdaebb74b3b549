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
// and subjects do, is neither checked nor made again. None has learned nothing yet.
type memory struct {
	seed  maphash.Seed
	names [1024]name
}

type name struct{ written, means string }

// of is the place of a name, where another may stand.
func (m *memory) of(written []byte) *name {
	return &m.names[maphash.Bytes(m.seed, written)%uint64(len(m.names))]
}

// recall is what a name means, when it is known.
func (m *memory) recall(written []byte) (means string, known bool) {
	if m == nil {
		return "", false
	}
	if at := m.of(written); at.written == string(written) {
		return at.means, true
	}
	return "", false
}

// learn keeps what a name means, unless it is so long that a thousand of them would be much.
func (t *tokens) learn(written []byte, n name) {
	if t.known == nil {
		t.known = &memory{seed: maphash.MakeSeed()}
	}
	if len(n.written) <= 256 && len(n.means) <= 1024 {
		*t.known.of(written) = n
	}
}

// forget is for when names begin to mean something else.
func (m *memory) forget() {
	if m != nil {
		clear(m.names[:])
	}
}
