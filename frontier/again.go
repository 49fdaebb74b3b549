package frontier

import (
	"encoding/binary"
	"iter"
	"slices"
	"time"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file queues done URLs again, for a crawl that visits pages more than once.

// A done URL may have a time at which it is queued again: Update.Again. Until then it counts as done, and its task
// waits in a separate list, ordered by time. When the time comes, the task is queued at its host like a new one. That
// of Someday does not come: such a task waits until Recall queues it.

// Someday is a time for Update.Again that does not come.
func Someday() time.Time { return time.Unix(0, int64(someday)) }

// Value is a small value of another stage, which Get and Values find under its name. It is written with an update.
type Value struct {
	Name  string
	Value []byte // nil for a value that is not kept any more
}

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
	t.ID, t.Attempt, t.Partial, t.Again = a.f.newID(), 0, nil, true
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
	var due recalled
	a.again = noTime
	err = f.db.eachAgain(func(p place, value []byte) (bool, error) {
		if p.after > a.wall.UnixNano() || len(due.tasks) == againAtOnce {
			a.again = timeOfDay(p.after)
			return false, nil
		}
		return true, due.take(a, p, value)
	})
	if err != nil {
		return err
	}
	return a.queueRecalled(&due)
}

// Recall queues those of urls, seen-keys, that are done and wait again, and writes values with that. Both are durable when it
// returns. It returns which URLs do not wait again, by their indexes, and leaves them as they are; the second of two equal ones
// is one of these.
func (f *Frontier) Recall(urls []string, values []Value) (others []int, err error) {
	changes := make([]Change, len(urls))
	for i, url := range urls {
		changes[i].URL = url
	}
	return f.recall(changes, false, values)
}

// RecallAs is Recall for URLs that are queued with new scores.
func (f *Frontier) RecallAs(changes []Change, values []Value) (others []int, err error) {
	return f.recall(changes, true, values)
}

func (f *Frontier) recall(changes []Change, scored bool, values []Value) (others []int, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	a, err := f.newApplication()
	if err != nil {
		return nil, err
	}
	var due recalled
	for i, c := range changes {
		s, err := f.known.status(taskKey(c.URL, false, &f.scratch.url))
		if err != nil {
			return nil, err
		}
		if s.state != stateAgain || slices.ContainsFunc(due.tasks, func(t kavosh.Task) bool { return t.URL == c.URL }) {
			others = append(others, i)
			continue
		}
		value, err := f.db.value(againKey(s.place))
		if err == nil {
			err = due.take(a, s.place, value)
		}
		if err != nil {
			return nil, err
		}
		if t := &due.tasks[len(due.tasks)-1]; scored {
			t.Score, t.Why = c.Score, c.Why
		}
	}
	err = a.keep(values)
	if err == nil {
		err = a.queueRecalled(&due)
	}
	if err != nil {
		f.fail(err)
	}
	return others, err
}

// recalled are tasks that waited again, each with its host.
type recalled struct {
	tasks []kavosh.Task
	hosts []string
}

// take takes a task from where it waits.
func (r *recalled) take(a *application, p place, value []byte) error {
	t, err := parseTask(p.rank, value)
	host, ok := scope.Split(t.URL)
	if err != nil || !ok {
		return corrupt(againKey(p), errMalformed)
	}
	r.tasks, r.hosts = append(r.tasks, t), append(r.hosts, host.Name)
	return a.batch.Delete(againKey(p), nil)
}

// queueRecalled queues tasks at their hosts, durably.
func (a *application) queueRecalled(due *recalled) error {
	if err := a.hosts.find(due.hosts); err != nil {
		return err
	}
	a.slots = slices.Grow(a.slots, len(due.tasks))
	for i := range due.tasks {
		t := &due.tasks[i]
		t.Added = a.wall
		s := slot{key: taskKey(t.URL, t.Variant, &a.f.scratch.url)}
		if err := a.queue(t, due.hosts[i], 0, &s); err != nil {
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

// keep writes values of another stage.
func (a *application) keep(values []Value) error {
	for _, v := range values {
		key := stringKey(tagBlob, v.Name)
		var err error
		if v.Value == nil {
			err = a.batch.Delete(key, nil)
		} else {
			err = a.batch.Set(key, v.Value, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Values yields the values of another stage whose names begin as prefix does, in the order of their names. Each value is
// valid until the next is yielded. Nothing is written meanwhile.
func (f *Frontier) Values(prefix string) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		f.applying.Lock()
		defer f.applying.Unlock()
		err := f.usable()
		if err == nil {
			lo := stringKey(tagBlob, prefix)
			hi := slices.Clone(lo)
			hi[len(hi)-1]++ // a prefix is words
			err = f.db.each(lo, hi, "values", func(key, value []byte) (bool, error) {
				return yield(Value{string(key[1:]), value}, nil), nil
			})
		}
		if err != nil {
			yield(Value{}, err)
		}
	}
}
