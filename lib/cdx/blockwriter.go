package cdx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// blockSize is how many bytes of lines a block takes, its last line beyond it: what a look-up decompresses, some
// thirtieth of a millisecond's work. Larger blocks save little: of 64 KB, an index is a sixteenth smaller.
const blockSize = 16 << 10

// BlockWriter writes a compressed index: sorted lines in blocks, each a gzip member, and a directory with a line for each
// block. It is the form that pywb calls ZipNum; docs/formats/cdxj.md draws it. Errors of the writers stay until Close.
type BlockWriter struct {
	directory, data *bufio.Writer
	name            string // of the file of blocks, as the directory has it
	gz              *gzip.Writer
	lines           []byte // of the block that is gathered
	offset          int64  // of the next block
	count           int
	err             error
}

// NewBlockWriter writes blocks to data and their directory, in which data has that name.
func NewBlockWriter(directory, data io.Writer, name string) *BlockWriter {
	return &BlockWriter{directory: bufio.NewWriterSize(directory, 64<<10), data: bufio.NewWriterSize(data, 64<<10), name: name,
		gz: gzip.NewWriter(io.Discard), lines: make([]byte, 0, 2*blockSize)}
}

// Add adds a line, which comes without line feed and after all added before it.
func (w *BlockWriter) Add(line []byte) error {
	w.lines = append(append(w.lines, line...), '\n')
	if len(w.lines) >= blockSize {
		w.block()
	}
	return w.err
}

// block writes the block that was gathered and its line of the directory.
func (w *BlockWriter) block() {
	n := counter{w: w.data}
	w.gz.Reset(&n)
	if _, err := w.gz.Write(w.lines); err != nil && w.err == nil {
		w.err = err
	}
	if err := w.gz.Close(); err != nil && w.err == nil {
		w.err = err
	}
	w.count++
	w.directory.Write(stem(w.lines))
	if _, err := fmt.Fprintf(w.directory, "\t%s\t%d\t%d\t%d\n", w.name, w.offset, n.n, w.count); err != nil && w.err == nil {
		w.err = err
	}
	w.offset += n.n
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

// counter counts what goes through it.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// stem is the key and the time at the beginning of a line, all of the line when it has none.
func stem(line []byte) []byte {
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		if j := bytes.IndexByte(line[i+1:], ' '); j >= 0 {
			return line[:i+1+j]
		}
	}
	return line
}
