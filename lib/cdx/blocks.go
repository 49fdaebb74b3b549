package cdx

// This file searches compressed indexes, with little of them in memory.

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
	// maxSample is how many lines of a directory are kept in memory, however large it is.
	maxSample = 4096
	// minStride is the least distance between two of them, in bytes: one read brings that much anyway.
	minStride = 4 << 10
	// maxSampleKey bounds how much is kept of each such line, in bytes.
	maxSampleKey = 256
	// maxBlock bounds a block, compressed or not, in bytes: a block has blockSize bytes and at most one line more.
	maxBlock = blockSize + 4<<20
	// maxRecent is how many bytes of decompressed blocks are kept, because one request reads neighbouring blocks. It is
	// small because a growing index has many segments, and the system's page cache holds the rest.
	maxRecent = 512 << 10
)

// Blocks searches a compressed index that does not change. It keeps at most 4,096 lines of the directory in memory, so
// a look-up reads twice: a piece of the directory and a block. It is safe for concurrent use.
type Blocks struct {
	directory, data         io.ReaderAt
	directorySize, dataSize int64
	sample                  []place
	inflaters               sync.Pool // of *inflater
	recent                  recent
}

// place is a line of the directory that is kept in memory.
type place struct {
	at  int64  // offset of the line in the directory
	key string // its beginning, at most maxSampleKey bytes
}

// block is a line of the directory.
type block struct {
	at             int64 // offset of the line in the directory
	offset, length int64 // of the block
}

// OpenBlocks opens a compressed index and reads a sample of its directory. Sizes are in bytes.
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

// lineAt returns the first line that begins at offset or later; nil if none. The line is valid until the next call.
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

// find returns the last block that begins before line, or else the first block. ok is false if there is no block.
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
		// A key as long as maxSampleKey may be cut: its line may come before or after the one that is searched for.
		if passed || i < len(b.sample) && b.sample[i].key >= short && len(b.sample[i].key) < maxSampleKey {
			break
		}
		from = end
	}
	return found, ok, nil
}

// directoryLine is a line of the directory with its offset.
type directoryLine struct {
	at   int64
	text []byte
}

// block parses "key time\tfile\toffset\tlength\tnumber".
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

// from yields block k and those after it.
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

// before yields the blocks whose directory lines end at or before offset at, last first.
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
				if skip == 0 { // no complete line: read more
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

// inflater is memory for reading a piece of the directory or a block.
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

// text returns the decompressed content of a block; callers must not change it. With keep, it stays in memory.
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

// recent keeps the blocks read last, by offset, at most maxRecent bytes of them.
type recent struct {
	mu struct {
		sync.Mutex
		texts map[int64][]byte
		order []int64 // in the order they were added
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

// Search yields the entries whose lines are ≥ from and < to, compared as bytes; to "" means no end. With backward it
// yields the last first. It skips lines that are not entries.
func (b *Blocks) Search(from, to string, backward bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := b.forward(from, to)
		if backward {
			lines = b.backward(from, to)
		}
		parsed(lines, yield)
	}
}

// Lines yields all lines without line feeds. Each is valid until the next.
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

// reverse yields the lines of one block, last first. It reports whether there may be more in the blocks before.
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
