package index

// This file merges the sorted lines of index segments.

import (
	"bufio"
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// maxLine bounds a line of a CDXJ file, in bytes.
const maxLine = 4 << 20

// merger merges the sorted lines of segments. It is a heap.Interface; the segment with the least line is first.
type merger []*mergeSource

// mergeSource is a file with its next line.
type mergeSource struct {
	name string
	file io.Closer
	r    *bufio.Reader
	line []byte // without line feed; valid until the next
	long []byte // holds a line that is longer than r's buffer
}

// add adds a file of blocks; close will close it.
func (m *merger) add(name string, file io.ReadCloser) error {
	blocks, err := gzip.NewReader(bufio.NewReaderSize(file, 16<<10))
	if err != nil {
		file.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	s := &mergeSource{name: name, file: file, r: bufio.NewReaderSize(blocks, 16<<10)}
	switch err := s.next(); {
	case errors.Is(err, io.EOF):
		return file.Close()
	case err != nil:
		file.Close()
		return err
	}
	*m = append(*m, s)
	return nil
}

// close closes the files that were not read to the end.
func (m *merger) close() {
	for _, s := range *m {
		_ = s.file.Close() // it was only read
	}
}

// lines yields the lines of all files in order; equal lines come once.
func (m *merger) lines(yield func([]byte, error) bool) {
	heap.Init(m)
	var last []byte
	begun := false
	for len(*m) > 0 {
		s := (*m)[0]
		if !begun || !bytes.Equal(s.line, last) {
			if !yield(s.line, nil) {
				return
			}
			last, begun = append(last[:0], s.line...), true
		}
		switch err := s.next(); {
		case errors.Is(err, io.EOF):
			if err := s.file.Close(); err != nil {
				yield(nil, err)
				return
			}
			heap.Pop(m)
		case err != nil:
			yield(nil, err)
			return
		default:
			heap.Fix(m, 0)
		}
	}
}

// next reads the next line.
func (s *mergeSource) next() error {
	s.long = s.long[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) && len(s.long) < maxLine {
			s.long = append(s.long, part...)
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(part)+len(s.long) == 0) {
			if errors.Is(err, io.EOF) {
				return err
			}
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if len(s.long) > 0 {
			s.long = append(s.long, part...)
			part = s.long
		}
		s.line = bytes.TrimSuffix(part, []byte("\n"))
		return nil
	}
}

func (m merger) Len() int           { return len(m) }
func (m merger) Less(i, j int) bool { return bytes.Compare(m[i].line, m[j].line) < 0 }
func (m merger) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merger) Push(x any)        { *m = append(*m, x.(*mergeSource)) }

// Pop drops the last.
func (m *merger) Pop() any {
	n := len(*m) - 1
	s := (*m)[n]
	*m = (*m)[:n]
	return s
}
