package warc

// This file goes from one gzip member or zstd frame of a WARC file to the next.

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packed reports whether the reader is inside a member or frame.
func (r *Reader) packed() bool { return r.in == r.unpack }

// here returns the place of the next byte.
func (r *Reader) here() place {
	if r.packed() {
		return place{r.start, r.dec.n - int64(r.in.Buffered())}
	}
	return place{r.src.offset(), 0}
}

// openUnit opens the member or frame that begins here. If its header is broken, it notes that and returns false.
func (r *Reader) openUnit(format Format) bool {
	at := r.src.offset()
	err := r.tryUnit(format)
	if err == nil {
		return true
	}
	if r.src.past.err != nil {
		r.fail(err)
		return false
	}
	r.note(at, ruleOf(err), "the header of the member or frame: %v", err)
	r.goBack(place{at + 1, 0})
	return false
}

func (r *Reader) tryUnit(format Format) error {
	at := r.src.offset()
	if err := r.dec.open(r.src, format); err != nil {
		return err
	}
	if r.unpack == nil {
		r.unpack = bufio.NewReaderSize(&r.dec, bufSize)
	}
	r.unpack.Reset(&r.dec)
	r.in, r.start, r.used, r.many = r.unpack, at, false, false
	return nil
}

func ruleOf(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "truncated-member"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return "checksum"
	}
	return "corrupt-member"
}

// closeUnit leaves a member or frame that was read to its end. If it is broken, the search for the next one goes back
// to the earliest place where that may begin.
func (r *Reader) closeUnit() {
	r.in = r.src.Reader
	r.end = r.src.offset()
	err := r.dec.err
	if r.proven != nil && r.many && r.dec.proven() {
		r.proven[r.start] = true
	}
	switch {
	case r.src.past.err != nil:
		r.fail(err)
	case err != nil:
		rule := ruleOf(err)
		r.note(r.start, rule, "%v after %d decompressed bytes, at offset %d", err, r.dec.n, r.end)
		r.goBack(place{max(r.start+1, r.end-lookBack), 0}) // go back even if the end seems found: it may be the end of the next member
		r.resync()
	}
}

// continueRecord is called where a unit ends inside a record. It continues in the next unit, unless there is none or a record
// begins there.
func (r *Reader) continueRecord() bool {
	if r.src.past.err != nil {
		r.fail(nil)
	}
	if !r.packed() || r.dec.err != nil || r.err != nil {
		return false
	}
	r.end = r.src.offset()
	r.in = r.src.Reader
	b, _ := r.in.Peek(8)
	format, skip := sniff(b)
	if skip {
		r.skipFrame(b)
		b, _ = r.in.Peek(8)
		format, _ = sniff(b)
	}
	if format == Plain || !r.openUnit(format) || r.recordHere() {
		return false
	}
	if format == Gzip { // a zstd record may span several frames
		r.note(r.start, "spans-members", "the record goes on in this member")
	}
	r.used = true
	return true
}

// goBack continues at an earlier place, or as near to it as the source can go.
func (r *Reader) goBack(to place) {
	target := max(to.unit, r.src.earliest())
	if to.inner > 0 && target != to.unit || !r.afford(r.src.past.pos-target+to.inner) {
		return
	}
	if err := r.src.goTo(target); err != nil {
		r.fail(err)
		return
	}
	r.in = r.src.Reader
	if to.inner == 0 {
		return
	}
	used, many := r.used, r.many
	b, _ := r.in.Peek(8)
	if format, _ := sniff(b); r.openUnit(format) {
		io.CopyN(io.Discard, r.in, to.inner)
		r.used, r.many = used, many
	}
}

// afford reports whether n bytes may be read a second time. It bounds the work on a hostile file by the file's size.
func (r *Reader) afford(n int64) bool {
	if r.rewound+n > 256<<20+16*r.src.offset() {
		return false
	}
	r.rewound += n
	return true
}

// skipFrame skips the zstd skippable frame at b. The first one of a file may hold the dictionary.
func (r *Reader) skipFrame(b []byte) {
	at := r.src.offset()
	if len(b) < 8 {
		r.note(at, "truncated-member", "the file ends in a skippable frame")
		r.in.Discard(len(b))
		return
	}
	size := skippable(b)
	if bytes.HasPrefix(b, dictMagic) && at == r.src.past.first && size <= maxDict {
		data := make([]byte, size)
		if n, _ := io.ReadFull(r.in, data); int64(n) == size {
			if err := r.dec.setDict(data[8:]); err != nil {
				r.note(at, "corrupt-member", "the dictionary: %v", err)
			}
			return
		}
	} else if n, _ := io.CopyN(io.Discard, r.in, size); n == size {
		return
	}
	r.note(at, "truncated-member", "the file ends in a skippable frame")
}
