package seen

// This file looks keys up: first in the tables in memory, then in the runs on disk, by several goroutines when there
// are many keys. It changes no entry.

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// sought is a key that is not found yet.
type sought struct {
	hi, lo uint64
	at     int // index of the key, and of its entry
}

// compare orders keys as runs do.
func (a sought) compare(b sought) int {
	if c := cmp.Compare(a.hi, b.hi); c != 0 {
		return c
	}
	return cmp.Compare(a.lo, b.lo)
}

const (
	readerShare = 128 // the least number of keys for each goroutine that reads
	readersEach = 4   // goroutines for each processor: most of the time they may wait for the disk
)

// Get sets entries[i] to what is known of keys[i], or to the zero Entry if nothing is known. It is fastest if keys are
// sorted. It looks keys up in order, so that what lies together on disk is read once; if there are many keys, several
// goroutines do so. Get sees all of every Add that has returned. It may run during flushing and merging. After an
// error, which names the damaged file, entries must not be used.
func (s *Set) Get(keys []Key, entries []Entry) error {
	if len(entries) < len(keys) {
		return errors.New("seen: fewer entries than keys")
	}
	scr := s.scratch.take()
	defer s.scratch.give(scr)
	scr.want = scr.want[:0]
	sorted := true
	for i := range keys {
		hi, lo := keys[i].halves()
		k := sought{hi, lo, i}
		sorted = sorted && (i == 0 || scr.want[i-1].compare(k) <= 0)
		scr.want = append(scr.want, k)
		entries[i] = Entry{}
	}
	if !sorted {
		slices.SortFunc(scr.want, sought.compare)
	}
	runs, err := s.recall(scr, keys, entries)
	if err != nil {
		return err
	}
	defer s.drop(runs)
	if len(runs) == 0 {
		return nil
	}
	readers := min(len(scr.want)/readerShare, readersEach*runtime.GOMAXPROCS(0))
	if readers <= 1 {
		return find(runs, scr.want, entries, scr.reader(0))
	}
	var wg sync.WaitGroup
	errs := make([]error, readers)
	for i := range readers {
		g := scr.reader(i)
		part := scr.want[i*len(scr.want)/readers : (i+1)*len(scr.want)/readers]
		wg.Go(func() { errs[i] = find(runs, part, entries, g) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// recall sets the entries that are in memory, leaves all other keys in scr.want, and returns the runs in which to look
// for these. All of this is the state at one moment. The caller calls drop for the runs.
func (s *Set) recall(scr *scratch, keys []Key, entries []Entry) ([]*run, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mu.failed != nil {
		return nil, s.mu.failed
	}
	left := scr.want[:0]
	for _, k := range scr.want {
		v := s.mu.table.find(&keys[k.at], k.hi)
		if v == nil && s.mu.frozen != nil {
			v = s.mu.frozen.find(&keys[k.at], k.hi)
		}
		if v == nil {
			left = append(left, k)
			continue
		}
		entries[k.at].size = uint8(copy(entries[k.at].data[:], v))
	}
	scr.want = left
	if len(left) == 0 {
		return nil, nil
	}
	for _, r := range s.mu.runs {
		r.refs.Add(1)
	}
	return s.mu.runs, nil
}

// drop ends one use of runs, which recall or Open began.
func (s *Set) drop(runs []*run) {
	for _, r := range runs {
		r.release()
	}
}

// find looks the keys want up in runs, the newest run first. It overwrites want.
func find(runs []*run, want []sought, entries []Entry, g *reading) error {
	for _, r := range runs {
		left := want[:0]
		for _, k := range want {
			v, err := g.find(r, k.hi, k.lo)
			if err != nil {
				return err
			}
			if v == nil {
				left = append(left, k)
				continue
			}
			entries[k.at].size = uint8(copy(entries[k.at].data[:], v))
		}
		want = left
	}
	return nil
}

// scratch is the memory that one Get needs.
type scratch struct {
	want    []sought
	readers []*reading
}

// reader returns the memory of the i-th goroutine that reads. i grows by one from call to call.
func (s *scratch) reader(i int) *reading {
	if i == len(s.readers) {
		s.readers = append(s.readers, &reading{})
	}
	return s.readers[i]
}

// scratches keeps the memory of Gets that have ended for later ones. There is one scratch for each Get that ran at the
// same time.
type scratches struct {
	mu struct {
		sync.Mutex
		free []*scratch
	}
}

// take returns a scratch that is not in use.
func (f *scratches) take() *scratch {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.mu.free)
	if n == 0 {
		return &scratch{}
	}
	s := f.mu.free[n-1]
	f.mu.free = f.mu.free[:n-1]
	return s
}

// give returns a scratch after its use.
func (f *scratches) give(s *scratch) {
	for _, g := range s.readers {
		g.run = nil // the run may be gone when g is used again
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.free = append(f.mu.free, s)
}
