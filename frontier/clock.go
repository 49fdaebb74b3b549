package frontier

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh/internal/clock"
)

// This file tells the frontier the time, so that a wall clock that jumps neither stops a crawl nor hurries it.

// instant is the time since the frontier was opened, by the monotonic clock. Times that must outlive the process are
// stored as wall time. They are bounded when they are read, so that a clock that jumped does not stop a crawl.
type instant = time.Duration

const (
	never   instant = -1 << 60
	forever instant = 1 << 60
)

// crawlClock tells the time in three ways: as an instant, as the wall time that waits are stored by, and as the clock's
// own time of day, which people and servers name.
type crawlClock struct {
	clock.Clock
	start time.Time     // instant 0, as Clock told it
	epoch time.Time     // instant 0, as wall tells it
	ahead time.Duration // how far Clock is ahead of wall, as it was stored last; Frontier.applying guards it
}

func (c *crawlClock) now() instant { return c.Now().Sub(c.start) }

// wall returns the time by which waits are stored and read back. When the frontier was made it was the time of the
// clock. From then on it goes evenly: setting the clock while we run makes no wait shorter or longer, even after a
// restart. Times of day that people and servers name are compared with the clock itself.
func (c *crawlClock) wall() time.Time { return c.epoch.Add(c.now()) }

// instantOf returns the instant at which wall will be ns (nanoseconds since 1970), or now if that time is past. A time
// further off than longestWait was written by a clock that was set back later; it counts as longestWait from now.
func (c *crawlClock) instantOf(ns int64, now instant) instant {
	left := time.Duration(ns - c.epoch.Add(now).UnixNano())
	return now + min(max(left, 0), longestWait)
}

// since returns instantOf(ns), or never if ns is 0: there is nothing to wait for.
func (c *crawlClock) since(ns int64, now instant) instant {
	if ns == 0 {
		return never
	}
	return c.instantOf(ns, now)
}

// wallOf returns the wall time at t in nanoseconds since 1970, as it is stored. It is the inverse of instantOf.
func (c *crawlClock) wallOf(t instant) int64 { return c.epoch.Add(t).UnixNano() }

// timeOfDay is a time of the clock itself, in nanoseconds since 1970.
type timeOfDay int64

// noTime is a timeOfDay that never comes, someday one that does not come by itself (Someday).
const (
	noTime  timeOfDay = math.MaxInt64
	someday           = noTime - 1
)

// come reports whether the time t has come.
func (c *crawlClock) come(t timeOfDay) bool { return t != noTime && c.Now().UnixNano() >= int64(t) }

// until returns when to look whether the time t has come. That is at t or earlier, and never later than after
// longestWait; forever for noTime and someday.
func (c *crawlClock) until(t timeOfDay) instant {
	if t >= someday {
		return forever
	}
	left := time.Duration(int64(t) - c.Now().UnixNano())
	return c.now() + min(max(left, 0), longestWait)
}

// leastJump is the smallest change of the clock that is stored.
const leastJump = time.Second

// noteJump lets b store by how much the clock has been set, if that changed since it was stored last. The other times
// in b can be read correctly after a restart only together with it. Frontier.applying is held.
func (c *crawlClock) noteJump(b *pebble.Batch) error {
	now := c.Now()
	ahead := now.Round(0).Sub(c.epoch.Add(now.Sub(c.start)).Round(0))
	if (ahead - c.ahead).Abs() < leastJump {
		return nil
	}
	c.ahead = ahead
	return b.Set([]byte{tagClock}, binary.AppendVarint([]byte{clockVersion}, int64(ahead)), nil)
}

const clockVersion = 1

// load starts wall at the time of the clock, less what the clock was set ahead in earlier runs.
func (c *crawlClock) load(db *database) error {
	key := []byte{tagClock}
	v, err := db.value(key)
	if err != nil {
		return err
	}
	if v != nil {
		if v[0] != clockVersion {
			return corrupt(key, errVersion)
		}
		d := decoder{b: v[1:]}
		c.ahead = time.Duration(d.varint())
		if err := d.end(); err != nil {
			return corrupt(key, err)
		}
	}
	c.epoch = c.start.Add(-c.ahead)
	return nil
}
