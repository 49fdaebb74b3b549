package frontier

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
)

// This file chooses the next lease, the right to make one request: the best task of the hosts whose turn it is, unless
// robots.txt or a bound refuses it. Exported functions lock Frontier.mu; the others are called with it held.

// Next waits until a URL may be requested and returns a lease for it. It returns io.EOF when nothing is queued and
// every lease was Applied, and ctx.Err() when ctx ends first.
//
// The caller ends a lease with Answered, and then reports the task by Apply; or ends it with Later. A lease with
// Refused set holds neither host nor address: it is only to be reported by Apply.
func (f *Frontier) Next(ctx context.Context) (*Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.wakeNext() // whoever leaves lets the next one look
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, now, err := f.choose()
		if l != nil || err != nil {
			return l, err
		}
		f.starve()
		f.callers.wait(ctx, &f.mu, &f.clock, now, f.nextDue())
	}
}

// Poll is Next for a caller that lets time pass itself. If nothing may be requested now, it returns no lease, and how
// long to wait before the next call. The wait is decades (forever) if it depends on leases that are still out.
func (f *Frontier) Poll() (l *Lease, wait time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, now, err := f.choose()
	if l != nil || err != nil {
		return l, 0, err
	}
	return nil, f.nextDue() - now, nil
}

// choose returns the lease whose turn it is, or none if nothing may be requested now. It may unlock mu in between.
func (f *Frontier) choose() (l *Lease, now instant, err error) {
	for {
		if err := f.mu.failed; err != nil {
			return nil, 0, err
		}
		now = f.clock.now()
		if !f.mu.bench.line.turning && f.clock.come(f.mu.again) {
			if err := f.unlocked(f.queueAgain); err != nil {
				f.mu.failed = cmp.Or(f.mu.failed, err)
				return nil, now, f.mu.failed
			}
			continue
		}
		if !f.mu.bench.line.turning && f.mu.limits.comesBack() && !f.shut() {
			if err := f.unlocked(f.queueListed); err != nil {
				f.mu.failed = cmp.Or(f.mu.failed, err)
				return nil, now, f.mu.failed
			}
			continue
		}
		l, err := f.offerBest(now)
		if l != nil || err != nil {
			f.mu.failed = err
			return l, now, err
		}
		switch {
		case !f.mu.bench.line.turning && len(f.mu.limits.beyond) > 0:
			err = f.unlocked(f.moveAside)
		case f.over():
			return nil, now, io.EOF
		case f.shut():
			return nil, now, nil
		case f.mu.bench.wantsTurnover(now, &f.parts, f.mu.holds.end):
			err = f.unlocked(f.turnOver)
		case !f.mu.bench.line.turning && f.roundOver(now):
			err = f.unlocked(f.nextRound)
		case f.mu.sums.queued > f.mu.sums.limited+f.mu.limits.held && len(f.mu.bench.hosts) == 0 && len(f.mu.leases.out) == 0 && len(f.mu.holds.byHost) == 0 && f.mu.bench.line.empty() && !f.mu.bench.line.turning:
			err = f.unlocked(f.findLost)
		default:
			return nil, now, nil
		}
		if err != nil {
			f.mu.failed = cmp.Or(f.mu.failed, err)
			return nil, now, f.mu.failed
		}
	}
}

// unlocked unlocks Frontier.mu while do works on disk, so that other callers go on. While it runs, turning is true, so
// that no other caller begins such work.
func (f *Frontier) unlocked(do func() error) error {
	f.mu.bench.line.turning = true
	f.mu.Unlock()
	err := do()
	f.mu.Lock()
	f.mu.bench.line.turning = false
	return err
}

// wakeNext wakes one caller of Next if there may be something for it: a host is ready, the crawl is over or failed, or
// no caller watches the time. When that caller leaves Next, it wakes the next one. All callers of Claim and Join are
// woken.
func (f *Frontier) wakeNext() {
	c := &f.callers
	c.wakeGuests()
	if len(c.waiters) == 0 {
		return
	}
	if c.leader == nil || f.mu.bench.ready.len() > 0 || f.mu.failed != nil || f.over() {
		c.wakeUp(c.waiters[0])
	} else if f.nextDue() < c.leaderUntil {
		c.wakeUp(c.leader)
	}
}

