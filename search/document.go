package search

// This file says what a document of the search index is, and how a segment stores it: the record, the text block, the
// hash.

import (
	"encoding/binary"
	"sort"
)

// kind says what a document is.
type kind uint8

const (
	pageKind    kind = iota // a page or another text
	pictureKind             // a picture that was captured
	mentionKind             // the words around a picture in a page
	emptyKind               // a document without text, found by its title and URL
)

// Document is what is indexed of one payload: a page, a picture, or the mention of a picture in a page.
type Document struct {
	Title    string
	Text     string // what a reader sees of a page, or the words around a mentioned picture
	Lang     string // the language as a BCP 47 tag, or "" if it is not known
	Likeness uint64 // a picture's perceptual hash (likeness.go), or 0 if it has none
}

// record is a document as a segment stores it.
type record struct {
	kind     kind
	lang     uint8  // the language's number in the segment
	title    uint16 // words in the title
	words    uint32 // in title and text
	block    uint32 // the number of its block of texts
	at       uint32 // its first byte in the unpacked block
	likeness uint64
}

// bytes returns the record as it is written. It may use the memory of buf.
func (d *record) bytes(buf []byte) []byte {
	b := append(buf[:0], byte(d.kind), d.lang)
	b = binary.LittleEndian.AppendUint16(b, d.title)
	b = binary.LittleEndian.AppendUint32(b, d.words)
	b = binary.LittleEndian.AppendUint32(b, d.block)
	b = binary.LittleEndian.AppendUint32(b, d.at)
	b = binary.LittleEndian.AppendUint64(b, d.likeness)
	return appendSum(b, 0)
}

func readRecord(b []byte) record {
	return record{
		kind: kind(b[0]), lang: b[1], title: binary.LittleEndian.Uint16(b[2:]), words: binary.LittleEndian.Uint32(b[4:]),
		block: binary.LittleEndian.Uint32(b[8:]), at: binary.LittleEndian.Uint32(b[12:]), likeness: binary.LittleEndian.Uint64(b[16:]),
	}
}

// stored is what is shown of a document.
type stored struct {
	title, text string
	page        string // the URL of the page, if this is a mention
	digest      string // the digest of the payload that was read
}

func (d *stored) append(b []byte) []byte {
	for _, s := range [...]string{d.title, d.text, d.page, d.digest} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// stored reads what is shown of a document. doc is its number in the segment.
func (s *segment) stored(doc uint32, room *textRoom) (d stored, err error) {
	if int64(doc) >= int64(s.foot.Documents) {
		return d, ErrDamaged
	}
	if room.packed, err = s.read(room.packed, s.foot.Table.At+int64(doc)*int64(s.row), int64(s.row)); err != nil {
		return d, err
	}
	row, err := s.whole(room.packed)
	if err != nil {
		return d, err
	}
	at := readRecord(row)
	text, err := s.textBlock(int(at.block), room)
	if err != nil {
		return d, err
	}
	return readStored(text, at.at)
}

// textRoom is memory for reading blocks of texts.
type textRoom struct{ packed, text []byte }

// textBlock returns a block of texts. It is valid until the next call with the same room.
func (s *segment) textBlock(block int, room *textRoom) (text []byte, err error) {
	if block+1 >= len(s.blocks) {
		return nil, ErrDamaged
	}
	from := s.blocks[block]
	if room.packed, err = s.read(room.packed, s.foot.Texts.At+from, s.blocks[block+1]-from); err != nil {
		return nil, err
	}
	if room.text, err = s.zstd.DecodeAll(room.packed, room.text[:0]); err != nil {
		return nil, ErrDamaged
	}
	return room.text, nil
}

// readStored reads the document that begins at a place of a block of texts.
func readStored(text []byte, at uint32) (d stored, err error) {
	if int(at) > len(text) {
		return d, ErrDamaged
	}
	r := reader{b: text[at:]}
	d = stored{title: string(r.bytes()), text: string(r.bytes()), page: string(r.bytes()), digest: string(r.bytes())}
	if r.bad {
		return d, ErrDamaged
	}
	return d, nil
}

// digest leads from the hash of a payload or text to its document.
type digest struct {
	hash uint64
	doc  uint32 // its number in the index
}

// digests lists the documents of segments by hash.
type digests []digest

// add adds the digests of a segment.
func (d digests) add(s *segment) (digests, error) {
	b, err := s.section(s.foot.Digests)
	if err != nil {
		return nil, err
	}
	for ; len(b) >= digestSize; b = b[digestSize:] {
		d = append(d, digest{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])})
	}
	return d, nil
}

func (d digests) sort() {
	sort.Slice(d, func(i, j int) bool { return d[i].hash < d[j].hash || d[i].hash == d[j].hash && d[i].doc < d[j].doc })
}

func (d digests) find(hash uint64) (doc uint32, ok bool) {
	i := sort.Search(len(d), func(i int) bool { return d[i].hash >= hash })
	if i < len(d) && d[i].hash == hash {
		return d[i].doc, true
	}
	return 0, false
}
