package frontier

import (
	"cmp"
	"strings"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file puts single tasks on hold because a person said so. They wait in a list as those beyond a limit do
// (limited.go), until somebody releases them. A crawl that has only such tasks left does not end: it waits, as for hosts
// on hold.

// maxWhy bounds why tasks are on hold, in bytes: it is part of a key.
const maxWhy = 1000

// HoldTasks puts those of tasks on hold that still wait and are not asked for now, durably, and returns how many these
// are. why is for people, and "on hold" if it is empty. Tasks that are on hold for the same reason already are left alone.
func (f *Frontier) HoldTasks(tasks []kavosh.Task, why string) (n int, err error) {
	why = cmp.Or(strings.ToValidUTF8(why[:min(len(why), maxWhy)], ""), "on hold")
	f.applying.Lock()
	defer f.applying.Unlock()
	var all []*Lease
	err = f.eachWaiting(tasks, func(t *kavosh.Task, at place) error {
		if f.mu.limits.why[at.limit] == why || f.mu.leases.away(t.ID) {
			return nil
		}
		p, _ := scope.Split(t.URL)
		now := f.clock.now()
		h, err := f.bring(p.Name, now)
		if err != nil {
			return err
		}
		h.drop(t.ID)
		all = append(all, h.aside(*t, queued{at, appendTask(nil, t)}, limitKey{TaskHold, why}))
		h.arrange(now)
		return nil
	})
	if err = cmp.Or(err, f.listAll(all)); err != nil {
		f.fail(err)
		return 0, err
	}
	return len(all), nil
}

// ReleaseTasks lets those of tasks that are on hold wait for their turn again, durably, and returns how many these are.
func (f *Frontier) ReleaseTasks(tasks []kavosh.Task) (n int, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	a, err := f.newApplication()
	if err != nil {
		return 0, err
	}
	var all []place
	var held []kavosh.Task
	err = f.eachWaiting(tasks, func(t *kavosh.Task, at place) error {
		if f.mu.limits.why[at.limit] != "" && !f.mu.leases.away(t.ID) {
			all, held = append(all, at), append(held, *t)
		}
		return nil
	})
	for i := range all {
		err = cmp.Or(err, a.queueListed(all[i], &held[i]))
	}
	if err == nil {
		err = a.write()
	}
	if err == nil {
		err = a.settleOn()
	}
	if err != nil {
		f.fail(err)
		return 0, err
	}
	return len(all), nil
}

// eachWaiting calls do, with Frontier.mu locked, for those of tasks that still wait, each with its place.
// Frontier.applying is held.
func (f *Frontier) eachWaiting(tasks []kavosh.Task, do func(t *kavosh.Task, at place) error) error {
	for i := range tasks {
		s, err := f.status(tasks[i].URL, tasks[i].Variant)
		if err != nil {
			return err
		}
		if s.state != stateQueued || s.id != tasks[i].ID {
			continue
		}
		f.mu.Lock()
		err = do(&tasks[i], s.place)
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
