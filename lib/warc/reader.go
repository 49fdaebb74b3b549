package warc

// This file reads a WARC or ARC file record by record, and goes on after damage. The file is hostile input.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds on a record's header. The block is a stream, so nothing else grows with the file.
const (
	maxHeader = 1 << 20 // bytes of the version line and the fields
	maxFields = 4096    // fields
)

// Reader reads the records of a WARC or ARC file. It detects the compression, if any, from the content. Only one
// goroutine may use it at a time.
//
// A file is a sequence of units: gzip members, zstd frames, and plain records. Usually each unit holds one record, but
// a unit may hold many records and a record may span units. The Reader reads both.
type Reader struct {
	// Strict makes Next fail at the first note instead of going on.
	Strict bool
	// Report, if not nil, is called for every note at once, also for notes after the last record.
	Report func(Note)

	src    *source
	dec    decoder
	unpack *bufio.Reader // decompressed data, from dec
	in     *bufio.Reader // the current input: unpack inside a member or frame, else src
	start  int64         // offset of the current unit
	used   bool          // a record used bytes of the member or frame
	many   bool          // the unit is known to hold more than one record
	format Format        // of the last record
	arc    bool          // the last record came from an ARC file
	any    bool          // at least one record was read
	exact  bool          // only a record that begins right here counts (ReadAt)

	rec     *Record   // current record; nil if none
	left    int64     // bytes of its block not yet read
	block   place     // where its block begins
	tail    [256]byte // the last bytes read of the block
	broken  error     // why the rest of the block cannot be read
	end     int64     // offset at which the last skipped or read record ends
	err     error     // io.EOF or a read error; every later call returns it
	pending []Note    // notes for the next record
	rewound int64     // bytes read a second time, see afford
	head    []byte    // header of the record being read
	scratch []byte

	lengths map[place]int64 // set by Repair: block lengths to use instead of Content-Length, by the place of the record
	guessed map[place]int64 // if not nil, collects for Repair the block lengths that the bytes after a block suggest
	proven  map[int64]bool  // if not nil, collects for Repair the units of many records whose checksum is right
}

// place is a position in the file: the offset of a unit and a number of decompressed bytes into it.
type place struct{ unit, inner int64 }

// FormatError is a fault in the file, as opposed to a failure to read it.
type FormatError struct{ Note }

// Error returns the note as one line.
func (e *FormatError) Error() string {
	return fmt.Sprintf("warc: %s at offset %d: %s", e.Rule, e.Offset, e.Text)
}

