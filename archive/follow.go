package archive

// This file is the one loop by which everything derived from an archive follows its capture log.

import (
	"context"
	"iter"
	"time"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/journal"
)

// Follower is something derived from the captures of an archive, such as an index. It reads the capture log from its
// own cursor, so it can stop, go on, or start again. When its code improves what is stored, its name gets a new
// version, and it starts again.
// version, and it starts again.
type Follower interface {
	// Name returns its name with its version, such as search@1.
	Name() string
	// Cursor returns how far it has read the capture log.
	Cursor() journal.Cursor
	// Reset empties it. All captures of a generation of the log will then be added.
	Reset(generation int) error
	// Add adds a capture. at is the byte of its writer's log at which its line begins. full means that it is time for a
	// Commit.
	Add(ctx context.Context, c *kavosh.Capture, at int64) (full bool, err error)
	// Commit records that everything up to a cursor was added. The record may become durable later, but never before
	// what was added.
	Commit(journal.Cursor) error
}

// Following says what the caller of Follow wants to know while a follower reads. Every field may be nil.
type Following struct {
	Clock     clock.Clock   // if nil, Commit is called only when the follower is full and at the end
	Added     func(n int64) // is called after the nth capture was added
	Committed func() error  // is called after each Commit; an error ends Follow
}

// commitEvery is the longest time that added captures wait for a Commit, if there is a clock.
const commitEvery = 30 * time.Second

// Follow lets f read the part of the log that it has not read yet. If f's cursor is no place in this log, f is reset
// and reads the log from its beginning.
func (l *Log) Follow(ctx context.Context, f Follower, o Following) error {
	from := f.Cursor()
	start, err := l.Since(from)
	if err != nil {
		return err
	}
	if !start.Equal(from) {
		if err := f.Reset(l.generation); err != nil {
			return err
		}
	}
	return o.run(ctx, f, l.Read(start))
}

// run adds captures to f.
func (o *Following) run(ctx context.Context, f Follower, captures iter.Seq2[*Logged, error]) error {
	now := func() (t time.Time) {
		if o.Clock != nil {
			t = o.Clock.Now()
		}
		return t
	}
	n, committed := int64(0), now()
	var waiting *Logged // the last capture that was added, while it is not committed
	commit := func() error {
		end := waiting.End
		waiting, committed = nil, now()
		if err := f.Commit(end); err != nil || o.Committed == nil {
			return err
		}
		return o.Committed()
	}
	for c, err := range captures {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		full, err := f.Add(ctx, &c.Capture, c.At)
		if err != nil {
			return err
		}
		waiting = c
		if n++; o.Added != nil {
			o.Added(n)
		}
		if full || o.Clock != nil && now().Sub(committed) >= commitEvery {
			if err := commit(); err != nil {
				return err
			}
		}
	}
	if waiting == nil {
		return nil
	}
	return commit()
}
