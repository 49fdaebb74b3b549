package seen

// This file writes a full table from memory to a run on disk, in the background, and puts new runs into the list of
// runs.

import (
	"errors"
	"fmt"
	"slices"

	"kavosh/internal/disk"
)

// errStopped ends work in the background after Close was called.
var errStopped = errors.New("seen: stopped")

// freeze begins a new generation, and writes the table of the old one to a run in the background. mu is held.
func (s *Set) freeze() {
	s.mu.frozen, s.mu.table = s.mu.table, s.mu.spare
	s.mu.spare = nil
	if s.mu.table == nil {
		s.mu.table = newTable()
	}
	generation := s.mu.generation
	s.mu.generation++
	s.work.Go(func() {
		if err := s.flush(generation); err != nil && err != errStopped {
			s.fail(fmt.Errorf("seen: %w", err))
		}
	})
}

// flush writes the frozen table to a run. generation is the generation of that table.
func (s *Set) flush(generation uint64) error {
	s.mu.Lock()
	for len(s.mu.runs) >= s.settings.runs && s.mu.merging && s.mu.failed == nil {
		s.mu.changed.Wait()
	}
	t := s.mu.frozen
	s.mu.Unlock()
	r, err := s.write(int64(t.count), t.each)
	if err != nil {
		return err
	}
	return s.install(r, nil, generation, func() {
		s.mu.frozen, s.mu.spare = nil, t
		t.reset()
	})
}

// write writes a run. each calls yield for all entries in the order of their keys; expected is about how many these
// are.
func (s *Set) write(expected int64, each func(yield func(key *Key, value []byte) error) error) (*run, error) {
	s.mu.Lock()
	number := s.mu.next
	s.mu.next++
	s.mu.Unlock()
	w, err := createRun(s.o.FS, s.path(runName(number)), number, s.settings.page, expected, s.settings.filters)
	if err != nil {
		return nil, err
	}
	err = each(func(key *Key, value []byte) error {
		if s.stop.Load() {
			return errStopped
		}
		return w.add(key, value)
	})
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		w.abandon()
		return nil, err
	}
	if err := disk.SyncDir(s.o.FS, s.o.Dir); err != nil {
		return nil, err
	}
	return w.open()
}

// install puts the run r in the place of the runs old, which stand side by side; if old is empty, it puts r before all
// others. It writes MANIFEST first, so that Flushed never tells more than a crash leaves. Then it calls change while mu
// is held. After it, all generations up to flushed are in runs; Flushed never falls.
func (s *Set) install(r *run, old []*run, flushed uint64, change func()) error {
	s.listing.Lock()
	defer s.listing.Unlock()
	s.mu.RLock()
	runs := slices.Clone(s.mu.runs)
	m := manifest{flushed: max(s.mu.flushed, flushed), next: s.mu.next}
	s.mu.RUnlock()
	at := 0
	if len(old) > 0 {
		at = slices.Index(runs, old[0])
	}
	runs = slices.Replace(runs, at, at+len(old), r)
	for _, r := range runs {
		m.runs = append(m.runs, r.listed)
	}
	if err := disk.WriteFile(s.o.FS, s.path(manifestName), m.text()); err != nil {
		r.release()
		return err
	}
	for _, o := range old {
		o.obsolete.Store(true)
	}
	s.mu.Lock()
	s.mu.runs, s.mu.flushed = runs, m.flushed
	s.mu.written += r.size
	change()
	s.startMerge()
	s.mu.changed.Broadcast()
	s.mu.Unlock()
	s.drop(old)
	return nil
}
