package frontier

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file keeps tasks that lie beyond a limit (limit.go), and queues them again when there is room for them.

// A task beyond the limit of its seed, host or domain leaves the queue of its host for the list of that limit: when its
// turn comes, or at once if the limit is reached when it is found. In the list it costs nothing, however many tasks
// wait there. When there is room, because the limit was raised or a lease gave its place back, so many tasks come back
// as there is room for, the best first. A crawl in which only such tasks wait is over.
//
// The limit of the whole crawl needs no list: when it is reached, nothing is handed out, and all stays where it is. Only in a
// second round of the crawl, which goes on then, new parts of pages go to a list.

// listedAtOnce is how many tasks go to a list, or come back, in one write.
const listedAtOnce = 1024

// listPrefix returns what the keys of all tasks in a list begin with.
func listPrefix(list uint64) []byte { return binary.BigEndian.AppendUint64([]byte{tagLimited}, list) }

// parseListed reads the key of a task in a list.
func parseListed(key []byte) (p place, err error) {
	if len(key) == 1+8+rankLen {
		p = place{rank: parseRank(key[9:]), limit: binary.BigEndian.Uint64(key[1:])}
	}
	if p.limit == 0 {
		err = corrupt(key, "is no place beyond a limit")
	}
	return p, err
}

// Limited is a limit that was reached, and what waits beyond it.
type Limited struct {
	Kind    LimitKind
	Name    string // the seed, host or domain; "" for the crawl
	Reached string // what is reached, such as "500 URLs"; "" if there is room again
	Waiting int64  // URLs
}

// setAside reports whether t, task i of h's window, lies beyond a limit. If so, it leaves the window and waits for the
// next moveAside.
func (h *host) setAside(i int, t *kavosh.Task) (beyond bool, err error) {
	f := h.f
	a, err := f.beyond(h.name, t)
	if a == nil || err != nil {
		return false, err
	}
	f.mu.limits.beyond = append(f.mu.limits.beyond, h.aside(*t, h.take(i), a.key))
	return true, nil
}

// aside leases t, at q of h or in a list, to be moved to the list of key.
func (h *host) aside(t kavosh.Task, q queued, key limitKey) *Lease {
	l := &Lease{Task: t, host: h, queued: q, frontier: h.f, limit: key}
	h.f.mu.leases.add(l)
	if q.limit == 0 {
		h.f.reserve(l, false)
	}
	return l
}

// noteLimits takes note if h has just reached its limit, or that of its domain. Then the crawl need not wait for the
// turn of h to know that nothing there may be requested.
func (h *host) noteLimits() {
	m := &h.f.mu.limits
	for _, k := range [...]LimitKind{HostLimit, DomainLimit} {
		if !m.has(k) {
			continue
		}
		a, err := h.f.account(keyOf(k, h.name, nil))
		if err != nil {
			h.f.mu.failed = err
			return
		}
		h.full = h.full || m.of(a.key).reached(&a.used, 0, h.f.runningTime(), false) != ""
	}
}

// clear sets aside what lies beyond limits in the window of h, which is full.
func (h *host) clear() error {
	for i := 0; i < len(h.window); {
		if len(h.f.mu.limits.beyond) >= listedAtOnce {
			return nil
		}
		t, err := h.decode(h.window[i])
		if err != nil {
			return err
		}
		beyond, err := h.setAside(i, &t)
		if err != nil {
			return err
		}
		if !beyond {
			i++
		}
	}
	h.full = len(h.window) == 0 && h.more
	return nil
}

// moveAside moves tasks that lie beyond limits from their queues to lists. Next calls it, without Frontier.mu.
func (f *Frontier) moveAside() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	f.mu.Lock()
	all := f.mu.limits.beyond
	f.mu.limits.beyond = nil
	f.mu.Unlock()
	return f.listAll(all)
}

// listAll moves tasks that aside gave to their lists. Frontier.applying is held.
func (f *Frontier) listAll(all []*Lease) error {
	a, err := f.newApplication()
	if err != nil {
		return err
	}
	a.slots = slices.Grow(a.slots, len(all))
	for _, l := range all {
		s := slot{key: taskKey(l.Task.URL, l.Task.Variant, &f.scratch.url), dirty: true}
		c, err := a.hosts.of(l.host.name)
		if err == nil {
			err = a.batch.Delete(l.queued.key(nil, l.host.name), nil)
		}
		if err == nil && l.queued.limit != 0 {
			err = a.unlist(l.queued.limit, l.host.name, &l.Task)
		} else if err == nil {
			c.gone++
			if l.queued.class == classFirst {
				a.parts--
			}
		}
		if err != nil {
			return err
		}
		a.gone = append(a.gone, goneTask{l.host.name, 0, l.Task.ID})
		q := l.queued
		q.after = 0
		if err := a.list(&q, l.limit, &s); err != nil {
			return err
		}
		a.slots = append(a.slots, s)
	}
	if err := a.write(); err != nil {
		return err
	}
	return a.settleOn()
}

