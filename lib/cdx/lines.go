package cdx

// This file searches indexes that are plain files of sorted lines.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
)

// Lines searches a file of sorted lines by bisection and keeps nothing in memory. It is safe for concurrent use.
type Lines struct {
	f    io.ReaderAt
	size int64
}

// OpenLines returns a Lines for a file of size bytes.
func OpenLines(f io.ReaderAt, size int64) *Lines { return &Lines{ended{f, size + 1}, size + 1} }

// Search yields the entries whose lines are ≥ from and < to, compared as bytes; to "" means no end. With backward it
// yields the last first. It skips lines that are not entries.
func (l *Lines) Search(from, to string, backward bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		low, err := l.bound(from)
		high := l.size
		if err == nil && to != "" {
			high, err = l.bound(to)
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		if low >= high {
			return
		}
		lines := l.forward
		if backward {
			lines = l.backward
		}
		parsed(lines(low, high), yield)
	}
}

// parsed yields the entries of lines. It skips lines that are not entries.
func parsed(lines iter.Seq2[[]byte, error], yield func(Entry, error) bool) {
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

// bound returns the offset of the first line ≥ key. Empty lines, which end some files, count as the greatest.
func (l *Lines) bound(key string) (int64, error) {
	low, high := int64(0), l.size
	buf := make([]byte, minStride)
	for low < high {
		mid := low + (high-low)/2
		at, line, err := lineAt(l.f, l.size, mid, &buf)
		switch {
		case err != nil:
			return 0, err
		case len(line) == 0 || string(line) >= key:
			high = mid
		default:
			low = at + int64(len(line)) + 1
		}
	}
	at, line, err := lineAt(l.f, l.size, low, &buf)
	if line == nil {
		at = l.size
	}
	return at, err
}

func (l *Lines) forward(low, high int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReader(io.NewSectionReader(l.f, low, high-low))
		for {
			line, n, err := readLine(r, maxLine)
			if err == io.EOF {
				return
			}
			if n > maxLine && err == nil {
				continue
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

func (l *Lines) backward(low, high int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for size := int64(minStride); high > low; {
			start := max(low, high-size)
			buf := make([]byte, high-start)
			if n, err := l.f.ReadAt(buf, start); n < len(buf) {
				yield(nil, err)
				return
			}
			if start > low {
				skip := bytes.IndexByte(buf[:len(buf)-1], '\n') + 1
				if skip == 0 { // no complete line: read more
					if size *= 2; size > 2*maxLine {
						yield(nil, fmt.Errorf("cdx: a line is longer than %d bytes", maxLine))
						return
					}
					continue
				}
				buf = buf[skip:]
			}
			high -= int64(len(buf))
			for len(buf) > 0 {
				i := bytes.LastIndexByte(buf[:len(buf)-1], '\n') + 1
				if !yield(bytes.TrimRight(buf[i:], "\r\n"), nil) {
					return
				}
				buf = buf[:i]
			}
		}
	}
}

// ended is a file with a line feed added at its end, which size includes.
type ended struct {
	f    io.ReaderAt
	size int64
}

func (e ended) ReadAt(p []byte, off int64) (int, error) {
	last := e.size - 1
	if off+int64(len(p)) <= last {
		return e.f.ReadAt(p, off)
	}
	if off > last {
		return 0, io.EOF
	}
	n, err := e.f.ReadAt(p[:last-off], off)
	if off+int64(n) < last {
		return n, err
	}
	p[n] = '\n'
	if n++; n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
