package frontier

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
)

// This file is a host on the workbench, that is, in memory: the first tasks of its queue, and when its turn is.

// host is a host on the workbench: the head of its queue and its turn.
// All ports and schemes of a name are one host, since one machine answers them; robots.txt goes by origin.
// Frontier.mu guards every field.
type host struct {
	f    *Frontier
	name string

	// The queue. window holds the first few of the tasks on disk, in order. If more is true, other queued tasks lie on
	// disk, with the rank from or a later one. Deferred tasks have the not-before time later or a later one.
	window []queued
	more   bool
	from   rank
	later  instant // forever when nothing is deferred
	asks   []*ask  // robots.txt files to be asked of this host

	// The gate.
	onDisk     standing // what the disk knows of it (standing.go)
	lastEnd    instant  // end of the last answer; never if it was not asked
	took       instant  // how long the last answer took, or the longest of the last turn
	pace       ownPace  // what else its rest is made of
	notBefore  instant  // not asked before, because of Retry-After or failures
	hold       instant  // not asked before, because of Lease.Later
	held       instant  // not asked before, because it is on hold (hold.go)
	crawlDelay time.Duration
	backoff    int            // answers in a row that were 429, 5xx, or did not come
	answers    bool           // it answered something, as far as is known
	fails      int            // requests in a row without any answer; deadAfter for a name without an address
	failure    kavosh.Failure // of the last of fails
	troubledAt instant        // when backoff was raised last: a request that began before does not raise it again
	leases     int            // requests under way
	burst      int            // requests of a visit in this turn, at most visitConns (visit.go)
	visit      *Visit         // the visit that asked last, or nil
	waiting    int            // callers of Visit.Hold, and callers of Claim and Join that wait for its turn
	out        int            // leases handed out and not Applied
	unapplied  int            // those of out for tasks of its queue
	spending   int            // those of out that count against its budget (allowance.go)
	domain     *domain        // nil if domains have no budgets
	addr       netip.Addr     // the address that it had last
	dirty      bool           // its trouble changed since it was written last
	writing    bool           // an Apply is writing its trouble
	full       bool           // it has just reached a limit: what lies beyond it leaves the queue at once
	leaving    bool           // it is about to leave the workbench, and in no heap

	// Where it stands.
	blocked bool         // every task of window waits for a robots.txt
	first   seat         // its seat when it was last put into ready or parked
	wake    instant      // when it wakes, if it is asleep
	in      *heap[*host] // the heap that it is in: ready, asleep, or parked of an address; nil for none
	at      int          // its index there

	// While the crawl has a budget (patience.go).
	promised  bool // it is in patience.promise
	promise   seat // … as it was when it was put there
	promiseAt int  // its index there
}

// queued is one task of a window: where it lies and its stored value.
type queued struct {
	place
	value []byte
}

const (
	windowSize   = 64      // tasks of one host held in memory
	windowsLimit = 1 << 16 // tasks of all hosts held in memory, about
	shedAfter    = time.Minute
)

// newHost puts a host on the workbench. s is what the disk knows of it.
func (f *Frontier) newHost(name string, s *standing, now instant) *host {
	name = strings.Clone(name) // it may be a part of a URL, which must not live as long
	h := &host{
		f: f, name: name, onDisk: *s, more: s.queued, from: s.rank, later: forever,
		lastEnd: f.opened, hold: never, notBefore: f.clock.since(s.until, now), troubledAt: never, held: f.mu.holds.until(name, f.clock.Now(), now),
		backoff: s.backoff, fails: s.fails, failure: s.failure,
	}
	if s.later != 0 {
		h.later = f.clock.instantOf(s.later, now)
	}
	f.mu.bench.hosts[name] = h
	if h.fails > 0 {
		f.mu.bench.silent[h] = struct{}{}
	}
	f.budgets.join(h, s.domain)
	return h
}

// remove takes h off the workbench.
func (h *host) remove() {
	h.breaksPromise()
	delete(h.f.mu.bench.hosts, h.name)
	delete(h.f.mu.bench.silent, h)
	h.f.budgets.leave(h)
}

// bring returns the host of that name. If it is not on the workbench, it is read from disk and put there.
func (f *Frontier) bring(name string, now instant) (*host, error) {
	if h := f.mu.bench.hosts[name]; h != nil {
		return h, nil
	}
	s, err := f.readStanding(name)
	if err != nil {
		return nil, err
	}
	return f.newHost(name, &s, now), nil
}

