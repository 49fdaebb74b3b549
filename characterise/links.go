package characterise

import (
	"encoding/binary"
	"io"
	"slices"
)

// links counts how many pages lead to each page, of which there may be hundreds of millions. It keeps an entry a page and
// an entry a link, 8 bytes each: the URL's hash, whose lowest bit tells the two apart. While they are few they stay in memory; then
// they go to a file in sorted runs, and are merged when they are counted.
type links struct {
	temp    func() (File, error)
	file    File
	entries []uint64
	runs    []int64 // entries in each run of the file
}

// mostLinks is how many entries stay in memory: 32 MB of them.
const mostLinks = 4 << 20

// add takes a page and the distinct URLs that it leads to.
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

// written is how many entries are in the file.
func (l *links) written() (n int64) {
	for _, run := range l.runs {
		n += run
	}
	return n
}

// count says of each page how many others lead to it.
func (l *links) count() (Spread, error) {
	slices.Sort(l.entries)
	sources := []*run{{entries: l.entries}}
	begin := int64(0)
	for _, n := range l.runs {
		sources = append(sources, &run{left: io.NewSectionReader(l.file, 8*begin, 8*n)})
		begin += n
	}
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
	for {
		var least *run
		for _, s := range sources {
			if err := s.fill(); err != nil {
				return nil, err
			}
			if len(s.entries) > 0 && (least == nil || s.entries[0] < least.entries[0]) {
				least = s
			}
		}
		if least == nil {
			flush()
			return in, nil
		}
		e := least.entries[0]
		least.entries = least.entries[1:]
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
}

// run is sorted entries, read a part at a time.
type run struct {
	entries []uint64
	left    io.Reader // nil when all is in entries
	buffer  []byte
}

// runBuffer is how much of a run is read at a time, in bytes.
const runBuffer = 256 << 10

// fill reads on when there is nothing in memory.
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
