package characterise

// This file counts how many pages link to each page, in bounded memory.

import (
	"container/heap"
	"encoding/binary"
	"io"
	"slices"
)

// links counts how many pages link to each page; there may be hundreds of millions. It keeps an entry of 8 bytes for
// each page and each link: the URL's hash, whose lowest bit tells the two apart. Few entries stay in memory; more go to
// a file in sorted runs, which are merged for counting.
type links struct {
	temp    func() (File, error)
	file    File
	entries []uint64
	runs    []int64 // number of entries in each run of the file
}

// mostLinks is how many entries stay in memory: 32 MB.
const mostLinks = 4 << 20

// add adds a page and the distinct URLs that it links to.
func (l *links) add(page uint64, targets []uint64) error {
	l.entries = append(l.entries, page|1)
	for _, t := range targets {
		l.entries = append(l.entries, t&^1)
	}
	if len(l.entries) < mostLinks {
		return nil
	}
	return l.spill()
}

// spill writes a run.
func (l *links) spill() (err error) {
	if l.file == nil {
		if l.file, err = l.temp(); err != nil {
			return err
		}
	}
	slices.Sort(l.entries)
	b := make([]byte, 0, 8*len(l.entries))
	for _, e := range l.entries {
		b = binary.LittleEndian.AppendUint64(b, e)
	}
	if _, err := l.file.WriteAt(b, 8*l.written()); err != nil {
		return err
	}
	l.runs = append(l.runs, int64(len(l.entries)))
	l.entries = l.entries[:0]
	return nil
}

// written returns the number of entries in the file.
func (l *links) written() (n int64) {
	for _, run := range l.runs {
		n += run
	}
	return n
}

// count returns how many other pages link to each page.
func (l *links) count() (Spread, error) {
	slices.Sort(l.entries)
	var sources runs
	if len(l.entries) > 0 {
		sources = append(sources, &run{entries: l.entries})
	}
	begin := int64(0)
	for _, n := range l.runs {
		r := &run{left: io.NewSectionReader(l.file, 8*begin, 8*n)}
		if err := r.fill(); err != nil {
			return nil, err
		}
		sources = append(sources, r)
		begin += n
	}
	heap.Init(&sources)
	in := Spread{}
	var url uint64
	var leading int64
	page := false
	flush := func() {
		if page {
			in.add(leading)
		}
		leading, page = 0, false
	}
	for len(sources) > 0 {
		least := sources[0]
		e := least.entries[0]
		least.entries = least.entries[1:]
		if err := least.fill(); err != nil {
			return nil, err
		}
		if len(least.entries) > 0 {
			heap.Fix(&sources, 0)
		} else {
			heap.Pop(&sources)
		}
		if e&^1 != url {
			flush()
			url = e &^ 1
		}
		if e&1 == 1 {
			page = true
		} else {
			leading++
		}
	}
	flush()
	return in, nil
}

// runs is a heap of the runs that have entries left, with the smallest entry first.
type runs []*run

// Len implements heap.Interface, like the methods below.
func (r runs) Len() int { return len(r) }

func (r runs) Less(i, j int) bool { return r[i].entries[0] < r[j].entries[0] }

func (r runs) Swap(i, j int) { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *runs) Push(x any) { *r = append(*r, x.(*run)) }

// Pop implements heap.Interface.
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// run is a sequence of sorted entries, read in parts.
type run struct {
	entries []uint64
	left    io.Reader // nil if all is in entries
	buffer  []byte
}

// runBuffer is how much of a run is read at once, in bytes.
const runBuffer = 256 << 10

// fill reads more if nothing is in memory.
func (r *run) fill() error {
	if len(r.entries) > 0 || r.left == nil {
		return nil
	}
	if r.buffer == nil {
		r.buffer = make([]byte, runBuffer)
	}
	n, err := io.ReadFull(r.left, r.buffer)
	if err == io.EOF {
		r.left = nil
		return nil
	}
	if err != nil && err != io.ErrUnexpectedEOF {
		return err
	}
	for b := r.buffer[:n]; len(b) >= 8; b = b[8:] {
		r.entries = append(r.entries, binary.LittleEndian.Uint64(b))
	}
	return nil
}
