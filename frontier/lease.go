package frontier

import (
	"net/netip"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
)

// Lease is the right to request Task.URL now, once. Its methods are called by one goroutine.
type Lease struct {
	Task kavosh.Task
	// Origin is set when Task asks for a robots.txt: the origin whose rules it holds, to be copied to Robots.Origin.
	// After a redirect Task.URL may be at another host.
	Origin    string
	Refused   *Refusal // not to be requested: log it and Apply it
	Forbidden *Refusal // with Options.RobotsRecord: what robots.txt would have forbidden; the request goes ahead

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
	if f.mu.addressDelay <= 0 || !addr.IsValid() {
		return 0
	}
	addr = addr.Unmap().WithZone("")
	l.host.addr = addr
	if l.address != nil && l.address.addr == addr {
		l.confirmed = true
		return 0
	}
	f.letGo(l, l.confirmed, now, now)
	defer f.wakeNext()
	l.confirmed = f.grab(l, addr, now)
	l.denied = !l.confirmed
	if l.confirmed {
		return 0
	}
	if a := f.mu.addrs[addr]; a.holder == nil {
		return a.until - now
	}
	return f.mu.addressDelay
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
	f.putBack(l)
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
	f.mu.ended++
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
	f.mu.leased--
	l.host.leases--
	if !asked && l.visit != nil {
		l.host.burst--
	}
	f.letGo(l, asked && l.confirmed, end, now)
}

// handOut takes note of a lease that is handed out, and not Applied.
func (f *Frontier) handOut(l *Lease) {
	f.mu.out[l.Task.ID] = l
	if l.ask == nil && !l.guest {
		l.host.unapplied++
	}
	if l.ask == nil && !l.guest && l.Refused == nil {
		f.spending(l, 1)
	}
	if l.host.out++; l.host.out == 1 {
		f.mu.engaged++
	}
}

// putBack takes note of one that was Applied, or came to nothing.
func (f *Frontier) putBack(l *Lease) {
	delete(f.mu.out, l.Task.ID)
	if l.ask == nil && !l.guest {
		l.host.unapplied--
	}
	if l.counted {
		f.spending(l, -1)
	}
	if l.host.out--; l.host.out == 0 {
		f.mu.engaged--
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