// starve tells the reader of Starving that a caller waits, if answered tasks have not been Applied.
func (f *Frontier) starve() {
	if f.mu.leases.ended > 0 {
		f.callers.starve()
	}
}

// nextDue returns when there may be something to do next: a host or an address has rested, hosts on disk have their
// turn, or a done URL is queued again.
func (f *Frontier) nextDue() instant {
	if f.shut() {
		return forever // until a lease gives its place back, or the limit is raised
	}
	now := f.clock.now()
	t := min(f.mu.bench.due(), f.mu.addrs.due())
	if f.mu.patience.since != never {
		t = min(t, f.mu.patience.until())
	}
	if until := f.mu.pace.until; until > now {
		t = max(t, until)
		if f.mu.bench.ready.len() > 0 {
			t = until
		}
	}
	if m := &f.mu.limits; m.on || m.recheck != nil {
		t = min(t, max(f.shutAt(), now))
		if !f.mu.bench.line.turning && (m.comesBack() || len(m.beyond) > 0) {
			return now
		}
	}
	if !f.mu.bench.line.turning {
		t = min(t, f.mu.bench.lineDue(&f.parts, f.mu.holds.end), f.clock.until(f.mu.again))
	}
	return t
}

// offerBest leases the best task of the ready hosts; it returns nil if there is none.
func (f *Frontier) offerBest(now instant) (*Lease, error) {
	if f.mu.pace.until > now || f.shut() {
		return nil, nil // the crawl rests by its rate, or has reached its limit
	}
	f.mu.addrs.wake(now)
	for f.mu.bench.due() <= now {
		f.mu.bench.asleep.items[0].arrange(now)
	}
	for f.mu.bench.ready.len() > 0 && len(f.mu.limits.beyond) < listedAtOnce && f.mu.bench.ready.items[0].first.round <= f.mu.sums.round && !f.mu.bench.wantsTurnover(now, &f.parts, f.mu.holds.end) {
		if f.mu.patience.leaves(f.mu.bench.ready.items[0].first, now) {
			return nil, nil
		}
		h := f.mu.bench.ready.pop()
		h.in = nil
		if err := h.refill(now); err != nil {
			return nil, err
		}
		if s := h.seat(now); h.first.less(s) && (f.parts.barred(s.rank) || s.round > f.mu.sums.round || f.mu.bench.ready.len() > 0 && f.mu.bench.ready.items[0].first.less(s) || f.mu.bench.line.best.less(s)) {
			h.arrange(now) // the task that it was placed for is gone, or its budget is spent: another host may be better now
			continue
		}
		l, err := h.offer(now)
		if err != nil {
			return nil, err
		}
		if h.in == nil { // not parked
			h.arrange(now)
		}
		if l != nil {
			return l, nil
		}
	}
	f.mu.patience.end(now)
	return nil, nil
}

// offer leases the first task in the window of h (its tasks in memory) that may be requested. It returns nil if h waits
// for its address (it is parked there), its turn is later, or all its tasks wait for a robots.txt (it is blocked).
func (h *host) offer(now instant) (*Lease, error) {
	if h.dead(now) {
		return h.offerDead(now)
	}
	if h.full {
		if err := h.clear(); err != nil {
			return nil, err
		}
	}
	if h.turn() > now || h.leases >= h.limit() {
		return nil, nil
	}
	if !h.free(now) {
		h.park(now)
		return nil, nil
	}
	for {
		if a := h.dueAsk(now); a != nil {
			if h.f.forsake(a, h, now) {
				continue
			}
			a.leased = true
			return h.f.lease(&Lease{Task: a.task(), Origin: a.origin, ask: a, host: h, began: now}), nil
		}
		asks := len(h.asks)
		for i := 0; i < len(h.window); i++ {
			q := h.window[i]
			if h.f.parts.barred(q.rank) {
				break
			}
			l, err := h.candidate(i, q, now)
			if err != nil || l != nil {
				return l, err
			}
			if i == len(h.window) || h.window[i].id != q.id {
				i-- // it lies beyond a limit, and is gone
				continue
			}
			if h.turn() > now || h.leases >= h.limit() {
				return nil, nil // its robots.txt asks for a longer delay
			}
		}
		if len(h.asks) == asks {
			h.blocked = len(h.window) > 0
			return nil, nil
		}
	}
}

