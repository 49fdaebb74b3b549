// Package seen tells whether the crawl has met a URL before, for hundreds of millions of them in bounded memory.
//
// It maps a Key to an Entry. A Key is 128 bits of a cryptographic hash of the URL, or of another name. An Entry is a
// few bytes whose meaning only the caller knows. Entries are added and replaced, never removed. They are in two places:
//
//   - The newest entries are in a table in memory (table.go). The caller keeps them durable itself until Flushed says
//     that it need not: after a crash the caller gives them back by Restore.
//   - All other entries are in runs: files that never change, made of pages of entries in the order of their keys
//     (run.go, page.go). A full table is written as a run in the background (flush.go). Runs are merged so that there
//     are few (merge.go). The file MANIFEST names the runs (manifest.go).
//
// The package touches only the folder Options.Dir. Memory holds eight bytes for each page of a run, and a Bloom filter
// for each run but the largest (filter.go), so most look-ups read one page of one file. A filter only says where not to
// look: a key counts as met only if all of it was compared. docs/formats/seen.md describes the files,
// docs/decisions/0065-seen.md gives the reasons for this design.
//
// Each entry belongs to a generation, which is one filling of the table. The caller does
//
//	s, err := seen.Open(…)
//	for … {                             // what it kept of generations later than s.Flushed(), the oldest first
//		s.Restore(generation, key, entry)
//	}
//	…
//	s.Get(keys, entries)                // what is known of these keys?
//	…                                   // write what is new or changed durably, under s.Generation()
//	s.Add(keys, entries)                // when that is done
//	…                                   // and forget, at any time later, what it kept of generations up to s.Flushed()
package seen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// Key stands for a URL. It must be 128 evenly distributed bits, such as the first ones of the SHA-256 of the URL.
type Key [16]byte

// halves returns the first and the last 64 bits. Keys are ordered by hi, then by lo.
func (k *Key) halves() (hi, lo uint64) {
	return binary.BigEndian.Uint64(k[:8]), binary.BigEndian.Uint64(k[8:])
}

// MaxEntry is how many bytes an Entry can hold.
const MaxEntry = 63

// Entry is what is kept of a URL: 1 to MaxEntry bytes, whose meaning only the caller knows. The zero Entry stands for a
// URL that was never met.
type Entry struct {
	size uint8
	data [MaxEntry]byte
}

// EntryOf returns an Entry that holds a copy of b. It panics if b is empty or longer than MaxEntry, which only a
// mistake in the caller can cause.
func EntryOf(b []byte) (e Entry) {
	if len(b) == 0 || len(b) > MaxEntry {
		panic(fmt.Sprintf("seen: an entry of %d bytes", len(b)))
	}
	e.size = uint8(copy(e.data[:], b))
	return e
}

// Bytes returns what the Entry holds; nothing for the zero Entry. The slice is the memory of e, not a copy.
func (e *Entry) Bytes() []byte { return e.data[:e.size] }

// Met reports whether e holds anything: the URL was met.
func (e *Entry) Met() bool { return e.size > 0 }

// Options say where a Set is kept. Dir is needed; the other fields may be zero.
type Options struct {
	FS       vfs.FS // file system; nil is that of the machine
	Dir      string // folder of the files; made if it is missing
	Table    int    // entries in memory before they are written to a run; twice as many while earlier ones are written; 0 means 524,288
	ReadOnly bool   // only look-ups: Add is an error, and no file is made, changed or removed
}

// settings are sizes that tests make small.
type settings struct {
	page    int // bytes of a page
	ratio   int // how much larger a run is than all newer ones, see due
	filters int // a filter with more bytes is not made
	runs    int // flushing waits for merging while there are this many runs
}

func defaults() settings { return settings{page: 4096, ratio: 4, filters: 32 << 20, runs: 24} }

// Set holds the URLs met so far. Its methods are safe for concurrent use, with two exceptions: Restore must come before
// all others, and only one goroutine at a time may Add.
type Set struct {
	o        Options
	settings settings
	stop     atomic.Bool    // Close was called, so flushing and merging stop
	work     sync.WaitGroup // flushing and merging
	listing  sync.Mutex     // held while MANIFEST is replaced; taken before mu
	scratch  scratches      // memory of look-ups

	mu struct {
		sync.RWMutex
		changed    *sync.Cond // signals (with the write lock) that flushing or merging ended, or that failed was set
		failed     error      // the first error of the disk, or ErrClosed; every later call returns it
		table      *table     // entries of generation
		generation uint64     // the current one
		frozen     *table     // table of the generation before, while it is written to a run; nil if there is none
		spare      *table     // an empty table, kept to use its memory again
		runs       []*run     // the newest first; the slice is replaced, never changed in place
		flushed    uint64     // see Flushed
		next       uint64     // number of the next file
		merging    bool       // a merge is under way
		written    int64      // see Metrics
	}
}

// ErrClosed is the error of all methods of a closed Set.
var ErrClosed = errors.New("seen: closed")

// ErrDamaged is part of the error for a file that does not hold what was written.
var ErrDamaged = errors.New("is damaged")

// Open opens the Set in o.Dir, or makes an empty one. It removes runs that MANIFEST does not name: a crash left them.
// Runs without a MANIFEST are an error.
func Open(o Options) (*Set, error) { return open(o, defaults()) }

