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

// sought is a key that was not found yet.
type sought struct {
	hi, lo uint64
	at     int // where its entry goes
}

func (a sought) compare(b sought) int {
	if c := cmp.Compare(a.hi, b.hi); c != 0 {
		return c
	}
	return cmp.Compare(a.lo, b.lo)
}

const (
	readerShare = 128 // keys at least for each goroutine that reads
	readersEach = 4   // readers a processor: most of the time they may wait for the disk
)

// Get sets entries[i] to what is known of keys[i], to the zero Entry when that is nothing. It is fastest when keys are
// sorted. The keys are looked up in order, by several goroutines when there are many, so that what lies together on disk
// is read once. It sees all of every Add that returned before, and runs beside flushing and merging. After an error,
// which names the file that is not as it was written, entries are worth nothing.
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

// recall answers from memory what it can, leaves the rest in scr.want, and returns the runs to be searched for it. All
// are of one moment.
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

// drop ends a use of runs.
func (s *Set) drop(runs []*run) {
	for _, r := range runs {
		r.release()
	}
}

// find looks want, which it uses up, up in runs.
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

// scratch is the memory of one Get.
type scratch struct {
	want    []sought
	readers []*reading
}

func (s *scratch) reader(i int) *reading {
	if i == len(s.readers) {
		s.readers = append(s.readers, &reading{})
	}
	return s.readers[i]
}

// scratches keeps what Gets have done with, for the next. There are as many as there were Gets at once.
type scratches struct {
	mu struct {
		sync.Mutex
		free []*scratch
	}
}

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

func (f *scratches) give(s *scratch) {
	for _, g := range s.readers {
		g.run = nil // it may be gone by the next time
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.free = append(f.mu.free, s)
}
