package hostile

import (
	"context"
	"net"
	"time"
)

// Clock runs a number of times as fast as the machine's, from the moment it was made. It is a clock.Clock.
type Clock struct {
	began time.Time
	scale time.Duration
}

func newClock(scale int) Clock { return Clock{time.Now(), time.Duration(scale)} }

// Now is the time.
func (c Clock) Now() time.Time { return c.began.Add(time.Since(c.began) * c.scale) }

// Sleep waits for d by the clock or until ctx ends, and returns ctx.Err() in the latter case.
func (c Clock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d / c.scale)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// outside is when the machine's clock will show what c will show at t.
func (c Clock) outside(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return c.began.Add((t.Sub(c.began)+c.scale-1)/c.scale + time.Nanosecond) // not before t
}

// scaled is a connection whose deadlines are by a Clock.
type scaled struct {
	*net.TCPConn
	clock Clock
}

// SetDeadline sets both deadlines.
func (c *scaled) SetDeadline(t time.Time) error { return c.TCPConn.SetDeadline(c.clock.outside(t)) }

// SetReadDeadline sets that of reads.
func (c *scaled) SetReadDeadline(t time.Time) error {
	return c.TCPConn.SetReadDeadline(c.clock.outside(t))
}

// SetWriteDeadline sets that of writes.
func (c *scaled) SetWriteDeadline(t time.Time) error {
	return c.TCPConn.SetWriteDeadline(c.clock.outside(t))
}
