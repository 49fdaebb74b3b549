package cdx

import (
	"bufio"
	"bytes"
	"container/heap"
	"io"
	"iter"
)

// maxLine is the longest line, in bytes, that is read; longer ones are passed over.
const maxLine = 1 << 20

// Search gives the entries of a sorted file of size bytes whose lines are ≥ from and < to by bytes ("" for to: without
// end). Lines that are no entries are passed over. It holds no more than a line and a buffer in memory.
func Search(f io.ReaderAt, size int64, from, to string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		start, err := lowerBound(f, size, from)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		b := bufio.NewReaderSize(io.NewSectionReader(f, start, size-start), 16<<10)
		for {
			line, n, err := readLine(b, maxLine)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if to != "" && string(line) >= to {
				return
			}
			if n > maxLine {
				continue
			}
			if e, err := ParseLine(line); err == nil && !yield(e, nil) {
				return
			}
		}
	}
}

// All gives the entries of a file from its beginning, sorted or not.
func All(f io.ReaderAt, size int64) iter.Seq2[Entry, error] { return Search(f, size, "", "") }

// lowerBound is the offset of the first line ≥ from, or size.
func lowerBound(f io.ReaderAt, size int64, from string) (int64, error) {
	if from == "" {
		return 0, nil
	}
	// Lines that begin before low are < from, and a line begins at low; lines that begin at high or later are ≥ from.
	low, high := int64(0), size
	for low < high {
		mid := low + (high-low)/2
		start, end, less, err := probe(f, size, mid, mid == low, from)
		if err != nil {
			return 0, err
		}
		if start < high && less {
			low = end
		} else {
			high = mid
		}
	}
	return low, nil
}

// probe looks at the first line that begins at offset or later: where it begins and ends, and whether it is < from.
// When atStart is set a line is known to begin at offset.
func probe(f io.ReaderAt, size, offset int64, atStart bool, from string) (start, end int64, less bool, err error) {
	start = offset
	if !atStart {
		start--
	}
	b := bufio.NewReaderSize(io.NewSectionReader(f, start, size-start), 4<<10)
	if !atStart {
		_, n, err := readLine(b, 0)
		if start += n; err != nil || start >= size {
			return size, size, false, eofIsNil(err)
		}
	}
	line, n, err := readLine(b, len(from)+1)
	return start, start + n, string(line) < from, eofIsNil(err)
}

func eofIsNil(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// readLine reads a line with its end, of which it keeps the first keep bytes at least (without the end), and says how
// many bytes it has. The error is io.EOF when nothing is left.
func readLine(b *bufio.Reader, keep int) (line []byte, n int64, err error) {
	for {
		part, err := b.ReadSlice('\n')
		n += int64(len(part))
		if err == nil && line == nil {
			return bytes.TrimRight(part, "\r\n"), n, nil
		}
		if len(line) < keep {
			line = append(line, part...)
		}
		switch {
		case err == nil, err == io.EOF && n > 0:
			return bytes.TrimRight(line, "\r\n"), n, nil
		case err != bufio.ErrBufferFull:
			return nil, n, err
		}
	}
}

// Merge gives the entries of sorted sequences in one sorted sequence. An error of one of them ends it.
func Merge(seqs ...iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	if len(seqs) == 1 {
		return seqs[0]
	}
	return func(yield func(Entry, error) bool) {
		h := heads{}
		for i, seq := range seqs {
			next, stop := iter.Pull2(seq)
			defer stop()
			e, err, ok := next()
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if ok {
				h = append(h, head{e, i, next})
			}
		}
		heap.Init(&h)
		for len(h) > 0 {
			if !yield(h[0].entry, nil) {
				return
			}
			e, err, ok := h[0].next()
			switch {
			case err != nil:
				yield(Entry{}, err)
				return
			case ok:
				h[0].entry = e
				heap.Fix(&h, 0)
			default:
				heap.Pop(&h)
			}
		}
	}
}

// head is the first entry left of the i-th sequence.
type head struct {
	entry Entry
	i     int
	next  func() (Entry, error, bool)
}

// heads is a heap of them.
type heads []head

func (h heads) Len() int      { return len(h) }
func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h heads) Less(i, j int) bool {
	if c := Compare(&h[i].entry, &h[j].entry); c != 0 {
		return c < 0
	}
	return h[i].i < h[j].i
}
func (h *heads) Push(x any) { *h = append(*h, x.(head)) }
func (h *heads) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