// candidate leases task i of h's window, or refuses it, unless it has to wait.
func (h *host) candidate(i int, q queued, now instant) (*Lease, error) {
	t, err := h.decode(q)
	if err != nil {
		return nil, err
	}
	l := &Lease{Task: t, host: h, queued: q, began: now}
	if t.Score == order.LeftOut() && t.Kind != kavosh.Seed { // the order has learned so since it was queued
		h.take(i)
		l.Refused = &Refusal{Text: "the order leaves it out: " + t.Why, Scope: LeftOut}
		return h.f.lease(l), nil
	}
	if h.f.mu.limits.on {
		if beyond, err := h.setAside(i, &l.Task); beyond || err != nil {
			return nil, err
		}
	}
	p, _ := scope.Split(t.URL)
	v, no, err := h.f.verdictFor(p.Origin, h, &l.Task, now)
	if v == nil && no == nil || err != nil {
		return nil, err
	}
	if l.Refused = no; v != nil {
		h.crawlDelay = max(h.crawlDelay, v.delay) // before a refusal, too: h may leave memory after it, but not before its turn
		h.f.obey(l, v.refusal(p.PathQuery))
	}
	if l.Refused != nil {
		h.take(i)
		return h.f.lease(l), nil
	}
	if h.turn() > now || h.leases >= h.limit() {
		return nil, nil
	}
	h.take(i)
	return h.f.lease(l), nil
}

// offerDead refuses the first task of a host that does not answer.
func (h *host) offerDead(now instant) (*Lease, error) {
	l := &Lease{host: h, began: now, Refused: h.deadRefusal()}
	if a := h.dueAsk(forever); a != nil {
		a.leased = true
		l.Task, l.Origin, l.ask = a.task(), a.origin, a
		return h.f.lease(l), nil
	}
	if len(h.window) == 0 || h.f.parts.barred(h.window[0].rank) {
		return nil, nil
	}
	q := h.take(0)
	t, err := h.decode(q)
	if err != nil {
		return nil, err
	}
	l.Task, l.queued = t, q
	return h.f.lease(l), nil
}

// deadRefusal returns why nothing of h, a host that does not answer, is requested.
func (h *host) deadRefusal() *Refusal {
	if h.failure == kavosh.DNSFailure {
		return &Refusal{Failure: h.failure, Text: "no address was found for " + h.name + ", whenever it was looked up: not asked again for a day"}
	}
	return &Refusal{
		Failure: h.failure,
		Text:    fmt.Sprintf("%s did not answer %d requests in a row (%s): not asked again for a day", h.name, h.fails, h.failure),
	}
}

func (h *host) decode(q queued) (kavosh.Task, error) {
	t, err := parseTask(q.rank, q.value)
	if err == nil {
		if p, ok := scope.Split(t.URL); !ok || p.Name != h.name {
			err = errMalformed
		}
	}
	if err != nil {
		return t, corrupt(q.key(nil, h.name), err)
	}
	return t, nil
}

// lease takes note of a lease that is handed out, and returns it. It holds the address that the host had last.
func (f *Frontier) lease(l *Lease) *Lease {
	l.frontier = f
	f.mu.patience.end(l.began)
	f.mu.leases.add(l)
	if l.ofQueue() && l.Refused == nil {
		f.budgets.pay(l)
	}
	if f.mu.limits.on && l.ask == nil {
		f.reserve(l, l.Refused == nil)
	}
	if l.Refused != nil {
		l.over = true
		f.mu.leases.ended++
		return l
	}
	f.mu.leases.leased++
	if l.host.leases == 0 {
		l.host.burst = 0
	}
	l.host.leases++
	if l.visit != nil {
		l.host.burst = min(l.host.burst+1, visitConns)
	}
	l.host.visit = l.visit
	f.mu.addrs.grab(l, l.host.addr, l.began) // where it was last found, so that no other host is offered the address meanwhile
	return l
}
