package seen

// This file merges runs on disk into fewer and larger ones, in the background: it decides which are due, and writes the
// merged run.

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// due returns how many of the newest runs are to be merged into one; 0 for none. It takes as many as are needed so that
// each run has at least ratio times as many records as all newer runs together. So a run is not written anew for each
// flush, but only when the newer runs have grown to a part of it. And there are few runs: with n records, of which a
// table holds t, about log(n/t)/log(ratio).
func due(runs []*run, ratio int) int {
	n, newer := 0, int64(0)
	for i, r := range runs {
		if i > 0 && newer*int64(ratio) > r.records {
			n = i + 1
		}
		newer += r.records
	}
	return n
}

// startMerge begins a merge in the background, if one is due and none is under way. mu is held.
func (s *Set) startMerge() {
	n := due(s.mu.runs, s.settings.ratio)
	if n == 0 || s.mu.merging || s.mu.failed != nil {
		return
	}
	s.mu.merging = true
	old := s.mu.runs[:n:n]
	s.work.Go(func() {
		if err := s.merge(old); err != nil {
			s.mu.Lock()
			s.mu.merging = false
			s.mu.Unlock()
			if err == errStopped {
				err = ErrClosed
			} else {
				err = fmt.Errorf("seen: %w", err)
			}
			s.fail(err)
		}
	})
}

// merge writes one run from the runs old, which are sorted with the newest first. Of several entries with one key it
// keeps the newest.
func (s *Set) merge(old []*run) error {
	var expected int64
	heads := make([]*cursor, len(old))
	for i, r := range old {
		expected += r.records
		f, err := r.fs.Open(r.path, vfs.SequentialReadsOption)
		if err != nil {
			return err
		}
		defer f.Close()
		heads[i] = &cursor{run: r, file: f, buf: make([]byte, max(mergeBytes/r.page, 1)*r.page)}
		if err := heads[i].next(); err != nil {
			return err
		}
	}
	r, err := s.write(expected, func(yield func(*Key, []byte) error) error {
		for {
			var best *cursor // the cursor with the least key; among equal keys that of the newest run, which comes first
			for _, c := range heads {
				if !c.done && (best == nil || c.hi < best.hi || c.hi == best.hi && c.lo < best.lo) {
					best = c
				}
			}
			if best == nil {
				return nil
			}
			hi, lo := best.hi, best.lo
			if err := yield(best.page.key(best.at), best.value); err != nil {
				return err
			}
			for _, c := range heads {
				if !c.done && c.hi == hi && c.lo == lo {
					if err := c.next(); err != nil {
						return err
					}
				}
			}
		}
	})
	if err != nil {
		return err
	}
	return s.install(r, old, 0, func() { s.mu.merging = false })
}

// cursor reads the entries of a run in order.
type cursor struct {
	run   *run
	file  vfs.File
	buf   []byte // room for some pages
	rest  []byte // pages in buf that are not used yet
	pages int    // how many pages of the run were read into buf so far
	page  page
	at    int  // index in page of the current entry
	done  bool // there are no more entries

	hi, lo uint64 // key of the current entry
	value  []byte // value of the current entry, valid until next
}

// next goes on to the next entry, and checks that its key is greater than the one before.
func (c *cursor) next() error {
	c.at++
	if c.at >= c.page.n {
		if len(c.rest) == 0 {
			left := len(c.run.index) - c.pages
			if left == 0 {
				c.done = true
				return nil
			}
			n := min(left, len(c.buf)/c.run.page)
			c.rest = c.buf[:n*c.run.page]
			if _, err := c.file.ReadAt(c.rest, int64(c.pages)*int64(c.run.page)); err != nil {
				return fmt.Errorf("%s: page %d: %w", c.run.path, c.pages, err)
			}
			c.pages += n
		}
		var err error
		if c.page, err = readPage(c.rest[:c.run.page]); err != nil {
			return c.error(err)
		}
		c.rest, c.at = c.rest[c.run.page:], 0
	}
	hi, lo := c.page.key(c.at).halves()
	if c.value != nil && (hi < c.hi || hi == c.hi && lo <= c.lo) {
		return c.error(errMalformed)
	}
	c.hi, c.lo = hi, lo
	var err error
	if c.value, err = c.page.value(c.at); err != nil {
		return c.error(err)
	}
	return nil
}

// error says in which file and page an error was met.
func (c *cursor) error(err error) error {
	return fmt.Errorf("%s: page %d: %w", c.run.path, c.pages-len(c.rest)/c.run.page-1, err)
}
