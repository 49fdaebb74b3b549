package main

import (
	"context"
	"sync/atomic"
	"time"
)

// hasty is a clock on which nobody waits: Sleep moves it forward at once. So a crawl is as polite as ever by its own
// time, and only work is measured. A goroutine that sleeps for ever waits for another one.
type hasty struct {
	ahead atomic.Int64 // of real time, nanoseconds
	began time.Time
	stuck chan struct{} // receives a value when a goroutine sleeps for ever
}

func newHasty() *hasty { return &hasty{began: time.Now(), stuck: make(chan struct{}, 1)} }

// Now returns the real time plus all times slept.
func (c *hasty) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// Sleep moves the clock by d and returns at once.
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

// passed returns how much time has passed on the clock.
func (c *hasty) passed() time.Duration { return c.Now().Sub(c.began) }
