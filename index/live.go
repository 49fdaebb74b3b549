package index

// This file lets readers ask the index of an archive, also while a crawl or a rebuild writes it. It only reads.

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/journal"
	"kavosh/lib/cdx"
)

// Live answers queries over an archive, also while a crawl or a rebuild writes it. It reads the index, and the end of
// the capture log that is not in the index yet. The latter is held in memory: usually some seconds of a running crawl,
// at most maxTail captures. Segments stay open until they are removed. Live is safe for concurrent use.
type Live struct {
	index *Index
	logs  string // the archive's log/
	max   int    // the most entries in tail

	clock  clock.Clock // for lookAgain; nil: each query looks for changes
	opened opened      // open segments

	mu struct {
		sync.Mutex
		looked   time.Time      // when the fields below were last up to date; zero: they are not
		segments []*segment     // together with sort, all captures of the archive
		from     journal.Cursor // where tail begins: the index's cursor when it was last read
		to       int64          // how far the log was read
		tail     []tailEntry    // entries that are not in the index, in the order of the log
		sort     []cdx.Entry    // the same entries, by key and time
	}
}

// maxTail is how many captures of the log may be missing in the index; each takes about 500 bytes of memory. A running
// crawl holds back an eighth of this at most. If more are missing, somebody deleted index/, and kavosh rebuild is
// needed.
const maxTail = 8 * maxPending

type tailEntry struct {
	end   int64 // position in the log after it
	entry cdx.Entry
}

// OpenLive opens the archive whose index is in dir and whose capture logs are in logs.
func OpenLive(fs vfs.FS, dir, logs string) *Live {
	return &Live{index: &Index{fs: fs, dir: dir}, logs: logs, max: maxTail}
}

// lookAgain is for how long a server does not look for changes of an archive.
const lookAgain = 50 * time.Millisecond

// OpenServed is OpenLive for servers with many queries. Most queries do not look for changes in the file system, so
// that new captures are found after up to a twentieth of a second.
func OpenServed(fs vfs.FS, dir, logs string, c clock.Clock) *Live {
	l := OpenLive(fs, dir, logs)
	l.clock = c
	return l
}

// Query yields the captures that match q, including those of a running crawl.
func (l *Live) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return failed(err)
		}
		return l.lines(ctx, from, to, q.Reverse)
	})
}

// failed yields only an error.
func failed(err error) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
}

// All yields every capture in the order of the index.
func (l *Live) All(ctx context.Context) iter.Seq2[cdx.Entry, error] {
	return l.lines(ctx, "", "", false)
}

// lines yields the entries with from ≤ line < to; if to is "", there is no upper bound. backward reverses the order.
func (l *Live) lines(ctx context.Context, from, to string, backward bool) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		tail, segments, err := l.look()
		if err != nil {
			yield(cdx.Entry{}, err)
			return
		}
		defer l.opened.release(segments)
		var seqs []iter.Seq2[cdx.Entry, error]
		if len(tail) > 0 {
			seqs = append(seqs, cdx.Search(tail, from, to, backward))
		}
		for _, s := range segments {
			seqs = append(seqs, s.blocks.Search(from, to, backward))
		}
		for e, err := range distinct(cdx.Merge(backward, seqs...)) {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// look returns the entries that are in the log but not in the index, and the segments of the index: together all
// captures at one moment. The caller must release the segments. The slices are not changed later.
func (l *Live) look() (tail []cdx.Entry, segments []*segment, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var now time.Time
	if l.clock != nil {
		if now = l.clock.Now(); !l.mu.looked.IsZero() && now.Sub(l.mu.looked).Abs() < lookAgain {
			l.opened.hold(l.mu.segments)
			return l.mu.sort, l.mu.segments, nil
		}
	}
	l.mu.looked = time.Time{}
	if tail, err = l.refresh(); err != nil {
		return nil, nil, err
	}
	if segments, err = l.opened.all(l.index); err != nil {
		return nil, nil, err
	}
	l.mu.looked, l.mu.segments = now, segments
	return tail, segments, nil
}

// refresh reads the new captures of the log and returns the sorted tail.
func (l *Live) refresh() ([]cdx.Entry, error) {
	fs := l.index.fs
	cursor, err := Reached(fs, l.index.dir)
	if err != nil {
		return nil, err
	}
	// A rebuild first publishes the log of the new generation, then the new cursor, and then removes the old log.
	if _, err := fs.Stat(journal.File(fs, l.logs, cursor.Generation, journal.Self)); err != nil {
		if newest := journal.Newest(fs, l.logs); newest > cursor.Generation {
			cursor = journal.At(newest, 0)
		}
	}
	from := cursor.Of(journal.Self)
	changed := false
	if l.mu.from.Generation != cursor.Generation || from < l.mu.from.Of(journal.Self) {
		l.mu.tail, l.mu.to, changed = nil, from, true
	}
	if n := len(l.mu.tail); n > 0 && l.mu.from.Of(journal.Self) != from {
		l.mu.tail = slices.DeleteFunc(l.mu.tail, func(t tailEntry) bool { return t.end <= from })
		changed = true
	}
	l.mu.from = cursor
	l.mu.to = max(l.mu.to, from)
	name := journal.File(fs, l.logs, cursor.Generation, journal.Self)
	if info, err := fs.Stat(name); err == nil && info.Size() != l.mu.to {
		if info.Size() < l.mu.to { // after a power failure, its writer cut the damaged end
			l.mu.tail, l.mu.to = nil, from
		}
		changed = true
		if err := l.read(name); err != nil {
			return nil, err
		}
	}
	if changed {
		sorted := make([]cdx.Entry, len(l.mu.tail))
		for i := range l.mu.tail {
			sorted[i] = l.mu.tail[i].entry
		}
		slices.SortStableFunc(sorted, func(a, b cdx.Entry) int { return cdx.Compare(&a, &b) })
		l.mu.sort = sorted
	}
	return l.mu.sort, nil
}

// read adds the captures of the log after l.mu.to to the tail.
func (l *Live) read(name string) error {
	for e, err := range journal.Read(l.index.fs, name, l.mu.to) {
		var c kavosh.Capture
		if err == nil {
			err = json.Unmarshal(e.Line, &c)
		}
		if err != nil {
			err = fmt.Errorf("the capture log is damaged (%w): run `kavosh rebuild`", err)
		} else if len(l.mu.tail) == l.max {
			err = fmt.Errorf("the index lacks more than %d captures of the capture log: wait if another kavosh is at work in the archive, else run `kavosh rebuild`", l.max)
		}
		if err != nil {
			l.mu.tail, l.mu.to, l.mu.from = nil, 0, journal.Cursor{} // so that the next query reads all again
			return err
		}
		l.mu.to = e.Next
		if entry, ok := Entry(&c); ok {
			l.mu.tail = append(l.mu.tail, tailEntry{e.Next, entry})
		}
	}
	return nil
}

// distinct drops entries that name the same record as the one before.
func distinct(seq iter.Seq2[cdx.Entry, error]) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		var last cdx.Entry
		for e, err := range seq {
			if err == nil && e.Offset == last.Offset && e.Filename == last.Filename && e.Key == last.Key {
				continue
			}
			if !yield(e, err) {
				return
			}
			last = e
		}
	}
}
