package record

// This file holds the bytes of one group of records, compressed, until they are written in one piece.

import (
	"bytes"
	"hash"
	"io"

	"kavosh"
	"kavosh/lib/warc"
)

// group holds one exchange's records on their way to the file, and what is needed to compress them.
type group struct {
	opt      *Options
	id       []byte // of the exchange, "<task>.<attempt>"
	records  []part
	captures []kavosh.Capture // one for each record that is a capture, with offsets relative to the group
	fields   []byte           // header fields of all records, one after the other
	text     []byte           // scratch space for values
	out      buffer           // the compressed group
	file     writerAt         // its destination
	zip      *warc.Writer
	hash     hash.Hash
	block    bytes.Reader // block of the record being packed
}

// part is one record: where its header is and where its block comes from.
type part struct {
	from, to int       // its fields in group.fields
	block    []byte    // in memory
	body     io.Reader // … or streamed, if block is nil
	size     int64     // of the block
	capture  int       // index in captures, or -1
}

const (
	// maxBuffered is the largest group, in bytes before compression, that is compressed in memory. Larger ones are
	// compressed straight into the file while the others wait.
	maxBuffered = 8 << 20
	// maxKept bounds the bytes of the output buffer that are kept for the next group.
	maxKept = 256 << 10
)

func newGroup(opt *Options, h hash.Hash) *group {
	return &group{opt: opt, hash: h, zip: warc.NewWriter(io.Discard, warc.Compression{Format: opt.Compression, Level: opt.Level})}
}

// reset drops the exchange, and buffers larger than maxKept.
func (g *group) reset() {
	clear(g.records)
	clear(g.captures)
	g.records, g.captures, g.fields, g.out = g.records[:0], g.captures[:0], g.fields[:0], g.out[:0]
	g.block.Reset(nil)
	g.file = writerAt{}
	if cap(g.out) > maxKept {
		g.out = nil
	}
}

// big reports whether the group is too large to be compressed in memory.
func (g *group) big() bool {
	var n int64
	for i := range g.records {
		n += g.records[i].size
	}
	return n > maxBuffered
}

// pack writes the records to w, each compressed by itself, and sets the position of each capture.
func (g *group) pack(w io.Writer) error {
	var at int64
	g.zip.Reset(w)
	for i := range g.records {
		p := &g.records[i]
		block := p.body
		if block == nil {
			g.block.Reset(p.block)
			block = &g.block
		}
		n, err := g.zip.WriteFields(g.fields[p.from:p.to], p.size, block)
		if err != nil {
			return err
		}
		if p.capture >= 0 {
			g.captures[p.capture].Offset, g.captures[p.capture].Length = at, n
		}
		at += n
	}
	return nil
}

// buffer is a writer that appends to itself.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// writerAt writes to f, from at on.
type writerAt struct {
	f  io.WriterAt
	at int64
}

func (w *writerAt) Write(p []byte) (int, error) {
	n, err := w.f.WriteAt(p, w.at)
	w.at += int64(n)
	return n, err
}
