package main

import (
	"context"
	"sync/atomic"
	"time"
)

// hasty is a clock on which nobody waits: who would sleep until a time brings it about. So a crawl is as polite as ever,
// by its own time, and all that is measured is work. Only who sleeps for ever waits for somebody else.
type hasty struct {
	ahead atomic.Int64 // of real time, nanoseconds
	began time.Time
	stuck chan struct{} // has a value when somebody sleeps for ever
}

func newHasty() *hasty { return &hasty{began: time.Now(), stuck: make(chan struct{}, 1)} }

// Now is real time, and all that was slept through.
func (c *hasty) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Sleep passes d at once.
func (c *hasty) Sleep(ctx context.Context, d time.Duration) error {
	const forever = 10 * 365 * 24 * time.Hour
	if d < forever {
		if ctx.Err() == nil && d > 0 {
			c.ahead.Add(int64(d))
		}
		return ctx.Err()
	}
	select {
	case c.stuck <- struct{}{}:
	default: // it was told
	}
	<-ctx.Done()
	return ctx.Err()
}

// passed is how much time went by on it.
func (c *hasty) passed() time.Duration { return c.Now().Sub(c.began) }
