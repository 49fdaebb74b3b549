package extract

// This file keeps memory for reading documents, so that a crawl does not allocate it for each page. extract works in
// memory alone: it opens no file and asks no server.

import (
	"hash/maphash"
	"strings"
	"sync"

	"kavosh"
	"kavosh/lib/simhash"
)

// Buffers holds memory for reading documents, reused from one to the next. The zero value is ready, and many goroutines
// may share one. A [kavosh.Page] never points into it. It keeps at most maxKept bytes of each buffer, for as many
// documents as are read at the same time.
type Buffers struct{ free sync.Pool }

// buffers is the memory for one document.
type buffers struct {
	links []kavosh.Link // links of the page so far
	slots []slot
	buf   []byte // for folding, until the next use
	key   []byte // the link key that is being built
	query []byte // a reference with its query encoded

	// These belong to the document itself; documents nested in it have their own.
	text    []byte
	pending []place
	value   []byte
	attrs   []attr
	hash    simhash.Hasher
	visible visible
}

// maxKept bounds the bytes that each buffer keeps, so that one huge page does not hold its memory for ever.
const maxKept = 256 << 10

func (b *Buffers) take() *buffers {
	if b != nil {
		if one, ok := b.free.Get().(*buffers); ok {
			return one
		}
	}
	return &buffers{}
}

// give returns a document's memory to b. The caller must not use it afterwards.
func (b *Buffers) give(one *buffers) {
	if b == nil {
		return
	}
	const linkSize, slotSize, blockSize = 160, 8, 32 // approximate
	if cap(one.links) > maxKept/linkSize || cap(one.slots) > maxKept/slotSize || cap(one.visible.blocks.list) > maxKept/blockSize ||
		cap(one.buf)+cap(one.key)+cap(one.query)+cap(one.text)+cap(one.value)+cap(one.visible.text) > maxKept {
		return
	}
	clear(one.links) // their strings belong to the page
	one.links = one.links[:0]
	clear(one.slots)
	clear(one.attrs[:cap(one.attrs)]) // the attributes point into the document
	b.free.Put(one)
}

// table finds a link by its URL and kind. A document has at most one link of each URL and kind.
type table struct {
	slots []slot // the length is a power of two; at most half are used
	used  int
}

// slot holds the upper half of a link's hash and 1 + its index in links; index 0 is an empty slot.
type slot struct{ hash, index uint32 }

// hashSeed differs in each process, so that no page can be written whose links all fall into one slot.
var hashSeed = maphash.MakeSeed()

func hashOf(key []byte, kind kavosh.Kind) uint64 {
	return maphash.Bytes(hashSeed, key) + uint64(kind)*0x9E3779B97F4A7C15
}

// find returns the index in links of the link with that URL (key) and kind, or -1, and the hash to add it with.
func (t *table) find(links []kavosh.Link, key []byte, kind kavosh.Kind) (index int, hash uint64) {
	hash = hashOf(key, kind)
	if t.used == 0 {
		return -1, hash
	}
	for i := int(hash); ; i++ {
		s := t.slots[i&(len(t.slots)-1)]
		if s.index == 0 {
			return -1, hash
		}
		if l := &links[s.index-1]; s.hash == uint32(hash>>32) && l.Kind == kind && l.URL == string(key) {
			return int(s.index - 1), hash
		}
	}
}

// add stores the link at index. find must have returned -1 for it.
func (t *table) add(links []kavosh.Link, hash uint64, index int) {
	if 2*t.used >= len(t.slots) {
		t.slots = make([]slot, max(128, 2*len(t.slots)))
		t.refill(links[:index])
	}
	t.put(hash, index)
}

func (t *table) put(hash uint64, index int) {
	i := int(hash)
	for t.slots[i&(len(t.slots)-1)].index != 0 {
		i++
	}
	t.slots[i&(len(t.slots)-1)] = slot{uint32(hash >> 32), uint32(index + 1)}
	t.used++
}

// refill replaces the content of the table with links.
func (t *table) refill(links []kavosh.Link) {
	clear(t.slots)
	t.used = 0
	for i := range links {
		t.put(hashOf([]byte(links[i].URL), links[i].Kind), i)
	}
}

// arena makes many small strings with few allocations.
type arena struct{ b strings.Builder }

func (a *arena) put(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	start := a.room(len(b))
	a.b.Write(b)
	return a.b.String()[start:]
}

// join returns b and c as one string with a space between them.
func (a *arena) join(b, c []byte) string {
	start := a.room(len(b) + 1 + len(c))
	a.b.Write(b)
	a.b.WriteByte(' ')
	a.b.Write(c)
	return a.b.String()[start:]
}

// room makes room for n bytes and returns where they start. Pages need from a few strings to megabytes, so each new
// piece is twice as large as the last.
func (a *arena) room(n int) int {
	const first, most = 2 << 10, 32 << 10
	if a.b.Cap()-a.b.Len() < n {
		size := min(max(first, 2*a.b.Cap()), most)
		a.b = strings.Builder{}
		a.b.Grow(max(size, n))
	}
	return a.b.Len()
}
