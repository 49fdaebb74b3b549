package warc

import (
	"fmt"
	"io"
)

// ReadAt delivers the record that begins at offset in a file of size bytes, however it is compressed. It fails with a
// *FormatError when no record begins there. Its Block reads f; nothing has to be closed.
func ReadAt(f io.ReaderAt, size, offset int64) (*Record, error) {
	if offset < 0 || offset >= size {
		return nil, &FormatError{Note{offset, "no-record", fmt.Sprintf("the file has %d bytes", size)}}
	}
	r := newReader(io.NewSectionReader(f, offset, size-offset), offset)
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
