package seen

// This file reads and writes runs, the files that hold all entries but the newest. A run never changes once it is
// written.

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A run is a file of pages that never changes:
//
//	pages   all of one size, keys ascending over all of them
//	index   the first half of each page's first key, 8 bytes each
//	filter  of all keys, may be empty
//	foot    size of a page, 4 bytes; number of pages, of records, bytes of the filter, 8 each; "KSEEN", 0, 0 and 1, the
//	        version; CRC-32C of index, filter and all before in the foot
//
// Numbers are little-endian.
type run struct {
	listed
	fs     vfs.FS
	path   string
	file   vfs.File
	page   int
	index  []uint64
	filter filter

	refs     atomic.Int32 // the Set's, and one for each Get and merge that reads it
	obsolete atomic.Bool  // to be removed when nobody reads it
}

// listed is what MANIFEST says of a run.
type listed struct {
	number  uint64
	records int64
	size    int64 // of the file in bytes
}

const (
	footBytes   = 4 + 3*8 + 8 + 4
	runMagic    = "KSEEN\x00\x00\x01"
	writeBytes  = 1 << 20
	mergeBytes  = 256 << 10
	smoothBytes = 4 << 20 // written between two hints to the system to begin with writing back
)

func runName(number uint64) string { return fmt.Sprintf("%09d.run", number) }

// runWriter writes a run from its entries in order.
type runWriter struct {
	run
	next pageWriter
	buf  []byte
}

// createRun begins the run of that number. At most about that many records are expected, and a filter for them is made
// when it has at most filters bytes.
func createRun(fs vfs.FS, path string, number uint64, page int, expected int64, filters int) (*runWriter, error) {
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	w := &runWriter{run: run{fs: fs, path: path, page: page, listed: listed{number: number}}}
	w.file = vfs.NewSyncingFile(f, vfs.SyncingFileOptions{BytesPerSync: smoothBytes})
	w.buf = make([]byte, 0, writeBytes+page)
	if n := filterBytes(expected); n <= int64(filters) {
		w.filter = newFilter(n)
	}
	return w, nil
}

func (w *runWriter) add(key *Key, value []byte) error {
	hi, lo := key.halves()
	if len(w.next.keys) > 0 && !w.next.fits(len(value), w.page) {
		if err := w.cut(); err != nil {
			return err
		}
	}
	if len(w.next.keys) == 0 {
		w.index = append(w.index, hi)
	}
	w.next.add(key, value)
	if len(w.filter) > 0 {
		w.filter.add(hi, lo)
	}
	w.records++
	return nil
}

// cut ends a page.
func (w *runWriter) cut() error {
	w.buf = w.next.append(w.buf, w.page)
	if len(w.buf) < writeBytes {
		return nil
	}
	return w.write()
}

func (w *runWriter) write() error {
	n, err := w.file.Write(w.buf)
	w.size += int64(n)
	w.buf = w.buf[:0]
	return err
}

// finish writes what is left and makes the file durable; its name in the folder is the caller's to sync.
func (w *runWriter) finish() error {
	if len(w.next.keys) > 0 {
		w.buf = w.next.append(w.buf, w.page)
	}
	sum := uint32(0)
	put := func(grow func([]byte) []byte) error {
		from := len(w.buf)
		w.buf = grow(w.buf)
		sum = crc32.Update(sum, castagnoli, w.buf[from:])
		if len(w.buf) < writeBytes {
			return nil
		}
		return w.write()
	}
	for _, hi := range w.index {
		if err := put(func(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, hi) }); err != nil {
			return err
		}
	}
	for i := range w.filter {
		if err := put(w.filter[i].append); err != nil {
			return err
		}
	}
	err := put(func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint32(b, uint32(w.page))
		for _, n := range [...]int64{int64(len(w.index)), w.records, int64(len(w.filter) * blockBytes)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		return append(b, runMagic...)
	})
	if err != nil {
		return err
	}
	w.buf = binary.LittleEndian.AppendUint32(w.buf, sum)
	if err := w.write(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	return w.file.Close()
}

// abandon removes what was written so far. What it meets is of the same cause as what made it be called, and a file that
// stays is swept when the Set is opened again.
func (w *runWriter) abandon() {
	_ = w.file.Close()
	_ = w.fs.Remove(w.path)
}

// open opens for reading what finish has written, with the index and the filter that are in memory already.
func (w *runWriter) open() (*run, error) {
	f, err := w.fs.Open(w.path, vfs.RandomReadsOption)
	if err != nil {
		return nil, err
	}
	r := &run{listed: w.listed, fs: w.fs, path: w.path, file: f, page: w.page, index: w.index, filter: w.filter}
	r.refs.Store(1)
	return r, nil
}