// IsName reports whether the name of a file ends as those of WARC and ARC files do.
func IsName(name string) bool {
	for _, end := range []string{".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// NewReader returns a Reader of r; offset 0 is r's current position. After a broken record it goes back to look for the
// next one: anywhere if r can seek, otherwise at most 256 KiB. It fails if r cannot be read at all.
func NewReader(r io.Reader) (*Reader, error) {
	rd := newReader(r, 0)
	rd.in.Peek(1)
	return rd, rd.src.past.err
}

func newReader(r io.Reader, offset int64) *Reader {
	rd := &Reader{src: newSource(r, offset, nil), end: offset}
	rd.in = rd.src.Reader
	return rd
}

// Offset returns the offset at which the last record ends, blank lines included. The next record begins there unless
// there is garbage.
func (r *Reader) Offset() int64 { return r.end }

// Next skips the rest of the current record and returns the next one, or io.EOF after the last. Of a broken record it
// returns what can be read. It skips garbage with a note. Any other error is a failure to read or, with Strict, a
// *FormatError with the first note. After an error, every call returns the same error.
func (r *Reader) Next() (*Record, error) {
	r.Finish()
	for r.err == nil {
		if !r.seekRecord() {
			break
		}
		if rec := r.readRecord(); rec != nil && r.err == nil {
			return rec, nil
		}
		if r.exact && r.err == nil {
			r.fail(&FormatError{r.pending[len(r.pending)-1]}) // what is wrong with the header
		}
	}
	return nil, r.err
}

// Finish reads the rest of the current record. After it, the record's Length, Shared, Broken and Notes are known. It
// returns an error if reading fails.
func (r *Reader) Finish() error {
	if rec := r.rec; rec != nil {
		if r.scratch == nil {
			r.scratch = make([]byte, bufSize)
		}
		for r.left > 0 && r.broken == nil {
			r.read(r.scratch)
		}
		if r.err == nil {
			r.endRecord(rec)
		}
		r.rec = nil
	}
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// note adds a note to the current record, or to the next one if there is none.
func (r *Reader) note(offset int64, rule, format string, args ...any) {
	n := Note{offset, rule, fmt.Sprintf(format, args...)}
	if r.Report != nil {
		r.Report(n)
	}
	if r.rec != nil {
		r.rec.Notes = append(r.rec.Notes, n)
	} else if len(r.pending) < 16 { // a file of garbage must not fill the memory
		r.pending = append(r.pending, n)
	}
	if r.Strict {
		r.fail(&FormatError{n})
	}
}

// fail ends reading, with the source's own error if it has one.
func (r *Reader) fail(err error) {
	if r.err != nil {
		return
	}
	if r.src.past.err != nil {
		err = r.src.past.err
	}
	r.err = err
}

// seekRecord skips to the beginning of the next record; false if there is none.
func (r *Reader) seekRecord() bool {
	for r.err == nil {
		blank := r.skipBlank()
		if r.packed() {
			if _, err := r.in.Peek(1); err != nil {
				if r.dec.err == nil && r.dec.n == blank && r.dec.format == Gzip { // zstd allows empty frames
					r.note(r.start, "empty-member", "the member holds no record")
				}
				r.closeUnit()
				continue
			}
		} else {
			b, _ := r.in.Peek(8)
			format, skip := sniff(b)
			if len(b) == 0 {
				r.fail(io.EOF)
				continue
			}
			if skip {
				r.skipFrame(b)
				continue
			}
			if format != Plain && r.openUnit(format) {
				continue
			}
			r.start, r.many = r.src.offset(), false
		}
		if blank > 0 && !r.arc {
			r.note(r.start, "blank-lines", "%d bytes of blank lines before the record", blank)
		}
		if r.recordHere() {
			return r.err == nil
		}
		if r.exact {
			r.fail(&FormatError{Note{r.start, "no-record", "no record begins here"}})
			break
		}
		r.skipGarbage()
	}
	return false
}

// skipBlank skips line ends and returns their length in bytes.
func (r *Reader) skipBlank() (n int64) {
	for {
		b, _ := r.in.Peek(1)
		if len(b) == 0 || b[0] != '\r' && b[0] != '\n' {
			return n
		}
		r.in.Discard(1)
		n++
	}
}

// skipGarbage skips to the next record, or to the end of the unit, with a note.
func (r *Reader) skipGarbage() {
	from, packed := r.here(), r.packed()
	r.resync()
	if packed {
		r.note(r.start, "garbage", "%d decompressed bytes are no record", r.here().inner-from.inner)
	} else {
		r.note(from.unit, "garbage", "%d bytes are no record", r.here().unit-from.unit)
	}
}

// begin makes rec the current record. It begins at the place at, and its block begins here.
func (r *Reader) begin(rec *Record, at place) *Record {
	if size, ok := r.lengths[at]; ok {
		rec.Size = size
	}
	rec.Offset = at.unit
	rec.place, r.any = at, true
	rec.Notes, r.pending = r.pending, nil
	rec.body = body{r, rec}
	rec.Block = &rec.body
	r.rec, r.left, r.block, r.broken = rec, rec.Size, r.here(), nil
	if r.format = Plain; r.packed() {
		r.format = r.dec.format
	}
	if r.packed() {
		if r.used {
			r.setMany()
		}
		r.used = true
		rec.Shared = r.many
	}
	return rec
}

// setMany marks the unit as one that holds more than one record.
func (r *Reader) setMany() {
	if !r.many {
		r.many = true
		r.note(r.start, "not-seekable", "the member or frame holds more than one record: they cannot be read by offset")
	}
}

// body is the Block of a record.
type body struct {
	r   *Reader
	rec *Record
}

// Read returns a *FormatError if the block is broken.
func (b *body) Read(p []byte) (int, error) {
	r := b.r
	if r == nil || r.rec != b.rec {
		return 0, errors.New("warc: the reader has gone past this record")
	}
	if len(p) == 0 {
		return 0, nil
	}
	for r.left > 0 && r.broken == nil {
		if n := r.read(p); n > 0 {
			return n, nil
		}
	}
	switch {
	case r.left == 0:
		return 0, io.EOF
	case r.err != nil:
		return 0, r.err
	}
	return 0, &FormatError{Note{b.rec.Offset, ruleOf(r.broken),
		fmt.Sprintf("the block breaks off %d bytes before its end: %v", r.left, r.broken)}}
}

// read reads bytes of the block, or sets broken.
func (r *Reader) read(p []byte) int {
	n, err := r.in.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if n >= len(r.tail) {
		copy(r.tail[:], p[n-len(r.tail):n])
	} else {
		copy(r.tail[:], r.tail[n:])
		copy(r.tail[len(r.tail)-n:], p[:n])
	}
	if n == 0 && err != nil && !r.continueRecord() {
		if r.broken = io.ErrUnexpectedEOF; r.packed() && r.dec.err != nil {
			r.broken = r.dec.err
		}
	}
	return n
}

// endRecord skips the blank lines after the block and checks that the record ends where it should.
func (r *Reader) endRecord(rec *Record) {
	switch {
	case r.broken != nil && r.packed() && r.dec.err != nil:
		rec.Broken = true
		r.endUnit(rec)
	case r.broken != nil:
		r.mismatch(rec)
	default:
		blockEnd := r.src.offset()
		ends, odd := r.skipEnd()
		b, _ := r.in.Peek(8)
		next := len(b) == 0 || !r.packed() && isUnit(b) || r.recordHere()
		switch {
		case next && odd:
			r.note(rec.Offset, "blank-lines", "after the block comes %q instead of two CRLF", ends)
			if strings.HasSuffix(ends, string(recordEnd)) {
				r.guess(rec, rec.Size+int64(len(ends)-len(recordEnd)))
			} else if ends == "" {
				r.guess(rec, rec.Size-r.lineEnds(r.tail[:]))
			}
		case next:
		case !r.ended(ends) && !(r.arc && r.lastLine()) && !r.provenEnd(rec):
			r.mismatch(rec)
			return
		case r.packed(): // the record ends as it should
			r.skipGarbage()
		}
		switch {
		case !r.packed():
			rec.Length, r.end = blockEnd-rec.Offset, r.src.offset()
			if len(b) == 0 && r.src.past.err != nil {
				r.fail(nil)
			}
		case len(r.ahead()) == 0:
			r.endUnit(rec)
		default:
			r.setMany()
			rec.Shared = true
		}
	}
}

// ended reports whether the line ends after the block are those that end a record.
func (r *Reader) ended(ends string) bool {
	if r.arc {
		return ends != ""
	}
	return strings.HasPrefix(ends, string(recordEnd))
}

// provenEnd reports whether the content of the block just read proves that it ends where Content-Length says: by its
// digest or, without one, by the HTTP response's own Content-Length or last chunk. What follows is then garbage. It
// goes back and reads the block again if it can; then the reader is behind the block's line ends.
func (r *Reader) provenEnd(rec *Record) bool {
	if r.packed() && r.block.unit != r.start || r.packed() != (r.block.inner > 0) || r.block.unit < r.src.earliest() {
		return false
	}
	if r.goBack(r.block); r.here() != r.block || r.err != nil {
		return false
	}
	v := newVerifier(rec)
	block := io.LimitReader(r.in, rec.Size)
	ended, err := v.endsThere(block, r.scratch)
	_, _ = io.CopyBuffer(io.Discard, readerOnly{block}, r.scratch)
	r.skipBlank()
	return err == nil && ended && (v.block.sum != nil || !r.tornNext())
}

// tornNext reports whether the header of the next record begins in the last bytes of the block and goes on after it. If
// so, the block was cut short, even if it is as long as HTTP says.
func (r *Reader) tornNext() bool {
	b, _ := r.in.Peek(margin)
	if both := append(r.tail[:len(r.tail):len(r.tail)], b...); indexVersion(both) >= 0 {
		return true
	} else if near := both[len(r.tail)-3 : min(len(both), len(r.tail)+3)]; bytes.Contains(near, gzipMagic) || bytes.Contains(near, zstdMagic) {
		return true
	}
	line := append(r.tail[bytes.LastIndexByte(r.tail[:], '\n')+1:len(r.tail):len(r.tail)], r.peekLine()...)
	_, whole := parseARC(line)
	return r.arc && (whole || arcWithin(line) > 0)
}

// lastLine reports whether less than a line is left, such as half of an ARC header line.
func (r *Reader) lastLine() bool {
	b, err := r.in.Peek(bufSize)
	return err != nil && bytes.IndexByte(b, '\n') < 0
}

// endUnit leaves the unit whose last record is rec.
func (r *Reader) endUnit(rec *Record) {
	rec.Shared = r.many
	if err := r.dec.err; err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		rec.Broken = true
	}
	rec.proven = r.dec.proven()
	r.closeUnit()
	if !rec.Shared {
		rec.Length = r.end - rec.Offset
	}
}

// skipEnd skips the two line ends that end a record, and any more. It returns the first few, and whether they are odd;
// in ARC files they never are.
func (r *Reader) skipEnd() (ends string, odd bool) {
	b, _ := r.in.Peek(4 * len(recordEnd))
	n := 0
	for n < len(b) && (b[n] == '\r' || b[n] == '\n') {
		n++
	}
	ends = string(b[:n])
	r.skipBlank()
	return ends, ends != string(recordEnd) && !r.arc
}

// mismatch handles a record that does not end where Content-Length says, although the stream is sound. The next record
// may begin inside the assumed block, so it searches from the block's beginning. In a member with one record, of a file
// of many members, it does not: there, the rest of the member belongs to the block.
func (r *Reader) mismatch(rec *Record) {
	rec.Broken = true
	inPack := r.block.inner > 0
	rec.Shared = rec.Shared || r.packed() && r.start == r.block.unit && r.many
	ended := r.left > 0 && inPack // the member ended before the block did
	if ended && !rec.Shared && !r.onlyMember() {
		r.shorter(rec, rec.Size-r.left, r.lineEnds(r.tail[:]))
		rec.Length = r.end - rec.Offset
		return
	}
	back := !inPack || rec.Shared || ended
	if back {
		r.goBack(r.block)
	}
	blank := r.resync()
	if !back && (len(r.ahead()) > 0 || r.lastMember()) { // the member holds many records after all
		r.goBack(r.block)
		blank = r.resync()
	}
	at, b := r.here(), r.ahead()
	size := at.unit - r.block.unit
	if inPack {
		size = at.inner - r.block.inner
	}
	switch {
	case ended && len(b) == 0:
		r.shorter(rec, size, blank)
	case r.left > 0 && len(b) == 0:
		r.note(rec.Offset, "truncated-record", "Content-Length is %d, but the file ends after %d bytes of the block", rec.Size, rec.Size-r.left)
	case len(b) == 0:
		r.note(rec.Offset, "length-mismatch", "Content-Length is %d, but %d bytes follow the header, to the end", rec.Size, size)
		r.guess(rec, size-blank)
	default:
		r.note(rec.Offset, "length-mismatch", "Content-Length is %d, but the next record begins %d bytes after the header", rec.Size, size)
		r.guess(rec, size-blank)
	}
	switch {
	case !inPack:
		r.end = at.unit
		rec.Length = at.unit - blank - rec.Offset
	case len(b) == 0:
		r.endUnit(rec)
	default:
		r.setMany()
		rec.Shared = true
	}
}

// shorter notes that a member ends after size bytes of the block, of which the last blank bytes are blank lines.
func (r *Reader) shorter(rec *Record, size, blank int64) {
	r.note(rec.Offset, "length-mismatch", "Content-Length is %d, but the member ends after %d bytes of the block", rec.Size, size)
	r.guess(rec, size-blank)
}

// onlyMember reports whether the member that has just ended is the whole file. Then the file was probably compressed as
// a whole.
func (r *Reader) onlyMember() bool {
	return r.block.unit == r.src.past.first && !r.packed() && len(r.ahead()) == 0
}

// lastMember reports whether the current member is the whole file.
func (r *Reader) lastMember() bool {
	b, _ := r.src.Peek(1)
	return r.block.unit == r.src.past.first && len(b) == 0
}

// ahead returns a few of the next bytes; none at the end of the unit or file.
func (r *Reader) ahead() []byte {
	b, _ := r.in.Peek(1)
	return b
}

// guess tells Repair that the block may be size bytes long.
func (r *Reader) guess(rec *Record, size int64) {
	if r.guessed != nil && size >= 0 {
		r.guessed[rec.place] = size
	}
}

// lineEnds returns how many bytes at the end of tail are line ends that end a record.
func (r *Reader) lineEnds(tail []byte) int64 {
	if r.arc && bytes.HasSuffix(tail, []byte("\n")) {
		return 1
	}
	for _, end := range []string{"\r\n\r\n", "\n\n", "\r\n", "\n"} {
		if bytes.HasSuffix(tail, []byte(end)) {
			return int64(len(end))
		}
	}
	return 0
}
