package cdx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"sort"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
)

const (
	// maxSample is how many places of a directory are held in memory, whatever its size.
	maxSample = 4096
	// minStride is how many bytes of a directory lie between two of them at least: what one read brings anyway.
	minStride = 4 << 10
	// maxSampleKey bounds how much of a line is held for each, in bytes.
	maxSampleKey = 256
	// maxBlock bounds a block that is read, in bytes, packed or not: blocks are as long as blockSize and a line.
	maxBlock = blockSize + 4<<20
	// maxRecent is how many bytes of decompressed blocks are kept: what one request asks for lies side by side. It is small
	// because an index that grows has many segments; whole archives are the page cache's.
	maxRecent = 512 << 10
)

// Blocks searches a compressed index, which does not change. Of its directory it holds at most 4,096 lines in memory, so
// that a look-up reads twice: a piece of the directory and a block. It is safe for concurrent use.
type Blocks struct {
	directory, data         io.ReaderAt
	directorySize, dataSize int64
	sample                  []place
	inflaters               sync.Pool // of *inflater
	recent                  recent
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
	i := max(0, sort.Search(len(b.sample), func(i int) bool { return b.sample[i].key >= short })-1)
	z := b.inflater()
	defer b.inflaters.Put(z)
	from := int64(0)
	if i < len(b.sample) {
		from = b.sample[i].at
	}
	for from < b.directorySize {
		end := b.directorySize
		if i++; i < len(b.sample) {
			end = b.sample[i].at
		}
		if err := z.read(b.directory, from, end-from); err != nil {
			return block{}, false, err
		}
		last, passed := directoryLine{}, false
		for rest := z.packed; len(rest) > 0 && !passed; {
			text, next, _ := bytes.Cut(rest, []byte("\n"))
			key, _, _ := bytes.Cut(text, []byte("\t"))
			if passed = (ok || last.text != nil) && string(key) >= line; !passed {
				last = directoryLine{end - int64(len(rest)), text}
			}
			rest = next
		}
		if last.text != nil {
			if found, err = last.block(); err != nil {
				return block{}, false, err
			}
			ok = true
		}
		// Of a place that is as long as what is held of it, the rest may come before the line's.
		if passed || i < len(b.sample) && b.sample[i].key >= short && len(b.sample[i].key) < maxSampleKey {
			break
		}
		from = end
	}
	return found, ok, nil
}

// directoryLine is a line of a directory and where it begins.
type directoryLine struct {
	at   int64
	text []byte
}

// block reads "key time\tfile\toffset\tlength\tnumber".
func (l directoryLine) block() (block, error) {
	_, rest, _ := bytes.Cut(l.text, []byte("\t"))
	_, rest, _ = bytes.Cut(rest, []byte("\t"))
	first, rest, _ := bytes.Cut(rest, []byte("\t"))
	second, _, _ := bytes.Cut(rest, []byte("\t"))
	offset, err := strconv.ParseInt(string(first), 10, 64)
	length, err2 := strconv.ParseInt(string(second), 10, 64)
	if err == nil && err2 == nil && offset >= 0 && length > 0 {
		return block{l.at, offset, length}, nil
	}
	return block{}, fmt.Errorf("cdx: %.80q is no line of a directory", l.text)
}

// from gives a block and those after it.
func (b *Blocks) from(k block) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		if !yield(k, nil) {
			return
		}
		r := bufio.NewReaderSize(io.NewSectionReader(b.directory, k.at, b.directorySize-k.at), minStride)
		for at := k.at; ; {
			line, n, err := readLine(r, maxLine)
			if err == io.EOF {
				return
			}
			var next block
			if err == nil && at > k.at {
				next, err = directoryLine{at, line}.block()
			}
			if (at > k.at || err != nil) && (!yield(next, err) || err != nil) {
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
				found, err := directoryLine{begin, text[begin-start:]}.block()
				if !yield(found, err) || err != nil {
					return
				}
				end = begin
			}
			at = start
		}
	}
}

// inflater is memory for reading a piece of the directory, or a block.
type inflater struct {
	packed []byte
	source bytes.Reader
	gz     gzip.Reader
	text   bytes.Buffer
}

func (b *Blocks) inflater() *inflater {
	if z, ok := b.inflaters.Get().(*inflater); ok {
		return z
	}
	return new(inflater)
}

// read reads into packed.
func (z *inflater) read(f io.ReaderAt, offset, length int64) error {
	if int64(cap(z.packed)) < length {
		z.packed = make([]byte, length)
	}
	z.packed = z.packed[:length]
	n, err := f.ReadAt(z.packed, offset)
	if int64(n) == length {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// text is what a block holds, decompressed, which nobody changes. It is kept for whoever asks next, when keep is set.
func (b *Blocks) text(k block, keep bool) ([]byte, error) {
	if text := b.recent.get(k.offset); text != nil {
		return text, nil
	}
	z := b.inflater()
	defer b.inflaters.Put(z)
	err := fmt.Errorf("it is longer than %d bytes", maxBlock)
	if k.length <= maxBlock {
		err = z.read(b.data, k.offset, k.length)
	}
	if err == nil {
		z.source.Reset(z.packed)
		err = z.gz.Reset(&z.source)
	}
	if err == nil {
		z.text.Reset()
		_, err = z.text.ReadFrom(io.LimitReader(&z.gz, maxBlock+1))
	}
	if err == nil && z.text.Len() > maxBlock {
		err = fmt.Errorf("it is longer than %d bytes", maxBlock)
	}
	if err != nil {
		return nil, fmt.Errorf("cdx: block at byte %d: %w", k.offset, err)
	}
	text := bytes.Clone(z.text.Bytes())
	if keep {
		b.recent.put(k.offset, text)
	}
	return text, nil
}

// recent keeps the blocks that were read last, by their offsets, at most maxRecent bytes of them.
type recent struct {
	mu struct {
		sync.Mutex
		texts map[int64][]byte
		order []int64 // in which they came
		bytes int
	}
}

func (r *recent) get(offset int64) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mu.texts[offset]
}

func (r *recent) put(offset int64, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.texts == nil {
		r.mu.texts = map[int64][]byte{}
	}
	if r.mu.texts[offset] != nil || len(text) > maxRecent {
		return
	}
	r.mu.texts[offset] = text
	r.mu.order = append(r.mu.order, offset)
	for r.mu.bytes += len(text); r.mu.bytes > maxRecent; r.mu.order = r.mu.order[1:] {
		r.mu.bytes -= len(r.mu.texts[r.mu.order[0]])
		delete(r.mu.texts, r.mu.order[0])
	}
}

// Search gives the entries whose lines are ≥ from and < to by bytes ("" for to: without end), the last first when backward
// is set. Lines that are no entries are passed over.
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
		for k, err := range b.from(start) {
			var text []byte
			if err == nil {
				text, err = b.text(k, from != "")
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for len(text) > 0 {
				var line []byte
				if line, text, _ = bytes.Cut(text, []byte("\n")); len(line) > maxLine || string(line) < from {
					continue
				}
				if to != "" && string(line) >= to || !yield(line, nil) {
					return
				}
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
	text, err := b.text(k, from != "")
	if err != nil {
		yield(nil, err)
		return false
	}
	rest := bytes.TrimSuffix(text, []byte("\n"))
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
