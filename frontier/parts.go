package frontier

import (
	"maps"
	"slices"
	"time"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file is the end of a crawl with --max-pages: only parts of the last pages are asked for. It is also the second round
// of a crawl that visits its pages twice: only these are, and their parts unless the first round ended at a limit.

// A crawl that has its --max-pages still asks for the parts of these pages: pictures, styles, scripts. From then on parts
// stand before all other tasks in the queue of their host, so that the first task tells whether a host has any. Only
// parts are handed out, with the robots.txt files that they need. All other tasks wait.

const (
	movedAtOnce = 4096        // tasks that get their new places in one write
	barredFor   = time.Minute // a host whose retries are not of parts is looked at again after this time
)

// partsOnly tells how far a crawl has come with asking for parts of pages alone. It is read with Frontier.applying or
// Frontier.mu held, and changed with both.
type partsOnly struct {
	parts   bool  // parts are queued before all other tasks
	again   bool  // so is what was asked for before (kavosh.Task.Again): the second round is on
	only    bool  // only parts are handed out
	waiting int64 // parts in the queues, counted while only is true
}

// rankOf returns a task's place in its host's queue. Frontier.applying is held.
func (p *partsOnly) rankOf(t *kavosh.Task) rank {
	r := rankOf(t)
	if p.wants(t) && !t.Variant {
		r.class = classFirst
	}
	return r
}

// wants reports whether a task is one of those that only are handed out.
func (p *partsOnly) wants(t *kavosh.Task) bool { return p.parts && t.Part() || p.again && t.Again }

// first reports whether what wants tells stands before all other tasks.
func (p *partsOnly) first() bool { return p.parts || p.again }

// free reports whether a task counts under no limit: its URL counted in the first round.
func (p *partsOnly) free(t *kavosh.Task) bool { return p.again && t.Again }

// barred reports whether a task of that rank must wait, because only parts of pages are handed out.
func (p *partsOnly) barred(r rank) bool { return p.only && r.class != classFirst }

// Only makes Next hand out nothing but, with parts, the parts of pages (kavosh.Task.Part) and, with again, what is asked for
// again (kavosh.Task.Again), until the frontier is closed or Only is called anew, also what of it is queued later. Next
// returns io.EOF when none is left. With again it is the second round of a crawl, in which what is asked for again counts
// under no limit. Only reads the whole queue once, and Apply waits meanwhile. The caller makes sure that no lease of what it
// asks for is out that will end by Later.
func (f *Frontier) Only(parts, again bool) error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	f.mu.Lock()
	f.parts.parts, f.parts.again = parts, again
	f.mu.Unlock()
	waiting := int64(0)
	for _, tag := range [...]byte{tagQueue, tagDeferred} {
		n, err := f.moveParts(tag)
		if err != nil {
			f.fail(err)
			return err
		}
		waiting += n
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.parts.waiting, f.parts.only = waiting, true
	f.mu.bench.line.best = seat{} // a lower bound: the lines on disk are read again
	now := f.clock.now()
	for _, name := range slices.Sorted(maps.Keys(f.mu.bench.hosts)) {
		if h := f.mu.bench.hosts[name]; h != nil {
			h.arrange(now)
		}
	}
	f.wakeNext()
	return nil
}

// moveParts moves what is asked for alone of the tasks under tag before all others of their hosts, and what was and is not any
// more behind it. It returns how many tasks are asked for.
func (f *Frontier) moveParts(tag byte) (parts int64, err error) {
	var changes []Change
	flush := func() error {
		_, err := f.reprioritise(changes, nil, false)
		changes = changes[:0]
		return err
	}
	// each sees the queues as they are now. Tasks that are moved meanwhile do not come a second time.
	err = f.db.each([]byte{tag}, []byte{tag + 1}, "the queues", func(key, value []byte) (bool, error) {
		_, p, err := parsePlace(key)
		if err != nil {
			return false, err
		}
		t, err := parseTask(p.rank, value)
		if err != nil {
			return false, corrupt(key, err)
		}
		wanted := f.parts.wants(&t)
		if wanted == (p.class == classFirst) {
			if wanted {
				parts++
			}
			return true, nil
		}
		f.mu.Lock()
		out := f.mu.leases.out[t.ID] != nil
		f.mu.Unlock()
		if out || t.Variant {
			return true, nil // it is answered, and about to be Applied
		}
		if wanted {
			parts++
		}
		if changes = append(changes, Change{URL: t.URL, Score: t.Score, Why: t.Why}); len(changes) == movedAtOnce {
			return true, flush()
		}
		return true, nil
	})
	if err != nil {
		return 0, err
	}
	return parts, flush()
}

// showParts finds URLs that are queued as pages although a page in updates embeds them, and makes them wait as parts of
// that page. Else a crawl with a bound of pages would leave them out.
func (f *Frontier) showParts(updates []Update) error {
	if !f.o.CountPages {
		return nil
	}
	var changes []Change
	var as []kavosh.Task
	looked := make(map[string]bool)
	for i := range updates {
		u := &updates[i]
		parent := &u.Task
		if parent.URL == "" {
			parent = u.Parent
		}
		for j := range u.Links {
			link := &u.Links[j]
			if link.Kind != kavosh.Embed || link.Variant || looked[link.URL] {
				continue
			}
			looked[link.URL] = true
			part := scope.Follow(parent, link)
			if t, queued, err := f.task(link.URL, false); err != nil {
				return err
			} else if queued && t.Page() && part.Part() {
				changes, as = append(changes, Change{URL: t.URL, Score: t.Score, Why: t.Why}), append(as, part)
			}
		}
	}
	_, err := f.reprioritise(changes, as, false)
	return err
}

// over reports whether nothing is left to hand out, and nothing can come any more. Frontier.mu is held.
func (f *Frontier) over() bool {
	if len(f.mu.leases.out) > 0 || f.mu.bench.line.turning || f.o.GoesOn && f.mu.again != noTime && !f.parts.only {
		return false
	}
	return f.mu.sums.queued == f.mu.sums.limited && !f.mu.limits.comesBack() && !f.tighten() || f.shut() || f.parts.only && f.parts.waiting == 0
}
