package engine

// This file starts workers and lets them take their next URL, under the limits and unless the crawl waits.

import (
	"context"
	"sync"
	"time"

	"kavosh"
	"kavosh/frontier"
)

// places are URLs and pages that count under --max-urls and --max-pages: taken before a URL is asked for, since a limit is
// never overrun, and given back where it comes to nothing.
type places struct{ urls, pages int64 }

func (p places) plus(o places) places  { return places{p.urls + o.urls, p.pages + o.pages} }
func (p places) minus(o places) places { return places{p.urls - o.urls, p.pages - o.pages} }

// placesOf are those that a task's outcome may use.
func placesOf(t *kavosh.Task) places {
	switch {
	case t.Kind == kavosh.Prerequisite:
		return places{}
	case t.Page():
		return places{urls: 1, pages: 1}
	}
	return places{urls: 1}
}

// usedBy are the places that a task's outcome used: a sitemap or a feed turns out to be one when it is read.
func usedBy(t *kavosh.Task, page *kavosh.Page) places {
	p := placesOf(t)
	if page.List {
		p.pages = 0
	}
	return p
}

// quota lets workers ask for what is next: while the limits leave places, and the crawl neither pauses nor waits for the
// network.
type quota struct {
	sync.Mutex
	cond               *sync.Cond
	limits             Limits
	finished, reserved places
	begin              func() // starts a worker, which calls retire at its end; nil before the first and after the last
	workers            int    // that may work at once
	staff              int    // that have begun and not ended
	working            int    // of them, those that may have a lease, or a page in the browser
	bytes              int64  // payload bytes recorded, for --max-bytes
	parts              bool   // all pages are finished that may be, and only parts of them are asked for
	second             bool   // … and in the second round of the crawl, its pages once more
	turning            bool   // the second round is about to begin
	paused             bool   // nothing is asked until somebody says so
	offline            bool   // nothing is asked until the network is there again
}

// newQuota returns a quota for that many workers, under limits.
func newQuota(limits Limits, workers int) *quota {
	q := &quota{limits: limits, workers: workers}
	q.cond = sync.NewCond(q)
	return q
}

// start begins all workers.
func (q *quota) start(begin func()) {
	q.change(func(q *quota) {
		q.begin = begin
		q.hire()
	})
}

// employ lets n workers work at once: it begins those that are missing, or lets some wait.
func (q *quota) employ(n int) {
	q.change(func(q *quota) {
		q.workers = n
		q.hire()
	})
}

// alone reports whether one worker works at once.
func (q *quota) alone() bool {
	q.Lock()
	defer q.Unlock()
	return q.workers == 1
}

// hire begins the workers that are missing. After the last one ended, nobody waits for others: it begins none. q is
// locked.
func (q *quota) hire() {
	for q.begin != nil && q.staff < q.workers {
		q.staff++
		q.working++
		q.begin()
	}
}

// retire ends a worker.
func (q *quota) retire() {
	q.change(func(q *quota) {
		if q.staff--; q.staff == 0 {
			q.begin = nil
		}
	})
}

// reserve takes places for whatever URL is next, waiting while those in flight may still give theirs back; it calls
// hurry then, since what is finished but not committed counts only when it is. When all pages are finished that may be,
// it calls onlyParts: only parts of them are asked for from then on, and no place for a page is taken. It is not ok when
// the crawl is to end: ctx has ended, or limit names the limit that is reached.
func (q *quota) reserve(ctx context.Context, onlyParts func() error, hurry func()) (held places, ok bool, limit string, err error) {
	q.Lock()
	defer q.Unlock()
	q.working--
	for ctx.Err() == nil {
		held = places{1, 1}
		if q.parts {
			held.pages = 0
		}
		switch {
		case q.limits.Bytes > 0 && q.bytes >= q.limits.Bytes:
			return held, false, "bytes", nil
		case q.paused || q.offline || q.working >= q.workers:
		case q.fits(held):
			q.reserved = q.reserved.plus(held)
			q.working++
			return held, true, "", nil
		case q.limits.URLs > 0 && q.finished.urls >= q.limits.URLs:
			return held, false, "urls", nil
		case q.limits.Pages > 0 && q.finished.pages >= q.limits.Pages && q.working == 0: // no lease is out
			if err := onlyParts(); err != nil {
				return held, false, "", err
			}
			q.parts = true
			q.cond.Broadcast()
			continue
		default:
			hurry()
		}
		q.cond.Wait()
	}
	return held, false, "", nil
}

