package frontier

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
)

// standing is what the disk knows of a host. A host with something queued stands in one of two lines, at the place that
// follows from its standing: line. Bounds are lower bounds, so that they need not be written at every step; what they
// stand for is read when the host's turn comes.
type standing struct {
	queued bool  // something may lie under q
	rank   rank  // when queued: at or before the first of it
	later  int64 // at or before the first not-before time under d; 0 for nothing there
	allowance
	trouble

	// Not stored with it, but as true as the rest.
	add    float64   // to the scores of all its URLs, by its Priority
	domain allowance // of its domain, as it is on disk
}

// blank says that there is nothing to be stored.
func (s *standing) blank() bool {
	return !s.waits() && s.allowance == allowance{} && s.trouble == trouble{}
}

// trouble is what is kept of a host that failed or asked for time.
type trouble struct {
	until   int64 // not to be asked before, nanoseconds since 1970; 0 for at once
	backoff int   // answers in a row that asked for less
	fails   int   // requests in a row without any answer
	failure kavosh.Failure
}

// waits says that the host has something queued.
func (s *standing) waits() bool { return s.queued || s.later != 0 }

// line is where in the lines the host stands: by time when until is not 0, else by its seat. A host that counts as dead
// stands by its seat, since refusing its URLs asks nothing of it.
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

// seat is where the host stands for what it may offer: a retry has waited long enough.
func (s *standing) seat() seat {
	r := rank{class: classNormal}
	if s.queued {
		r = s.rank.raised(s.add)
	}
	return seat{s.round, r}
}

// lineKey is the key under which a host of that standing waits for its turn; nil for one with nothing queued.
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

const standingVersion = 3

func (s *standing) append(b []byte) []byte {
	var queued byte
	if s.queued {
		queued = 1
	}
	b = append(b, standingVersion, queued)
	if s.queued {
		b = appendRank(b, s.rank)
	}
	b = binary.AppendVarint(b, s.later)
	b = s.allowance.append(b)
	b = binary.AppendVarint(b, s.until)
	b = binary.AppendUvarint(b, uint64(s.backoff))
	b = binary.AppendUvarint(b, uint64(s.fails))
	return appendString(b, string(s.failure))
}

func parseStanding(v []byte) (s standing, err error) {
	if len(v) < 2 || v[0] != standingVersion {
		return s, errVersion
	}
	d := decoder{b: v[2:]}
	if s.queued = v[1] == 1; s.queued {
		if len(d.b) < rankLen {
			return s, errMalformed
		}
		s.rank, d.b = parseRank(d.b), d.b[rankLen:]
	}
	s.later, s.allowance = d.varint(), d.allowance()
	s.trouble = trouble{until: d.varint(), backoff: d.int(), fails: d.int(), failure: kavosh.Failure(d.string())}
	if s.later < 0 || s.until < 0 {
		return s, errMalformed
	}
	return s, d.end()
}

// standings is a set of hosts whose standing is looked at, and perhaps changed, in one batch. Frontier.applying is held
// from the first look to the commit, so that what was read stays true; memory learns of it in settleStandings.
type standings struct {
	f      *Frontier
	byName map[string]*change
	all    []*change // in the order they came, so that two runs alike do the same
}

// change is one host's standing before and after a batch.
type change struct {
	name     string
	host     *host // in memory when it was looked at, or nil
	was, now standing
	gone     int // tasks that the batch takes out of its queues
	added    int // tasks that the batch puts in
}

// of finds a host's standing: in memory, among those seen lately, or on disk.
func (ss *standings) of(name string) (*change, error) {
	if c := ss.byName[name]; c != nil {
		return c, nil
	}
	f := ss.f
	c := &change{name: name}
	f.mu.Lock()
	if c.host = f.mu.hosts[name]; c.host != nil {
		c.name, c.was = c.host.name, c.host.onDisk
	}
	f.mu.Unlock()
	if c.host == nil {
		var err error
		if c.was, err = f.standing(name); err != nil {
			return nil, err
		}
	}
	c.now = c.was
	if ss.byName == nil {
		ss.byName = make(map[string]*change)
	}
	ss.byName[c.name] = c
	ss.all = append(ss.all, c)
	return c, nil
}

// add takes note of a task that is queued at p, in that round.
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

// write puts what has changed into b, and returns by how many the hosts with something queued have become more.
func (ss *standings) write(b *pebble.Batch) (more int64, err error) {
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
		if err == nil && c.now.blank() {
			err = b.Delete(stringKey(tagHost, c.name), nil)
		} else if err == nil {
			err = b.Set(stringKey(tagHost, c.name), c.now.append(nil), nil)
		}
		if err != nil {
			return 0, fmt.Errorf("frontier: %w", err)
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
	dirty, f.mu.dirty = f.mu.dirty, nil
	for _, h := range dirty {
		h.dirty, h.writing = false, true
		c := ss.resident(h)
		c.now.trouble = f.troubleOf(h, now)
	}
	return dirty
}

// resident adds a host in memory that is not among ss yet.
func (ss *standings) resident(h *host) *change {
	c := &change{name: h.name, host: h, was: h.onDisk, now: h.onDisk}
	if ss.byName == nil {
		ss.byName = make(map[string]*change)
	}
	ss.byName[h.name] = c
	ss.all = append(ss.all, c)
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

// learn lets memory know what is durable now. Frontier.mu is held.
func (ss *standings) learn() {
	f := ss.f
	for _, c := range ss.all {
		if h := f.mu.hosts[c.name]; h != nil {
			h.onDisk, h.writing = c.now, false
		} else if c.now != c.was {
			f.mu.line.admit(&c.now)
		}
		if c.host == nil || c.now != c.was {
			f.lately.put(c.name, &c.now)
		}
	}
}

// standing is what the disk knows of a host. Frontier.applying is held.
func (f *Frontier) standing(name string) (s standing, err error) {
	s, ok := f.lately.get(name)
	if !ok {
		return f.readStanding(name)
	}
	s.domain, err = f.readAllowance(name)
	return s, err
}

// readStanding reads what the disk knows of a host. Frontier.applying or Frontier.mu is held.
func (f *Frontier) readStanding(name string) (s standing, err error) {
	key := stringKey(tagHost, name)
	v, err := f.db.value(key)
	if err != nil {
		return s, err
	}
	if v != nil {
		if s, err = parseStanding(v); err != nil {
			return s, corrupt(key, err)
		}
	}
	s.add = f.priorities.add(name)
	s.domain, err = f.readAllowance(name)
	return s, err
}

// lately remembers standings that were read or written lately, by host name, the newer in place of the older.
// Frontier.applying guards it.
type lately struct{ slots []latelySlot }

type latelySlot struct {
	name string
	s    standing
}

const latelySlots = 1 << 15

func (l *lately) slot(name string) *latelySlot {
	if l.slots == nil {
		l.slots = make([]latelySlot, latelySlots)
	}
	h := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return &l.slots[h%latelySlots]
}

func (l *lately) get(name string) (standing, bool) {
	s := l.slot(name)
	return s.s, s.name == name
}

func (l *lately) put(name string, s *standing) {
	*l.slot(name) = latelySlot{strings.Clone(name), *s} // it may be a part of a URL, which must not live as long
}
