// Package packed reads documents from compressed files, as dumps are: gzip, bzip2, Zstandard, or the single file of a
// zip.
//
// The first bytes of a file tell its format. Everything is streamed and bounded, because a small file may contain a
// huge one.
package packed

import (
	"bufio"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"

	"kavosh/lib/httpwire"
)

// ErrMore is returned after the first file of a zip with more than one file.
var ErrMore = errors.New("the zip holds further files, which are left out")

// Open returns the document in body and its name: the name in the zip, or name without its compression suffix. A file
// that is not compressed is returned unchanged. After maxBytes, or, above 1 MiB, after maxRatio times the bytes read,
// the document ends with httpwire.ErrTooLarge; 0 means no bound. A broken file ends with an error after what can be
// read.
func Open(body *bufio.Reader, name string, maxBytes int64, maxRatio int) (document io.Reader, inside string) {
	if maxBytes <= 0 {
		maxBytes = math.MaxInt64
	}
	head, _ := body.Peek(4) // an error here occurs again below
	switch magic := string(head); {
	case strings.HasPrefix(magic, "\x1f\x8b"):
		return httpwire.Decode(body, []string{"gzip"}, maxBytes, maxRatio), Inside(name)
	case magic == "\x28\xb5\x2f\xfd":
		return httpwire.Decode(body, []string{"zstd"}, maxBytes, maxRatio), Inside(name)
	case strings.HasPrefix(magic, "BZh"):
		in := &counter{r: body}
		return &bounded{r: bzip2.NewReader(in), in: in, left: maxBytes, ratio: int64(maxRatio)}, Inside(name)
	case magic == localFile:
		return openZip(body, name, maxBytes, maxRatio)
	}
	return body, name
}

// Inside returns a name or URL without its compression suffix: the name of the document inside, and the base of its
// relative references.
func Inside(name string) string {
	switch end := strings.ToLower(path.Ext(name)); end {
	case ".gz", ".bz2", ".zst", ".zip":
		if len(path.Base(name)) > len(end) && !strings.Contains(name, "?") {
			return name[:len(name)-len(end)]
		}
	}
	return name
}

// Signatures of the parts of a zip.
const (
	localFile      = "PK\x03\x04"
	dataDescriptor = "PK\x07\x08"
)

const (
	headSize = 30      // bytes of a local file header before the name
	maxName  = 4 << 10 // bytes of the longest name accepted
)

// header precedes a file in a zip (PKWARE's APPNOTE, 4.3.7).
type header struct {
	flags, method uint16
	size          int64 // compressed
	name          string
}

func readHeader(body *bufio.Reader) (h header, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(body, head[:]); err != nil {
		return h, err
	}
	h.flags, h.method = binary.LittleEndian.Uint16(head[6:]), binary.LittleEndian.Uint16(head[8:])
	h.size = int64(binary.LittleEndian.Uint32(head[18:]))
	name := make([]byte, binary.LittleEndian.Uint16(head[26:]))
	if len(name) == 0 || len(name) > maxName {
		return h, errors.New("the zip's first file has no name")
	}
	if _, err := io.ReadFull(body, name); err != nil {
		return h, err
	}
	h.name = string(name)
	_, err = body.Discard(int(binary.LittleEndian.Uint16(head[28:])))
	return h, err
}

// openZip opens the first file of a zip. The file's own header precedes it, so the directory is not needed. Folders are
// skipped.
func openZip(body *bufio.Reader, name string, maxBytes int64, maxRatio int) (io.Reader, string) {
	h, err := readHeader(body)
	for err == nil && strings.HasSuffix(h.name, "/") && h.size == 0 && follows(body, localFile) {
		h, err = readHeader(body)
	}
	if err != nil {
		return failing{err}, name
	}
	in := &counter{r: body}
	z := &zipped{body: body}
	switch {
	case h.flags&1 != 0:
		return failing{errors.New("the zip is encrypted")}, name
	case h.method == 8:
		z.r = flate.NewReader(in)
	case h.method == 0 && h.flags&8 == 0:
		z.stored = &io.LimitedReader{R: in, N: h.size}
		z.r = z.stored
	default:
		return failing{fmt.Errorf("the zip is packed by method %d, which is not read", h.method)}, name
	}
	return &bounded{r: z, in: in, left: maxBytes, ratio: int64(maxRatio)}, h.name
}

func follows(body *bufio.Reader, signature string) bool {
	next, _ := body.Peek(len(signature))
	return string(next) == signature
}

// zipped is the first file of a zip. It ends with ErrMore if another one follows.
type zipped struct {
	r      io.Reader
	stored *io.LimitedReader // the rest of an uncompressed file; nil for others, which know their own end
	body   *bufio.Reader     // what follows the file
}

func (z *zipped) Read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	switch {
	case err != io.EOF:
		return n, err
	case z.stored != nil && z.stored.N > 0:
		return n, io.ErrUnexpectedEOF
	case follows(z.body, localFile):
		return n, ErrMore
	case follows(z.body, dataDescriptor):
		// A checksum and two sizes, of four or eight bytes each.
		next, _ := z.body.Peek(28)
		for _, size := range [...]int{16, 24} {
			if len(next) >= size+4 && string(next[size:size+4]) == localFile {
				return n, ErrMore
			}
		}
	}
	return n, io.EOF
}

// counter counts the bytes taken from a body.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte lets decompressors take no more than they need.
func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// ratioFloor is how many bytes may come before the ratio is checked: short texts may compress very well.
const ratioFloor = 1 << 20

// bounded returns httpwire.ErrTooLarge after left bytes, or after ratio times the bytes read from in.
type bounded struct {
	r                io.Reader
	in               *counter
	left, out, ratio int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.out > b.left {
		return 0, httpwire.ErrTooLarge
	}
	n, err := b.r.Read(p)
	b.out += int64(n)
	if b.out > b.left {
		return n - int(b.out-b.left), httpwire.ErrTooLarge
	}
	if b.ratio > 0 && b.out > ratioFloor && b.out/b.ratio > b.in.n {
		return n, fmt.Errorf("%d times its packed size: %w", b.out/max(b.in.n, 1), httpwire.ErrTooLarge)
	}
	return n, err
}

// failing is a reader that always returns an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == io.EOF {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, f.err
}
