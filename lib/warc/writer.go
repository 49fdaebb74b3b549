package warc

// This file writes WARC records.

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

// Format is a compression format for records.
type Format uint8

const (
	Plain Format = iota // no compression
	Gzip                // a gzip member for each record, the usual ".warc.gz"
	Zstd                // a Zstandard frame for each record, ".warc.zst"
)

// Compression says how a Writer compresses records; the zero value does not.
type Compression struct {
	Format Format
	Level  int // gzip: 1 (fast) to 9 (small); zstd: 1 to 22; 0 is the format's default
}

// Writer writes records one after the other, each compressed by itself. Only one goroutine may use it at a time. It
// reuses its compressor, about 1 MB for gzip and several MB for zstd, so pool Writers rather than making many.
type Writer struct {
	Version string // version of the records; "WARC/1.1" if empty

	dst    Counter
	format Format
	gz     *gzip.Writer
	small  *smallDeflater // for gzip at the fastest level
	zst    *zstd.Encoder
	head   []byte // header of the record, or the whole record if it is packed in one piece
	packed []byte
	copy   []byte
	err    error // first failure; after it the output may hold a partial record
}

// maxWhole is the largest record, in bytes with header and end, that is given to zstd in one piece.
const maxWhole = 256 << 10

// Counter is a writer to W that counts the bytes written.
type Counter struct {
	W io.Writer
	N int64
}

// Write writes to W.
func (c *Counter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.N += int64(n)
	return n, err
}

// NewWriter returns a Writer to w. A level out of range is replaced by the nearest.
func NewWriter(w io.Writer, c Compression) *Writer {
	wr := &Writer{Version: "WARC/1.1", format: c.Format}
	switch c.Format {
	case Gzip:
		level := gzip.DefaultCompression
		if c.Level != 0 {
			level = max(gzip.BestSpeed, min(c.Level, gzip.BestCompression))
		}
		wr.gz, _ = gzip.NewWriterLevel(nil, level) // fails only for a level out of range
		if level == gzip.BestSpeed {
			wr.small = new(smallDeflater)
		}
	case Zstd:
		level := zstd.SpeedDefault
		if c.Level != 0 {
			level = zstd.EncoderLevelFromZstd(c.Level)
		}
		// It fails only for options out of range. Concurrency is 1 because callers run writers in parallel if they want to.
		// Few records are larger than the window; the default would take 8 MB and more.
		wr.zst, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(true), zstd.WithWindowSize(1<<20))
	}
	wr.Reset(w)
	return wr
}

// Reset forgets any error and continues writing to dst.
func (w *Writer) Reset(dst io.Writer) {
	w.dst = Counter{W: dst}
	w.err = nil
}

// WriteRecord writes one record and returns how many bytes of the file it takes. The header must have WARC-Type,
// WARC-Record-ID, WARC-Date and Content-Length; block must have exactly Content-Length bytes, and nil means empty.
//
// If the header is invalid, it writes nothing and returns an error. After any other error, part of the record may have
// been written, and every later call returns the same error: truncate the file to where the record began and call
// Reset.
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

// AppendField appends a field to fields, the form that WriteFields takes. The name must be a token. Line ends and NULs
// in the value become spaces.
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

// WriteFields is WriteRecord with a header made by AppendField. It adds Content-Length (size) itself. It does not check
// fields, only their length.
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

// pack writes the header in w.head and the block.
func (w *Writer) pack(block io.Reader, size int64) (int64, error) {
	before := w.dst.N
	total := int64(len(w.head)) + size + int64(len(recordEnd))
	switch {
	case w.small != nil && total <= smallRecord || w.format == Zstd && total <= maxWhole:
		w.err = w.whole(block, size)
	default:
		w.err = w.stream(block, size)
	}
	return w.dst.N - before, w.err
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

// tail is a writer that appends to itself.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	return len(p), nil
}

// render puts the version line and header into w.head and returns the Content-Length.
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

// stream packs header and block without holding them in memory.
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

// copyBlock copies block to out and fails unless it has exactly size bytes.
func (w *Writer) copyBlock(out io.Writer, block io.Reader, size int64) error {
	if b, ok := block.(*bytes.Reader); ok && int64(b.Len()) == size {
		_, err := b.WriteTo(out) // already in memory: written without a copy
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
