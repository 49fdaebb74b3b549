package search

// This file writes and reads postings: for each term of a segment, which documents have it and where.

import (
	"encoding/binary"
)

// The postings of a term in a segment: which documents have it, how often, and where. They stand in blocks of at most
// blockSize postings:
//
//	block   = uvarint postings, uvarint last document - last document of the block before (-1 before the first),
//	          uvarint bytes of entries, uvarint bytes of places, entries
//	entry   = uvarint document - document before, byte in title (low 4 bits) and in URL (high 4 bits), uvarint places
//	places  = uvarint place - place before, for each, of one document after another; 0 is before the first
//
// The places of all blocks follow the blocks.
const blockSize = 128

// posting is a document that has a term.
type posting struct {
	doc    uint32
	title  uint8  // occurrences in the title, counted up to 15
	url    uint8  // occurrences in the URL, counted up to 15
	places uint32 // occurrences in title and text
}

// postingsWriter makes the postings of one term after another.
type postingsWriter struct {
	blocks, places []byte // finished
	n              int    // postings in the open block
	count          int    // postings of the term
	last, lastDoc  int64  // last document of the block before, and document of the entry before
	entries, where []byte // entries and places of the open block
}

func (w *postingsWriter) reset() {
	w.blocks, w.places, w.entries, w.where = w.blocks[:0], w.places[:0], w.entries[:0], w.where[:0]
	w.n, w.count, w.last, w.lastDoc = 0, 0, -1, -1
}

// add adds a posting with its places, which are coded as they are stored. Documents must come in ascending order.
func (w *postingsWriter) add(p posting, places []byte) {
	w.entries = binary.AppendUvarint(w.entries, uint64(int64(p.doc)-w.lastDoc))
	w.entries = append(w.entries, p.title|p.url<<4)
	w.entries = binary.AppendUvarint(w.entries, uint64(p.places))
	w.where = append(w.where, places...)
	w.lastDoc = int64(p.doc)
	w.n++
	if w.count++; w.n == blockSize {
		w.finish()
	}
}

// finish ends the open block.
func (w *postingsWriter) finish() {
	if w.n == 0 {
		return
	}
	for _, v := range [...]uint64{uint64(w.n), uint64(w.lastDoc - w.last), uint64(len(w.entries)), uint64(len(w.where))} {
		w.blocks = binary.AppendUvarint(w.blocks, v)
	}
	w.blocks = append(w.blocks, w.entries...)
	w.places = append(w.places, w.where...)
	w.last = w.lastDoc
	w.n, w.entries, w.where = 0, w.entries[:0], w.where[:0]
}

// postings walks over the documents of a term. At first it is before the first document.
type postings struct {
	posting
	count int   // documents that have the term
	limit int64 // documents that the segment has
	err   error

	rest    []byte // blocks that are not entered yet
	entries []byte // entries of the current block that are not read yet
	n       int    // the number of these entries
	last    int64  // the last document of the block
	doc64   int64  // the current document, -1 before the first

	places     []byte // the places of all blocks; nil if they were not read
	placeAt    int    // where the places of the current block begin
	nextPlace  int    // where the places of the next block begin
	placesRead int    // entries of the block whose places were skipped
	entry      int    // entries of the block that were read
	counts     [blockSize]uint32
	placeFrom  int // where the places of entry number placesRead begin
}

// open begins to read the postings of a segment that has the given number of documents.
func (p *postings) open(blocks, places []byte, count, documents int) {
	p.posting, p.count, p.limit, p.err = posting{}, count, int64(documents), nil
	p.rest, p.entries, p.n, p.last, p.doc64 = blocks, nil, 0, -1, -1
	p.places, p.placeAt, p.nextPlace, p.placesRead, p.entry, p.placeFrom = places, 0, 0, 0, 0, 0
}

