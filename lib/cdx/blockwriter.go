package cdx

// This file writes compressed indexes.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"kavosh/lib/warc"
)

// blockSize is how many bytes of lines make a block; its last line may go beyond. A look-up decompresses one block, in
// about 1/30 ms. Larger blocks save little: with 64 KB an index is 6 % smaller.
const blockSize = 16 << 10

// BlockWriter writes a compressed index: sorted lines in blocks, each a gzip member, and a directory with one line for
// each block. pywb calls this form ZipNum; docs/formats/cdxj.md describes it. After a write error, all later calls
// return it.
type BlockWriter struct {
	directory, data *bufio.Writer
	name            string // file name of the blocks, for the directory
	gz              *gzip.Writer
	lines           []byte // lines of the current block
	offset          int64  // offset of the next block
	count           int
	err             error
}

// NewBlockWriter writes blocks to data and their directory to directory, in which name stands for data.
func NewBlockWriter(directory, data io.Writer, name string) *BlockWriter {
	return &BlockWriter{directory: bufio.NewWriterSize(directory, 64<<10), data: bufio.NewWriterSize(data, 64<<10), name: name,
		gz: gzip.NewWriter(io.Discard), lines: make([]byte, 0, 2*blockSize)}
}

// Add adds a line without line feed. Lines must come in sorted order.
func (w *BlockWriter) Add(line []byte) error {
	w.lines = append(append(w.lines, line...), '\n')
	if len(w.lines) >= blockSize {
		w.block()
	}
	return w.err
}

// block writes the current block and its line of the directory.
func (w *BlockWriter) block() {
	n := warc.Counter{W: w.data}
	w.gz.Reset(&n)
	if _, err := w.gz.Write(w.lines); err != nil && w.err == nil {
		w.err = err
	}
	if err := w.gz.Close(); err != nil && w.err == nil {
		w.err = err
	}
	w.count++
	w.directory.Write(stem(w.lines))
	if _, err := fmt.Fprintf(w.directory, "\t%s\t%d\t%d\t%d\n", w.name, w.offset, n.N, w.count); err != nil && w.err == nil {
		w.err = err
	}
	w.offset += n.N
	w.lines = w.lines[:0]
}

// Close writes what is left. It does not close the writers.
func (w *BlockWriter) Close() error {
	if len(w.lines) > 0 {
		w.block()
	}
	for _, b := range []*bufio.Writer{w.data, w.directory} {
		if err := b.Flush(); err != nil && w.err == nil {
			w.err = err
		}
	}
	return w.err
}

// stem returns the key and time at the beginning of a line; the whole line if it has none.
func stem(line []byte) []byte {
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		if j := bytes.IndexByte(line[i+1:], ' '); j >= 0 {
			return line[:i+1+j]
		}
	}
	return line
}
