package warc

// This file reads the bytes of a WARC file, and can go back in it after damage.

import (
	"bufio"
	"io"
)

const (
	bufSize = 32 << 10 // for the raw and for the decompressed stream

	// lookBack is how far a source that cannot seek can go back. After a break in a compressed stream, the next record
	// begins at most that far before the place where the break was noticed: a wrongly read deflate block can swallow 64
	// KiB, a zstd block 128 KiB.
	lookBack = 256 << 10
)

// source reads the raw bytes of a file, knows its offset and can go back.
type source struct {
	*bufio.Reader // reads from past
	past          past
}

// past reads from src and can go back: by seeking, or within the last lookBack bytes.
type past struct {
	src   io.Reader
	seek  io.Seeker // nil if src cannot seek
	base  int64     // add it to our offset to get src's own seek offset
	first int64     // offset of the first byte
	pos   int64     // offset of the next byte to return
	end   int64     // offset of the next byte to read from src
	ring  []byte    // without seek: the last bytes read; the byte at offset o is at o % lookBack
	err   error     // a failure of src, never io.EOF
	eof   bool
}

// newSource reads r from its current position and calls that offset. buf is reused; nil makes a new one.
func newSource(r io.Reader, offset int64, buf *bufio.Reader) *source {
	s := &source{past: past{src: r, first: offset, pos: offset, end: offset}}
	if seeker, ok := r.(io.Seeker); ok {
		if at, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.past.seek, s.past.base = seeker, at-offset
		}
	}
	if s.Reader = buf; buf == nil {
		s.Reader = bufio.NewReaderSize(nil, bufSize)
	}
	s.Reset(&s.past)
	return s
}

// offset returns the offset of the next byte that Read returns.
func (s *source) offset() int64 { return s.past.pos - int64(s.Buffered()) }

// earliest returns the lowest offset that goTo can reach.
func (s *source) earliest() int64 {
	if s.past.seek != nil {
		return s.past.first
	}
	return max(s.past.first, s.past.end-int64(len(s.past.ring)))
}

// goTo continues at offset, which lies between earliest and the current offset.
func (s *source) goTo(offset int64) error {
	p := &s.past
	if p.seek != nil {
		if _, err := p.seek.Seek(p.base+offset, io.SeekStart); err != nil {
			p.err = err
			return err
		}
		p.end, p.eof = offset, false
	}
	p.pos = offset
	s.Reset(p)
	return nil
}

func (p *past) Read(b []byte) (int, error) {
	if p.pos < p.end { // we went back within ring
		at := p.pos % lookBack
		n := copy(b, p.ring[at:min(int64(len(p.ring)), at+p.end-p.pos)])
		p.pos += int64(n)
		return n, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	if p.eof {
		return 0, io.EOF
	}
	n, err := p.src.Read(b[:min(len(b), lookBack)])
	if p.seek == nil {
		p.keep(b[:n])
	}
	p.end += int64(n)
	p.pos = p.end
	if err == io.EOF {
		p.eof = true
	} else if err != nil {
		p.err = err
	}
	return n, err
}

// keep saves the last lookBack bytes of b, which begins at p.end, in the ring.
func (p *past) keep(b []byte) {
	for at := p.end % lookBack; len(b) > 0; at = 0 {
		if grow := int(at) + len(b); grow > len(p.ring) {
			p.ring = append(p.ring, make([]byte, min(grow, lookBack)-len(p.ring))...)
		}
		b = b[copy(p.ring[at:], b):]
	}
}
