package warc

// This file finds the end of a zstd frame, so that nothing after a WARC record is read.

import (
	"errors"
	"io"
)

// frameReader returns the bytes of one zstd frame and then io.EOF. It walks from block to block without decompressing,
// so it reads nothing after the frame. (RFC 8878, section 3.1.1)
type frameReader struct {
	src      *source
	left     int  // bytes to return before the next block header
	last     bool // left belongs to the last block or to the checksum
	checksum bool // a checksum follows the last block
	summed   bool // the frame has a checksum
	err      error
}

var errFrame = errors.New("zstd: broken frame")

// open reads the length of the frame's header but consumes no byte of the frame.
func (f *frameReader) open(src *source) error {
	*f = frameReader{src: src}
	b, err := src.Peek(5)
	if err != nil {
		return unexpected(err)
	}
	descriptor := b[4]
	if descriptor&0x08 != 0 {
		return errFrame
	}
	single := descriptor&0x20 != 0
	f.summed = descriptor&0x04 != 0
	f.checksum = f.summed
	f.left = 5 + [...]int{0, 1, 2, 4}[descriptor&3] + [...]int{0, 2, 4, 8}[descriptor>>6]
	if !single {
		f.left++ // window descriptor
	} else if descriptor>>6 == 0 {
		f.left++ // content size of one byte
	}
	return nil
}

func (f *frameReader) Read(p []byte) (int, error) {
	for f.left == 0 {
		if f.err != nil {
			return 0, f.err
		}
		if f.last {
			if !f.checksum {
				return 0, io.EOF
			}
			f.checksum, f.left = false, 4
			break
		}
		if f.err = f.nextBlock(); f.err != nil {
			return 0, f.err
		}
	}
	n, err := f.src.Read(p[:min(len(p), f.left)])
	f.left -= n
	if n > 0 {
		return n, nil
	}
	if err != nil {
		f.err = unexpected(err)
	}
	return 0, err
}

func (f *frameReader) nextBlock() error {
	b, err := f.src.Peek(3)
	if err != nil {
		return unexpected(err)
	}
	head := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	f.last = head&1 != 0
	switch head >> 1 & 3 {
	case 0, 2: // raw, compressed
		f.left = 3 + head>>3
	case 1: // one byte, repeated
		f.left = 3 + 1
	default:
		return errFrame
	}
	return nil
}
