// Package seen tells whether the crawl has met a URL before, for hundreds of millions of them in bounded memory.
//
// It maps a Key, 128 bits of a cryptographic hash of the URL, or of another name that is none, to an Entry, a few bytes
// that mean something to the caller alone. Entries are added and replaced, never removed. Where they are:
//
//   - the newest in a table in memory (table.go). The caller keeps them durable by itself until Flushed says that it
//     need not: after a crash it gives them back by Restore;
//   - all others in runs: files of pages of entries in the order of their keys (run.go, page.go) that never change. A full
//     table is written as a run in the background (flush.go), and runs are merged so that there are few (merge.go).
//     MANIFEST names the runs (manifest.go).
//
// Memory holds eight bytes a page of a run, and a Bloom filter for each run but the largest (filter.go), so that most
// look-ups read one page of one file. A filter only says where not to look: what counts as met was compared whole.
// docs/formats/seen.md describes the files, docs/decisions/0065-seen.md says why it is so and not otherwise.
//
// Every entry belongs to a generation: one filling of the table. The caller's part is
//
//	s, err := seen.Open(…)
//	for … {                             // what it kept of generations later than s.Flushed(), the oldest first
//		s.Restore(generation, key, entry)
//	}
//	…
//	s.Get(keys, entries)                // what is known of them?
//	…                                   // write what is new or changed durably, under s.Generation()
//	s.Add(keys, entries)                // when that is done
//	…                                   // and forget at leisure what it kept of generations up to s.Flushed()
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

// Key stands for a URL: 128 bits that are taken for distributed evenly, such as the first of its SHA-256.
type Key [16]byte

func (k *Key) halves() (hi, lo uint64) {
	return binary.BigEndian.Uint64(k[:8]), binary.BigEndian.Uint64(k[8:])
}

// MaxEntry is how many bytes an Entry has room for.
const MaxEntry = 63

// Entry is what is kept of a URL: 1 to MaxEntry bytes of the caller's. The zero Entry stands for a URL never met.
type Entry struct {
	size uint8
	data [MaxEntry]byte
}

// EntryOf makes an Entry of a copy of b. It panics when b is empty or longer than MaxEntry, which only a mistake in
// the caller can bring about.
func EntryOf(b []byte) (e Entry) {
	if len(b) == 0 || len(b) > MaxEntry {
		panic(fmt.Sprintf("seen: an entry of %d bytes", len(b)))
	}
	e.size = uint8(copy(e.data[:], b))
	return e
}

// Bytes are what the Entry was made of; empty for the zero Entry. They are e's own.
func (e *Entry) Bytes() []byte { return e.data[:e.size] }

// Met reports whether there is anything in e.
func (e *Entry) Met() bool { return e.size > 0 }

// Options say where a Set lives. Dir is needed; the rest may be zero.
type Options struct {
	FS       vfs.FS // nil is the machine's
	Dir      string // made when missing
	Table    int    // entries in memory before they are written to a run; twice as many while that lasts; 0 is 524,288
	ReadOnly bool   // for looking alone: Add is an error, no file is made, changed or removed
}

// settings are what tests make small.
type settings struct {
	page    int // bytes of a page
	ratio   int // see due
	filters int // most bytes of a run's filter
	runs    int // flushing waits while there are so many
}

func defaults() settings { return settings{page: 4096, ratio: 4, filters: 32 << 20, runs: 24} }

// Set is the URLs met so far. Its methods are safe for concurrent use, except that Restore comes before all others and
// one goroutine at a time may Add.
type Set struct {
	o        Options
	settings settings
	stop     atomic.Bool // Close was called: flushing and merging give up
	work     sync.WaitGroup
	listing  sync.Mutex // held while MANIFEST is replaced; taken before mu
	scratch  scratches

	mu struct {
		sync.RWMutex
		changed    *sync.Cond // with the write lock: flushing or merging ended, or failed was set
		failed     error      // the first error of the disk, or ErrClosed
		table      *table     // of generation
		generation uint64
		frozen     *table // of the generation before, on its way to a run; nil for none
		spare      *table // empty, so that its memory is used again
		runs       []*run // newest first; replaced, never changed in place
		flushed    uint64
		next       uint64 // number of the next file
		merging    bool
		written    int64
	}
}

// ErrClosed is what a closed Set answers.
var ErrClosed = errors.New("seen: closed")

// ErrDamaged is part of the error for files that are not what was written.
var ErrDamaged = errors.New("is damaged")

// Open opens the Set in o.Dir, or makes an empty one. Runs that MANIFEST does not name, because a crash came before, are
// removed; runs without a MANIFEST are an error.
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

// sweep removes what a crash left: runs that m does not name. The first MANIFEST is made before the first run, so that
// runs without one are no such thing.
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

// Close waits for flushing and merging, which give up what they are at, and gives the files back. What is in memory
// alone is the caller's to keep, as ever. Afterwards all methods return ErrClosed; a Get under way ends as it would have.
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

// fail makes err the answer to every later call, unless there is one already.
func (s *Set) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.failed == nil {
		s.mu.failed = err
	}
	s.mu.changed.Broadcast()
}

// Generation is the generation that the next Add belongs to: at least 1, and no other until Add returns.
func (s *Set) Generation() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.mu.generation
}

// Flushed is the newest generation that is in runs together with all before it, so that the caller need not keep them;
// 0 for none.
func (s *Set) Flushed() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.mu.flushed
}

// Restore takes back an entry that was added before the Set was last closed, or the machine died. Later ones replace
// earlier ones, so that generations come in order. One that was flushed is left alone.
func (s *Set) Restore(generation uint64, key Key, entry Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if generation > s.mu.flushed {
		s.mu.generation = max(s.mu.generation, generation)
		s.mu.table.put(&key, entry.Bytes())
	}
}

// Add adds entries, or replaces those there were, in Generation. It waits when flushing does not keep up. The error, if
// any, is that of the disk in the background, and final.
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

// AddEarly is Add for entries that a crash may still take from where the caller keeps them: Generation does not end by it,
// so that they are in no run before the next Add. It does not wait.
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

// Metrics are counts for people.
type Metrics struct {
	Runs    int
	Entries int64 // in runs; one that was replaced counts until it is merged away
	Bytes   int64 // of the runs on disk
	Filters int64 // bytes of filters in memory
	Index   int64 // bytes of the runs' indexes in memory
	Table   int   // entries in memory
	Written int64 // bytes written to runs since Open, merging included
}

// Metrics counts.
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
