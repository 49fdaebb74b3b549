package search

// This file writes and opens segments, the files of the search index.

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"
)

// A segment is a file that holds documents, and captures of these documents and of earlier ones. It is written once and
// never changed. docs/formats/search.md describes it. This file writes and opens it, and reads its terms; document.go
// reads its documents, captures.go its captures.
//
//	texts      blocks of stored documents, each a zstd frame
//	postings   of each term, in the order of terms: blocks, then places
//	terms      the dictionary, in groups of termGroup
//	captures   by URL and time, in groups of urlGroup URLs
//	documents  documentSize bytes and a sum each
//	digests    digestSize bytes each: of a payload or text, and its document
//	tables     offsets of blocks of texts, of groups of terms with their first terms, of groups of URLs
//	foot       JSON, its length as 4 bytes, magic
//
// Each part that is read by itself ends with its CRC-32C: groups of terms and of URLs, the postings of a term, its
// places, documents, the foot.
const (
	magic          = "KAVOSHS2"
	magicBefore    = "KAVOSHS1" // of older segments, whose parts have no sums
	sumSize        = 4
	together       = 512 // postings and places of at most this many bytes share one sum
	maxFoot        = 1 << 20
	termGroup      = 32
	mostGroups     = 64 // groups of terms that are read at once
	urlGroup       = 16
	captureNumbers = 4 // numbers that are stored for one capture of a URL
	documentSize   = 24
	digestSize     = 12
	blockFrom      = 8 << 10 // a block of texts is closed when it has this many bytes
)

// foot says where the parts of a segment are.
type foot struct {
	Documents int      `json:"documents"`
	Captures  int      `json:"captures"`
	URLs      int      `json:"urls"`
	Terms     int      `json:"terms"`
	Words     int64    `json:"words"` // of all documents
	Texts     section  `json:"texts"`
	Postings  section  `json:"postings"`
	Dict      section  `json:"terms_at"`
	Runs      section  `json:"captures_at"`
	Table     section  `json:"documents_at"`
	Digests   section  `json:"digests_at"`
	Offsets   section  `json:"tables_at"`
	Langs     []string `json:"langs"` // the languages of documents, by their numbers
	Types     []string `json:"types"` // the media types of captures, by their numbers
}

// section is a range of a segment, in bytes.
type section struct {
	At     int64  `json:"at"`
	Length int64  `json:"length"`
	Sum    uint32 `json:"sum,omitempty"` // its CRC-32C; 0 if an older program wrote it
}

// segmentWriter writes the sections of a segment in their order.
type segmentWriter struct {
	w    *bufio.Writer
	at   int64
	sum  uint32 // the CRC-32C of the open section
	foot foot
	err  error

	blocks   []int64 // where blocks of texts begin
	group    int     // where the open group of terms begins in dict
	runSum   uint32  // the CRC-32C of the open group of URLs
	groups   []byte  // of each group of terms: its first term with its length, where the group and its postings begin
	runs     []int64 // where groups of URLs begin
	dict     []byte
	lastTerm []byte
	lastURL  string
	buf      []byte
}

func newSegmentWriter(w io.Writer) *segmentWriter {
	return &segmentWriter{w: bufio.NewWriterSize(w, 256<<10)}
}

func (s *segmentWriter) write(p []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	s.at += int64(len(p))
	s.sum = crc32.Update(s.sum, castagnoli, p)
}

func (s *segmentWriter) begin(x *section) { x.At, s.sum = s.at, 0 }
func (s *segmentWriter) end(x *section)   { x.Length, x.Sum = s.at-x.At, s.sum }

