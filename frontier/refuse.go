package frontier

import (
	"kavosh"
	"kavosh/frontier/scope"
)

// This file ends tasks without a request: one that is leased, or many that wait.

// Refuse ends a lease (the right to make one request) without the request, for example because the caller has learned
// something about the URL since it was queued. Then Apply reports the task. Nothing was asked of the host, so it need
// not rest.
func (l *Lease) Refuse(no Refusal) {
	f := l.frontier
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.over {
		return
	}
	now := f.clock.now()
	f.end(l, false, now, now)
	f.mu.leases.ended++
	l.Refused = &no
	f.giveBack(l)
	l.host.arrange(now)
	f.wakeNext()
}

// Withdraw leases those of tasks that still wait in their queues, and refuses them all by no. So nobody asks for them, and
// they leave the queue when the caller has Applied them. Tasks that are leased, done or unknown are left alone.
func (f *Frontier) Withdraw(tasks []kavosh.Task, no *Refusal) (all []*Lease, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	for i := range tasks {
		t := &tasks[i]
		s, err := f.status(t.URL, t.Variant)
		if err != nil {
			return all, err
		}
		if s.state != stateQueued || s.id != t.ID {
			continue
		}
		l, err := f.withdraw(t, s.place, no)
		if err != nil {
			f.fail(err)
			return all, err
		}
		if l != nil {
			all = append(all, l)
		}
	}
	return all, nil
}

// withdraw leases the task at p, unless it is leased. Frontier.applying is held.
func (f *Frontier) withdraw(t *kavosh.Task, p place, no *Refusal) (*Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.leases.away(t.ID) {
		return nil, nil
	}
	of, _ := scope.Split(t.URL)
	now := f.clock.now()
	h, err := f.bring(of.Name, now)
	if err != nil {
		return nil, err
	}
	h.drop(t.ID)
	l := f.lease(&Lease{Task: *t, host: h, queued: queued{place: p}, began: now, Refused: no})
	h.arrange(now)
	return l, nil
}
