package warc

// This file decompresses one gzip member or zstd frame of a WARC file at a time.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The first bytes of a gzip member, of a zstd frame, and of a zstd skippable frame (whose first byte is 0x50 to 0x5f).
// A skippable frame with dictMagic holds the dictionary of a WARC file.
var (
	gzipMagic = []byte{0x1f, 0x8b, 0x08}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	skipMagic = []byte{0x2a, 0x4d, 0x18}
	dictMagic = []byte{0x5d, 0x2a, 0x4d, 0x18}
)

const (
	maxWindow = 128 << 20 // the largest window that a zstd frame may ask for: the same bound as the zstd command
	maxDict   = 8 << 20   // the largest dictionary, compressed or not: the bound of the WARC specification
)

// decoder decompresses one gzip member or zstd frame at a time. If a stream breaks, its reader sees the end; err then
// holds the cause.
type decoder struct {
	format Format
	gz     *gzip.Reader // nil before the first member
	zst    *zstd.Decoder
	frame  frameReader
	dict   []byte // dictionary of the file; nil if it has none
	n      int64  // bytes returned since open
	err    error
}

// open begins the member or frame at src's current offset. It fails if the header of the member or frame is broken.
func (d *decoder) open(src *source, format Format) error {
	d.format, d.n, d.err = format, 0, nil
	if format == Gzip {
		if d.gz == nil {
			d.gz = new(gzip.Reader)
		}
		if err := d.gz.Reset(src.Reader); err != nil {
			return unexpected(err)
		}
		d.gz.Multistream(false)
		return nil
	}
	if d.zst == nil {
		options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)}
		if d.dict != nil {
			options = append(options, zstd.WithDecoderDicts(d.dict))
		}
		var err error
		if d.zst, err = zstd.NewReader(nil, options...); err != nil {
			return err
		}
	}
	if err := d.frame.open(src); err != nil {
		return err
	}
	return d.zst.Reset(&d.frame)
}

func (d *decoder) Read(p []byte) (n int, err error) {
	if d.err != nil {
		return 0, io.EOF
	}
	if d.format == Gzip {
		n, err = d.gz.Read(p)
	} else if n, err = d.zst.Read(p); d.frame.err != nil {
		err = d.frame.err
	}
	d.n += int64(n)
	if err != nil && err != io.EOF {
		d.err = unexpected(err)
		err = io.EOF
	}
	return n, err
}

// proven reports whether a checksum was right: gzip's, or zstd's optional one. Call it at the end of the stream.
func (d *decoder) proven() bool { return d.err == nil && (d.format == Gzip || d.frame.summed) }

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// setDict takes the user data of a dictionary frame.
func (d *decoder) setDict(data []byte) error {
	if bytes.HasPrefix(data, zstdMagic) {
		plain, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		defer plain.Close()
		if data, err = io.ReadAll(io.LimitReader(plain, maxDict+1)); err != nil {
			return err
		}
	}
	if len(data) > maxDict {
		return fmt.Errorf("it has more than %d bytes", maxDict)
	}
	if _, err := zstd.InspectDictionary(data); err != nil {
		return err
	}
	d.dict = data
	if d.zst != nil {
		d.zst.Close()
		d.zst = nil
	}
	return nil
}

// skippable returns the length of the skippable frame at b, with its header. b must hold 8 bytes.
func skippable(b []byte) int64 { return 8 + int64(binary.LittleEndian.Uint32(b[4:])) }

// sniff says what begins at b: a member or frame of Format f, or a skippable frame. b should hold at least 4 bytes.
func sniff(b []byte) (f Format, skip bool) {
	switch {
	case bytes.HasPrefix(b, gzipMagic):
		return Gzip, false
	case bytes.HasPrefix(b, zstdMagic):
		return Zstd, false
	case len(b) >= 4 && b[0]&0xf0 == 0x50 && bytes.Equal(b[1:4], skipMagic):
		return Plain, true
	}
	return Plain, false
}

// isUnit reports whether a member or frame of any kind begins at b.
func isUnit(b []byte) bool {
	f, skip := sniff(b)
	return f != Plain || skip
}
