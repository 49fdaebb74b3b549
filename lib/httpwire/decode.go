package httpwire

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

// ErrTooLarge ends a body that would exceed a bound, such as a decompression bomb.
var ErrTooLarge = errors.New("larger than allowed")

const (
	maxCodings  = 4       // content codings undone one after another
	maxDeclared = 16      // content codings that are looked for
	ratioFloor  = 1 << 20 // decoded bytes up to which no ratio is looked at: short texts may shrink to nothing
	zstdWindow  = 8 << 20 // largest window of the zstd content coding (RFC 9659)
)

// Decoder undoes content codings. The zero value is ready, and one that is used again spends no memory on new tables.
// It serves one body at a time.
type Decoder struct {
	in    counter
	br    *bufio.Reader
	gzip  *gzip.Reader
	zlib  io.ReadCloser
	flate io.ReadCloser
	brot  *brotliReader
	zstd  *zstd.Decoder
	out   []byte // of All

	codings []string // as declared
	layer   layer
	outer   *Decoder // what it reads from, in a chain; nil for the last coding that was applied
	inner   *Decoder // what reads from it
}

// Decode returns a reader of r without its content codings, which are given in the order in which they were applied: see
// Decode the function.
func (d *Decoder) Decode(r io.Reader, codings []string, maxBytes int64, maxRatio int) io.Reader {
	d.in.r, d.in.n, d.in.err = r, 0, nil
	d.codings, d.layer, d.inner = codings, layer{first: d.layer.first[:0]}, nil
	out, chain := io.Reader(&d.in), (*Decoder)(nil)
	for i := len(codings) - 1; i >= 0; i-- {
		kind := kindOf(codings[i])
		if kind == other {
			break // what is under it cannot be reached
		}
		if kind == nothing {
			continue
		}
		if len(codings)-i > maxDeclared {
			return &bounded{err: fmt.Errorf("%d content codings: %w", len(codings), ErrTooLarge)}
		}
		next := d
		if chain != nil { // two of a kind may stand over one another: only the first uses the kept decoders
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

// Decode returns a reader of r without its content codings (gzip, x-gzip, deflate with or without zlib's header, br,
// zstd), which are given in the order in which they were applied. identity is nothing; an unknown coding, and what is
// under it, is passed through as it is, and so is a body that does not have a coding although it is declared: see
// Decoder.Codings. A broken or cut stream gives what can be decoded, then an error (a cut br stream may end without one, as
// its decoder sees no end mark). More than maxBytes decoded, or more than maxRatio times what was read (looked at above
// 1 MiB), ends with ErrTooLarge; 0 is no bound.
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

// members reads one gzip member after the other and leaves what follows them, as browsers do.
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

// openDeflate tells zlib's header from the raw stream that some servers send under the same name.
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

// brotliReader knows whether it read a body to its end: Reset leaves in it what it holds of another.
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

// isZstd reports whether b begins as a frame does, or one that is skipped.
func isZstd(b []byte) bool {
	return len(b) >= 4 && (bytes.Equal(b[:4], []byte{0x28, 0xb5, 0x2f, 0xfd}) || b[0]>>4 == 5 && bytes.Equal(b[1:4], []byte{0x2a, 0x4d, 0x18}))
}

// noEOF keeps a stream that is cut within its header from looking like an empty one.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// counter counts what a decoder takes from the body, and keeps it while nobody knows whether it is coded.
type counter struct {
	r    io.Reader
	n    int64
	keep bool
	kept []byte
	err  error // lasts
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

// bounded ends with ErrTooLarge when more than left bytes come, or more than ratio times what in gave.
type bounded struct {
	r     io.Reader
	left  int64
	out   int64
	in    *counter
	ratio int64
	err   error // lasts
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