func open(o Options, with settings) (*Set, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Table <= 0 {
		o.Table = 1 << 19
	}
	s := &Set{o: o, settings: with}
	s.mu.changed = sync.NewCond(&s.mu.RWMutex)
	s.mu.table = newTable()
	if !o.ReadOnly {
		if err := disk.MkdirAll(o.FS, o.Dir); err != nil {
			return nil, fmt.Errorf("seen: %w", err)
		}
	}
	m, found, err := readManifest(o.FS, s.path(manifestName))
	if err != nil {
		return nil, fmt.Errorf("seen: %w", err)
	}
	s.mu.flushed, s.mu.generation, s.mu.next = m.flushed, m.flushed+1, m.next
	for _, l := range m.runs {
		r, err := openRun(o.FS, s.path(runName(l.number)), l)
		if err != nil {
			s.drop(s.mu.runs)
			return nil, fmt.Errorf("seen: %w", err)
		}
		s.mu.runs = append(s.mu.runs, r)
	}
	if o.ReadOnly {
		return s, nil
	}
	if err := s.sweep(&m, found); err != nil {
		s.drop(s.mu.runs)
		return nil, fmt.Errorf("seen: %w", err)
	}
	s.mu.Lock()
	s.startMerge()
	s.mu.Unlock()
	return s, nil
}

func (s *Set) path(name string) string { return s.o.FS.PathJoin(s.o.Dir, name) }

// sweep removes the runs that m does not name, which a crash left. found says whether there is a MANIFEST. The first
// MANIFEST is written before the first run, so a run without a MANIFEST means damage.
func (s *Set) sweep(m *manifest, found bool) error {
	named := map[string]bool{}
	for _, l := range m.runs {
		named[runName(l.number)] = true
	}
	files, err := s.o.FS.List(s.o.Dir)
	if err != nil {
		return err
	}
	for _, name := range files {
		if named[name] || !isRun(name) {
			continue
		}
		if !found {
			return fmt.Errorf("%w: %s is missing, and %s is there", ErrDamaged, s.path(manifestName), name)
		}
		if err := s.o.FS.Remove(s.path(name)); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	return disk.WriteFile(s.o.FS, s.path(manifestName), m.text())
}

// Close stops flushing and merging, waits for them, and closes the files. It does not save what is in memory alone: the
// caller keeps that, as always. Afterwards all methods return ErrClosed. A Get that has begun ends as usual.
func (s *Set) Close() error {
	s.stop.Store(true)
	s.fail(ErrClosed)
	s.work.Wait()
	s.mu.Lock()
	runs, failed := s.mu.runs, s.mu.failed
	s.mu.runs, s.mu.failed = nil, ErrClosed
	s.mu.Unlock()
	s.drop(runs)
	if failed != ErrClosed {
		return failed
	}
	return nil
}

// fail makes err the error of all later calls, unless there is one already.
func (s *Set) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.failed == nil {
		s.mu.failed = err
	}
	s.mu.changed.Broadcast()
}

// Generation returns the generation to which the next Add belongs. It is at least 1, and does not change until Add
// returns.
func (s *Set) Generation() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.mu.generation
}

// Flushed returns the newest generation that is in runs together with all before it; 0 if there is none. The caller
// need not keep these generations.
func (s *Set) Flushed() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.mu.flushed
}

// Restore adds an entry again that was added before the Set was closed or the machine crashed. Later entries of a key
// replace earlier ones, so the caller restores generations in order. An entry of a generation that was flushed is
// ignored.
func (s *Set) Restore(generation uint64, key Key, entry Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if generation > s.mu.flushed {
		s.mu.generation = max(s.mu.generation, generation)
		s.mu.table.put(&key, entry.Bytes())
	}
}

// Add adds the entries of keys, or replaces them: entries[i] belongs to keys[i]. They belong to Generation. It waits if
// flushing does not keep up. An error of the disk may come from earlier flushing or merging, and is final.
func (s *Set) Add(keys []Key, entries []Entry) error {
	if err := s.AddEarly(keys, entries); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.mu.frozen != nil && s.mu.table.count >= 2*s.o.Table && s.mu.failed == nil {
		s.mu.changed.Wait()
	}
	if s.mu.failed == nil && s.mu.frozen == nil && (s.mu.table.count >= s.o.Table || s.mu.table.crowded) {
		s.freeze()
	}
	return s.mu.failed
}

// AddEarly is Add for entries that the caller has not kept durably yet, so that a crash may lose them. It does not end
// the generation, so these entries are in no run before the next Add. It does not wait.
func (s *Set) AddEarly(keys []Key, entries []Entry) error {
	if s.o.ReadOnly {
		return errors.New("seen: opened for reading only")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.failed != nil {
		return s.mu.failed
	}
	for i := range keys {
		s.mu.table.put(&keys[i], entries[i].Bytes())
	}
	return nil
}

// Settle waits until nothing is left to be flushed or merged.
func (s *Set) Settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.mu.failed == nil && (s.mu.frozen != nil || s.mu.merging) {
		s.mu.changed.Wait()
	}
	return s.mu.failed
}

// Metrics are numbers about a Set, for people.
type Metrics struct {
	Runs    int   // how many runs there are
	Entries int64 // entries in runs; an entry that was replaced counts until a merge drops it
	Bytes   int64 // bytes of the runs on disk
	Filters int64 // bytes of filters in memory
	Index   int64 // bytes of the runs' indexes in memory
	Table   int   // entries in memory
	Written int64 // bytes written to runs since Open, merging included
}

// Metrics returns the numbers of this moment.
func (s *Set) Metrics() Metrics {
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := Metrics{Runs: len(s.mu.runs), Table: s.mu.table.count, Written: s.mu.written}
	if s.mu.frozen != nil {
		m.Table += s.mu.frozen.count
	}
	for _, r := range s.mu.runs {
		m.Entries += r.records
		m.Bytes += r.size
		m.Filters += int64(len(r.filter) * blockBytes)
		m.Index += int64(len(r.index) * 8)
	}
	return m
}
