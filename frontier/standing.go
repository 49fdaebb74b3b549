package frontier

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
	"kavosh/frontier/seen"
)

// This file is what the disk keeps of each host: whether something waits there, since when the host fails, and its
// place in line.

// standing is what the disk knows of a host. A host with something queued stands in one of two lines; the method line
// tells in which, and where. The ranks and times here are lower bounds, so that they need not be written at every step.
// The true ones are read when the turn of the host comes.
type standing struct {
	queued    bool  // tasks may lie in its queue (tag q in store.go)
	rank      rank  // if queued: that of the first task there, or a lower one
	later     int64 // the first not-before time of its deferred tasks (tag d), or an earlier one; 0 if there are none
	allowance       // what it has spent of its budget (allowance.go)
	trouble

	// These are kept elsewhere on disk, and are read together with it.
	add    float64   // what its Priority adds to the scores of all its URLs
	domain allowance // what its domain has spent
}

// trouble is what is kept of a host that failed or asked for time.
type trouble struct {
	until   int64 // it may not be asked before, in nanoseconds since 1970; 0 for at once
	backoff int   // answers in a row that were 429, 5xx, or did not come
	fails   int   // requests in a row without any answer
	failure kavosh.Failure
}

// waits reports whether the host has something queued, or deferred.
func (s *standing) waits() bool { return s.queued || s.later != 0 }

// line returns the place of a host in the two lines. If until is not 0, it stands in the line of those that wait for a
// time, at until. Else it stands in the line of those that may be asked, at its seat. A host that counts as dead does
// not wait for its trouble to end, because its URLs are refused, which asks nothing of the host.
func (s *standing) line() (at seat, until int64) {
	dead := s.fails >= deadAfter
	switch {
	case s.queued && (s.until == 0 || dead):
		return s.seat(), 0
	case s.queued:
		return at, s.until
	case dead:
		return at, s.later
	}
	return at, max(s.until, s.later)
}

// seat returns the place of the host among those that may be asked: its round, and the rank of its first task. With
// deferred tasks alone it stands before all normal tasks, because a retry has waited long enough.
func (s *standing) seat() seat {
	r := rank{class: classNormal}
	if s.queued {
		r = s.rank.raised(s.add)
	}
	return seat{s.round, r}
}

// lineKey returns the key under which a host of that standing waits in its line; nil if it has nothing queued.
func (s *standing) lineKey(host string) []byte {
	if !s.waits() {
		return nil
	}
	if at, until := s.line(); until == 0 {
		return append(appendSeat([]byte{tagReady}, at), host...)
	} else {
		return append(binary.BigEndian.AppendUint64([]byte{tagWaiting}, uint64(until)), host...)
	}
}

// parseLine reads what lineKey made.
func parseLine(key []byte) (host string, at seat, until int64, err error) {
	switch {
	case len(key) > 1+seatLen && key[0] == tagReady:
		return string(key[1+seatLen:]), parseSeat(key[1:]), 0, nil
	case len(key) > 1+8 && key[0] == tagWaiting:
		if until = int64(binary.BigEndian.Uint64(key[1:])); until > 0 {
			return string(key[1+8:]), at, until, nil
		}
	}
	return "", at, 0, corrupt(key, "is no place in a line")
}

const tagHost = 'h' // first byte of a host's entry in the Set

// The second byte of an entry is the sum of the fields that it has. Other fields take no bytes.
const (
	tellsRank = 1 << iota
	tellsLater
	tellsAllowance
	tellsUntil
	tellsTrouble
	tellsAll = 1<<iota - 1
)

// append writes at most seen.MaxEntry bytes.
func (s *standing) append(b []byte) []byte {
	at := len(b) + 1
	b = append(b, tagHost, 0)
	if s.queued {
		b[at] |= tellsRank
		b = appendRank(b, s.rank)
	}
	if s.later != 0 {
		b[at] |= tellsLater
		b = binary.BigEndian.AppendUint64(b, uint64(s.later))
	}
	if s.allowance != (allowance{}) {
		b[at] |= tellsAllowance
		b = s.allowance.append(b)
	}
	if s.until != 0 {
		b[at] |= tellsUntil
		b = binary.BigEndian.AppendUint64(b, uint64(s.until))
	}
	if s.backoff != 0 || s.fails != 0 {
		b[at] |= tellsTrouble
		b = append(b, byte(min(s.backoff, math.MaxUint8)), byte(min(s.fails, math.MaxUint8)))
		b = appendString(b, string(s.failure))
	}
	return b
}

