package httpwire

// This file removes the content codings of HTTP bodies, within bounds, as bodies are hostile input.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrTooLarge means that a body exceeds a bound, for instance a decompression bomb.
var ErrTooLarge = errors.New("larger than allowed")

const (
	maxCodings  = 4       // content codings to remove, one after another
	maxDeclared = 16      // content codings to look for
	ratioFloor  = 1 << 20 // decoded bytes before the ratio is checked: short texts may compress very well
	zstdWindow  = 8 << 20 // the largest window of the zstd content coding (RFC 9659)
)

// Decoder removes content codings. The zero value is ready. It handles one body at a time; reuse saves memory.
type Decoder struct {
	in    counter
	br    *bufio.Reader
	gzip  *gzip.Reader
	zlib  io.ReadCloser
	flate io.ReadCloser
	brot  *brotliReader
	zstd  *zstd.Decoder
	out   []byte // result of All

	codings []string // as declared
	layer   layer
	outer   *Decoder // the decoder it reads from, in a chain; nil for the coding applied last
	inner   *Decoder // the decoder that reads from it
}

// Decode works like the function Decode, with d's memory.
func (d *Decoder) Decode(r io.Reader, codings []string, maxBytes int64, maxRatio int) io.Reader {
	d.in.r, d.in.n, d.in.err = r, 0, nil
	d.codings, d.layer, d.inner = codings, layer{first: d.layer.first[:0]}, nil
	out, chain := io.Reader(&d.in), (*Decoder)(nil)
	for i := len(codings) - 1; i >= 0; i-- {
		kind := kindOf(codings[i])
		if kind == other {
			break // what is below it cannot be reached
		}
		if kind == nothing {
			continue
		}
		if len(codings)-i > maxDeclared {
			return &bounded{err: fmt.Errorf("%d content codings: %w", len(codings), ErrTooLarge)}
		}
		next := d
		if chain != nil { // a chain may have two of a kind; only the first uses the kept decoders
			next = &Decoder{in: counter{r: out}, codings: codings, outer: chain}
			chain.inner = next
		}
		next.layer.d, next.layer.kind, next.layer.index = next, kind, i
		out, chain = &next.layer, next
	}
	if maxBytes <= 0 {
		maxBytes = math.MaxInt64
	}
	b := &bounded{r: out, left: maxBytes}
	if chain != nil && maxRatio > 0 {
		b.in, b.ratio = &d.in, int64(maxRatio)
	}
	return b
}

// Decode returns a reader of r without its content codings, which must be in the order in which they were applied:
// gzip, x-gzip, deflate (with or without zlib's header), br, zstd. identity is ignored. An unknown coding, and those
// applied before it, stay. So does a body that does not have the declared coding: see Decoder.Codings.
//
// A broken or cut stream gives what can be decoded, then an error (a cut br stream may end without error, because its
// decoder sees no end mark). The reader returns ErrTooLarge after maxBytes decoded bytes, or, above 1 MiB, after
// maxRatio times the bytes read; 0 means no bound.
func Decode(r io.Reader, codings []string, maxBytes int64, maxRatio int) io.Reader {
	return new(Decoder).Decode(r, codings, maxBytes, maxRatio)
}

func (d *Decoder) buffer(r io.Reader) *bufio.Reader {
	if d.br == nil {
		d.br = bufio.NewReaderSize(r, CodedWindow)
	} else {
		d.br.Reset(r)
	}
	return d.br
}

func (d *Decoder) openGzip(r *bufio.Reader) (io.Reader, error) {
	if d.gzip == nil {
		d.gzip = new(gzip.Reader)
	}
	if err := d.gzip.Reset(r); err != nil {
		return nil, noEOF(err)
	}
	d.gzip.Multistream(false)
	return &members{z: d.gzip, r: r}, nil
}

func isGzip(b []byte) bool { return len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b }

// members reads one gzip member after the other and ignores what follows them, as browsers do.
type members struct {
	z *gzip.Reader
	r *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		if magic, _ := m.r.Peek(2); !isGzip(magic) {
			return 0, io.EOF
		}
		if err := m.z.Reset(m.r); err != nil {
			return 0, noEOF(err)
		}
		m.z.Multistream(false)
	}
}

// openDeflate tells zlib's header from the raw deflate stream that some servers send under the same name.
func (d *Decoder) openDeflate(r *bufio.Reader, magic []byte) (io.Reader, error) {
	if len(magic) >= 2 && magic[0]&0x0f == 8 && magic[0]>>4 <= 7 && (uint(magic[0])<<8|uint(magic[1]))%31 == 0 {
		if d.zlib == nil {
			z, err := zlib.NewReader(r)
			if err != nil {
				return nil, noEOF(err)
			}
			d.zlib = z
		} else if err := d.zlib.(zlib.Resetter).Reset(r, nil); err != nil {
			return nil, noEOF(err)
		}
		return d.zlib, nil
	}
	if d.flate == nil {
		d.flate = flate.NewReader(r)
	} else if err := d.flate.(flate.Resetter).Reset(r, nil); err != nil {
		return nil, err
	}
	return d.flate, nil
}

func (d *Decoder) openBrotli(r *bufio.Reader) (io.Reader, error) {
	if d.brot == nil || !d.brot.ended {
		d.brot = &brotliReader{Reader: brotli.NewReader(r)}
		return d.brot, nil
	}
	d.brot.ended = false
	return d.brot, d.brot.Reset(r)
}

// brotliReader knows whether it read a body to its end: after an unfinished body, Reset would leave bytes of it behind.
type brotliReader struct {
	*brotli.Reader
	ended bool
}

func (b *brotliReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.ended = err == io.EOF
	return n, err
}

func (d *Decoder) openZstd(r *bufio.Reader) (io.Reader, error) {
	if d.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, err
		}
		d.zstd = z
	}
	return d.zstd, d.zstd.Reset(r)
}

// isZstd reports whether b begins with a zstd frame or skippable frame.
func isZstd(b []byte) bool {
	return len(b) >= 4 && (bytes.Equal(b[:4], []byte{0x28, 0xb5, 0x2f, 0xfd}) || b[0]>>4 == 5 && bytes.Equal(b[1:4], []byte{0x2a, 0x4d, 0x18}))
}

// noEOF turns io.EOF inside a header into an error, so that a cut stream does not look like an empty one.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// counter counts the bytes that a decoder takes from the body. It keeps them until the coding is certain.
type counter struct {
	r    io.Reader
	n    int64
	keep bool
	kept []byte
	err  error // permanent
}

func (c *counter) Read(p []byte) (n int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	if c.keep {
		if p = p[:min(len(p), maxKept-len(c.kept))]; len(p) == 0 {
			return 0, errKept
		}
	}
	n, c.err = c.r.Read(p)
	c.n += int64(n)
	if c.keep {
		c.kept = append(c.kept, p[:n]...)
	}
	return n, c.err
}

// bounded returns ErrTooLarge after left bytes, or after ratio times the bytes read from in.
type bounded struct {
	r     io.Reader
	left  int64
	out   int64
	in    *counter
	ratio int64
	err   error // permanent
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if b.left == 0 {
		var one [1]byte
		for {
			n, err := b.r.Read(one[:])
			if n > 0 {
				b.err = ErrTooLarge
				return 0, b.err
			}
			if err != nil {
				b.err = err
				return 0, err
			}
		}
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.out += int64(n)
	b.err = err
	if b.in != nil && b.out > ratioFloor && b.out/b.ratio > b.in.n {
		b.err = fmt.Errorf("%d times its encoded size: %w", b.out/max(b.in.n, 1), ErrTooLarge)
	}
	return n, b.err
}
