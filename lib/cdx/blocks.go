package cdx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

const (
	// blockSize is how many bytes of lines a block takes, its last line beyond it: what a look-up decompresses, some
	// thirtieth of a millisecond's work. Larger blocks save little: of 64 KB, an index is a sixteenth smaller.
	blockSize = 16 << 10
	// maxSample is how many places of a directory are held in memory, whatever its size.
	maxSample = 4096
	// minStride is how many bytes of a directory lie between two of them at least: what one read brings anyway.
	minStride = 4 << 10
	// maxSampleKey bounds how much of a line is held for each, in bytes.
	maxSampleKey = 256
	// maxBlock bounds a block that is read backward, in bytes, decompressed: blocks are as long as blockSize and a line.
	maxBlock = blockSize + 4<<20
)

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

// Blocks searches a compressed index, which does not change. Of its directory it holds at most 4,096 lines in memory, so
// that a look-up reads twice: a piece of the directory and a block. It is safe for concurrent use.
type Blocks struct {
	directory, data         io.ReaderAt
	directorySize, dataSize int64
	sample                  []place
	streams                 sync.Pool
}

// place is a line of the directory that is held in memory.
type place struct {
	at  int64  // where in the directory it begins
	key string // its beginning, at most maxSampleKey of it
}

// block is a line of the directory.
type block struct {
	at             int64 // where in the directory the line begins
	offset, length int64 // of the block
}

// OpenBlocks reads some places of the directory. The sizes are in bytes.
func OpenBlocks(directory io.ReaderAt, directorySize int64, data io.ReaderAt, dataSize int64) (*Blocks, error) {
	b := &Blocks{directory: directory, directorySize: directorySize, data: data, dataSize: dataSize}
	stride := max(minStride, directorySize/maxSample)
	buf := make([]byte, minStride)
	last := int64(-1)
	for near := int64(0); near < directorySize; near += stride {
		at, line, err := lineAt(directory, directorySize, near, &buf)
		if err != nil {
			return nil, err
		}
		if line != nil && at > last {
			key, _, _ := bytes.Cut(line, []byte("\t"))
			b.sample = append(b.sample, place{at, string(key[:min(len(key), maxSampleKey)])})
			last = at
		}
	}
	b.streams.New = func() any {
		return &stream{gz: new(gzip.Reader), in: bufio.NewReaderSize(nil, 4<<10), out: bufio.NewReaderSize(nil, 8<<10)}
	}
	return b, nil
}

// lineAt is the first line that begins at offset or later, nil for none. It is valid until the next.
func lineAt(f io.ReaderAt, size, offset int64, buf *[]byte) (at int64, line []byte, err error) {
	start := max(0, offset-1)
	for {
		want := min(int64(len(*buf)), size-start)
		n, err := f.ReadAt((*buf)[:want], start)
		if int64(n) < want {
			return 0, nil, err
		}
		rest := (*buf)[:n]
		skipped := 0
		if offset > 0 {
			skipped = bytes.IndexByte(rest, '\n') + 1
			if skipped > 0 {
				rest = rest[skipped:]
			} else {
				rest = nil
			}
		}
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			return start + int64(skipped), rest[:end], nil
		}
		if start+want == size {
			return 0, nil, nil
		}
		if len(*buf) > maxLine {
			return 0, nil, fmt.Errorf("cdx: a line of the directory is longer than %d bytes", maxLine)
		}
		*buf = make([]byte, 2*len(*buf))
	}
}

// find gives the last block that begins before a line, else the first. It is not ok where there is none.
func (b *Blocks) find(line string) (found block, ok bool, err error) {
	short := line[:min(len(line), maxSampleKey)]
	i := sort.Search(len(b.sample), func(i int) bool { return b.sample[i].key >= short }) - 1
	if i < 0 {
		i = 0
	}
	from := int64(0)
	if len(b.sample) > 0 {
		from = b.sample[i].at
	}
	size := int64(minStride)
	if i+1 < len(b.sample) {
		size = b.sample[i+1].at - from
	}
	for l, err := range directoryLines(b.directory, from, b.directorySize, size) {
		if err != nil {
			return block{}, false, err
		}
		key, _, _ := strings.Cut(l.text, "\t")
		if ok && key >= line {
			break
		}
		if found, err = l.block(); err != nil {
			return block{}, false, err
		}
		ok = true
	}
	return found, ok, nil
}

// directoryLine is a line of a directory and where it begins.
type directoryLine struct {
	at   int64
	text string
}

// block reads "key time\tfile\toffset\tlength\tnumber".
func (l directoryLine) block() (block, error) {
	f := strings.Split(l.text, "\t")
	if len(f) >= 4 {
		offset, err := strconv.ParseInt(f[2], 10, 64)
		length, err2 := strconv.ParseInt(f[3], 10, 64)
		if err == nil && err2 == nil && offset >= 0 && length > 0 {
			return block{l.at, offset, length}, nil
		}
	}
	return block{}, fmt.Errorf("cdx: %.80q is no line of a directory", l.text)
}

