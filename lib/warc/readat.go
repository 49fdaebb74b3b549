package warc

import (
	"fmt"
	"io"
	"sync"
)

// ReadAt delivers the record that begins at offset in a file of size bytes, however it is compressed. It fails with a
// *FormatError when no record begins there. Its Block reads f; nothing has to be closed.
func ReadAt(f io.ReaderAt, size, offset int64) (*Record, error) {
	if offset < 0 || offset >= size {
		return nil, &FormatError{Note{offset, "no-record", fmt.Sprintf("the file has %d bytes", size)}}
	}
	return newReader(io.NewSectionReader(f, offset, size-offset), offset).only(f, size, offset)
}

// Pool reads single records with memory that is used again, some 100 KiB each. The zero value works. It is safe for concurrent
// use.
type Pool struct{ readers sync.Pool }

// ReadAt is as the function of that name. Whoever is done with the record gives it back.
func (p *Pool) ReadAt(f io.ReaderAt, size, offset int64) (*Record, error) {
	r, ok := p.readers.Get().(*Reader)
	if !ok || offset < 0 || offset >= size {
		return ReadAt(f, size, offset)
	}
	r.again(io.NewSectionReader(f, offset, size-offset), offset)
	return r.only(f, size, offset)
}

// GiveBack takes a record back, whose block cannot be read any more. Given back again, it is none.
func (p *Pool) GiveBack(rec *Record) {
	if r := rec.body.r; r != nil {
		rec.body.r = nil
		p.readers.Put(r)
	}
}

// again makes a reader as a new one, with the memory that it has.
func (r *Reader) again(src io.Reader, offset int64) {
	raw, unpack, scratch, head, gz := r.src.Reader, r.unpack, r.scratch, r.head[:0], r.dec.gz
	if r.dec.zst != nil {
		r.dec.zst.Close()
	}
	*r = Reader{src: newSource(src, offset, raw), end: offset, unpack: unpack, scratch: scratch, head: head, dec: decoder{gz: gz}}
	r.in = r.src.Reader
}

// only reads the record that begins at the reader's beginning.
func (r *Reader) only(f io.ReaderAt, size, offset int64) (*Record, error) {
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

// readDict takes the dictionary from the beginning of a zstd file, if it has one.
func (r *Reader) readDict(f io.ReaderAt, size int64) {
	first := newReader(io.NewSectionReader(f, 0, size), 0)
	if b, _ := first.in.Peek(8); len(b) == 8 && string(b[:4]) == string(dictMagic) {
		first.skipFrame(b)
		r.dec.dict = first.dec.dict
	}
}
