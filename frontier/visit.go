package frontier

import (
	"context"
	"errors"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file lets a page that a browser loads have its parts at once, and stays polite to the hosts.

// A page that a browser loads asks for its parts at once and cannot wait for their turn in the queue. Each part is
// queued like any link (Update.Parent) and then claimed: its lease comes as soon as its host may be asked, before all
// other tasks of the host. Requests that a visit makes to a host while another one of the visit is under way there are
// one turn of that host, of at most visitConns requests. After the last answer the host rests one delay for each of
// them. The same holds for an address. A host with a Crawl-delay, or a host in trouble, is asked for one thing at a
// time, as always.

// visitConns is how many requests a visit may make in one turn of a host, as many as browsers have under way.
const visitConns = 6

// Visit is a page that is being loaded with all its parts.
type Visit struct{ frontier *Frontier }

// NewVisit begins the loading of a page that was answered.
func (f *Frontier) NewVisit() *Visit { return &Visit{f} }

// Errors of Claim.
var (
	ErrDone  = errors.New("frontier: the URL is done")
	ErrUnfit = errors.New("frontier: the URL is not queued, lies beyond a limit, or is to be asked again later")
)

// Claim waits until the queued task of url may be requested, and leases it. url is a seen-key, the form under which
// URLs are compared. If a robots.txt is needed first, the lease is for that one, and its Origin is set: the caller
// requests it and claims again. If another caller has leased the task, Claim waits for it. The error is ErrDone,
// ErrUnfit, or that of ctx or the disk.
func (v *Visit) Claim(ctx context.Context, url string) (*Lease, error) {
	return v.wait(ctx, url, func() (queued, kavosh.Task, bool, error) {
		f := v.frontier
		s, err := f.known.status(taskKey(url, false, &f.scratch.url))
		if err != nil {
			return queued{}, kavosh.Task{}, false, err
		}
		switch {
		case s.done():
			return queued{}, kavosh.Task{}, false, ErrDone
		case s.state != stateQueued || s.limit != 0 || s.after > f.clock.wall().UnixNano():
			return queued{}, kavosh.Task{}, false, ErrUnfit
		}
		p, _ := scope.Split(url)
		t, value, err := f.db.task(s.key(nil, p.Name), s.rank)
		if err != nil {
			return queued{}, kavosh.Task{}, false, err
		}
		f.mu.Lock()
		away := f.mu.leases.away(s.id)
		f.mu.Unlock()
		return queued{s.place, value}, t, away, nil
	})
}

// Join is Claim for a request that is in no queue, such as a POST. The caller ends its lease with Later or Answered,
// and then with Drop instead of Apply. A lease for a robots.txt ends with Apply, as always.
func (v *Visit) Join(ctx context.Context, t kavosh.Task) (*Lease, error) {
	t.ID, t.Added = v.frontier.newID(), v.frontier.clock.Now()
	return v.wait(ctx, t.URL, func() (queued, kavosh.Task, bool, error) { return queued{}, t, false, nil })
}

// Hold keeps the host of url, a seen-key, for visits until release is called. So the parts that a visit queues there
// are not leased by Next before the visit claims them.
func (v *Visit) Hold(url string) (release func(), err error) {
	f := v.frontier
	p, ok := scope.Split(url)
	if !ok {
		return nil, ErrUnfit
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	h, err := f.bring(p.Name, f.clock.now())
	if err != nil {
		return nil, err
	}
	move := func(by int) {
		h.waiting += by
		h.arrange(f.clock.now())
		f.wakeNext()
	}
	move(1)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		move(-1)
	}, nil
}

// Drop forgets a lease that Join gave.
func (l *Lease) Drop() {
	f := l.frontier
	f.mu.Lock()
	defer f.mu.Unlock()
	f.comeBack(l.Task.ID)
	l.host.arrange(f.clock.now())
	f.wakeNext()
}

// wait leases the task that find finds, when its host may be asked. find is called with Frontier.applying held; taken
// is true while another caller has the task.
func (v *Visit) wait(ctx context.Context, url string, find func() (q queued, t kavosh.Task, taken bool, err error)) (*Lease, error) {
	f := v.frontier
	p, ok := scope.Split(url)
	if !ok {
		return nil, ErrUnfit
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.applying.Lock()
		err := f.usable()
		var q queued
		var t kavosh.Task
		taken := false
		if err == nil {
			q, t, taken, err = find()
		}
		if err != nil {
			f.applying.Unlock()
			return nil, err
		}
		f.mu.Lock()
		until := instant(forever)
		var h *host
		var l *Lease
		now := f.clock.now()
		if !taken {
			h, l, until, err = f.claim(v, &p, q, &t, now)
		}
		f.applying.Unlock()
		if l == nil && err == nil {
			f.waitFor(ctx, h, until, now)
		}
		if err != nil && err != ErrUnfit {
			f.mu.failed = err
		}
		f.mu.Unlock()
		if l != nil || err != nil {
			return l, err
		}
	}
}

// claim leases t, or the robots.txt that it needs, or refuses t. If it returns no lease, it returns until when to wait,
// and at which host; at is nil if no host is to be waited for.
func (f *Frontier) claim(v *Visit, p *scope.Parts, q queued, t *kavosh.Task, now instant) (at *host, l *Lease, until instant, err error) {
	h, err := f.bring(p.Name, now)
	if err != nil {
		return nil, nil, 0, err
	}
	defer h.arrange(now)
	if f.mu.limits.on {
		a, err := f.beyond(h.name, t)
		if err == nil && (a != nil || f.shut()) {
			err = ErrUnfit // it waits in the queue
		}
		if err != nil {
			return nil, nil, 0, err
		}
	}
	if h.dead(now) {
		h.drop(q.id)
		return h, f.lease(&Lease{Task: *t, host: h, queued: q, guest: q.id == 0, visit: v, began: now, Refused: h.deadRefusal()}), 0, nil
	}
	if until = h.turnOf(v, now); until > now {
		return h, nil, until, nil
	}
	verdict, no, err := f.verdictFor(p.Origin, h, t, now)
	if err != nil {
		return nil, nil, 0, err
	}
	if no != nil {
		h.drop(q.id)
		return h, f.lease(&Lease{Task: *t, host: h, queued: q, guest: q.id == 0, visit: v, began: now, Refused: no}), 0, nil
	}
	if verdict == nil {
		a := f.mu.robots.asks[p.Origin]
		if a.leased {
			return nil, nil, forever, nil
		}
		if until = max(a.host.turnOf(v, now), a.notBefore); until > now {
			return nil, nil, until, nil
		}
		a.leased = true
		l = f.lease(&Lease{Task: a.task(), Origin: a.origin, ask: a, host: a.host, visit: v, began: now})
		if a.host != h {
			a.host.arrange(now)
		}
		return h, l, 0, nil
	}
	if h.crawlDelay < verdict.delay {
		h.crawlDelay = verdict.delay
		if until = h.turnOf(v, now); until > now {
			return h, nil, until, nil
		}
	}
	l = &Lease{Task: *t, host: h, queued: q, guest: q.id == 0, visit: v, began: now}
	f.obey(l, verdict.refusal(p.PathQuery))
	h.drop(q.id)
	return h, f.lease(l), 0, nil
}

// joins reports whether h lets v make one more request while others are under way there. Its address may still be busy.
func (h *host) joins(v *Visit) bool {
	switch {
	case h.backoff > 0:
		return false
	case !h.rests():
		return h.leases < visitConns
	}
	return h.visit == v && h.burst < visitConns && h.crawlDelay == 0
}

// turnOf returns when v may ask h: now, a later time, or forever if that depends on a request that is under way.
func (h *host) turnOf(v *Visit, now instant) instant {
	turn := h.turn()
	if h.leases > 0 {
		if !h.joins(v) {
			return forever
		}
		turn = max(h.notBefore, h.hold, h.held)
	}
	switch a := h.f.mu.addrs.byAddr[h.addr]; {
	case turn > now:
		return turn
	case a == nil || a.joins(v):
		return now
	case a.holder != nil:
		return forever
	default:
		return max(a.until, now)
	}
}

// waitFor sleeps until wakeNext is called, the time until has come, or ctx ends. While it waits for the turn of h, Next
// does not hand out tasks of h. h may be nil.
func (f *Frontier) waitFor(ctx context.Context, h *host, until, now instant) {
	if h != nil {
		h.waiting++
		h.arrange(now)
	}
	f.starve()
	f.callers.waitAsGuest(ctx, &f.mu, &f.clock, now, until)
	if h != nil {
		h.waiting--
		h.arrange(f.clock.now())
	}
}
