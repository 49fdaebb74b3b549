package frontier

import (
	"net/netip"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file is the lease: the right to request one URL once. It ends with Answered or Later, and Apply reports what
// became of it.

// Lease is the right to request Task.URL now, once. It is out from Next, Claim or Join until Apply, Later or Drop.
// Its methods are called by one goroutine.
type Lease struct {
	Task kavosh.Task
	// Origin is set when Task asks for a robots.txt: the origin whose rules it holds, to be copied to Robots.Origin.
	// After a redirect Task.URL may be at another host.
	Origin    string
	Refused   *Refusal // if not nil, the URL is not to be requested: log it and Apply it
	Forbidden *Refusal // what robots.txt forbids, although Options.Permit lets the request go ahead
	Permitted string   // why it goes ahead

	frontier *Frontier
	host     *host
	queued   queued // where Task lies in the queue of its host, if it does
	ask      *ask   // the robots.txt that Task asks for (robots.go), or nil
	guest    bool   // it came from Join: Task is in no queue
	visit    *Visit // the visit that it belongs to (visit.go), or nil
	began    instant

	// Guarded by Frontier.mu.
	address   *address   // the address that it holds, or nil
	confirmed bool       // the caller named address by Lease.Address; else it is a guess, the last one of the host
	denied    bool       // the caller named an address that is not free
	over      bool       // Answered, Later or Refuse was called, or it was refused from the start
	counted   bool       // it counts against the budgets of its host and domain
	accounts  []*account // it has reserved a place in these (limit.go)
	limit     limitKey   // of a task that is being moved to the list of a limit (limited.go), never handed out
}

// Refusal is why a URL is not requested although it was queued.
type Refusal struct {
	Failure kavosh.Failure // RobotsFailure, or the failure to get robots.txt or to reach the host
	Rule    string         // the line of robots.txt that forbids it; "" if no line does
	Line    int            // its number, from 1
	Text    string         // one line for people
	Scope   scope.Reason   // the class of the decision if scope refuses it; else ""
}

// LeftOut is Refusal.Scope of a URL that waited until the order (Options.Order) left it out.
const LeftOut scope.Reason = "order"

// Answer is what the gate (gate.go), which spaces requests, needs to know of an exchange.
type Answer struct {
	End        time.Time // when its last byte was read, or it failed; zero is now
	Status     int       // 0 if no answer came
	RetryAfter string    // the header as received: seconds or an HTTP date
	Failure    kavosh.Failure
	Waited     time.Duration // from the request to the first byte of the answer; 0 is not known
	Bytes      int64         // that the answer had on the wire
	Gone       bool          // a DNSFailure for which the host's name has no address for certain
}

// Address asks whether addr, to which the task's host resolved, may be asked now, and holds it if so. The zero Addr is
// an address that is not known. If Address returns 0, the request may be made. Else the caller calls Later with the
// duration returned: the address is busy, or was asked too short a time ago, or the host asked for time in another
// answer. Address may be called again if another address is dialled; the first is let go.
func (l *Lease) Address(addr netip.Addr) (wait time.Duration) {
	f := l.frontier
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.over {
		return 0
	}
	now := f.clock.now()
	if wait := l.host.notBefore - now; wait > 0 {
		return wait
	}
	if f.mu.addrs.delay <= 0 || !addr.IsValid() {
		return 0
	}
	addr = addr.Unmap().WithZone("")
	l.host.addr = addr
	if l.address != nil && l.address.addr == addr {
		l.confirmed = true
		return 0
	}
	f.mu.addrs.letGo(l, l.confirmed, now, now)
	defer f.wakeNext()
	l.confirmed = f.mu.addrs.grab(l, addr, now)
	l.denied = !l.confirmed
	if l.confirmed {
		return 0
	}
	return f.mu.addrs.wait(addr, now)
}

// Later ends a lease whose task was not requested. The task waits in the queue, and its host is offered again after
// wait; 0 is at once. If Address said to wait, the host is offered when its address is free, whatever wait is. Nothing
// was asked of the host, so it need not rest.
func (l *Lease) Later(wait time.Duration) {
	f := l.frontier
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.over {
		return
	}
	now := f.clock.now()
	f.end(l, false, now, now)
	f.giveBack(l)
	f.mu.leases.remove(l)
	if !l.denied && wait > 0 {
		l.host.hold = now + wait
	}
	switch {
	case l.ask != nil:
		l.ask.leased = false
	case !l.guest:
		l.host.insert(l.queued, now)
		l.host.blocked = false
	}
	l.host.arrange(now)
	f.wakeNext()
}

// Answered ends a lease whose task was requested, or failed before it could be. Host and address are free, and the
// answer sets when they may be asked next. The task itself waits for Apply. If the server named a time to come back,
// that time is durable when Answered returns.
func (l *Lease) Answered(a Answer) {
	f := l.frontier
	f.mu.Lock()
	if l.over {
		f.mu.Unlock()
		return
	}
	now := f.clock.now()
	end := now
	if !a.End.IsZero() {
		end = min(max(a.End.Sub(f.clock.start), l.began), now)
	}
	f.end(l, true, end, now)
	f.mu.leases.ended++
	named := l.host.answered(a, l.began, end)
	h := l.host
	h.arrange(now)
	f.wakeNext()
	f.mu.Unlock()
	if named {
		h.keepTrouble()
	}
}

// end takes host and address back from a lease. An address that was only reserved was not requested, so it need not
// rest.
func (f *Frontier) end(l *Lease, asked bool, end, now instant) {
	l.over = true
	f.mu.leases.leased--
	l.host.leases--
	if !asked && l.visit != nil {
		l.host.burst--
	}
	f.mu.addrs.letGo(l, asked && l.confirmed, end, now)
}

// leases are those that are handed out and not Applied. Frontier.mu guards all of it.
type leases struct {
	out     map[uint64]*Lease   // by id of the task
	moving  map[uint64]struct{} // ids of tasks that are being given another place in the queue (reprioritise.go)
	engaged int                 // how many hosts have a lease in out
	leased  int                 // how many of out are under way
	ended   int                 // how many of out are answered or refused, and wait for Apply
}

// add takes note of a lease that is handed out.
func (s *leases) add(l *Lease) {
	s.out[l.Task.ID] = l
	if l.ofQueue() {
		l.host.unapplied++
	}
	if l.host.out++; l.host.out == 1 {
		s.engaged++
	}
}

// remove takes note of a lease that was Applied, or ended by Later or Drop.
func (s *leases) remove(l *Lease) {
	delete(s.out, l.Task.ID)
	if l.ofQueue() {
		l.host.unapplied--
	}
	if l.host.out--; l.host.out == 0 {
		s.engaged--
	}
}

// away reports whether a task lies on disk but must not be offered, because it is leased or being moved.
func (s *leases) away(id uint64) bool {
	if s.out[id] != nil {
		return true
	}
	_, moving := s.moving[id]
	return moving
}

// place returns where the leased task t lies in the queue, so that the disk need not be asked. leased is false for a
// robots.txt: it may have been finished as a prerequisite (asked for before other URLs) while it was leased as a link.
func (s *leases) place(t *kavosh.Task) (p place, leased bool) {
	if strings.HasSuffix(t.URL, "/robots.txt") {
		return p, false
	}
	l := s.out[t.ID]
	if l == nil || l.ask != nil || l.Task.URL != t.URL {
		return p, false
	}
	return l.queued.place, true
}

// ofQueue reports whether the task of l lies in the queue of its host.
func (l *Lease) ofQueue() bool { return l.ask == nil && !l.guest }

// comeBack forgets the lease of the task with that id, if there is one: it was Applied, or dropped.
func (f *Frontier) comeBack(id uint64) {
	if l := f.mu.leases.out[id]; l != nil {
		if l.over {
			f.mu.leases.ended--
		}
		f.giveBack(l)
		f.mu.leases.remove(l)
	}
}

// keepTrouble writes the trouble of h (its failures and waits) at once, so that a crash before the next Apply does not
// lose the time at which the server told us to come back. An error shows at the next Apply or Next.
func (h *host) keepTrouble() {
	h.f.applying.Lock()
	defer h.f.applying.Unlock()
	if h.f.usable() != nil {
		return
	}
	ss := standings{f: h.f}
	c, err := ss.of(h.name)
	var b *pebble.Batch
	if err == nil {
		b, err = h.f.known.begin()
	}
	if err == nil {
		h.f.mu.Lock()
		c.now.trouble = h.troubleOf(h.f.clock.now())
		h.f.mu.Unlock()
		if _, err = ss.write(b); err == nil {
			err = h.f.clock.noteJump(b)
		}
		if err == nil {
			err = h.f.known.commit(b)
		}
	}
	if err != nil {
		h.f.fail(err)
		return
	}
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	ss.learn()
}
