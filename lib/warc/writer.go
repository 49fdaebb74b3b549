package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kavosh/lib/ascii"
)

// Format is a way to compress records.
type Format uint8

const (
	Plain Format = iota // no compression
	Gzip                // a gzip member for each record, the usual ".warc.gz"
	Zstd                // a Zstandard frame for each record, ".warc.zst"
)

// Compression is how a Writer packs records; the zero value leaves them plain.
type Compression struct {
	Format Format
	Level  int // of gzip, 1 (fast) to 9 (small), or of zstd, 1 to 22; 0 is the format's default
}

// Writer writes records, one after the other, each compressed by itself. It is used by one goroutine at a time; its
// compressor is kept from record to record, so a Writer is worth keeping in a pool: it holds about 1 MB for gzip and
// some MB for zstd.
type Writer struct {
	Version string // of the records written: "WARC/1.1" unless set

	dst    counter
	format Format
	gz     *gzip.Writer
	small  *smallDeflater // at the fastest level of gzip
	zst    *zstd.Encoder
	head   []byte // of the record, and all of it when it is packed in one piece
	packed []byte
	copy   []byte
	err    error // the first failure; what dst holds after it is not whole
}

// maxWhole is the size in bytes of header, block and end up to which a record is given to zstd in one piece.
const maxWhole = 256 << 10

// counter counts what goes to w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// NewWriter writes to w. A level out of range is taken for the nearest.
func NewWriter(w io.Writer, c Compression) *Writer {
	wr := &Writer{Version: "WARC/1.1", format: c.Format}
	switch c.Format {
	case Gzip:
		level := gzip.DefaultCompression
		if c.Level != 0 {
			level = max(gzip.BestSpeed, min(c.Level, gzip.BestCompression))
		}
		wr.gz, _ = gzip.NewWriterLevel(nil, level) // fails for a level out of range alone
		if level == gzip.BestSpeed {
			wr.small = new(smallDeflater)
		}
	case Zstd:
		level := zstd.SpeedDefault
		if c.Level != 0 {
			level = zstd.EncoderLevelFromZstd(c.Level)
		}
		// Fails for options out of range alone. One goroutine: parallel writers are the caller's choice. Few records are
		// larger than the window, and the default takes 8 MB of memory and more.
		wr.zst, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithWindowSize(1<<20))
	}
	wr.Reset(w)
	return wr
}

// Reset forgets any error and writes to dst from here on.
func (w *Writer) Reset(dst io.Writer) {
	w.dst = counter{w: dst}
	w.err = nil
}

// WriteRecord writes one record and says how many bytes of the file it takes. The header must have WARC-Type,
// WARC-Record-ID, WARC-Date and Content-Length, and block exactly Content-Length bytes; a nil block is empty.
//
// An unfit header is refused with nothing written. After any other error part of a record may have been written, and
// every further call returns the same error: cut the file back to where the record began, and Reset.
func (w *Writer) WriteRecord(h Header, block io.Reader) (int64, error) {
	if w.err != nil {
		return 0, w.err
	}
	size, err := w.render(h)
	if err != nil {
		return 0, err
	}
	return w.pack(block, size)
}

// AppendField appends a field to a header in the form that WriteFields takes. The name must be a token; a line end or NUL
// in the value becomes a space.
func AppendField(fields []byte, name, value string) []byte {
	fields = append(append(fields, name...), ": "...)
	at := len(fields)
	fields = append(fields, value...)
	for i, c := range fields[at:] {
		if c == '\r' || c == '\n' || c == 0 {
			fields[at+i] = ' '
		}
	}
	return append(fields, "\r\n"...)
}

// WriteFields is WriteRecord for a header made with AppendField: all fields but Content-Length, which is size and is added
// behind them. Nothing of fields is looked at but its length.
func (w *Writer) WriteFields(fields []byte, size int64, block io.Reader) (int64, error) {
	if w.err != nil {
		return 0, w.err
	}
	b := append(w.head[:0], w.Version...)
	b = append(append(b, "\r\n"...), fields...)
	b = strconv.AppendInt(append(b, "Content-Length: "...), size, 10)
	w.head = append(b, "\r\n\r\n"...)
	if len(w.head) > maxHeader {
		return 0, errHeader(len(w.head))
	}
	return w.pack(block, size)
}

func errHeader(size int) error {
	return fmt.Errorf("warc: the header takes %d bytes, more than %d", size, maxHeader)
}

