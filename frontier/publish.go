package frontier

import "kavosh/lib/weburl"

// This file brings what an Apply wrote into memory, where Next sees it. Frontier.applying and Frontier.mu are held in
// all its functions.

// publish brings all that this Apply made durable into memory: counters, hosts, budgets, leases, robots.txt files,
// tasks.
func (a *application) publish() {
	now := a.f.clock.now()
	a.f.mu.sums, a.f.mu.again = a.sums, a.again
	a.f.parts.waiting += a.parts
	touched := make(map[*host]struct{}, len(a.dirty))
	var order []*host // touched in a fixed order, so that two equal runs do the same
	touch := func(h *host) {
		if _, ok := touched[h]; !ok {
			touched[h] = struct{}{}
			order = append(order, h)
		}
	}
	for _, c := range a.hosts.all {
		if a.f.mu.holds.has(c.name) || a.f.mu.bench.hosts[c.name] != nil || c.was.waits() || !c.now.waits() {
			continue
		}
		if a.f.mu.bench.admits(c.now.seat(), a.f.mu.leases.engaged) {
			a.f.newHost(c.name, &c.was, now) // its tasks, all of this Apply, come below
		}
	}
	a.hosts.learn()
	for name, spent := range a.domains {
		if d := a.f.budgets.domains[name]; d != nil {
			d.allowance = spent
		}
	}
	accounts := a.publishAccounts()
	for _, h := range a.dirty {
		touch(h)
	}
	for i := range a.gone {
		if h := a.leftQueue(&a.gone[i]); h != nil {
			touch(h)
		}
	}
	for i := range a.settled {
		for _, h := range a.robotsSettled(&a.settled[i], now) {
			touch(h)
		}
	}
	for _, c := range a.hosts.all {
		if h := a.f.mu.bench.hosts[c.name]; h != nil && len(c.tasks) > 0 {
			for _, q := range c.tasks {
				h.enqueue(q, now)
			}
			touch(h)
		}
	}
	for _, h := range order {
		if a.limited {
			h.noteLimits()
		}
		h.arrange(now)
	}
	for _, of := range accounts {
		a.f.reopen(of)
	}
	a.f.wakeNext()
}

// leftQueue forgets a task that is no longer where it was queued, and returns its host if that is in memory.
func (a *application) leftQueue(g *goneTask) *host {
	a.f.comeBack(g.leased)
	h := a.f.mu.bench.hosts[g.host]
	if h != nil {
		h.drop(g.queued) // it is there if it was not leased: a crash came between its records and this Apply
	}
	return h
}

// robotsSettled brings the new state of an origin's robots.txt into memory: its rules, or a new ask at a host. It
// returns the hosts that it concerns.
func (a *application) robotsSettled(s *settled, now instant) []*host {
	f := a.f
	var hosts []*host
	if owner := f.mu.bench.hosts[weburl.Host(s.origin)]; owner != nil {
		owner.blocked = false
		hosts = append(hosts, owner)
	}
	f.comeBack(s.task.ID)
	parent := s.task
	if old := f.mu.robots.answered(s.origin); old != nil {
		parent = old.parent
		hosts = append(hosts, old.host)
	}
	if s.record.settled {
		f.mu.robots.rules.put(s.record.compile(s.origin, f.o.Agent, &f.clock, now))
		return hosts
	}
	h := f.mu.bench.hosts[s.host.name]
	if h == nil {
		h = f.newHost(s.host.name, &s.host.now, now)
	}
	f.mu.robots.ask(&ask{origin: s.origin, id: f.newID(), record: s.record, parent: parent, host: h, notBefore: f.clock.since(s.record.until, now)})
	return append(hosts, h)
}