// turn waits until no worker has a lease or a page in the browser, and then calls begin, which begins the second round; one
// worker does so for all that wait here. more is false if it did not begin.
func (q *quota) turn(ctx context.Context, begin func() error) (more bool, err error) {
	q.Lock()
	defer q.Unlock()
	q.working--
	defer func() { q.working++ }()
	q.cond.Broadcast()
	for !q.second && (q.working > 0 || q.turning) && ctx.Err() == nil {
		q.cond.Wait()
	}
	if q.second || ctx.Err() != nil {
		return ctx.Err() == nil, nil
	}
	q.turning = true
	q.Unlock()
	err = begin()
	q.Lock()
	q.turning = false
	if err == nil {
		q.parts, q.second = true, true
	}
	q.cond.Broadcast()
	return err == nil, err
}

// onlyParts lets the frontier hand out only parts of pages.
func (c *crawl) onlyParts() error { return c.frontier.OnlyParts(false) }

// fits says that the limits leave these places. q is locked.
func (q *quota) fits(p places) bool {
	all := q.finished.plus(q.reserved).plus(p)
	return (q.limits.URLs == 0 || all.urls <= q.limits.URLs) && (q.limits.Pages == 0 || p.pages == 0 || all.pages <= q.limits.Pages)
}

// change changes what workers go by, and wakes those that wait.
func (q *quota) change(by func(q *quota)) {
	q.Lock()
	by(q)
	q.cond.Broadcast()
	q.Unlock()
}

// unreserve gives places back that were not used.
func (q *quota) unreserve(p places) {
	if p != (places{}) {
		q.change(func(q *quota) { q.reserved = q.reserved.minus(p) })
	}
}

// finish counts reserved places as used for good.
func (q *quota) finish(p places) {
	q.change(func(q *quota) { q.finished, q.reserved = q.finished.plus(p), q.reserved.minus(p) })
}

// Patience is how long a crawl with a budget (--max-pages, --max-urls, --max-bytes) may wait in all for hosts that rest
// and have better URLs than others. It is half of --max-time, if that is less.
const Patience = time.Hour

// budget is the budget of which the crawl has spent the greatest share.
func (q *quota) budget() frontier.Budget {
	q.Lock()
	defer q.Unlock()
	var most frontier.Budget
	for _, b := range [...]frontier.Budget{
		{Spent: q.finished.pages, All: q.limits.Pages, Of: "pages"}, {Spent: q.finished.urls, All: q.limits.URLs, Of: "URLs"},
		{Spent: q.bytes, All: q.limits.Bytes, Of: "bytes"},
	} {
		if b.All > 0 && (most.All == 0 || float64(b.Spent)/float64(b.All) > float64(most.Spent)/float64(most.All)) {
			most = b
		}
	}
	if most.Wait = Patience; q.limits.Time > 0 {
		most.Wait = min(Patience, q.limits.Time/2)
	}
	return most
}

// count adds payload bytes that were recorded.
func (q *quota) count(bytes int64) {
	q.Lock()
	q.bytes += bytes
	q.Unlock()
}

// placeLeft takes the places of a page's part, if there are such now: they are not waited for, since the page itself holds
// some.
func (q *quota) placeLeft(p places) bool {
	q.Lock()
	defer q.Unlock()
	if q.limits.Bytes > 0 && q.bytes >= q.limits.Bytes || !q.fits(p) || q.paused || q.offline {
		return false
	}
	q.reserved = q.reserved.plus(p)
	return true
}

// pause makes workers wait before they take the next lease, or lets them go on.
func (q *quota) pause(paused bool) { q.change(func(q *quota) { q.paused = paused }) }

// lose makes workers wait for the network, or lets them go on.
func (q *quota) lose(network bool) { q.change(func(q *quota) { q.offline = network }) }

// waits says whether a worker that has a lease is to give it back.
func (q *quota) waits() bool {
	q.Lock()
	defer q.Unlock()
	return q.paused || q.offline
}