// openRun opens a run of an earlier process.
func openRun(fs vfs.FS, path string, l listed) (*run, error) {
	f, err := fs.Open(path, vfs.RandomReadsOption)
	if err != nil {
		return nil, err
	}
	r := &run{listed: l, fs: fs, path: path, file: f}
	r.refs.Store(1)
	if err := r.readTail(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// readTail reads the foot, the index and the filter.
func (r *run) readTail() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != r.size || r.size < footBytes {
		return fmt.Errorf("%w: it has %d bytes, not the %d of the list of runs", ErrDamaged, info.Size(), r.size)
	}
	foot := make([]byte, footBytes)
	if _, err := r.file.ReadAt(foot, r.size-footBytes); err != nil {
		return err
	}
	if string(foot[4+3*8:4+3*8+8]) != runMagic {
		return fmt.Errorf("%w: no run of this version", errMalformed)
	}
	page := int64(binary.LittleEndian.Uint32(foot))
	pages := binary.LittleEndian.Uint64(foot[4:])
	records := binary.LittleEndian.Uint64(foot[12:])
	filter := binary.LittleEndian.Uint64(foot[20:])
	rest := uint64(r.size - footBytes)
	if page < int64(minPage) || page > maxPage || filter%blockBytes != 0 || filter > rest ||
		pages > rest/uint64(page+8) || pages*uint64(page+8)+filter != rest || records != uint64(r.records) || pages == 0 {
		return fmt.Errorf("%w foot", errMalformed)
	}
	sum := uint32(0)
	at := int64(pages) * page
	r.page, r.index, r.filter = int(page), make([]uint64, pages), newFilter(int64(filter))
	read := func(each int, n int, take func(i int, b []byte)) error {
		buf := make([]byte, mergeBytes/each*each)
		for i := 0; i < n; {
			b := buf[:min(len(buf), (n-i)*each)]
			if _, err := r.file.ReadAt(b, at); err != nil {
				return err
			}
			at += int64(len(b))
			sum = crc32.Update(sum, castagnoli, b)
			for ; len(b) > 0; b = b[each:] {
				take(i, b)
				i++
			}
		}
		return nil
	}
	if err := read(8, len(r.index), func(i int, b []byte) { r.index[i] = binary.LittleEndian.Uint64(b) }); err != nil {
		return err
	}
	if err := read(blockBytes, len(r.filter), func(i int, b []byte) { r.filter[i].read(b) }); err != nil {
		return err
	}
	if crc32.Update(sum, castagnoli, foot[:footBytes-4]) != binary.LittleEndian.Uint32(foot[footBytes-4:]) {
		return fmt.Errorf("index: %w", errChecksum)
	}
	return nil
}

// release ends one use of r. A file that cannot be closed or removed does no harm: Open sweeps.
func (r *run) release() {
	if r.refs.Add(-1) > 0 {
		return
	}
	_ = r.file.Close()
	if r.obsolete.Load() {
		_ = r.fs.Remove(r.path)
	}
}

// pageOf is the last page whose first key begins with hi or less; -1 for none. Keys are distributed evenly, so that it
// lies near where proportion puts it, and the search begins there.
func (r *run) pageOf(hi uint64) int {
	n := len(r.index)
	guess, _ := bits.Mul64(hi, uint64(n))
	lo, up, step := int(guess), int(guess)+1, 1 // r.index[lo] ≤ hi < r.index[up], as soon as they are that far apart
	for lo >= 0 && r.index[lo] > hi {
		up = lo
		lo -= step
		step *= 2
	}
	lo = max(lo, -1)
	for up < n && r.index[up] <= hi {
		lo = up
		up += step
		step *= 2
	}
	up = min(up, n)
	for up-lo > 1 {
		if m := int(uint(lo+up) >> 1); r.index[m] <= hi {
			lo = m
		} else {
			up = m
		}
	}
	return lo
}

// reading is the page that one goroutine read last.
type reading struct {
	buf  []byte
	page page
	run  *run
	at   int
}

// load makes page at of r the one that was read last.
func (g *reading) load(r *run, at int) error {
	if g.run == r && g.at == at {
		return nil
	}
	g.run = nil
	if cap(g.buf) < r.page {
		g.buf = make([]byte, r.page)
	}
	b := g.buf[:r.page]
	_, err := r.file.ReadAt(b, int64(at)*int64(r.page))
	if err == nil {
		g.page, err = readPage(b)
	}
	if err != nil {
		return fmt.Errorf("%s: page %d: %w", r.path, at, err)
	}
	g.run, g.at = r, at
	return nil
}

// find is the value of a key in r; nil for none. It is good until g reads on.
func (g *reading) find(r *run, hi, lo uint64) ([]byte, error) {
	if len(r.filter) > 0 && !r.filter.has(hi, lo) {
		return nil, nil
	}
	for at := r.pageOf(hi); at >= 0; at-- {
		if err := g.load(r, at); err != nil {
			return nil, err
		}
		if i := g.page.find(hi, lo); i >= 0 {
			v, err := g.page.value(i)
			if err != nil {
				return nil, fmt.Errorf("%s: page %d: %w", r.path, at, err)
			}
			return v, nil
		}
		if r.index[at] < hi {
			break // else keys that begin alike fill more than a page
		}
	}
	return nil, nil
}
