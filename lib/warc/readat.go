package warc

// This file reads single records of a WARC file at the offsets that an index has.

import (
	"fmt"
	"io"
	"sync"
)

// ReadAt returns the record that begins at offset in a file of size bytes, with any compression. If no record begins
// there, it returns a *FormatError. The record's Block reads from f; there is nothing to close.
func ReadAt(f io.ReaderAt, size, offset int64) (*Record, error) {
	if offset < 0 || offset >= size {
		return nil, &FormatError{Note{offset, "no-record", fmt.Sprintf("the file has %d bytes", size)}}
	}
	return newReader(io.NewSectionReader(f, offset, size-offset), offset).readSingle(f, size, offset)
}

// Pool reads single records and reuses memory, about 100 KiB for each record in use. The zero value is ready. It is
// safe for concurrent use.
type Pool struct{ readers sync.Pool }

// ReadAt works like the function ReadAt. Call GiveBack when done with the record.
func (p *Pool) ReadAt(f io.ReaderAt, size, offset int64) (*Record, error) {
	r, ok := p.readers.Get().(*Reader)
	if !ok || offset < 0 || offset >= size {
		return ReadAt(f, size, offset)
	}
	r.reset(io.NewSectionReader(f, offset, size-offset), offset)
	return r.readSingle(f, size, offset)
}

// GiveBack returns a record's memory to the pool; its Block must not be read any more. A second call does nothing.
func (p *Pool) GiveBack(rec *Record) {
	if r := rec.body.r; r != nil {
		rec.body.r = nil
		p.readers.Put(r)
	}
}

// reset resets the reader to a new source and keeps its memory.
func (r *Reader) reset(src io.Reader, offset int64) {
	raw, unpack, scratch, head, gz := r.src.Reader, r.unpack, r.scratch, r.head[:0], r.dec.gz
	if r.dec.zst != nil {
		r.dec.zst.Close()
	}
	*r = Reader{src: newSource(src, offset, raw), end: offset, unpack: unpack, scratch: scratch, head: head, dec: decoder{gz: gz}}
	r.in = r.src.Reader
}

func (r *Reader) readSingle(f io.ReaderAt, size, offset int64) (*Record, error) {
	r.exact = true
	b, _ := r.in.Peek(4)
	if format, _ := sniff(b); format == Zstd && offset > 0 {
		r.readDict(f, size)
	}
	rec, err := r.Next()
	if err == io.EOF {
		err = &FormatError{Note{offset, "no-record", "the file ends there"}}
	}
	return rec, err
}

// readDict reads the dictionary at the beginning of a zstd file, if there is one.
func (r *Reader) readDict(f io.ReaderAt, size int64) {
	first := newReader(io.NewSectionReader(f, 0, size), 0)
	if b, _ := first.in.Peek(8); len(b) == 8 && string(b[:4]) == string(dictMagic) {
		first.skipFrame(b)
		r.dec.dict = first.dec.dict
	}
}
