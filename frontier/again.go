package frontier

import (
	"encoding/binary"
	"slices"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file queues done URLs again at a given time, for a crawl that visits pages more than once.

// A done URL may have a time at which it is queued again: Update.Again. Until then it counts as done, and its task
// waits in a separate list, ordered by time. When the time comes, the task is queued at its host like a new one.

// againAtOnce is how many tasks are queued again in one write.
const againAtOnce = 1024

// againKey returns the key of a task that waits to be queued again.
func againKey(p place) []byte {
	return appendRank(binary.BigEndian.AppendUint64([]byte{tagAgain}, uint64(p.after)), p.rank)
}

// parseAgain reads what againKey made.
func parseAgain(key []byte) (p place, err error) {
	if len(key) == 1+8+rankLen {
		p = place{rank: parseRank(key[9:]), after: int64(binary.BigEndian.Uint64(key[1:]))}
	}
	if p.after <= 0 {
		err = corrupt(key, "is no time at which a task waits again")
	}
	return p, err
}

// planAgain lets the task of u, which is done, wait until u.Again, unless that is zero. A later time takes the place of
// an earlier one.
func (a *application) planAgain(u *Update, s *slot) error {
	if u.Again.IsZero() || u.Task.Kind == kavosh.Prerequisite {
		return nil
	}
	if s.status.state == stateAgain {
		if err := a.batch.Delete(againKey(s.status.place), nil); err != nil {
			return err
		}
	}
	t := u.Task
	t.ID, t.Attempt, t.Partial = a.f.newID(), 0, nil
	s.status, s.dirty = status{stateAgain, place{rank: rankOf(&t), after: max(u.Again.UnixNano(), 1)}}, true
	a.again = min(a.again, timeOfDay(s.status.after))
	return a.batch.Set(againKey(s.status.place), appendTask(nil, &t), nil)
}

// eachAgain yields the tasks that wait again, in the order in which they will be queued, until yield returns false.
func (d *database) eachAgain(yield func(p place, value []byte) (bool, error)) error {
	return d.each([]byte{tagAgain}, []byte{tagAgain + 1}, "what waits again", func(key, value []byte) (bool, error) {
		p, err := parseAgain(key)
		if err != nil {
			return false, err
		}
		return yield(p, value)
	})
}

// firstAgain returns when the first task that waits again is queued; noTime if there is none.
func (d *database) firstAgain() (at timeOfDay, err error) {
	at = noTime
	err = d.eachAgain(func(p place, _ []byte) (bool, error) {
		at = timeOfDay(p.after)
		return false, nil
	})
	return at, err
}

// queueAgain queues the tasks whose time has come, the first againAtOnce of them. Next calls it, without Frontier.mu.
func (f *Frontier) queueAgain() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	a, err := f.newApplication()
	if err != nil {
		return err
	}
	var tasks []kavosh.Task
	var hosts []string
	a.again = noTime
	err = f.db.eachAgain(func(p place, value []byte) (bool, error) {
		if p.after > a.wall.UnixNano() || len(tasks) == againAtOnce {
			a.again = timeOfDay(p.after)
			return false, nil
		}
		t, err := parseTask(p.rank, value)
		host, ok := scope.Split(t.URL)
		if err != nil || !ok {
			return false, corrupt(againKey(p), errMalformed)
		}
		tasks, hosts = append(tasks, t), append(hosts, host.Name)
		return true, a.batch.Delete(againKey(p), nil)
	})
	if err == nil {
		err = a.hosts.find(hosts)
	}
	if err != nil {
		return err
	}
	a.slots = slices.Grow(a.slots, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		t.Added = a.wall
		s := slot{key: taskKey(t.URL, t.Variant, &f.scratch.url)}
		if err := a.queue(t, hosts[i], 0, &s); err != nil {
			return err
		}
		a.sums.finished--
		a.slots = append(a.slots, s)
	}
	if err := a.write(); err != nil {
		return err
	}
	return a.settleOn()
}
