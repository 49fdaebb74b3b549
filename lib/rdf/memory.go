package rdf

// This file saves allocations while RDF is read, by keeping names that repeat.

import (
	"hash/maphash"
	"strings"
)

// chunk is how many bytes of strings are allocated at once. So a term costs no allocation of its own, and a term that
// outlives its document keeps only one chunk alive.
const chunk = 16 << 10

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

// memory is a cache of names that were read recently, by their written form. Names often repeat, as predicates and
// subjects do; a cached one is neither checked nor allocated again. It is nil until a name is learned.
type memory struct {
	seed  maphash.Seed
	names [1024]name
}

type name struct{ written, means string }

// of returns the slot for a name; another name may be in it.
func (m *memory) of(written []byte) *name {
	return &m.names[maphash.Bytes(m.seed, written)%uint64(len(m.names))]
}

// recall returns the meaning of a name, if it is cached.
func (m *memory) recall(written []byte) (means string, known bool) {
	if m == nil {
		return "", false
	}
	if at := m.of(written); at.written == string(written) {
		return at.means, true
	}
	return "", false
}

// learn caches the meaning of a name, unless it is long: a thousand long names would take much memory.
func (t *tokens) learn(written []byte, n name) {
	if t.known == nil {
		t.known = &memory{seed: maphash.MakeSeed()}
	}
	if len(n.written) <= 256 && len(n.means) <= 1024 {
		*t.known.of(written) = n
	}
}

// forget empties the cache, because names change their meaning.
func (m *memory) forget() {
	if m != nil {
		clear(m.names[:])
	}
}