func parseStanding(v []byte) (s standing, err error) {
	if len(v) < 2 || v[0] != tagHost || v[1] > tellsAll {
		return s, errMalformed
	}
	tells, d := v[1], decoder{b: v[2:]}
	if tells&tellsRank != 0 {
		s.queued, s.rank = true, parseRank(d.bytes(rankLen))
	}
	if tells&tellsLater != 0 {
		s.later = int64(binary.BigEndian.Uint64(d.bytes(8)))
	}
	if tells&tellsAllowance != 0 {
		s.allowance = d.allowance()
	}
	if tells&tellsUntil != 0 {
		s.until = int64(binary.BigEndian.Uint64(d.bytes(8)))
	}
	if tells&tellsTrouble != 0 {
		of := d.bytes(2)
		s.backoff, s.fails, s.failure = int(of[0]), int(of[1]), kavosh.Failure(d.string())
	}
	if s.later < 0 || s.until < 0 {
		return s, errMalformed
	}
	return s, d.end()
}

// hostKey returns the key of a host's entry in the Set. buf is memory to be used again.
func hostKey(name string, buf *[]byte) seen.Key {
	*buf = append(append((*buf)[:0], "host "...), name...)
	sum := sha256.Sum256(*buf)
	return seen.Key(sum[:16])
}

// standings is a set of hosts whose standings are read, and perhaps changed, in one batch. Frontier.applying is held
// from the first read to the commit, so that what was read stays true. After the commit, learn brings the changes into
// memory.
type standings struct {
	f      *Frontier
	byName map[string]*change
	all    []*change // in the order they came, so that two equal runs do the same
}

// change is one host's standing before and after a batch.
type change struct {
	name     string
	host     *host // the host in memory when its standing was read, or nil
	was, now standing
	gone     int      // how many tasks the batch takes out of its queues
	added    int      // how many tasks the batch puts in
	tasks    []queued // the tasks that an Apply puts in
}

// of returns the change for one host. If it is new here, its standing is read from memory or disk.
func (ss *standings) of(name string) (*change, error) {
	if ss.byName[name] == nil {
		if err := ss.find([]string{name}); err != nil {
			return nil, err
		}
	}
	return ss.byName[name], nil
}

// find is of for many hosts: their standings are looked up together.
func (ss *standings) find(names []string) error {
	f := ss.f
	first := len(ss.all)
	for _, name := range names {
		if ss.byName[name] == nil {
			ss.keep(&change{name: name})
		}
	}
	f.mu.Lock()
	for _, c := range ss.all[first:] {
		if c.host = f.mu.bench.hosts[c.name]; c.host != nil {
			c.was = c.host.onDisk
		}
	}
	f.mu.Unlock()
	keys := f.scratch.keys[:0]
	for _, c := range ss.all[first:] {
		if c.host == nil {
			keys = append(keys, hostKey(c.name, &f.scratch.url))
		}
	}
	entries := slices.Grow(f.scratch.entries[:0], len(keys))[:len(keys)]
	f.scratch.keys, f.scratch.entries = keys, entries
	if err := f.known.get(keys, entries); err != nil {
		return err
	}
	for _, c := range ss.all[first:] {
		if c.host == nil {
			var err error
			if c.was, err = f.decodeStanding(c.name, &entries[0]); err != nil {
				return err
			}
			entries = entries[1:]
		}
		c.now = c.was
	}
	return nil
}

func (ss *standings) keep(c *change) {
	if ss.byName == nil {
		ss.byName = make(map[string]*change)
	}
	ss.byName[c.name] = c
	ss.all = append(ss.all, c)
}

