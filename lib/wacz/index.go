package wacz

// This file reads the indexes in a WACZ file.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"kavosh/lib/cdx"
)

// indexes returns the names of the files in indexes/ with CDXJ or CDX lines.
func (f *File) indexes() []string {
	return slices.DeleteFunc(f.Names(), func(name string) bool {
		if !strings.HasPrefix(name, "indexes/") {
			return true
		}
		for _, end := range []string{".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz"} {
			if strings.HasSuffix(name, end) {
				return false
			}
		}
		return true
	})
}

// Index yields the entries of all indexes, each index in its own order. It skips lines that are not entries.
func (f *File) Index() iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for _, name := range f.indexes() {
			for line, err := range f.lines(name) {
				if err != nil {
					yield(cdx.Entry{}, err)
					return
				}
				if e, err := cdx.ParseLine(line); err == nil && !yield(e, nil) {
					return
				}
			}
		}
	}
}

// ErrNoIndex is returned by OpenIndex if the package has no index.
var ErrNoIndex = errors.New("wacz: there is no index in the package")

// maxHeld bounds the memory for indexes, in bytes; a line takes perLine bytes in addition to its own.
const (
	maxHeld = 64 << 20
	perLine = 256
)

// Index looks up captures in the indexes of a package. It is safe for concurrent use.
type Index struct {
	file  *File
	parts []part
	warcs map[string]string // last part of a WARC file's name to its name in the zip
}

// part is one of the indexes.
type part interface {
	Search(from, to string, backward bool) iter.Seq2[cdx.Entry, error]
}

// held is an index in memory.
type held []cdx.Entry

func (h held) Search(from, to string, backward bool) iter.Seq2[cdx.Entry, error] {
	return cdx.Search(h, from, to, backward)
}

// OpenIndex opens the indexes. For an index in gzip members it holds the .idx file in memory; for one without
// compression, nothing; any other index it holds whole. It returns ErrNoIndex if there is none.
func (f *File) OpenIndex() (*Index, error) {
	x := &Index{file: f, warcs: map[string]string{}}
	for _, name := range f.WARCs() {
		x.warcs[path.Base(name)] = name
	}
	left := maxHeld
	for _, name := range f.indexes() {
		p, err := f.part(name, &left)
		if err != nil {
			return nil, err
		}
		x.parts = append(x.parts, p)
	}
	if len(x.parts) == 0 {
		return nil, ErrNoIndex
	}
	return x, nil
}

func (f *File) part(name string, left *int) (part, error) {
	if m := f.members[name]; m.method == stored {
		r, err := f.At(name)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(name, ".gz") {
			return cdx.OpenLines(r, r.Size()), nil
		}
		if idx := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), path.Ext(strings.TrimSuffix(name, ".gz"))) + ".idx"; f.members[idx] != nil {
			directory, err := f.blocks(idx, r.Size(), left)
			if err != nil {
				return nil, err
			}
			return cdx.OpenBlocks(bytes.NewReader(directory), int64(len(directory)), r, r.Size())
		}
	}
	var h held
	for line, err := range f.lines(name) {
		if err != nil {
			return nil, err
		}
		if *left -= len(line) + perLine; *left < 0 {
			return nil, tooLong(name)
		}
		if e, err := cdx.ParseLine(line); err == nil {
			h = append(h, e)
		}
	}
	slices.SortStableFunc(h, func(a, b cdx.Entry) int { return cdx.Compare(&a, &b) })
	return h, nil
}

func tooLong(name string) error {
	return fmt.Errorf("wacz: more than %d bytes would have to be held in memory of %s and other indexes: import the file into an archive", maxHeld, name)
}

// block is a line of an .idx file: a gzip member of its index.
type block struct {
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Digest string `json:"digest"`
}

// parseBlock parses a line of an .idx file for an index of size bytes.
func parseBlock(line []byte, size int64) (stem []byte, b block, ok bool) {
	i := bytes.IndexByte(line, '{')
	if i < 0 || json.Unmarshal(line[i:], &b) != nil || b.Offset < 0 || b.Length <= 0 || b.Offset > size || b.Length > size-b.Offset {
		return nil, b, false
	}
	return bytes.TrimRight(line[:i], " \t"), b, true
}

// blocks returns an .idx file in the form that cdx.OpenBlocks reads.
func (f *File) blocks(name string, size int64, left *int) ([]byte, error) {
	var directory bytes.Buffer
	n, end := 0, int64(0)
	for line, err := range f.lines(name) {
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(line, []byte("!meta ")) || len(line) == 0 {
			continue
		}
		stem, b, ok := parseBlock(line, size)
		if !ok {
			return nil, &fault{"index", fmt.Sprintf("%s: %.100q leads to no part of the index", name, line)}
		}
		if b.Offset < end {
			return nil, &fault{"index", fmt.Sprintf("%s: %.100q leads to what was read before", name, line)}
		}
		n, end = n+1, b.Offset+b.Length
		fmt.Fprintf(&directory, "%s\tindex\t%d\t%d\t%d\n", bytes.ReplaceAll(stem, []byte("\t"), []byte("%09")), b.Offset, b.Length, n)
		if directory.Len() > *left {
			return nil, tooLong(name)
		}
	}
	*left -= directory.Len()
	return directory.Bytes(), nil
}

// Search yields the entries whose lines are ≥ from and < to, compared as bytes; to "" means no end. With backward it
// yields the last first. Filename is the name of a file in the zip; lines that point to none are skipped.
func (x *Index) Search(from, to string, backward bool) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		var seqs []iter.Seq2[cdx.Entry, error]
		for _, p := range x.parts {
			seqs = append(seqs, p.Search(from, to, backward))
		}
		for e, err := range cdx.Merge(backward, seqs...) {
			if err == nil {
				if e.Filename = x.warcs[path.Base(e.Filename)]; e.Filename == "" {
					continue
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