// appendSum appends the CRC-32C of the bytes of b from a place on.
func appendSum(b []byte, from int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// text writes one block of texts.
func (s *segmentWriter) text(packed []byte) {
	s.blocks = append(s.blocks, s.at-s.foot.Texts.At)
	s.write(packed)
}

// term writes the postings of a term, and keeps its entry for the dictionary. Terms must come in ascending order. An
// entry is:
//
//	uvarint bytes shared with the term before (0 at the beginning of a group), uvarint bytes that follow, these,
//	uvarint documents, uvarint bytes of blocks, uvarint bytes of places
//
// Postings and places end with a sum each, or with one sum for both if they are short.
func (s *segmentWriter) term(text []byte, p *postingsWriter) {
	p.finish()
	sum := crc32.Checksum(p.blocks, castagnoli)
	if len(p.blocks)+len(p.places)+sumSize > together {
		p.blocks, sum = binary.LittleEndian.AppendUint32(p.blocks, sum), 0
	}
	p.places = binary.LittleEndian.AppendUint32(p.places, crc32.Update(sum, castagnoli, p.places))
	shared := 0
	if s.foot.Terms%termGroup == 0 {
		s.endGroup()
		s.groups = binary.AppendUvarint(s.groups, uint64(len(text)))
		s.groups = append(s.groups, text...)
		s.groups = binary.AppendUvarint(s.groups, uint64(len(s.dict)))
		s.groups = binary.AppendUvarint(s.groups, uint64(s.at-s.foot.Postings.At))
	} else {
		shared = sharedPrefix(s.lastTerm, text)
	}
	for _, v := range [...]int{shared, len(text) - shared} {
		s.dict = binary.AppendUvarint(s.dict, uint64(v))
	}
	s.dict = append(s.dict, text[shared:]...)
	for _, v := range [...]int{p.count, len(p.blocks), len(p.places)} {
		s.dict = binary.AppendUvarint(s.dict, uint64(v))
	}
	s.lastTerm = append(s.lastTerm[:0], text...)
	s.foot.Terms++
	s.write(p.blocks)
	s.write(p.places)
}

// endGroup ends the open group of terms, if there is one.
func (s *segmentWriter) endGroup() {
	if len(s.dict) > s.group {
		s.dict = appendSum(s.dict, s.group)
		s.group = len(s.dict)
	}
}

// terms writes the dictionary.
func (s *segmentWriter) terms() {
	s.endGroup()
	s.begin(&s.foot.Dict)
	s.write(s.dict)
	s.end(&s.foot.Dict)
}

// url writes the captures of a URL. URLs must come in ascending order, and captures by time. A URL is stored as:
//
//	uvarint bytes shared with the URL before (0 at the beginning of a group), uvarint bytes that follow, these,
//	uvarint captures; each captureNumbers: uvarint seconds since 1970 less those of the one before, uvarint document, uvarint type, uvarint status and one bit for a mention
func (s *segmentWriter) url(url string, captures []capture) {
	shared := 0
	if s.foot.URLs%urlGroup == 0 {
		s.endURLs()
		s.runs = append(s.runs, s.at-s.foot.Runs.At)
	} else {
		shared = sharedPrefix([]byte(s.lastURL), []byte(url))
	}
	b := binary.AppendUvarint(s.buf[:0], uint64(shared))
	b = binary.AppendUvarint(b, uint64(len(url)-shared))
	b = append(b, url[shared:]...)
	b = binary.AppendUvarint(b, uint64(len(captures)))
	time := uint32(0)
	for _, c := range captures {
		b = binary.AppendUvarint(b, uint64(c.time-time))
		b = binary.AppendUvarint(b, uint64(c.doc))
		b = binary.AppendUvarint(b, uint64(c.kind))
		status := uint64(c.status) << 1
		if c.mention {
			status |= 1
		}
		b = binary.AppendUvarint(b, status)
		time = c.time
	}
	s.buf, s.lastURL = b, url
	s.foot.URLs++
	s.foot.Captures += len(captures)
	s.runSum = crc32.Update(s.runSum, castagnoli, b)
	s.write(b)
}

// endURLs ends the open group of URLs, if there is one.
func (s *segmentWriter) endURLs() {
	if s.foot.URLs > 0 {
		s.write(binary.LittleEndian.AppendUint32(nil, s.runSum))
		s.runSum = 0
	}
}

// finish writes the rest: the tables and the foot.
func (s *segmentWriter) finish() error {
	s.begin(&s.foot.Offsets)
	b := binary.AppendUvarint(nil, uint64(len(s.blocks)))
	b = appendDeltas(b, s.blocks)
	b = binary.AppendUvarint(b, uint64(len(s.runs)))
	b = appendDeltas(b, s.runs)
	b = append(b, s.groups...)
	s.write(b)
	s.end(&s.foot.Offsets)
	data, err := json.Marshal(s.foot)
	if err != nil {
		return err
	}
	data = appendSum(data, 0)
	s.write(data)
	s.write(binary.LittleEndian.AppendUint32(nil, uint32(len(data))))
	s.write([]byte(magic))
	if s.err != nil {
		return s.err
	}
	return s.w.Flush()
}

func appendDeltas(b []byte, values []int64) []byte {
	last := int64(0)
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v-last))
		last = v
	}
	return b
}