// add takes note of a task that is queued at p. round is the round that is on.
func (c *change) add(p place, round uint32) {
	c.added++
	s := &c.now
	if !s.waits() && s.round < round {
		s.allowance = allowance{round: round}
	}
	switch {
	case p.after == 0 && (!s.queued || p.less(s.rank)):
		s.queued, s.rank = true, p.rank
	case p.after != 0 && (s.later == 0 || p.after < s.later):
		s.later = p.after
	}
}

// write puts the places in line that have changed into b, and the standings into the news that are committed with it. It
// returns by how many the hosts with something queued have become more.
func (ss *standings) write(b *pebble.Batch) (more int64, err error) {
	var v []byte
	for _, c := range ss.all {
		if c.now == c.was {
			continue
		}
		old, now := c.was.lineKey(c.name), c.now.lineKey(c.name)
		if old != nil && string(old) != string(now) {
			err = b.Delete(old, nil)
		}
		if now != nil && string(old) != string(now) && err == nil {
			err = b.Set(now, nil, nil)
		}
		if err != nil {
			return 0, fmt.Errorf("frontier: %w", err)
		}
		stored := c.was
		stored.add, stored.domain = c.now.add, c.now.domain // these two are not part of an entry
		if c.now != stored {
			key := hostKey(c.name, &ss.f.scratch.url)
			v = c.now.append(v[:0])
			ss.f.known.add(&key, v)
		}
		if old == nil && now != nil {
			more++
		} else if old != nil && now == nil {
			more--
		}
	}
	return more, nil
}

// takeDirty takes the hosts whose standing is to be written, with what it is now. Frontier.mu is held. learn ends it.
func (ss *standings) takeDirty(now instant) (dirty []*host) {
	f := ss.f
	dirty, f.mu.bench.dirty = f.mu.bench.dirty, nil
	for _, h := range dirty {
		h.dirty, h.writing = false, true
		c := ss.resident(h)
		c.now.trouble = h.troubleOf(now)
	}
	return dirty
}

// resident adds h, a host in memory that is not in ss yet, and returns its change.
func (ss *standings) resident(h *host) *change {
	c := &change{name: h.name, host: h, was: h.onDisk, now: h.onDisk}
	ss.keep(c)
	return c
}

// emptied lets the standing say so where a batch takes the last tasks of a host in memory, or it has none anyway.
func (ss *standings) emptied(wall time.Time) {
	f := ss.f
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range ss.all {
		h := c.host
		if h == nil || c.added > 0 || h.more || h.later != forever || len(h.window)+h.unapplied != c.gone {
			continue
		}
		c.now.queued, c.now.rank, c.now.later = false, rank{}, 0
		if c.now.until <= wall.UnixNano() {
			c.now.until = 0
		}
		if c.now.round < f.mu.sums.round {
			c.now.allowance = allowance{}
		}
	}
}

// learn brings the standings that are durable now into memory. Frontier.mu is held.
func (ss *standings) learn() {
	f := ss.f
	for _, c := range ss.all {
		if h := f.mu.bench.hosts[c.name]; h != nil {
			h.onDisk, h.writing = c.now, false
		} else if c.now != c.was {
			f.mu.bench.admit(&c.now, &f.parts)
		}
	}
}

// readStanding reads what the disk knows of a host. Frontier.applying or Frontier.mu is held.
func (f *Frontier) readStanding(name string) (s standing, err error) {
	var buf []byte
	e, err := f.known.entry(hostKey(name, &buf))
	if err != nil {
		return s, err
	}
	return f.decodeStanding(name, &e)
}

// decodeStanding returns what the disk knows of a host. e is the host's entry in the Set. Frontier.applying or
// Frontier.mu is held.
func (f *Frontier) decodeStanding(name string, e *seen.Entry) (s standing, err error) {
	if e.Met() {
		if s, err = parseStanding(e.Bytes()); err != nil {
			return s, corrupt([]byte("host "+name), err)
		}
	}
	s.add = f.priorities.add(name)
	s.domain, err = f.budgets.ofDomain(f.db, name)
	return s, err
}
