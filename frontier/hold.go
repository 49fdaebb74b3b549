package frontier

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Held is a host whose URLs wait because somebody said so.
type Held struct {
	Host  string
	Since time.Time
	Until time.Time // zero: until Release
	Why   string
}

// Hold makes all URLs of host, a name without a port as in a URL, wait until the given time, or until Release when it
// is zero. It is durable when Hold returns and survives restarts; a new Hold takes the place of an old one. What is
// leased goes on. A crawl that has only held hosts left does not end: it waits.
func (f *Frontier) Hold(host string, until time.Time, why string) error {
	if !isHost(host) {
		return fmt.Errorf("frontier: hold %q: it is no host name; write it as in a URL, without scheme and port", host)
	}
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	held := Held{Host: host, Since: f.o.Clock.Now(), Until: until, Why: why}
	b := f.db.NewBatch()
	if err := b.Set(stringKey(tagHold, host), held.append(nil), nil); err != nil {
		return err
	}
	return f.changeHold(b, host, &held)
}

// Release ends the Hold of host, durably. Without a Hold it does nothing.
func (f *Frontier) Release(host string) error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	b := f.db.NewBatch()
	if err := b.Delete(stringKey(tagHold, host), nil); err != nil {
		return err
	}
	return f.changeHold(b, host, nil)
}

// changeHold commits b, which changes the Hold of host, and lets memory know; held is nil for a release.
func (f *Frontier) changeHold(b *pebble.Batch, host string, held *Held) error {
	if err := f.db.commit(b, pebble.Sync); err != nil {
		f.fail(err)
		return err
	}
	return f.setHold(host, held)
}

// setHold lets memory know of a hold, or of its end when held is nil. Frontier.applying is held.
func (f *Frontier) setHold(host string, held *Held) error {
	s, err := f.readStanding(host)
	if err != nil {
		f.fail(err)
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if held == nil {
		delete(f.mu.held, host)
	} else {
		f.mu.held[host] = *held
	}
	f.mu.holdEnd = math.MaxInt64
	for _, h := range f.mu.held {
		if !h.Until.IsZero() {
			f.mu.holdEnd = min(f.mu.holdEnd, h.Until.UnixNano())
		}
	}
	if h := f.mu.hosts[host]; h != nil {
		h.held = f.heldUntil(host, now)
		h.arrange(now)
	} else if held == nil {
		f.admit(&s)
	}
	f.wakeNext()
	return nil
}

// Held is every host on hold, by name.
func (f *Frontier) Held() []Held {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Held
	wall := f.o.Clock.Now()
	for _, name := range slices.Sorted(maps.Keys(f.mu.held)) {
		if h := f.mu.held[name]; !h.over(wall) {
			all = append(all, h)
		}
	}
	return all
}

func (h *Held) over(wall time.Time) bool { return !h.Until.IsZero() && !h.Until.After(wall) }

// heldUntil is when the Hold of host ends: never without one, forever when only Release ends it.
func (f *Frontier) heldUntil(host string, now instant) instant {
	held, ok := f.mu.held[host]
	wall := f.o.Clock.Now()
	switch {
	case !ok || held.over(wall):
		return never
	case held.Until.IsZero():
		return forever
	}
	return min(now+held.Until.Sub(wall), forever)
}

// loadHolds reads the holds of an earlier run; those that are over are deleted by b.
func (f *Frontier) loadHolds(b *pebble.Batch) error {
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tagHold}, UpperBound: []byte{tagHold + 1}})
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	wall := f.o.Clock.Now()
	for ok := it.First(); ok; ok = it.Next() {
		held, err := parseHeld(string(it.Key()[1:]), it.Value())
		switch {
		case err != nil:
			err = corrupt(it.Key(), err)
		case held.over(wall):
			err = b.Delete(it.Key(), nil)
		default:
			f.mu.held[held.Host] = held
			if !held.Until.IsZero() {
				f.mu.holdEnd = min(f.mu.holdEnd, held.Until.UnixNano())
			}
		}
		if err != nil {
			it.Close()
			return err
		}
	}
	if err := it.Close(); err != nil {
		return fmt.Errorf("frontier: read the holds: %w", err)
	}
	return nil
}

const heldVersion = 1

func (h *Held) append(b []byte) []byte {
	b = appendTime(append(b, heldVersion), h.Since)
	b = appendTime(b, h.Until)
	return appendString(b, h.Why)
}

func parseHeld(host string, v []byte) (Held, error) {
	if len(v) < 1 || v[0] != heldVersion {
		return Held{}, errVersion
	}
	d := decoder{b: v[1:]}
	return Held{Host: host, Since: d.time(), Until: d.time(), Why: d.string()}, d.end()
}
