package search

// This file collects what the search index is to hold in memory, and writes it as one segment. Only the Writer
// (store.go) uses it.

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"
	"sort"

	"github.com/klauspost/compress/zstd"

	"kavosh/lib/warc"
	"kavosh/lib/words"
)

// builder collects documents and captures in memory until they are written as a segment.
type builder struct {
	base    uint32 // number of its first document in the index
	packer  *zstd.Encoder
	analyze analyzer

	terms   map[string]int32
	lists   []list
	docs    []record
	langs   numbers
	types   numbers
	words   int64
	texts   []byte  // stored documents of the open block
	blocks  []int   // where each closed block ends in packed
	packed  []byte  // the closed blocks, compressed
	digests digests // of this builder's documents
	byHash  map[uint64]uint32
	urls    map[string]int32
	runs    []urlRun

	touched []int32 // lists that the document being added has changed
	bytes   int     // of memory that the builder uses, about
	key     []byte
}

// list is the postings of a term while they are collected.
type list struct {
	entries []byte // for each document: its distance from the one before, title and URL byte, number of places
	places  []byte
	last    int64 // the document of the last entry
	count   int
	// Of the document that is being added:
	n, place   uint32
	title, url uint8
	open       bool
}

type urlRun struct {
	url      string
	captures []capture
}

// numbers numbers strings: the same string always gets the same number.
type numbers struct {
	of   map[string]int
	list []string
}

func (n *numbers) get(s string) int {
	i, ok := n.of[s]
	if !ok {
		if n.of == nil {
			n.of = map[string]int{}
		}
		i = len(n.list)
		n.of[s] = i
		n.list = append(n.list, s)
	}
	return i
}

func newBuilder(base uint32, packer *zstd.Encoder) *builder {
	return &builder{base: base, packer: packer, terms: map[string]int32{}, byHash: map[uint64]uint32{}, urls: map[string]int32{}}
}

func (b *builder) empty() bool { return len(b.docs) == 0 && len(b.runs) == 0 }

// These constants bound what is indexed of one document.
const (
	maxTitle     = 1 << 10 // bytes
	maxURLWords  = 512     // bytes
	titleGap     = 16      // places between the title and the text, so that no phrase spans them
	maxPlaces    = 1 << 20 // words
	maxLangs     = 255
	listOverhead = 160 // bytes of memory that one term costs, about
)

// document adds a document and returns its number in the index. From then on, find returns it for each of the hashes.
func (b *builder) document(k kind, d *Document, url, page, payload string, hashes ...uint64) uint32 {
	doc := uint32(len(b.docs))
	d.Title = words.Clip(d.Title, maxTitle)
	place := uint32(0)
	add := func(t term) bool {
		b.put(doc, t.Text, place)
		if t.Parts > 0 {
			b.key = append(append(append(append(b.key[:0], compoundMark), t.Text...), compoundMark), t.Text[:t.Parts]...)
			b.touch(doc, b.key)
		}
		place++
		return place < maxPlaces
	}
	b.analyze.each(d.Title, add)
	title := place
	for _, l := range b.touched {
		b.lists[l].title = uint8(min(15, b.lists[l].n))
	}
	place += titleGap
	b.analyze.each(d.Text, add)
	b.analyze.each(words.Clip(urlWords(url), maxURLWords), func(t term) bool {
		l := b.touch(doc, t.Text)
		l.url = min(15, l.url+1)
		return true
	})
	for _, i := range b.touched {
		l := &b.lists[i]
		before := len(l.entries)
		l.entries = binary.AppendUvarint(l.entries, uint64(int64(doc)-l.last))
		l.entries = append(l.entries, l.title|l.url<<4)
		l.entries = binary.AppendUvarint(l.entries, uint64(l.n))
		l.last, l.open = int64(doc), false
		l.count++
		b.bytes += len(l.entries) - before
	}
	b.touched = b.touched[:0]
	words := place - titleGap
	b.words += int64(words)
	lang := min(b.langs.get(d.Lang), maxLangs)
	b.docs = append(b.docs, record{
		kind: k, lang: uint8(lang), title: uint16(title), words: words,
		block: uint32(len(b.blocks)), at: uint32(len(b.texts)), likeness: d.Likeness,
	})
	s := stored{title: d.Title, text: d.Text, page: page, digest: payload}
	if b.texts = s.append(b.texts); len(b.texts) >= blockFrom {
		b.closeBlock()
	}
	for _, h := range hashes {
		b.alias(h, b.base+doc)
	}
	b.bytes += documentSize + 64
	return b.base + doc
}

// compoundMark begins the terms that say where a compound, written with a non-joiner, is divided: mark, compound, mark,
// first part.
const compoundMark = 1

// touch returns the postings of a term, in which the document has an entry from now on. The result is valid until the
// next call.
func (b *builder) touch(doc uint32, text []byte) *list {
	i, ok := b.terms[string(text)]
	if !ok {
		i = int32(len(b.lists))
		b.terms[string(text)] = i
		b.lists = append(b.lists, list{last: -1})
		b.bytes += listOverhead + len(text)
	}
	l := &b.lists[i]
	if !l.open {
		l.open, l.n, l.place, l.title, l.url = true, 0, 0, 0, 0
		b.touched = append(b.touched, i)
	}
	return l
}