func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// segment is an open segment. Any number of goroutines may read it.
type segment struct {
	name   string
	f      vfs.File
	foot   foot
	sums   bool    // each part ends with its sum
	row    int     // bytes of one document in the table of documents
	base   uint32  // the number of its first document in the index
	blocks []int64 // where blocks of texts begin, and the last one ends
	runs   []int64 // where groups of URLs begin, and the last one ends
	groups []group
	zstd   *zstd.Decoder
}

// group is a group of terms.
type group struct {
	first string
	dict  int64 // where it begins in the dictionary
	post  int64 // where the postings of its first term begin
}

// openSegment opens a segment. base is the number that its first document has in the index.
func openSegment(fs vfs.FS, path, name string, base uint32, decoder *zstd.Decoder) (*segment, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	s := &segment{name: name, f: f, base: base, zstd: decoder}
	if err := s.open(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (s *segment) open() error {
	info, err := s.f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	end := make([]byte, 4+len(magic))
	if size < int64(len(end)) {
		return ErrDamaged
	}
	if _, err := s.f.ReadAt(end, size-int64(len(end))); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	s.sums = string(end[4:]) == magic
	if !s.sums && string(end[4:]) != magicBefore || n > maxFoot || n > size-int64(len(end)) {
		return ErrDamaged
	}
	data := make([]byte, n)
	if _, err := s.f.ReadAt(data, size-int64(len(end))-n); err != nil {
		return err
	}
	if s.row = documentSize; s.sums {
		s.row += sumSize
	}
	if data, err = s.whole(data); err != nil {
		return err
	}
	if err := json.Unmarshal(data, &s.foot); err != nil {
		return ErrDamaged
	}
	for _, x := range []section{s.foot.Texts, s.foot.Postings, s.foot.Dict, s.foot.Runs, s.foot.Table, s.foot.Digests, s.foot.Offsets} {
		if x.At < 0 || x.Length < 0 || x.At+x.Length > size {
			return ErrDamaged
		}
	}
	tables, err := s.section(s.foot.Offsets)
	if err != nil {
		return err
	}
	r := reader{b: tables}
	s.blocks = append(r.deltas(), s.foot.Texts.Length)
	s.runs = append(r.deltas(), s.foot.Runs.Length)
	for range (s.foot.Terms + termGroup - 1) / termGroup {
		g, before := group{first: string(r.bytes()), dict: int64(r.uvarint()), post: int64(r.uvarint())}, int64(0)
		if n := len(s.groups); n > 0 {
			before = s.groups[n-1].dict
		}
		if r.bad || g.dict < before || g.dict > s.foot.Dict.Length {
			return ErrDamaged
		}
		s.groups = append(s.groups, g)
	}
	if r.bad || s.foot.Table.Length != int64(s.foot.Documents)*int64(s.row) {
		return ErrDamaged
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// section reads a whole section.
func (s *segment) section(x section) ([]byte, error) {
	data, err := s.read(nil, x.At, x.Length)
	if err == nil && x.Sum != 0 && x.Sum != crc32.Checksum(data, castagnoli) {
		return nil, ErrDamaged
	}
	return data, err
}

// whole checks the sum at the end of a part, and returns the part without it.
func (s *segment) whole(b []byte) ([]byte, error) {
	n := len(b) - sumSize
	switch {
	case !s.sums || len(b) == 0:
		return b, nil
	case n < 0 || binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli):
		return nil, ErrDamaged
	}
	return b[:n], nil
}

// verify reads a section only to check its sum.
func (s *segment) verify(x section) error {
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, io.NewSectionReader(s.f, x.At, x.Length))
	if err == nil && (n < x.Length || x.Sum != 0 && x.Sum != sum.Sum32()) {
		return ErrDamaged
	}
	return err
}

// read reads length bytes at a place of the file into buf, which it grows if needed.
func (s *segment) read(buf []byte, at, length int64) ([]byte, error) {
	if length < 0 || length > 1<<32 {
		return nil, ErrDamaged
	}
	if int64(cap(buf)) < length {
		buf = make([]byte, length)
	}
	buf = buf[:length]
	if n, err := s.f.ReadAt(buf, at); n < len(buf) {
		if errors.Is(err, io.EOF) {
			err = ErrDamaged
		}
		return nil, err
	}
	return buf, nil
}

// reader reads numbers and strings. It sets bad if the bytes are not as they should be.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most numbers are this small
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// skip skips n numbers.
func (r *reader) skip(n uint64) {
	at := 0
	for ; n > 0 && at < len(r.b); at++ {
		if r.b[at] < 0x80 {
			n--
		}
	}
	r.b, r.bad = r.b[at:], r.bad || n > 0
}

func (r *reader) bytes() []byte { return r.take(r.uvarint()) }

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) deltas() []int64 {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	values, last := make([]int64, 0, n+1), int64(0)
	for range n {
		last += int64(r.uvarint())
		values = append(values, last)
	}
	return values
}

// entry is a term of a segment's dictionary, and where its postings lie.
type entry struct {
	text           []byte
	count          int
	at             int64
	blocks, places int64 // bytes
}

// terms calls yield with the terms of a segment, from the first that is not before key, until yield returns false. A
// term is valid until the next one. It reads one group at first, then more at a time.
func (s *segment) terms(key []byte, yield func(entry) bool) error {
	i := sort.Search(len(s.groups), func(i int) bool { return s.groups[i].first > string(key) })
	end := func(i int) int64 { // where group i ends
		if i+1 < len(s.groups) {
			return s.groups[i+1].dict
		}
		return s.foot.Dict.Length
	}
	var buf, text []byte
	first := max(0, i-1)
	for i, next := first, first; i < len(s.groups); i = next {
		next = min(len(s.groups), i+max(1, min(i-first, mostGroups)))
		begin := s.groups[i].dict
		var err error
		if buf, err = s.read(buf, s.foot.Dict.At+begin, end(next-1)-begin); err != nil {
			return err
		}
		for j := i; j < next; j++ {
			b, err := s.whole(buf[s.groups[j].dict-begin : end(j)-begin])
			if err != nil {
				return err
			}
			r := reader{b: b}
			at := s.foot.Postings.At + s.groups[j].post
			for len(r.b) > 0 {
				shared := r.uvarint()
				suffix := r.bytes()
				if shared > uint64(len(text)) {
					return ErrDamaged
				}
				text = append(text[:shared], suffix...)
				e := entry{text: text, count: int(r.uvarint()), at: at, blocks: int64(r.uvarint()), places: int64(r.uvarint())}
				if r.bad || e.blocks < 0 || e.places < 0 {
					return ErrDamaged
				}
				at += e.blocks + e.places
				if string(text) >= string(key) && !yield(e) {
					return nil
				}
			}
		}
	}
	return nil
}

// find returns the entry of a term. ok is false if the segment does not have the term.
func (s *segment) find(key []byte) (e entry, ok bool, err error) {
	err = s.terms(key, func(found entry) bool {
		if ok = string(found.text) == string(key); ok {
			e = found
			e.text = key
		}
		return false
	})
	return e, ok, err
}

// postings opens the postings of a term into p, with its places if places is true. It reads into buf, which it grows if
// needed, and returns it.
func (s *segment) postings(p *postings, buf []byte, e entry, places bool) ([]byte, error) {
	joined := s.sums && e.blocks+e.places <= together
	length := e.blocks
	if places || joined {
		length += e.places
	}
	buf, err := s.read(buf, e.at, length)
	if err != nil {
		return nil, err
	}
	blocks, where := buf[:e.blocks], buf[e.blocks:]
	if joined {
		var both []byte
		if both, err = s.whole(buf); err == nil && int64(len(both)) < e.blocks {
			err = ErrDamaged
		}
		if err == nil {
			where = both[e.blocks:]
		}
	} else if blocks, err = s.whole(blocks); err == nil {
		where, err = s.whole(where)
	}
	if err != nil {
		return nil, err
	}
	p.open(blocks, where, e.count, s.foot.Documents)
	return buf, nil
}