// seat returns where h stands among the ready hosts. A robots.txt and a URL that is refused count against no budget.
func (h *host) seat(now instant) seat {
	s := seat{h.f.mu.sums.round, h.head(now).raised(h.onDisk.add)}
	if s.class != classFirst && !h.dead(now) {
		s.round = h.f.budgets.roundOf(h, h.f.mu.sums.round)
	}
	return s
}

// head returns the rank of the task that h offers.
func (h *host) head(now instant) rank {
	if a := h.dueAsk(now); a != nil {
		return rank{class: classFirst, id: a.id}
	}
	best, some := h.best()
	switch {
	case h.f.parts.only && h.later <= now: // refill tells whether a part is among the deferred
		return rank{class: classFirst}
	case some:
		return best
	}
	return rank{class: classNormal} // a deferred task: it has waited long enough
}

// best returns the first rank that a queued task may have, deferred ones left out. some is false if there is none.
func (h *host) best() (r rank, some bool) {
	switch {
	case len(h.window) > 0 && (!h.more || h.window[0].less(h.from)):
		return h.window[0].rank, true
	case h.more:
		return h.from, true
	}
	return r, false
}

func (h *host) dueAsk(now instant) *ask {
	for _, a := range h.asks {
		if !a.leased && a.notBefore <= now {
			return a
		}
	}
	return nil
}

// offers returns when h has something to offer at the soonest: never (at once), a time, or forever for nothing.
func (h *host) offers() instant {
	if best, some := h.best(); some && !h.blocked && !h.f.parts.barred(best) {
		return never
	}
	t := h.later
	if h.blocked && len(h.window) >= windowSize {
		t = forever // no room for it
	}
	for _, a := range h.asks {
		if !a.leased {
			t = min(t, a.notBefore)
		}
	}
	return t
}

// arrange puts h where it belongs: among the ready hosts, asleep until its turn, or out of memory.
func (h *host) arrange(now instant) {
	if h.leaving {
		return
	}
	h.f.mu.bench.line.changes++
	h.breaksPromise()
	if h.in != nil {
		h.in.remove(h)
		h.in = nil
	}
	offers := h.offers()
	if offers == forever {
		h.forget(now)
		h.passAddress(now)
		return
	}
	turn := h.turn()
	if h.dead(now) || h.full {
		turn = never // its URLs are refused or set aside, which asks nothing of the host
	}
	switch wake := max(turn, offers); {
	case h.leases >= h.limit(), h.waiting > 0:
		// Answered, Later, or the caller that waits for it will arrange it.
		h.promises(now)
	case wake > now:
		h.sleep(wake)
		h.promises(now)
		if wake-now > shedAfter && h.f.mu.bench.loaded > windowsLimit/2 {
			h.shed()
		}
	default:
		h.first = h.seat(now)
		h.in = &h.f.mu.bench.ready
		h.f.mu.bench.ready.push(h)
		return
	}
	h.passAddress(now)
}

// forget drops a host that has nothing to offer, as soon as its turn has come. Until then memory must know that it was
// asked. Longer waits are on disk. A host whose tasks wait for a robots.txt or are leased has no place in any heap.
func (h *host) forget(now instant) {
	switch turn := h.turn(); {
	case h.out > 0 || h.waiting > 0 || len(h.asks) > 0 || len(h.window) > 0 || h.more || h.dirty || h.writing:
	case h.onDisk.waits():
		h.markTroubled() // the next Apply takes it out of its line
	case turn <= now || turn == h.notBefore && turn > max(h.hold, h.gapEnd()):
		h.remove()
	default:
		h.sleep(turn)
	}
}

func (h *host) sleep(until instant) {
	h.wake = until
	h.in = &h.f.mu.bench.asleep
	h.f.mu.bench.asleep.push(h)
}

// enqueue takes note of a task of h that was written to disk, and puts it into the window if it belongs there.
func (h *host) enqueue(q queued, now instant) {
	if q.after != 0 {
		h.later = min(h.later, h.f.clock.instantOf(q.after, now))
		return
	}
	h.blocked = false
	if h.more && !q.less(h.from) && (len(h.window) == 0 || h.window[len(h.window)-1].less(q.rank)) {
		return // behind from: refill will come to it
	}
	h.insert(q, now)
}

