package warc

import (
	"bufio"
	"io"
)

const (
	bufSize = 32 << 10 // of the raw and of the decompressed stream

	// lookBack is how far a source that cannot seek goes back. After a break in a compressed stream the next record
	// begins at most so far before the place where the break was noticed: a deflate block that is taken for stored
	// swallows 64 KiB, a zstd block 128 KiB.
	lookBack = 256 << 10
)

// source is the raw bytes of a file, with their offset, and a way back.
type source struct {
	*bufio.Reader // over past
	past          past
}

// past reads from src and can go back in it: by seeking, or within the last bytes read.
type past struct {
	src   io.Reader
	seek  io.Seeker // nil when src cannot seek
	base  int64     // offset of src's start as seek counts, less our offset of it
	first int64     // offset of the first byte of all
	pos   int64     // offset of the next byte to deliver
	end   int64     // offset of the next byte of src
	ring  []byte    // without seek: the last bytes read, the byte of offset o at o % lookBack
	err   error     // the failure of src, never io.EOF
	eof   bool
}

// newSource reads r from its present position, which is called offset, through buf; nil for a new one.
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

// offset is of the next byte that Read would give.
func (s *source) offset() int64 { return s.past.pos - int64(s.Buffered()) }

// earliest is the lowest offset that goTo can go to.
func (s *source) earliest() int64 {
	if s.past.seek != nil {
		return s.past.first
	}
	return max(s.past.first, s.past.end-int64(len(s.past.ring)))
}

// goTo continues at offset, which lies between earliest and the present one.
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
	if p.pos < p.end { // went back within ring
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

// keep puts at most lookBack bytes, which begin at p.end, into the ring.
func (p *past) keep(b []byte) {
	for at := p.end % lookBack; len(b) > 0; at = 0 {
		if grow := int(at) + len(b); grow > len(p.ring) {
			p.ring = append(p.ring, make([]byte, min(grow, lookBack)-len(p.ring))...)
		}
		b = b[copy(p.ring[at:], b):]
	}
}
