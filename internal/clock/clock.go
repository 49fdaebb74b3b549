// Package clock is the crawl's only access to time, so that tests and the simulation can control it.
//
// Real is the machine's clock. testing/synctest controls Real too; the interface is for a clock that jumps.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits. Both methods are safe for concurrent use.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or until ctx ends; then it returns ctx.Err(). d ≤ 0 returns at once.
	Sleep(ctx context.Context, d time.Duration) error
}

// Real is the machine's clock.
type Real struct{}

// Now returns time.Now(), with its monotonic part.
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
