package httpwire

import (
	"bufio"
	"errors"
	"io"
	"math"

	"kavosh/lib/ascii"
)

// Bounds on what chunk framing may hold.
const (
	maxChunkLine = 16 << 10  // bytes of a size line or a trailer line
	maxTrailer   = 256 << 10 // bytes of all trailer lines
)

// Errors of the chunked transfer coding. NotChunked means that not even the first size line is one: the body was sent
// plain, whatever the head says.
var (
	ErrNotChunked = errors.New("not chunked: no size before the first chunk")
	ErrChunk      = errors.New("chunk without a size")
	ErrChunkSize  = errors.New("chunk size above what 63 bits hold")
	ErrChunkLine  = errors.New("chunk size line or trailer too long")
)

// Dechunker undoes the chunked transfer coding on bytes as they come. The zero value is ready. It takes what browsers
// take and a little more: sizes in either case with white space around them, extensions, bare LF, chunks without their
// final line end, trailers.
type Dechunker struct {
	state   chunkState
	left    int64 // of the chunk being read, or the size being read
	digits  int   // of the size being read
	line    int   // bytes of the line being read
	trailer int   // bytes of trailer
	begun   bool  // the first size line was read
	note    string
}

type chunkState uint8

const (
	inSize    chunkState = iota // white space, then digits
	inExt                       // the rest of a size line
	inData                      // left bytes to come
	afterData                   // the line end after a chunk
	inTrailer                   // trailer lines, up to an empty one
	chunksDone
)

// Done reports whether the last byte of the body, trailer included, was read.
func (d *Dechunker) Done() bool { return d.state == chunksDone }

// Last reports whether the last chunk was read, so that no data can follow.
func (d *Dechunker) Last() bool { return d.state >= inTrailer }

// Begun reports whether a size line was read: ErrNotChunked cannot come any more.
func (d *Dechunker) Begun() bool { return d.begun }

// Note is "" or what was odd in the framing.
func (d *Dechunker) Note() string { return d.note }

// Step reads from the front of src up to and including the first run of data, and says how many bytes it took and which
// of them are data. Data is a part of src. It takes nothing only when src is empty, at the end, or with an error, which
// lasts; bytes taken before an error are given first.
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

// byte reads one byte of framing. It is false when the byte was not taken and only the state changed.
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
			d.line-- // an empty line may be CRLF
		}
	}
	return true, nil
}

func (d *Dechunker) startSize() { d.state, d.left, d.digits, d.line = inSize, 0, 0, 0 }

func (d *Dechunker) size(c byte) error {
	if v := unhex(c); v >= 0 {
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

func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= ascii.Lower(c) && ascii.Lower(c) <= 'f':
		return int(ascii.Lower(c)-'a') + 10
	}
	return -1
}

// Reader reads the data of a chunked body.
type Reader struct {
	r    *bufio.Reader
	d    Dechunker
	left int64 // bytes of data that may still come
	err  error
}

// NewChunked returns a reader of the data of the chunked body that r holds. It ends with io.EOF after the trailer, or
// where the input ends after the last chunk; with io.ErrUnexpectedEOF where the input ends before; with ErrTooLarge
// instead of the data after the first max bytes, when max is above 0; and with the errors of this package where the
// framing is broken.
func NewChunked(r *bufio.Reader, max int64) *Reader {
	if max <= 0 {
		max = math.MaxInt64
	}
	return &Reader{r: r, left: max}
}

// Note is "" or what was odd in the framing read so far.
func (c *Reader) Note() string { return c.d.Note() }

// Read fills p with data of the next chunk or chunks.
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

// Payload reads the body of an answer as it stands in a WARC record and undoes its transfer coding. A body that is not
// chunked although the head says so, as tools leave it that decode before they store, is passed through.
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

// looksChunked reports whether r begins with the size line of a chunk; it takes nothing from r.
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