// list puts a task, which counts as queued, into the list of a limit.
func (a *application) list(q *queued, key limitKey, s *slot) error {
	of, err := a.account(key)
	if err != nil {
		return err
	}
	if of.list == 0 {
		of.list = a.f.newID()
	}
	of.waiting++
	if key.kind != TaskHold {
		a.sums.limited++
	}
	q.limit = of.list
	s.status, s.dirty = status{state: stateQueued, place: q.place}, true
	return a.batch.Set(q.key(nil, ""), q.value, nil)
}

// unlist takes note that a task of host has left its list, which has the given number.
func (a *application) unlist(list uint64, host string, t *kavosh.Task) error {
	leave := func(key limitKey) (found bool, err error) {
		of, err := a.account(key)
		if found = err == nil && of.list == list; found {
			of.waiting--
			if key.kind != TaskHold {
				a.sums.limited--
			}
		}
		return found, err
	}
	if why, held := a.f.mu.limits.why[list]; held {
		_, err := leave(limitKey{TaskHold, why})
		return err
	}
	for _, k := range limitKinds {
		if found, err := leave(keyOf(k, host, t)); found || err != nil {
			return err
		}
	}
	var key limitKey // of a domain that a newer list of public suffixes has not
	err := a.f.db.eachLimited(func(of limitKey, u *used) {
		if u.list == list {
			key = of
		}
	})
	if err != nil {
		return err
	}
	found, err := leave(key)
	if !found && err == nil {
		err = corrupt(listPrefix(list), "is the list of no limit")
	}
	return err
}

