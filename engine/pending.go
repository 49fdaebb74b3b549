package engine

// This file is the list of items (what came of a URL: log lines, links, places of records) that workers handed over and
// that are not durable yet. It lies between the workers and the committer (commit.go), in memory alone.

import (
	"context"
	"math"
	"sync"
	"time"

	"kavosh/internal/clock"
	"kavosh/record"
)

// pending has the items that wait to become durable. It also knows which groups of WARC records (all records of one
// request) are being written and have no item here yet. The mutex guards what stands below cond.
type pending struct {
	sync.Mutex
	hard   context.Context // ends with the crawl
	clock  clock.Clock
	hungry func() bool   // reports whether a worker waits for a URL, so that links in the items are needed at once
	wake   chan struct{} // has a value when the committer is to commit
	delay  time.Duration // of the first item in the list, before the committer is woken
	most   int           // visits in the list; more wait until the committer took these. It has a bound where the order weighs links

	cond  *sync.Cond // signalled when items were taken, when they are durable, and on err
	items []item
	bytes int64              // sum of the sizes of items
	air   map[uint64]written // by task: the group that is being written begins at this place or later
	left  int                // items handed over and not durable yet, also those that were taken
	err   error              // why the committer gave up; nil if it did not

	beyond []beyond // used by the committer alone, without the mutex
}

// The committer is woken when the first item has waited for a while, when items of maxPending bytes wait, when an item is
// urgent, or when a worker waits for a URL. The while is slowDelay in a crawl that takes links as they come. Where the
// order weighs them it is quickDelay: a link that waits here cannot be chosen yet, however good it is. For that reason
// workers that are faster than the committer wait for it then, with quickMost visits in the list.
const (
	slowDelay  = time.Second
	quickDelay = 20 * time.Millisecond
	quickMost  = 16
	maxPending = 16 << 20
)

// newPending returns an empty list. weighs says that the order weighs links. hungry must be set before the first item is
// handed over.
func newPending(hard context.Context, c clock.Clock, weighs bool) *pending {
	p := &pending{hard: hard, clock: c, delay: slowDelay, most: math.MaxInt, wake: make(chan struct{}, 1), air: map[uint64]written{}}
	p.cond = sync.NewCond(p)
	if weighs {
		p.delay = quickDelay
	}
	return p
}

// begin says that the committer runs from now on, so that workers can wait for it.
func (p *pending) begin() {
	p.Lock()
	if p.delay == quickDelay {
		p.most = quickMost
	}
	p.Unlock()
}

// announce says that the group of records of a task is about to be written, at the place at or later. Until its item is
// handed over, the marks (how far the WARC files are accounted for) do not move beyond at.
func (p *pending) announce(task uint64, at written) {
	p.Lock()
	p.air[task] = at
	p.Unlock()
}

// hand gives an item to the committer. It waits while items of 2*maxPending bytes or more are in the list, and with a
// visit while p.most items are.
func (p *pending) hand(it item) {
	p.Lock()
	for (p.bytes >= 2*maxPending || it.update.Visit != nil && len(p.items) >= p.most) && p.err == nil {
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
			if p.clock.Sleep(p.hard, p.delay) == nil {
				p.kick()
			}
		}()
	}
}

// take removes all items from the list and returns them with the sum of their sizes. The caller makes them durable. end
// is where the next group will be written. Every group of records before marked belongs to one of these items, or to an
// item that was taken earlier.
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

// done says that so many of the items that were taken are durable now.
func (p *pending) done(items int) {
	p.Lock()
	p.left -= items
	p.cond.Broadcast()
	p.Unlock()
}

// fail says that the committer gave up, so that nothing more becomes durable. Those who wait in hand or settle go on.
func (p *pending) fail(err error) {
	p.Lock()
	p.err = err
	p.cond.Broadcast()
	p.Unlock()
}

// settle waits until all items that were handed over are durable, or the committer gave up.
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
	default: // it will wake anyway
	}
}

// groupsBeyond returns the groups of records, "<task>.<attempt>", that are accounted for and begin at place or later.
// They were written while a slower worker had not yet handed over an earlier group. items are those of this commit; the
// groups of earlier commits are remembered. Only the committer calls it.
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

// beyond is a group of records that is accounted for, although marks.WARC lies before it.
type beyond struct {
	group string
	place record.Place
}