// insert puts q into the window at its place, unless it is leased or there already. Tasks that have no room in the
// window are left on disk.
func (h *host) insert(q queued, now instant) {
	i, found := slices.BinarySearchFunc(h.window, q.rank, func(w queued, r rank) int {
		switch {
		case w.less(r):
			return -1
		case r.less(w.rank):
			return 1
		}
		return 0
	})
	if found || h.f.mu.leases.away(q.id) {
		return
	}
	h.window = slices.Insert(h.window, i, q)
	h.f.mu.bench.loaded++
	for len(h.window) > windowSize || len(h.window) > 1 && h.f.mu.bench.loaded > windowsLimit {
		h.leave(len(h.window)-1, now)
	}
}

// leave drops task i from the window; it is still on disk.
func (h *host) leave(i int, now instant) {
	q := h.take(i)
	switch {
	case q.after != 0:
		h.later = min(h.later, h.f.clock.instantOf(q.after, now))
	case !h.more || q.less(h.from):
		h.more, h.from = true, q.rank
	}
}

// take removes task i from the window.
func (h *host) take(i int) queued {
	q := h.window[i]
	h.window = slices.Delete(h.window, i, i+1)
	h.f.mu.bench.loaded--
	return q
}

// drop takes the task of that id out of the window, if it is there.
func (h *host) drop(id uint64) {
	for i := range h.window {
		if h.window[i].id == id {
			h.take(i)
			return
		}
	}
}

// shed frees the memory of the window. Its tasks are read again from disk when the turn of h comes.
func (h *host) shed() {
	for len(h.window) > 0 {
		h.leave(len(h.window)-1, h.wake)
	}
	h.window = nil
}

// refill brings the next tasks of h into its window: deferred ones whose time has come, and queued ones when the
// window does not hold the first of them.
func (h *host) refill(now instant) error {
	if h.later <= now {
		wall := h.f.clock.wall().UnixNano()
		h.later = forever
		err := h.f.db.scan(&h.f.mu.leases, tagDeferred, h.name, nil, func(q queued) bool {
			if h.f.parts.barred(q.rank) {
				h.later = now + barredFor
				return true // it stays where it is
			}
			if q.after > wall && q.after <= wall+int64(longestWait) { // a later time was written before the clock was set back
				h.later = h.f.clock.instantOf(q.after, now)
				return false
			}
			if len(h.window) >= windowSize {
				h.later = now
				return false
			}
			h.insert(q, now)
			return true
		})
		if err != nil {
			return err
		}
	}
	if h.more && (len(h.window) == 0 || !h.window[0].less(h.from)) {
		from := appendRank(nil, h.from)
		h.more = false
		n := 0
		err := h.f.db.scan(&h.f.mu.leases, tagQueue, h.name, from, func(q queued) bool {
			if n == windowSize/2 {
				h.more, h.from = true, q.rank
				return false
			}
			n++
			h.insert(q, now)
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scan reads the tasks of a host under tag until yield returns false. It begins at the key whose part after the host is
// from, or at the first key if from is nil. It skips tasks that are leased or being moved (leases.away).
func (d *database) scan(out *leases, tag byte, host string, from []byte, yield func(queued) bool) error {
	lo, hi := hostRange(tag, host)
	return d.read(lo, hi, "a queue", func(it *pebble.Iterator) error {
		for ok := it.SeekPrefixGE(append(lo, from...)); ok; ok = it.Next() {
			_, p, err := parsePlace(it.Key())
			if err != nil {
				return err
			}
			if out.away(p.id) {
				continue
			}
			v, err := it.ValueAndErr()
			if err != nil || !yield(queued{p, slices.Clone(v)}) {
				break // Close returns the error
			}
		}
		return nil
	})
}

// headLess orders hosts by what they offer. Two ranks are never equal, because they have ids, unless they stand for
// deferred tasks that are not read yet: then the names of the hosts decide.
func headLess(a, b *host) bool {
	if a.first != b.first {
		return a.first.less(b.first)
	}
	return a.name < b.name
}

func wakeLess(a, b *host) bool {
	if a.wake != b.wake {
		return a.wake < b.wake
	}
	return a.name < b.name
}

// isReady reports whether h is among the ready hosts, which may be asked now.
func (h *host) isReady() bool { return h.in == &h.f.mu.bench.ready }

func hostAt(h *host) *int { return &h.at }
