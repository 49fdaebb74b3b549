package httpwire

// This file removes the chunked transfer coding of HTTP.

import (
	"bufio"
	"errors"
	"io"
	"math"

	"kavosh/lib/ascii"
)

// Bounds on chunked framing.
const (
	maxChunkLine = 16 << 10  // bytes of a size line or a trailer line
	maxTrailer   = 256 << 10 // bytes of all trailer lines
)

// Errors of the chunked transfer coding. ErrNotChunked means that the first line is no chunk size: the body was sent
// plain, whatever the head says.
var (
	ErrNotChunked = errors.New("not chunked: no size before the first chunk")
	ErrChunk      = errors.New("chunk without a size")
	ErrChunkSize  = errors.New("chunk size above what 63 bits hold")
	ErrChunkLine  = errors.New("chunk size line or trailer too long")
)

// Dechunker removes the chunked transfer coding from bytes as they come. The zero value is ready. It accepts what
// browsers accept and a little more: sizes in upper or lower case with white space around them, extensions, bare LF,
// chunks without their final line end, trailers.
type Dechunker struct {
	state   chunkState
	left    int64 // bytes left of the current chunk, or the size read so far
	digits  int   // digits of that size
	line    int   // bytes of the current line
	trailer int   // bytes of the trailer so far
	begun   bool  // a size line was read
	note    string
}

type chunkState uint8

const (
	inSize    chunkState = iota // white space, then digits
	inExt                       // the rest of a size line
	inData                      // left more bytes to come
	afterData                   // the line end after a chunk
	inTrailer                   // trailer lines, up to an empty one
	chunksDone
)

// Done reports whether the whole body, with its trailer, was read.
func (d *Dechunker) Done() bool { return d.state == chunksDone }

// Last reports whether the last chunk was read, so that no more data follows.
func (d *Dechunker) Last() bool { return d.state >= inTrailer }

// Begun reports whether a size line was read, so that ErrNotChunked cannot occur any more.
func (d *Dechunker) Begun() bool { return d.begun }

// Note says what was odd in the framing; "" if nothing was.
func (d *Dechunker) Note() string { return d.note }

// Step reads from the front of src up to the end of the first run of data. n is how many bytes it took; data is the
// part of src that is data. It takes nothing only if src is empty, the body has ended, or there is an error. Bytes
// before an error are returned first; the error then stays.
func (d *Dechunker) Step(src []byte) (n int, data []byte, err error) {
	for n < len(src) && d.state != chunksDone {
		if d.state == inData {
			k := int(min(int64(len(src)-n), d.left))
			data = src[n : n+k]
			if d.left -= int64(k); d.left == 0 {
				d.state, d.line = afterData, 0
			}
			return n + k, data, nil
		}
		took, err := d.byte(src[n])
		if err != nil {
			return n, nil, err
		}
		if took {
			n++
		}
	}
	return n, nil, nil
}

// byte reads one byte of framing. It returns false if it only changed the state and did not take the byte.
func (d *Dechunker) byte(c byte) (took bool, err error) {
	if d.line++; d.line > maxChunkLine {
		return false, d.fail(ErrChunkLine)
	}
	switch d.state {
	case inSize:
		return true, d.size(c)
	case inExt:
		if c == '\n' {
			d.sized()
		}
	case afterData:
		switch c {
		case '\r':
		case '\n':
			d.startSize()
		default:
			d.note = "a chunk without its line end"
			d.startSize()
			return false, nil
		}
	case inTrailer:
		if d.trailer++; d.trailer > maxTrailer {
			return false, d.fail(ErrChunkLine)
		}
		if c == '\n' {
			if d.line == 1 {
				d.state = chunksDone
			}
			d.line = 0
		} else if c == '\r' {
			d.line-- // the line may be empty and end with CRLF
		}
	}
	return true, nil
}

func (d *Dechunker) startSize() { d.state, d.left, d.digits, d.line = inSize, 0, 0, 0 }

func (d *Dechunker) size(c byte) error {
	if v := ascii.Hex(c); v >= 0 {
		if d.left >= 1<<59 {
			return d.fail(ErrChunkSize)
		}
		d.left = d.left<<4 | int64(v)
		d.digits++
		return nil
	}
	switch {
	case d.digits == 0 && (c == ' ' || c == '\t'):
		return nil
	case d.digits == 0:
		return d.fail(ErrChunk)
	case c == '\n':
		d.sized()
	case c == ';', isSpace(c):
		d.state = inExt
	default:
		return d.fail(ErrChunk)
	}
	return nil
}

// sized ends a size line.
func (d *Dechunker) sized() {
	d.begun = true
	d.line = 0
	d.state = inData
	if d.left == 0 {
		d.state = inTrailer
	}
}

func (d *Dechunker) fail(err error) error {
	if !d.begun {
		return ErrNotChunked
	}
	return err
}

// Reader reads the data of a chunked body.
type Reader struct {
	r    *bufio.Reader
	d    Dechunker
	left int64 // bytes of data that may still come
	err  error
}

// NewChunked returns a Reader of the chunked body in r. It ends with io.EOF after the trailer, or if the input ends
// after the last chunk. If the input ends earlier, it returns io.ErrUnexpectedEOF; after max bytes of data (if max is
// above 0), ErrTooLarge; for broken framing, this package's errors.
func NewChunked(r *bufio.Reader, max int64) *Reader {
	if max <= 0 {
		max = math.MaxInt64
	}
	return &Reader{r: r, left: max}
}

// Note says what was odd in the framing so far; "" if nothing was.
func (c *Reader) Note() string { return c.d.Note() }

// Read fills p with data of the next chunks.
func (c *Reader) Read(p []byte) (int, error) {
	for c.err == nil && len(p) > 0 {
		if c.d.Done() {
			c.err = io.EOF
			break
		}
		if _, err := c.r.Peek(1); err != nil {
			c.err = err
			if err == io.EOF && !c.d.Last() {
				c.err = io.ErrUnexpectedEOF
			}
			break
		}
		src, _ := c.r.Peek(min(c.r.Buffered(), len(p)))
		taken, data, err := c.d.Step(src)
		n := copy(p, data[:min(int64(len(data)), c.left)])
		c.left -= int64(n)
		c.err = err
		if n < len(data) {
			c.err = ErrTooLarge
		}
		c.r.Discard(taken)
		if n > 0 {
			return n, nil
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	return 0, c.err
}

// Payload removes the transfer coding from the body of a response in a WARC record. Some tools decode a body before
// they store it, and leave the head; such a body is passed through.
func Payload(head Head, body io.Reader) io.Reader {
	if !head.Chunked() {
		return body
	}
	r := bufio.NewReaderSize(body, 2*maxChunkLine)
	if !looksChunked(r) {
		return r
	}
	return NewChunked(r, 0)
}

// looksChunked reports whether r begins with a chunk's size line. It consumes nothing.
func looksChunked(r *bufio.Reader) bool {
	var d Dechunker
	for seen := 0; ; {
		if _, err := r.Peek(seen + 1); err != nil {
			return false
		}
		src, _ := r.Peek(r.Buffered())
		for seen < len(src) {
			n, _, err := d.Step(src[seen:])
			if err != nil {
				return false
			}
			if d.Begun() {
				return true
			}
			seen += n
		}
	}
}