// block enters the next block. It returns false at the end.
func (p *postings) block() bool {
	var v [4]uint64
	if len(p.rest) == 0 {
		return false
	}
	for i := range v {
		var n int
		if v[i], n = binary.Uvarint(p.rest); n <= 0 {
			return p.fail()
		}
		p.rest = p.rest[n:]
	}
	if v[0] == 0 || v[0] > blockSize || v[2] > uint64(len(p.rest)) || v[1] > 1<<32 || v[3] > 1<<40 {
		return p.fail()
	}
	p.n, p.doc64 = int(v[0]), p.last
	p.last += int64(v[1])
	p.entries, p.rest = p.rest[:v[2]], p.rest[v[2]:]
	p.placeAt, p.nextPlace = p.nextPlace, p.nextPlace+int(v[3])
	p.placesRead, p.entry, p.placeFrom = 0, 0, p.placeAt
	return true
}

func (p *postings) fail() bool {
	p.err, p.rest, p.n = ErrDamaged, nil, 0
	return false
}

// next goes to the next document. It returns false at the end.
func (p *postings) next() bool {
	if p.n == 0 && !p.block() {
		return false
	}
	return p.read()
}

// read reads one entry of the block.
func (p *postings) read() bool {
	e := p.entries
	if len(e) >= 3 && e[0] < 0x80 && e[2] < 0x80 { // the common case
		p.doc64 += int64(e[0])
		p.title, p.url, p.posting.places = e[1]&15, e[1]>>4, uint32(e[2])
		p.entries = e[3:]
	} else {
		d, n := binary.Uvarint(e)
		if n <= 0 || n >= len(e) {
			return p.fail()
		}
		c, m := binary.Uvarint(e[n+1:])
		if m <= 0 || c > 2*maxPlaces || d > 1<<32 {
			return p.fail()
		}
		p.doc64 += int64(d)
		p.title, p.url, p.posting.places = e[n]&15, e[n]>>4, uint32(c)
		p.entries = e[n+1+m:]
	}
	if p.doc64 >= p.limit {
		return p.fail()
	}
	p.doc = uint32(p.doc64)
	p.counts[p.entry] = p.posting.places
	p.entry++
	p.n--
	return true
}

// seek goes to the first document at or after doc. It returns false if there is none.
func (p *postings) seek(doc uint32) bool {
	if p.doc64 >= int64(doc) {
		return true
	}
	for p.n == 0 || p.last < int64(doc) {
		if !p.block() {
			return false
		}
	}
	for p.read() {
		if p.doc64 >= int64(doc) {
			return true
		}
		if p.n == 0 {
			return p.fail() // the block does not end where it says
		}
	}
	return false
}

// appendPlaces appends the places of the term in the current document, in ascending order.
func (p *postings) appendPlaces(dst []uint32) []uint32 {
	if p.nextPlace > len(p.places) {
		p.fail()
		return dst
	}
	at := p.placeFrom
	for ; p.placesRead < p.entry-1; p.placesRead++ {
		for range p.counts[p.placesRead] {
			for at < p.nextPlace && p.places[at] >= 0x80 {
				at++
			}
			at++
		}
	}
	p.placeFrom = min(at, p.nextPlace)
	place, from := uint32(0), p.places[p.placeFrom:p.nextPlace]
	for range p.posting.places {
		d, n := binary.Uvarint(from)
		if n <= 0 {
			p.fail()
			return dst
		}
		place += uint32(d)
		dst, from = append(dst, place), from[n:]
	}
	return dst
}

// rawPlaces returns the places of the current document as they are stored, for copying.
func (p *postings) rawPlaces() []byte {
	if p.nextPlace > len(p.places) {
		p.fail()
		return nil
	}
	at := p.placeFrom
	for ; p.placesRead < p.entry; p.placesRead++ {
		from := at
		for range p.counts[p.placesRead] {
			for at < p.nextPlace && p.places[at] >= 0x80 {
				at++
			}
			at++
		}
		at = min(at, p.nextPlace)
		if p.placesRead == p.entry-1 {
			p.placeFrom, p.placesRead = at, p.entry
			return p.places[from:at]
		}
	}
	return nil
}
