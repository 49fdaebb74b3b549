package archive

import (
	"context"
	"iter"
	"time"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/journal"
)

// Follower is something derived from the captures of an archive, such as an index or a store. It reads the capture log
// from its own cursor on, so that it can stop, go on, or start again. When its code gets better, its name gets a new
// version, and it starts again.
type Follower interface {
	// Name is its own, with its version: such as search@1.
	Name() string
	// Cursor is how far it has read the capture log.
	Cursor() journal.Cursor
	// Reset empties it: captures will be added again from the start of a generation of the log.
	Reset(generation int) error
	// Add takes a capture, whose line begins at at in its writer's log. full says that it is time for a Commit.
	Add(ctx context.Context, c *kavosh.Capture, at int64) (full bool, err error)
	// Commit notes that what was added reaches to a cursor. That need not be durable at once, but never sooner than
	// what was added.
	Commit(journal.Cursor) error
}

// Following is what somebody wants to know while a follower reads.
type Following struct {
	Clock     clock.Clock   // nil: what was added waits for a Commit until it is full, or the end
	Added     func(n int64) // called after each capture, the nth; nil for nobody
	Committed func() error  // called after each Commit; nil for nobody
}

// commitEvery is how long what was added may wait for a Commit, where there is a clock.
const commitEvery = 30 * time.Second

// Follow lets f read the part of the log that it has not read yet. If f's cursor is not a place of this log, f starts
// again.
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

// run lets f have captures.
func (o *Following) run(ctx context.Context, f Follower, captures iter.Seq2[*Logged, error]) error {
	now := func() (t time.Time) {
		if o.Clock != nil {
			t = o.Clock.Now()
		}
		return t
	}
	n, committed := int64(0), now()
	var waiting *Logged // the last that was added, when it is not committed
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
