package cdx

// This file searches and merges sorted entries in memory.

import (
	"bufio"
	"bytes"
	"container/heap"
	"io"
	"iter"
	"sort"
)

// maxLine is the longest line that is read, in bytes; longer ones are skipped.
const maxLine = 1 << 20

// Search yields those of entries whose lines are ≥ from and < to, compared as bytes; to "" means no end. entries must
// be in the order of Compare. With backward it yields the last first.
func Search(entries []Entry, from, to string, backward bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var line []byte
		bound := func(at string) int {
			return sort.Search(len(entries), func(i int) bool {
				line = entries[i].AppendLine(line[:0])
				return string(line) >= at
			})
		}
		low, high := bound(from), len(entries)
		if to != "" {
			high = bound(to)
		}
		for i := low; i < high; i++ {
			e := entries[i]
			if backward {
				e = entries[high-1-(i-low)]
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// readLine reads a line with its end and returns its length in bytes n. line holds at least its first keep bytes,
// without the end. The error is io.EOF if nothing is left.
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

// Merge merges sorted sequences into one; with backward, sequences that come last first. It ends at the first error.
func Merge(backward bool, seqs ...iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	if len(seqs) == 1 {
		return seqs[0]
	}
	return func(yield func(Entry, error) bool) {
		h := heads{backward: backward}
		for i, seq := range seqs {
			next, stop := iter.Pull2(seq)
			defer stop()
			e, err, ok := next()
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if ok {
				h.list = append(h.list, head{e, i, next})
			}
		}
		heap.Init(&h)
		for len(h.list) > 0 {
			first := &h.list[0]
			if !yield(first.entry, nil) {
				return
			}
			e, err, ok := first.next()
			switch {
			case err != nil:
				yield(Entry{}, err)
				return
			case ok:
				first.entry = e
				heap.Fix(&h, 0)
			default:
				heap.Pop(&h)
			}
		}
	}
}

// head is the first remaining entry of the i-th sequence.
type head struct {
	entry Entry
	i     int
	next  func() (Entry, error, bool)
}

type heads struct {
	list     []head
	backward bool
}

func (h *heads) Len() int      { return len(h.list) }
func (h *heads) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *heads) Less(i, j int) bool {
	a, b := &h.list[i], &h.list[j]
	if h.backward {
		a, b = b, a
	}
	if c := Compare(&a.entry, &b.entry); c != 0 {
		return c < 0
	}
	return a.i < b.i
}
func (h *heads) Push(x any) { h.list = append(h.list, x.(head)) }
func (h *heads) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