// put adds one occurrence of a term.
func (b *builder) put(doc uint32, text []byte, place uint32) {
	l := b.touch(doc, text)
	before := len(l.places)
	l.places = binary.AppendUvarint(l.places, uint64(place-l.place))
	l.place = place
	l.n++
	b.bytes += len(l.places) - before
}

func (b *builder) closeBlock() {
	if len(b.texts) == 0 {
		return
	}
	before := len(b.packed)
	b.packed = b.packer.EncodeAll(b.texts, b.packed)
	b.blocks = append(b.blocks, len(b.packed))
	b.bytes += len(b.packed) - before
	b.texts = b.texts[:0]
}

// alias makes a hash lead to a document, which may be in another segment.
func (b *builder) alias(hash uint64, doc uint32) {
	if _, known := b.byHash[hash]; known || hash == 0 {
		return
	}
	b.byHash[hash] = doc
	b.digests = append(b.digests, digest{hash, doc})
	b.bytes += 64
}

// ruled applies the access rules about a payload to a document too. The payload's hash may lead to many documents.
func (b *builder) ruled(hash uint64, doc uint32) {
	b.digests = append(b.digests, digest{hash, doc})
	b.bytes += 64
}

// capture adds a capture of a document that the index has.
func (b *builder) capture(url string, c capture) {
	i, ok := b.urls[url]
	if !ok {
		i = int32(len(b.runs))
		b.urls[url] = i
		b.runs = append(b.runs, urlRun{url: url})
		b.bytes += len(url) + 100
	}
	b.runs[i].captures = append(b.runs[i].captures, c)
	b.bytes += 32
}

// write writes what was collected as a segment.
func (b *builder) write(w io.Writer) error {
	s := newSegmentWriter(w)
	s.begin(&s.foot.Texts)
	b.closeBlock()
	from := 0
	for _, end := range b.blocks {
		s.text(b.packed[from:end])
		from = end
	}
	s.end(&s.foot.Texts)
	b.writeTerms(s)
	sort.Slice(b.runs, func(i, j int) bool { return b.runs[i].url < b.runs[j].url })
	s.begin(&s.foot.Runs)
	for _, r := range b.runs {
		slices.SortStableFunc(r.captures, func(x, y capture) int { return int(int64(x.time) - int64(y.time)) })
		s.url(r.url, r.captures)
	}
	s.endURLs()
	s.end(&s.foot.Runs)
	s.begin(&s.foot.Table)
	for i := range b.docs {
		s.write(b.docs[i].bytes(s.buf))
	}
	s.end(&s.foot.Table)
	s.begin(&s.foot.Digests)
	for _, d := range b.digests {
		s.digest(d.hash, d.doc)
	}
	s.end(&s.foot.Digests)
	s.foot.Documents, s.foot.Words = len(b.docs), b.words
	s.foot.Langs, s.foot.Types = b.langs.list[:min(len(b.langs.list), maxLangs+1)], b.types.list
	return s.finish()
}

func (s *segmentWriter) digest(hash uint64, doc uint32) {
	b := binary.LittleEndian.AppendUint64(s.buf[:0], hash)
	s.buf = binary.LittleEndian.AppendUint32(b, doc)
	s.write(s.buf)
}

// writeTerms writes the postings and the dictionary.
func (b *builder) writeTerms(s *segmentWriter) {
	names := make([]string, 0, len(b.terms))
	for t := range b.terms {
		names = append(names, t)
	}
	slices.Sort(names)
	var w postingsWriter
	s.begin(&s.foot.Postings)
	for _, name := range names {
		l := &b.lists[b.terms[name]]
		w.reset()
		doc, places := int64(-1), l.places
		r := reader{b: l.entries}
		for len(r.b) > 0 {
			doc += int64(r.uvarint())
			flags := r.take(1)[0]
			p := posting{doc: uint32(doc), title: flags & 15, url: flags >> 4, places: uint32(r.uvarint())}
			n := 0
			for range p.places {
				for places[n] >= 0x80 {
					n++
				}
				n++
			}
			w.add(p, places[:n])
			places = places[n:]
		}
		s.term([]byte(name), &w)
	}
	s.end(&s.foot.Postings)
	s.terms()
}

// hashOf returns the hash under which a payload's digest or a document's text is stored. It is never 0.
func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p) // never fails
		_, _ = h.Write([]byte{0})
	}
	return max(1, h.Sum64())
}

// payloadHash returns the hash of a payload by its digest. All spellings of a digest give the same hash.
func payloadHash(digest string) uint64 { return hashOf("payload", warc.DigestKey(digest)) }

// toldHash returns the hash of a payload at a URL, for a text that does not come from the payload alone. Access rules
// about the payload find all such texts by payloadHash, which has no URL.
func toldHash(digest, url string) uint64 { return hashOf("told", warc.DigestKey(digest), url) }

// textHash returns the hash of the title and text of a document.
func textHash(title, text string) uint64 { return hashOf("text", title, text) }
