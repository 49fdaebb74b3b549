// Package clock is the crawl's only way to time, so that tests and the simulation can drive it.
//
// Real is the machine's clock. testing/synctest drives Real too; the interface is for a clock that jumps.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits. Both methods are safe for concurrent use.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or until ctx ends, and returns ctx.Err() in the latter case. d ≤ 0 returns at once.
	Sleep(ctx context.Context, d time.Duration) error
}

// Real is the machine's clock.
type Real struct{}

// Now is time.Now, with its monotonic part.
func (Real) Now() time.Time { return time.Now() }

// Sleep waits for d or until ctx ends.
func (Real) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