// pack writes the header that is in w.head and the block.
func (w *Writer) pack(block io.Reader, size int64) (int64, error) {
	before := w.dst.n
	total := int64(len(w.head)) + size + int64(len(recordEnd))
	switch {
	case w.small != nil && total <= smallRecord || w.format == Zstd && total <= maxWhole:
		w.err = w.whole(block, size)
	default:
		w.err = w.stream(block, size)
	}
	return w.dst.n - before, w.err
}

// whole packs header and block in one piece.
func (w *Writer) whole(block io.Reader, size int64) error {
	if err := w.copyBlock((*tail)(&w.head), block, size); err != nil {
		return err
	}
	w.head = append(w.head, recordEnd...)
	if w.format == Zstd {
		w.packed = w.zst.EncodeAll(w.head, w.packed[:0])
	} else {
		w.packed = w.small.member(w.packed[:0], w.head)
	}
	_, err := w.dst.Write(w.packed)
	return err
}

// tail appends what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	return len(p), nil
}

// render puts the version line and header into w.head and gives the Content-Length.
func (w *Writer) render(h Header) (size int64, err error) {
	size = -1
	var hasType, hasID, hasDate bool
	b := append(w.head[:0], w.Version...)
	b = append(b, "\r\n"...)
	for i := range h {
		name, value := h[i].Name, h[i].Value
		if !validName(name) {
			return 0, fmt.Errorf("warc: field name %q has a character that names cannot have", name)
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return 0, fmt.Errorf("warc: the value of %s has a line end or NUL in it", name)
		}
		switch {
		case ascii.EqualFold(name, "Content-Length"):
			n, err := strconv.ParseUint(value, 10, 63)
			if err != nil || size >= 0 {
				return 0, fmt.Errorf("warc: Content-Length %q is no length, or the second one", value)
			}
			size = int64(n)
		case ascii.EqualFold(name, "WARC-Type"):
			hasType = true
		case ascii.EqualFold(name, "WARC-Record-ID"):
			hasID = true
		case ascii.EqualFold(name, "WARC-Date"):
			hasDate = true
		}
		b = append(b, name...)
		b = append(b, ": "...)
		b = append(b, value...)
		b = append(b, "\r\n"...)
	}
	w.head = append(b, "\r\n"...)
	if size < 0 || !hasType || !hasID || !hasDate {
		return 0, errors.New("warc: a record needs WARC-Type, WARC-Record-ID, WARC-Date and Content-Length")
	}
	if len(w.head) > maxHeader {
		return 0, errHeader(len(w.head))
	}
	return size, nil
}

// stream packs header and block as they come.
func (w *Writer) stream(block io.Reader, size int64) error {
	var out io.Writer = &w.dst
	switch w.format {
	case Gzip:
		w.gz.Reset(&w.dst)
		out = w.gz
	case Zstd:
		w.zst.ResetContentSize(&w.dst, int64(len(w.head))+size+int64(len(recordEnd)))
		out = w.zst
	}
	if _, err := out.Write(w.head); err != nil {
		return err
	}
	if err := w.copyBlock(out, block, size); err != nil {
		return err
	}
	if _, err := out.Write(recordEnd); err != nil {
		return err
	}
	switch w.format {
	case Gzip:
		return w.gz.Close()
	case Zstd:
		return w.zst.Close()
	}
	return nil
}

var recordEnd = []byte("\r\n\r\n")

// copyBlock copies block and makes sure that it has size bytes, no fewer and no more.
func (w *Writer) copyBlock(out io.Writer, block io.Reader, size int64) error {
	if b, ok := block.(*bytes.Reader); ok && int64(b.Len()) == size {
		_, err := b.WriteTo(out) // in memory: without a copy
		return err
	}
	var n int64
	for block != nil {
		if w.copy == nil {
			w.copy = make([]byte, 32<<10)
		}
		k, err := block.Read(w.copy)
		if n += int64(k); n > size {
			break
		}
		if k > 0 {
			if _, err := out.Write(w.copy[:k]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("warc: reading the block: %w", err)
		}
	}
	if n != size {
		return fmt.Errorf("warc: Content-Length is %d but the block has %s", size, atLeast(n, size))
	}
	return nil
}

func atLeast(n, size int64) string {
	if n > size {
		return "more"
	}
	return strconv.FormatInt(n, 10)
}
