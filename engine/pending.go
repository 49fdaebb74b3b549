package engine

// This file is the list of what workers handed over and what is not durable yet.

import (
	"context"
	"sync"
	"time"

	"kavosh/internal/clock"
	"kavosh/record"
)

// pending is what waits to become durable: items that workers handed over, and where in the WARC files those groups may
// begin that are written and not handed over yet.
type pending struct {
	sync.Mutex
	hard   context.Context // ends with the crawl
	clock  clock.Clock
	hungry func() bool   // the frontier has too little to go on without what waits
	wake   chan struct{} // tells the committer that a group is due

	cond  *sync.Cond
	items []item
	bytes int64
	air   map[uint64]written // by task
	left  int                // items handed over and not durable yet
	err   error              // the committer gave up

	beyond []beyond // owned by the committer
}

// Groups become durable after maxDelay, or when maxPending bytes wait, or when a worker waits for what is in them.
const (
	maxDelay   = time.Second
	maxPending = 16 << 20
)

// newPending returns a list of nothing.
func newPending(hard context.Context, c clock.Clock) *pending {
	p := &pending{hard: hard, clock: c, wake: make(chan struct{}, 1), air: map[uint64]written{}}
	p.cond = sync.NewCond(p)
	return p
}

// announce says that the task's group is about to be written, at or after a place: until it is handed over, no mark goes
// beyond it.
func (p *pending) announce(task uint64, at written) {
	p.Lock()
	p.air[task] = at
	p.Unlock()
}

// hand gives an item to the committer. It waits while too much is waiting already.
func (p *pending) hand(it item) {
	p.Lock()
	for p.bytes >= 2*maxPending && p.err == nil {
		p.cond.Wait()
	}
	p.items = append(p.items, it)
	p.bytes += it.size
	p.left++
	delete(p.air, it.of().ID)
	first := len(p.items) == 1
	full := p.bytes >= maxPending || it.urgent || p.hungry()
	p.Unlock()
	switch {
	case full:
		p.kick()
	case first:
		go func() {
			if p.clock.Sleep(p.hard, maxDelay) == nil {
				p.kick()
			}
		}()
	}
}

// take takes all items, to make them durable. end is where the next group will be written; marked is the place before which
// every group is among them or was taken before.
func (p *pending) take(end written) (items []item, bytes int64, marked written) {
	p.Lock()
	defer p.Unlock()
	items, bytes, marked = p.items, p.bytes, end
	p.items, p.bytes = nil, 0
	for _, at := range p.air {
		if at.warc.Before(marked.warc) {
			marked.warc = at.warc
		}
		if at.spool.Before(marked.spool) {
			marked.spool = at.spool
		}
	}
	p.cond.Broadcast()
	return items, bytes, marked
}

// done says that so many of the items that were taken are durable.
func (p *pending) done(items int) {
	p.Lock()
	p.left -= items
	p.cond.Broadcast()
	p.Unlock()
}

// fail says that nothing more will become durable.
func (p *pending) fail(err error) {
	p.Lock()
	p.err = err
	p.cond.Broadcast()
	p.Unlock()
}

// settle waits until all that was handed over is durable.
func (p *pending) settle() {
	p.kick()
	p.Lock()
	defer p.Unlock()
	for p.left > 0 && p.err == nil {
		p.cond.Wait()
	}
}

// kick wakes the committer.
func (p *pending) kick() {
	select {
	case p.wake <- struct{}{}:
	default: // it is awake
	}
}

// groupsBeyond are the groups accounted for, these items' among them, that begin after place: those that were written
// while a slower worker still had an earlier one in hand.
func (p *pending) groupsBeyond(items []item, place record.Place) []string {
	var kept []beyond
	for _, b := range p.beyond {
		if !b.place.Before(place) {
			kept = append(kept, b)
		}
	}
	for i := range items {
		if it := &items[i]; it.group != "" && !it.place.Before(place) {
			kept = append(kept, beyond{it.group, it.place})
		}
	}
	p.beyond = kept
	ids := make([]string, len(kept))
	for i := range kept {
		ids[i] = kept[i].group
	}
	return ids
}

// beyond is a group that is accounted for although the marks do not reach it.
type beyond struct {
	group string
	place record.Place
}
