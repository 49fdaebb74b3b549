package index

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

// Live answers queries over an archive that a crawl may be writing, or that is being rebuilt: the index, and what of the
// capture log the index does not hold yet, read into memory: what a running crawl keeps back, some seconds of it, and at
// most maxTail captures. Segments stay open as long as they are there. It is safe for concurrent use.
type Live struct {
	index *Index
	logs  string // the archive's log/
	max   int    // of tail

	clock  clock.Clock // nil: each query sees all that was there when it began
	opened opened      // segments

	mu struct {
		sync.Mutex
		looked   time.Time      // when the following were as the archive is; zero when they are not
		segments []*segment     // with sort: all of the archive
		from     journal.Cursor // where tail begins: the index's cursor when it was last read
		to       int64          // how far the log was read
		tail     []tailEntry    // in the order of the log
		sort     []cdx.Entry    // tail by key and time
	}
}

// maxTail is how many captures the index may lack of the log, some 500 bytes of memory each. A crawl that runs holds back
// an eighth as a rule: where more is missing, index/ was deleted, and only its writer can make it again in bounded memory.
const maxTail = 8 * maxPending

type tailEntry struct {
	end   int64 // position in the log after it
	entry cdx.Entry
}

// OpenLive opens the archive whose index is in dir and whose capture logs are in logs.
func OpenLive(fs vfs.FS, dir, logs string) *Live {
	return &Live{index: &Index{fs: fs, dir: dir}, logs: logs, max: maxTail}
}

// lookAgain is how long a server takes an archive for unchanged.
const lookAgain = 50 * time.Millisecond

// OpenServed is OpenLive for who asks often: what was added is found within a twentieth of a second, so that most queries need
// not ask the file system what there is.
func OpenServed(fs vfs.FS, dir, logs string, c clock.Clock) *Live {
	l := OpenLive(fs, dir, logs)
	l.clock = c
	return l
}

// Query yields the captures that q asks for, those of a running crawl included.
func (l *Live) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return failed(err)
		}
		return l.lines(ctx, from, to, q.Reverse)
	})
}

// failed is a sequence of an error alone.
func failed(err error) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
}

// All yields every capture in the order of the index.
func (l *Live) All(ctx context.Context) iter.Seq2[cdx.Entry, error] {
	return l.lines(ctx, "", "", false)
}

// lines yields the entries whose lines stand in [from, to); "" for to is no end. backward yields the last first.
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

// look gives what the log has and the index lacks, and the segments of the index, which are to be released: together all
// that was there at a moment. The slices are not changed later.
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

// refresh reads what came to the log since the last time and gives the tail, sorted.
func (l *Live) refresh() ([]cdx.Entry, error) {
	fs := l.index.fs
	cursor, err := Reached(fs, l.index.dir)
	if err != nil {
		return nil, err
	}
	// A rebuild shows the log of a new generation before the cursor into it, and removes the old one after.
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
		if info.Size() < l.mu.to { // its writer lost power and cut what that left
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

// read adds what the log holds after l.mu.to to the tail.
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
			l.mu.tail, l.mu.to, l.mu.from = nil, 0, journal.Cursor{} // the next query begins anew
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
