package hostile

// This file makes time run faster, for tests with slow hosts.

import (
	"context"
	"net"
	"time"
)

// Clock is a clock.Clock that runs scale times as fast as the machine's, from the moment it was made.
type Clock struct {
	began time.Time
	scale time.Duration
}

func newClock(scale int) Clock { return Clock{time.Now(), time.Duration(scale)} }

// Now is the time.
func (c Clock) Now() time.Time { return c.began.Add(time.Since(c.began) * c.scale) }

// Sleep waits for d by this clock or until ctx ends; then it returns ctx.Err().
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

// leastWait is how long a deadline lies ahead at least, by the machine's clock: on a busy machine, a host that has more to
// send may not come to it for half a second, and what it does would look like a stall.
const leastWait = 3 * time.Second

// outside returns the machine's time at which c shows t, or a later one that is leastWait ahead. A time that has passed
// stays.
func (c Clock) outside(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	out := c.began.Add((t.Sub(c.began)+c.scale-1)/c.scale + time.Nanosecond) // not before t
	if now := time.Now(); out.After(now) && out.Before(now.Add(leastWait)) {
		return now.Add(leastWait)
	}
	return out
}

// scaled is a connection whose deadlines use a Clock.
type scaled struct {
	*net.TCPConn
	clock Clock
}

// SetDeadline sets both deadlines.
func (c *scaled) SetDeadline(t time.Time) error { return c.TCPConn.SetDeadline(c.clock.outside(t)) }

// SetReadDeadline sets the deadline of reads.
func (c *scaled) SetReadDeadline(t time.Time) error {
	return c.TCPConn.SetReadDeadline(c.clock.outside(t))
}

// SetWriteDeadline sets the deadline of writes.
func (c *scaled) SetWriteDeadline(t time.Time) error {
	return c.TCPConn.SetWriteDeadline(c.clock.outside(t))
}
