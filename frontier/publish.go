package frontier

import (
	"slices"
)

// publish lets memory, and so Next, see what is durable now.
func (a *application) publish() {
	now := a.f.clock.now()
	a.f.mu.sums, a.f.mu.again = a.sums, a.again
	a.f.mu.parts += a.parts
	touched := make(map[*host]struct{}, len(a.dirty))
	var order []*host // so that two runs alike do the same
	touch := func(h *host) {
		if _, ok := touched[h]; !ok {
			touched[h] = struct{}{}
			order = append(order, h)
		}
	}
	for _, c := range a.hosts.all {
		if a.f.mu.holds.has(c.name) || a.f.mu.hosts[c.name] != nil || c.was.waits() || !c.now.waits() {
			continue
		}
		if a.f.admits(c.now.seat()) {
			a.f.newHost(c.name, &c.was, now) // all that it has queued comes below
		}
	}
	a.hosts.learn()
	for name, spent := range a.domains {
		if d := a.f.mu.domains[name]; d != nil {
			d.allowance = spent
		}
	}
	for _, h := range a.dirty {
		touch(h)
	}
	for i := range a.gone {
		if h := a.f.leftQueue(&a.gone[i]); h != nil {
			touch(h)
		}
	}
	for i := range a.settled {
		for _, h := range a.f.robotsSettled(&a.settled[i], now) {
			touch(h)
		}
	}
	for _, c := range a.hosts.all {
		if h := a.f.mu.hosts[c.name]; h != nil && len(c.tasks) > 0 {
			for _, q := range c.tasks {
				h.enqueue(q, now)
			}
			touch(h)
		}
	}
	for _, h := range order {
		h.arrange(now)
	}
	a.f.wakeNext()
}

// leftQueue forgets a task that is no longer where it was queued, and returns its host if that is in memory.
func (f *Frontier) leftQueue(g *goneTask) *host {
	f.comeBack(g.leased)
	h := f.mu.hosts[g.host]
	if h != nil {
		h.drop(g.queued) // not leased: a crash came between its records and this Apply
	}
	return h
}

// comeBack forgets a lease whose task was Applied.
func (f *Frontier) comeBack(id uint64) {
	if l := f.mu.out[id]; l != nil {
		if l.over {
			f.mu.ended--
		}
		f.putBack(l)
	}
}

// robotsSettled takes the new state of an origin's robots.txt into account, and returns the hosts that it concerns.
func (f *Frontier) robotsSettled(s *settled, now instant) []*host {
	var hosts []*host
	if owner := f.mu.hosts[hostOf(s.origin)]; owner != nil {
		owner.blocked = false
		hosts = append(hosts, owner)
	}
	f.comeBack(s.task.ID)
	parent := s.task
	if a := f.mu.asks[s.origin]; a != nil {
		parent = a.parent
		a.host.asks = slices.DeleteFunc(a.host.asks, func(x *ask) bool { return x == a })
		delete(f.mu.asks, s.origin)
		hosts = append(hosts, a.host)
	}
	f.mu.rules.drop(s.origin)
	if s.record.settled {
		f.mu.rules.put(f.compile(s.origin, &s.record, now))
		return hosts
	}
	h := f.mu.hosts[s.host.name]
	if h == nil {
		h = f.newHost(s.host.name, &s.host.now, now)
	}
	f.ask(s.origin, s.record, parent, h, now)
	return append(hosts, h)
}
