package frontier

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// This file puts hosts on hold because a person, or the crawl itself, said so. The URLs of a host on hold wait. Holds
// are durable. (Visit.Hold is something else: it reserves a host for the parts of one page, in memory.)

// Held is a host on hold.
type Held struct {
	Host  string
	Since time.Time
	Until time.Time // when it ends by itself; zero: only Release ends it
	Why   string    // for people
}

// Hold makes all URLs of host wait until the given time; if that is zero, until Release. host is a name without a port,
// as in a URL. The hold is durable when Hold returns. A new Hold replaces an old one. Requests under way go on. A crawl
// that has only held hosts left does not end: it waits.
func (f *Frontier) Hold(host string, until time.Time, why string) error {
	if !isHost(host) {
		return fmt.Errorf("frontier: hold %q: it is no host name; write it as in a URL, without scheme and port", host)
	}
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	return f.changeHold(host, &Held{Host: host, Since: f.clock.Now(), Until: until, Why: why})
}

// Release ends the Hold of host, durably. If there is none, nothing changes.
func (f *Frontier) Release(host string) error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	return f.changeHold(host, nil)
}

// changeHold makes a Hold of host durable, and then known in memory. held is nil for a release. Frontier.applying is
// held.
func (f *Frontier) changeHold(host string, held *Held) error {
	b, key := f.db.NewBatch(), stringKey(tagHold, host)
	var err error
	if held == nil {
		err = b.Delete(key, nil)
	} else {
		err = b.Set(key, held.append(nil), nil)
	}
	if err == nil {
		err = f.db.commit(b, pebble.Sync)
	}
	if err != nil {
		f.fail(err)
		return err
	}
	return f.setHold(host, held)
}

// setHold makes a hold known in memory, or its end if held is nil. Frontier.applying is held.
func (f *Frontier) setHold(host string, held *Held) error {
	s, err := f.readStanding(host)
	if err != nil {
		f.fail(err)
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.now()
	f.mu.holds.set(host, held)
	if h := f.mu.bench.hosts[host]; h != nil {
		h.held = f.mu.holds.until(host, f.clock.Now(), now)
		h.arrange(now)
	} else if held == nil {
		f.mu.bench.admit(&s, &f.parts)
	}
	f.wakeNext()
	return nil
}

// Held returns every host on hold, sorted by name.
func (f *Frontier) Held() []Held {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.holds.all(f.clock.Now())
}

// end returns when h ends by itself; noTime if it does not.
func (h *Held) end() timeOfDay {
	if h.Until.IsZero() {
		return noTime
	}
	return timeOfDay(h.Until.UnixNano())
}

func (h *Held) over(wall time.Time) bool { return !h.Until.IsZero() && !h.Until.After(wall) }

// holds are the hosts on hold. A hold whose time is over may still be among them for a while. Frontier.mu guards it.
type holds struct {
	byHost map[string]Held
	end    timeOfDay // when the first of them ends by itself
}

func (hs *holds) has(host string) bool {
	_, held := hs.byHost[host]
	return held
}

// set takes note of a hold of host, or of its end when held is nil.
func (hs *holds) set(host string, held *Held) {
	if held == nil {
		delete(hs.byHost, host)
	} else {
		hs.byHost[host] = *held
	}
	hs.end = noTime
	for _, h := range hs.byHost {
		hs.end = min(hs.end, h.end())
	}
}

// all returns the holds that are not over, by host.
func (hs *holds) all(wall time.Time) (all []Held) {
	for _, name := range slices.Sorted(maps.Keys(hs.byHost)) {
		if h := hs.byHost[name]; !h.over(wall) {
			all = append(all, h)
		}
	}
	return all
}

// count returns how many holds are not over.
func (hs *holds) count(wall time.Time) (n int) {
	for _, h := range hs.byHost {
		if !h.over(wall) {
			n++
		}
	}
	return n
}

// over returns the hosts whose holds are over, sorted.
func (hs *holds) over(wall time.Time) (names []string) {
	if timeOfDay(wall.UnixNano()) < hs.end {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(hs.byHost)) {
		if h := hs.byHost[name]; h.over(wall) {
			names = append(names, name)
		}
	}
	return names
}

// until returns when the hold of host ends: never (long ago) if there is no hold, forever if only Release ends it.
func (hs *holds) until(host string, wall time.Time, now instant) instant {
	held, ok := hs.byHost[host]
	switch {
	case !ok || held.over(wall):
		return never
	case held.Until.IsZero():
		return forever
	}
	return min(now+held.Until.Sub(wall), forever)
}

// load reads the holds of an earlier run. It lets b delete those that are over.
func (hs *holds) load(db *database, b *pebble.Batch, wall time.Time) error {
	return db.each([]byte{tagHold}, []byte{tagHold + 1}, "the holds", func(key, value []byte) (bool, error) {
		held, err := parseHeld(string(key[1:]), value)
		switch {
		case err != nil:
			err = corrupt(key, err)
		case held.over(wall):
			err = b.Delete(key, nil)
		default:
			hs.byHost[held.Host], hs.end = held, min(hs.end, held.end())
		}
		return true, err
	})
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
