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

// A run is a file of pages (page.go) that never changes:
//
//	pages   all of one size, keys ascending over all of them
//	index   the first half of each page's first key, 8 bytes each
//	filter  a Bloom filter of all keys (filter.go), may be empty
//	foot    size of a page, 4 bytes; number of pages, number of records (entries) and bytes of the filter, 8 bytes each;
//	        "KSEEN", 0, 0 and 1, the version; CRC-32C of index, filter and all before in the foot
//
// Numbers are little-endian. The index and the filter are kept in memory.
type run struct {
	listed
	fs     vfs.FS
	path   string
	file   vfs.File
	page   int      // bytes of a page
	index  []uint64 // the first half of each page's first key
	filter filter   // empty if the run has none

	refs     atomic.Int32 // uses: one of the Set, and one for each Get that reads it
	obsolete atomic.Bool  // the file is removed after the last use
}

// listed is what MANIFEST says about a run.
type listed struct {
	number  uint64
	records int64 // how many entries it has
	size    int64 // of the file in bytes
}

const (
	footBytes   = 4 + 3*8 + 8 + 4
	runMagic    = "KSEEN\x00\x00\x01"
	writeBytes  = 1 << 20   // gathered before they are written
	mergeBytes  = 256 << 10 // read at once when a run is merged or opened
	smoothBytes = 4 << 20   // written before the system is told again to begin writing to disk
)

// runName returns the name of the file of a run.
func runName(number uint64) string { return fmt.Sprintf("%09d.run", number) }

// runWriter writes a run. It is given the entries in the order of their keys.
type runWriter struct {
	run
	next pageWriter // the page that is not full yet
	buf  []byte     // what is not written to the file yet
}

// createRun begins to write the run with that number. expected is about how many entries it will have at most. It gets
// a filter if that needs at most filters bytes.
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

// add adds an entry, whose key must be greater than all before.
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

// cut ends the current page.
func (w *runWriter) cut() error {
	w.buf = w.next.append(w.buf, w.page)
	if len(w.buf) < writeBytes {
		return nil
	}
	return w.write()
}

// write writes buf to the file.
func (w *runWriter) write() error {
	n, err := w.file.Write(w.buf)
	w.size += int64(n)
	w.buf = w.buf[:0]
	return err
}

// finish writes what is left and makes the file durable. The caller must sync the folder, which makes the file's name
// durable.
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

// abandon removes what was written so far, after an error. It ignores its own errors: they have the same cause, and a
// file that stays is removed when the Set is opened again.
func (w *runWriter) abandon() {
	_ = w.file.Close()
	_ = w.fs.Remove(w.path)
}

// open opens for reading what finish has written. It uses the index and the filter that are in memory already.
func (w *runWriter) open() (*run, error) {
	f, err := w.fs.Open(w.path, vfs.RandomReadsOption)
	if err != nil {
		return nil, err
	}
	r := &run{listed: w.listed, fs: w.fs, path: w.path, file: f, page: w.page, index: w.index, filter: w.filter}
	r.refs.Store(1)
	return r, nil
}

// openRun opens a run that an earlier process wrote. l is what MANIFEST says about it.
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

// readTail reads and checks the foot, the index and the filter.
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

// release ends one use of r; after the last use it closes the file, and removes it if it is obsolete. An error in that
// does no harm: Open removes files that are left over.
func (r *run) release() {
	if r.refs.Add(-1) > 0 {
		return
	}
	_ = r.file.Close()
	if r.obsolete.Load() {
		_ = r.fs.Remove(r.path)
	}
}

// pageOf returns the number of the last page whose first key begins with hi or less; -1 if there is none. Keys are
// evenly distributed, so that page is near the place that hi has in proportion, and the search begins there.
func (r *run) pageOf(hi uint64) int {
	n := len(r.index)
	guess, _ := bits.Mul64(hi, uint64(n))
	lo, up, step := int(guess), int(guess)+1, 1 // the two loops below move them apart until r.index[lo] ≤ hi < r.index[up]
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

// reading is the page that one goroutine read last, with its memory.
type reading struct {
	buf  []byte
	page page
	run  *run // to which the page belongs; nil if none was read
	at   int  // number of the page in run
}

// load reads the page with number at of r, unless it was read last.
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

// find returns the value of a key in r; nil if r does not have the key. The value is valid until g reads another page.
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
			break // otherwise the keys with this first half may begin on the page before
		}
	}
	return nil, nil
}