// limitOf returns the limit that t, a task of host, lies beyond. What leases have reserved does not count: they may
// give it back.
func (a *application) limitOf(host string, t *kavosh.Task) (key limitKey, beyond bool, err error) {
	if a.f.parts.free(t) {
		return key, false, nil
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	for _, k := range limitKinds {
		if k == CrawlLimit && !a.f.parts.again || !a.limits.has(k) {
			continue
		}
		key = keyOf(k, host, t)
		of := a.accounts[key]
		if of == nil {
			now, err := a.f.account(key)
			if err != nil {
				return key, false, err
			}
			of = &now.used
		}
		if a.limits.of(key).reached(of, 0, a.f.runningTime(), t.Attempt > 0) != "" {
			return key, true, nil
		}
	}
	return key, false, nil
}

// publishAccounts brings accounts that are durable now into memory. Frontier.mu is held.
func (a *application) publishAccounts() (changed []*account) {
	for _, key := range a.accountKeys {
		of, err := a.f.account(key)
		if err != nil {
			a.f.mu.failed = err
			return nil
		}
		since, waited := of.since, of.waiting // the first request may just be made
		of.used = *a.accounts[key]
		if key.kind == TaskHold {
			a.f.mu.limits.held += of.waiting - waited
			if a.f.mu.limits.why[of.list] = key.name; of.waiting == 0 {
				delete(a.f.mu.limits.why, of.list)
			}
		}
		of.since = cmp.Or(of.since, since)
		changed = append(changed, of)
	}
	return changed
}

// comesBack reports whether tasks may come back from lists.
func (m *limiter) comesBack() bool { return len(m.opened) > 0 || m.recheck != nil }

// queueListed queues tasks from lists that have room. Next calls it, without Frontier.mu.
func (f *Frontier) queueListed() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	a, err := f.newApplication()
	if err != nil {
		return err
	}
	var all []*account
	for n := 0; n < listedAtOnce; {
		of, room, err := f.nextOpen()
		if err != nil {
			return err
		}
		if of == nil {
			break
		}
		all = append(all, of)
		moved, err := a.queueFrom(of.list, min(room, int64(listedAtOnce-n)))
		if err != nil {
			return err
		}
		n += moved
	}
	if err := a.write(); err != nil {
		return err
	}
	if err := a.settleOn(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, of := range all {
		of.open = false
		f.reopen(of)
	}
	return nil
}

// nextOpen returns the next account whose list has room, and how many of its tasks may come back; nil if there is none.
// They count as loose from now on. The account stays open, so that nobody opens it again while its tasks come back.
func (f *Frontier) nextOpen() (of *account, room int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := &f.mu.limits
	if len(m.opened) == 0 && m.recheck != nil {
		if err := f.recheckLimits(); err != nil {
			return nil, 0, err
		}
	}
	if len(m.opened) == 0 {
		m.opened = nil
		return nil, 0, nil
	}
	of = m.opened[0]
	m.opened = m.opened[1:]
	if room = min(f.left(of), of.waiting, listedAtOnce); m.of(of.key).URLs > 0 {
		of.loose += max(room, 0)
	}
	return of, room, nil
}

// recheckLimits opens lists on disk that have room, up to listedAtOnce of them.
func (f *Frontier) recheckLimits() error {
	m := &f.mu.limits
	from := m.recheck
	m.recheck = nil
	return f.db.each(from, []byte{tagAccount + 1}, "the limits", func(key, v []byte) (bool, error) {
		if len(m.opened) == listedAtOnce {
			m.recheck = slices.Clone(key)
			return false, nil
		}
		if len(key) == 1 {
			return true, nil // how long the crawl has run
		}
		u, err := parseUsed(v)
		if err != nil {
			return false, corrupt(key, err)
		}
		if u.waiting == 0 {
			return true, nil
		}
		of, err := f.account(limitKey{LimitKind(key[1]), string(key[2:])})
		if err == nil {
			f.reopen(of)
		}
		return err == nil, err
	})
}

// queueFrom takes the first tasks of a list, at most n, and queues them at their hosts, or puts them into the list of
// another limit that they lie beyond.
func (a *application) queueFrom(list uint64, n int64) (moved int, err error) {
	lo := listPrefix(list)
	err = a.f.db.each(lo, listPrefix(list+1), "a list", func(key, v []byte) (bool, error) {
		if int64(moved) >= n {
			return false, nil
		}
		at, err := parseListed(key)
		if err != nil {
			return false, err
		}
		a.f.mu.Lock()
		away := a.f.mu.leases.away(at.id)
		a.f.mu.Unlock()
		if away {
			return true, nil // it is withdrawn
		}
		t, err := parseTask(at.rank, v)
		if err != nil {
			return false, corrupt(key, errMalformed)
		}
		moved++
		return true, a.queueListed(at, &t)
	})
	return moved, err
}

// queueListed queues t, which waits in the list of at, at its host.
func (a *application) queueListed(at place, t *kavosh.Task) error {
	p, ok := scope.Split(t.URL)
	if !ok {
		return corrupt(at.key(nil, ""), errMalformed)
	}
	if err := a.batch.Delete(at.key(nil, ""), nil); err != nil {
		return err
	}
	if err := a.unlist(at.limit, p.Name, t); err != nil {
		return err
	}
	a.sums.queued--
	s := slot{key: taskKey(t.URL, t.Variant, &a.f.scratch.url)}
	if err := a.queue(t, p.Name, 0, &s); err != nil {
		return err
	}
	a.slots = append(a.slots, s)
	return nil
}

// tighten sets all loose tasks to 0 when nothing is queued but what lies in lists: then there are none. It reports
// whether tasks may come back because of that.
func (f *Frontier) tighten() bool {
	var all []*account
	for _, of := range f.mu.limits.by {
		if of.loose > 0 {
			of.loose = 0
			all = append(all, of)
		}
	}
	slices.SortFunc(all, func(x, y *account) int { return cmp.Compare(x.key.String(), y.key.String()) })
	for _, of := range all {
		f.reopen(of)
	}
	return len(f.mu.limits.opened) > 0
}

// eachLimited yields the limits beyond which tasks wait.
func (d *database) eachLimited(yield func(key limitKey, u *used)) error {
	return d.each([]byte{tagAccount}, []byte{tagAccount + 1}, "the limits", func(key, v []byte) (bool, error) {
		if len(key) == 1 {
			return true, nil
		}
		u, err := parseUsed(v)
		if err != nil {
			return false, corrupt(key, err)
		}
		if u.waiting > 0 {
			yield(limitKey{LimitKind(key[1]), string(key[2:])}, &u)
		}
		return true, nil
	})
}

// loadLimited reads how long the crawl has run and which tasks are on hold, and lets all lists be looked at.
func (f *Frontier) loadLimited() error {
	m := &f.mu.limits
	held := []byte{tagAccount, byte(TaskHold)}
	err := f.db.each(held, []byte{tagAccount, byte(TaskHold) + 1}, "what is on hold", func(key, v []byte) (bool, error) {
		u, err := parseUsed(v)
		if err != nil {
			return false, corrupt(key, err)
		}
		m.why[u.list] = string(key[2:])
		m.held += u.waiting
		return true, nil
	})
	if err != nil {
		return err
	}
	if f.mu.sums.limited > 0 {
		m.recheck = []byte{tagAccount}
	}
	return f.db.each([]byte{tagAccount}, []byte{tagAccount + 1}, "the limits", func(key, v []byte) (more bool, err error) {
		m.on = m.stored // there are limits, for one who only looks
		if len(key) == 1 {
			if m.ran, err = parseRan(v); err != nil {
				err = corrupt(key, err)
			}
		}
		return false, err
	})
}

// writeAccounts puts the accounts that the Apply changed into its batch.
func (a *application) writeAccounts(b *pebble.Batch) error {
	for _, key := range a.accountKeys {
		err := b.Set(key.stored(), a.accounts[key].append(nil), nil)
		if key.kind == TaskHold && a.accounts[key].waiting == 0 {
			err = b.Delete(key.stored(), nil)
		}
		if err != nil {
			return err
		}
	}
	if len(a.accountKeys) == 0 {
		return nil
	}
	a.f.mu.Lock()
	ran := a.f.runningTime()
	a.f.mu.Unlock()
	return b.Set([]byte{tagAccount}, appendRan(ran), nil)
}
