package frontier

import (
	"net/netip"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
)

// This file is the lease: the right to request one URL once. It ends with Answered or Later, and Apply reports what
// became of it.

// Lease is the right to request Task.URL now, once. Its methods are called by one goroutine.
type Lease struct {
	Task kavosh.Task
	// Origin is set when Task asks for a robots.txt: the origin whose rules it holds, to be copied to Robots.Origin.
	// After a redirect Task.URL may be at another host.
	Origin    string
	Refused   *Refusal // not to be requested: log it and Apply it
	Forbidden *Refusal // what robots.txt forbids although Options.Permit lets the request go ahead
	Permitted string   // why it goes ahead

	frontier *Frontier
	host     *host
	queued   queued // of a task that lies in the queue
	ask      *ask   // of a robots.txt
	guest    bool   // of Join: in no queue
	visit    *Visit // that it belongs to, or nil
	began    instant

	// Guarded by Frontier.mu.
	address   *address // held
	confirmed bool     // address is the one that the caller named
	denied    bool     // the caller named one that is not free
	over      bool
	counted   bool // its host's and domain's budgets pay for it
}

// Refusal is why a URL is not requested although it is in scope.
type Refusal struct {
	Failure kavosh.Failure // RobotsFailure, or what kept us from asking for robots.txt or from reaching the host
	Rule    string         // the line of robots.txt that forbids it, "" when it is none
	Line    int            // its number, from 1
	Text    string         // one line for people
}

// Answer is what a gate needs to know of an exchange.
type Answer struct {
	End        time.Time // when its last byte was read, or it failed; zero is now
	Status     int       // 0 without an answer
	RetryAfter string    // the header as received: seconds or an HTTP date
	Failure    kavosh.Failure
	Gone       bool // a DNSFailure for which the host's name has no address for certain
}

// Address leases the address that the task's host resolved to, too; the zero Addr is one that is not known. When it
// returns 0 the request may be made; else the address is busy or was asked too short a time ago, or the host has asked
// for time in another answer, and the caller calls Later with the duration returned. It may be called again when
// another address is dialled: the first is let go.
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

// Later ends a lease whose task was not requested: it waits in the queue and its host is offered again after wait, at
// once for 0. After Address said to wait, the host is offered when its address is free, whatever wait is.
// Nothing was asked of the host, so its clock is not touched.
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

// Answered ends a lease whose task was requested, or failed before it could be: host and address are free, and their
// next turn is set by the answer. The task itself waits for Apply. When the server named a time to come back, that is
// durable when Answered returns.
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
	out     map[uint64]*Lease   // by task
	moving  map[uint64]struct{} // tasks that are given another place meanwhile
	engaged int                 // hosts with any of out
	leased  int                 // of out, under way
	ended   int                 // of out, answered or refused
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

// remove takes note of one that was Applied, or came to nothing.
func (s *leases) remove(l *Lease) {
	delete(s.out, l.Task.ID)
	if l.ofQueue() {
		l.host.unapplied--
	}
	if l.host.out--; l.host.out == 0 {
		s.engaged--
	}
}

// away says that a task lies on disk but is not to be offered: it is leased, or it is given another place.
func (s *leases) away(id uint64) bool {
	if s.out[id] != nil {
		return true
	}
	_, moving := s.moving[id]
	return moving
}

// place returns where the leased task t lies in the queue, so that the disk need not be asked. A robots.txt is left out:
// it may have been finished as a prerequisite while it was leased as a link.
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

// ofQueue says that the task of l lies in the queue of its host.
func (l *Lease) ofQueue() bool { return l.ask == nil && !l.guest }

// comeBack forgets a lease whose task was Applied.
func (f *Frontier) comeBack(id uint64) {
	if l := f.mu.leases.out[id]; l != nil {
		if l.over {
			f.mu.leases.ended--
		}
		f.giveBack(l)
		f.mu.leases.remove(l)
	}
}

// keepTrouble writes the trouble of h at once: a server's word on when to come back is not to be lost in a crash just
// because a group of updates was not full yet. Its failure shows at the next Apply or Next.
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
