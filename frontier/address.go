package frontier

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// This file is the half of the gate that concerns addresses. The gate says when a server may be asked. Many hosts may
// share one IP address, and each address rests between requests, as each host does (gate.go).

// addresses say when each address may be asked. Frontier.mu guards all of it.
type addresses struct {
	delay   time.Duration // least time from the end of an answer to the next request to an address; 0 puts no limit on any
	opened  instant       // an address that is new here counts as asked at this time
	byAddr  map[netip.Addr]*address
	resting heap[*address] // addresses that rest, ordered by when they may be asked
}

func newAddresses(delay time.Duration) addresses {
	resting := heap[*address]{less: restLess, at: func(a *address) *int { return &a.at }}
	return addresses{delay: delay, opened: never, byAddr: make(map[netip.Addr]*address), resting: resting}
}

// address is an IP address that was asked lately, or is being asked, or that hosts wait for. Hosts that wait for it are
// parked here. A lease (the right to make one request) holds the address while the request is made.
type address struct {
	addr   netip.Addr
	holder *Lease  // nil: free
	shared int     // further leases that hold it, all of one visit
	burst  int     // requests made while it was held
	asked  instant // end of the last answer; never if there was none
	until  instant // it may not be asked before this time
	parked heap[*host]
	timed  bool // in addresses.resting
	at     int
}

// joins reports whether the visit v, whose other requests hold the address, may make one more.
func (a *address) joins(v *Visit) bool {
	return v != nil && a.holder != nil && a.holder.visit == v && a.burst < visitConns
}

// rest computes until, the end of the rest, from the time of the last answer and the number of requests before it.
func (a *address) rest(delay time.Duration) {
	a.until = a.asked + delay*time.Duration(max(a.burst, 1))
}

func restLess(a, b *address) bool {
	if a.until != b.until {
		return a.until < b.until
	}
	return a.addr.Less(b.addr)
}

// setDelay changes the delay, also for addresses that rest already.
func (s *addresses) setDelay(delay time.Duration, now instant) {
	s.delay = delay
	for s.resting.len() > 0 {
		s.resting.pop().timed = false
	}
	for _, a := range slices.SortedFunc(maps.Values(s.byAddr), func(a, b *address) int { return a.addr.Compare(b.addr) }) {
		if a.asked != never {
			a.rest(delay)
		}
		s.serve(a, now)
	}
}

// grab lets l hold addr if addr is free, and reports whether it may be asked. Without a delay every address may be
// asked.
func (s *addresses) grab(l *Lease, addr netip.Addr, now instant) bool {
	if s.delay <= 0 || !addr.IsValid() {
		return true
	}
	a := s.byAddr[addr]
	if a == nil {
		a = &address{addr: addr, asked: s.opened, until: s.opened + s.delay, parked: heap[*host]{less: headLess, at: hostAt}}
		s.byAddr[addr] = a
		if a.until > now {
			s.serve(a, now) // it rests, and those that come to wait for it are to be woken
		}
	}
	switch {
	case a.joins(l.visit):
		a.shared++
		a.burst++
		l.address = a
		return true
	case a.holder != nil || a.until > now:
		return false
	}
	a.holder, a.burst, l.address = l, 1, a
	return true
}

// wait returns for how long addr, which grab has just refused, is to be left alone.
func (s *addresses) wait(addr netip.Addr, now instant) time.Duration {
	if a := s.byAddr[addr]; a.holder == nil {
		return a.until - now
	}
	return s.delay
}

// letGo frees the address that l holds, if any. If the address was asked, it rests from the time end on.
func (s *addresses) letGo(l *Lease, asked bool, end, now instant) {
	a := l.address
	if a == nil {
		return
	}
	l.address = nil
	if asked {
		a.asked = max(a.asked, end)
		a.rest(s.delay)
	} else {
		a.burst--
	}
	if a.shared > 0 {
		a.shared-- // whichever of them the holder was: they are of one visit
		return
	}
	a.holder = nil
	s.serve(a, now)
}

// serve decides what a free address does: it rests, or the best of the hosts parked at it becomes ready, or it is
// forgotten.
func (s *addresses) serve(a *address, now instant) {
	if a.holder != nil || a.timed {
		return
	}
	if a.until > now {
		a.timed = true
		s.resting.push(a)
		return
	}
	for a.parked.len() > 0 {
		h := a.parked.items[0]
		h.arrange(now)
		if h.isReady() {
			return
		}
	}
	delete(s.byAddr, a.addr)
}

// due returns when the first address that rests may be asked; forever for none.
func (s *addresses) due() instant {
	if s.resting.len() == 0 {
		return forever
	}
	return s.resting.items[0].until
}

// wake serves the addresses whose rest is over.
func (s *addresses) wake(now instant) {
	for s.due() <= now {
		a := s.resting.pop()
		a.timed = false
		s.serve(a, now)
	}
}
