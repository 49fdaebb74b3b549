package frontier

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh/internal/clock"
)

// This file tells the frontier the time, so that a wall clock that jumps neither stops a crawl nor hurries it.

// instant is a time as the clock's monotonic part tells it: since the frontier was opened. What must outlive the
// process is kept in wall time and clamped when it is read, so that a clock that jumped does not stop a crawl.
type instant = time.Duration

const (
	never   instant = -1 << 60
	forever instant = 1 << 60
)

// crawlClock tells the time in three ways: as an instant, as the wall time that waits are stored by, and as the clock's
// own time of day, which people and servers name.
type crawlClock struct {
	clock.Clock
	start time.Time     // zero of instant
	epoch time.Time     // the same by wall
	ahead time.Duration // of wall the clock, as far as it is stored; Frontier.applying guards it
}

func (c *crawlClock) now() instant { return c.Now().Sub(c.start) }

// wall is the time by which waits are stored and read back. It began as the clock's when the frontier was made and goes
// on evenly, so that a clock that is set while we run neither ends a wait early nor draws it out, after a restart
// neither. What people and servers name as a time of day is compared with the clock itself.
func (c *crawlClock) wall() time.Time { return c.epoch.Add(c.now()) }

// instantOf is when wall will be ns, now that it is now. A time further off than we ever wait was written by a clock that
// was set back since, and counts as the longest wait.
func (c *crawlClock) instantOf(ns int64, now instant) instant {
	left := time.Duration(ns - c.epoch.Add(now).UnixNano())
	return now + min(max(left, 0), longestWait)
}

// since is instantOf for a time that may be 0, which is never: there is nothing to wait for.
func (c *crawlClock) since(ns int64, now instant) instant {
	if ns == 0 {
		return never
	}
	return c.instantOf(ns, now)
}

// wallOf is instantOf's inverse, for what is stored.
func (c *crawlClock) wallOf(t instant) int64 { return c.epoch.Add(t).UnixNano() }

// timeOfDay is a time of the clock itself, in nanoseconds since 1970.
type timeOfDay int64

// noTime is a timeOfDay that never comes.
const noTime timeOfDay = math.MaxInt64

// come reports whether the time t has come.
func (c *crawlClock) come(t timeOfDay) bool { return t != noTime && c.Now().UnixNano() >= int64(t) }

// until returns when to look whether the time t has come: then, or earlier; forever for noTime.
func (c *crawlClock) until(t timeOfDay) instant {
	if t == noTime {
		return forever
	}
	left := time.Duration(int64(t) - c.Now().UnixNano())
	return c.now() + min(max(left, 0), longestWait)
}

// leastJump is by how much a clock must be set for it to be noted.
const leastJump = time.Second

// noteJump lets b store by how much the clock has been set, if it was since that was stored last. What b stores besides
// is of use after a restart only with it. Frontier.applying is held.
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

// load begins wall where the clock is, less by how much it was set in earlier runs.
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
