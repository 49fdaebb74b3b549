package frontier

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// instant is a time as the clock's monotonic part tells it: since the frontier was opened. What must outlive the
// process is kept in wall time and clamped when it is read, so that a clock that jumped does not stop a crawl.
type instant = time.Duration

const (
	never   instant = -1 << 60
	forever instant = 1 << 60
)

func (f *Frontier) now() instant { return f.o.Clock.Now().Sub(f.start) }

// wall is the time by which waits are stored and read back. It began as the clock's when the frontier was made and goes
// on evenly, so that a clock that is set while we run neither ends a wait early nor draws it out, after a restart
// neither. What people and servers name as a time of day is compared with the clock itself.
func (f *Frontier) wall() time.Time { return f.epoch.Add(f.now()) }

// instantOf is when wall will be ns, now that it is now. A time further off than we ever wait was written by a clock that
// was set back since, and counts as the longest wait.
func (f *Frontier) instantOf(ns int64, now instant) instant {
	left := time.Duration(ns - f.epoch.Add(now).UnixNano())
	return now + min(max(left, 0), longestWait)
}

// wallOf is instantOf's inverse, for what is stored.
func (f *Frontier) wallOf(t instant) int64 { return f.epoch.Add(t).UnixNano() }

// leastJump is by how much a clock must be set for it to be noted.
const leastJump = time.Second

// noteJump lets b store by how much the clock has been set, if it was since that was stored last. What b stores besides
// is of use after a restart only with it. Frontier.applying is held.
func (f *Frontier) noteJump(b *pebble.Batch) error {
	clock := f.o.Clock.Now()
	ahead := clock.Round(0).Sub(f.epoch.Add(clock.Sub(f.start)).Round(0))
	if (ahead - f.ahead).Abs() < leastJump {
		return nil
	}
	f.ahead = ahead
	return b.Set([]byte{tagClock}, binary.AppendVarint([]byte{clockVersion}, int64(ahead)), nil)
}

// keepJump stores by how much the clock has been set, if it was since the last update: else the waits that are stored would
// end early after a restart. Frontier.applying is held.
func (f *Frontier) keepJump() error {
	b, err := f.begin()
	if err != nil {
		return err
	}
	if err := f.noteJump(b); err != nil || b.Empty() {
		return cmp.Or(err, b.Close())
	}
	return f.commit(b)
}

const clockVersion = 1

// loadClock begins wall where the clock is, less by how much it was set in earlier runs.
func (f *Frontier) loadClock() error {
	key := []byte{tagClock}
	v, err := f.db.value(key)
	if err != nil {
		return err
	}
	if v != nil {
		if v[0] != clockVersion {
			return corrupt(key, errVersion)
		}
		d := decoder{b: v[1:]}
		f.ahead = time.Duration(d.varint())
		if err := d.end(); err != nil {
			return corrupt(key, err)
		}
	}
	f.epoch = f.start.Add(-f.ahead)
	return nil
}