// directoryLines gives the lines from one that begins at from, reading ahead so many bytes at first.
func directoryLines(f io.ReaderAt, from, size, ahead int64) iter.Seq2[directoryLine, error] {
	return func(yield func(directoryLine, error) bool) {
		r := bufio.NewReaderSize(io.NewSectionReader(f, from, size-from), int(ahead)+minStride)
		for at := from; ; {
			line, n, err := readLine(r, maxLine)
			if err == io.EOF {
				return
			}
			if !yield(directoryLine{at, string(line)}, err) || err != nil {
				return
			}
			at += n
		}
	}
}

// before gives the blocks whose lines of the directory end where one begins, the last first.
func (b *Blocks) before(at int64) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		size := int64(minStride)
		for at > 0 {
			start := max(0, at-size)
			buf := make([]byte, at-start)
			if n, err := b.directory.ReadAt(buf, start); n < len(buf) {
				yield(block{}, err)
				return
			}
			if start > 0 {
				skip := bytes.IndexByte(buf[:len(buf)-1], '\n') + 1
				if skip == 0 { // no whole line: take more
					if size *= 2; size > 2*maxLine {
						yield(block{}, fmt.Errorf("cdx: a line of the directory is longer than %d bytes", maxLine))
						return
					}
					continue
				}
				start, buf = start+int64(skip), buf[skip:]
			}
			for end := at; end > start; {
				text := buf[:end-start-1]
				begin := start + int64(bytes.LastIndexByte(text, '\n')+1)
				found, err := directoryLine{begin, string(text[begin-start:])}.block()
				if !yield(found, err) || err != nil {
					return
				}
				end = begin
			}
			at = start
		}
	}
}

// stream decompresses blocks.
type stream struct {
	in  *bufio.Reader
	gz  *gzip.Reader
	out *bufio.Reader
}

// open begins to read blocks.
func (s *stream) open(r io.Reader) error {
	s.in.Reset(r)
	if err := s.gz.Reset(s.in); err != nil {
		return fmt.Errorf("cdx: block: %w", err)
	}
	s.out.Reset(s.gz)
	return nil
}

// Search gives the entries whose lines are ≥ from and < to by bytes ("" for to: without end), the last first when backward
// is set. Lines that are no entries are passed over. It holds no more than a block in memory.
func (b *Blocks) Search(from, to string, backward bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := b.forward(from, to)
		if backward {
			lines = b.backward(from, to)
		}
		for line, err := range lines {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if e, err := ParseLine(line); err == nil && !yield(e, nil) {
				return
			}
		}
	}
}

// Lines gives all lines, without line feeds, each valid until the next.
func (b *Blocks) Lines() iter.Seq2[[]byte, error] { return b.forward("", "") }

func (b *Blocks) forward(from, to string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		start, ok, err := b.find(from)
		if err != nil {
			yield(nil, err)
			return
		}
		if !ok {
			return
		}
		s := b.streams.Get().(*stream)
		defer b.streams.Put(s)
		if err := s.open(io.NewSectionReader(b.data, start.offset, b.dataSize-start.offset)); err != nil {
			yield(nil, err)
			return
		}
		for {
			line, n, err := readLine(s.out, maxLine)
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(nil, fmt.Errorf("cdx: block: %w", err))
				return
			case n > maxLine || string(line) < from:
				continue
			case to != "" && string(line) >= to || !yield(line, nil):
				return
			}
		}
	}
}

func (b *Blocks) backward(from, to string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		last, ok, err := block{}, false, error(nil)
		if to != "" {
			last, ok, err = b.find(to)
		} else {
			for last, err = range b.before(b.directorySize) {
				ok = true
				break
			}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !ok || !b.reverse(last, from, to, yield) {
			return
		}
		for prior, err := range b.before(last.at) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !b.reverse(prior, from, to, yield) {
				return
			}
		}
	}
}

// reverse gives the lines of one block, the last first, and reports whether there may be more before it.
func (b *Blocks) reverse(k block, from, to string, yield func([]byte, error) bool) bool {
	s := b.streams.Get().(*stream)
	defer b.streams.Put(s)
	err := s.open(io.NewSectionReader(b.data, k.offset, k.length))
	var text bytes.Buffer
	if err == nil {
		_, err = text.ReadFrom(io.LimitReader(s.out, maxBlock))
	}
	if err != nil {
		yield(nil, fmt.Errorf("cdx: block: %w", err))
		return false
	}
	rest := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	for len(rest) > 0 {
		i := bytes.LastIndexByte(rest, '\n')
		line := rest[i+1:]
		rest = rest[:max(i, 0)]
		if len(line) > maxLine || to != "" && string(line) >= to {
			continue
		}
		if string(line) < from || !yield(line, nil) {
			return false
		}
	}
	return true
}
