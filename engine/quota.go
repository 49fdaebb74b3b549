package engine

// This file starts workers and lets them take their next URL, under the limits and unless the crawl waits.

import (
	"context"
	"errors"
	"io"
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

// placesOf are those that a task's outcome may use. What is visited the second time has its place.
func (c *crawl) placesOf(t *kavosh.Task) places {
	switch {
	case t.Kind == kavosh.Prerequisite || c.revisits.repeats(t):
		return places{}
	case t.Page():
		return places{urls: 1, pages: 1}
	}
	return places{urls: 1}
}

// usedBy are the places that a task's outcome used: a sitemap or a feed turns out to be one when it is read.
func (c *crawl) usedBy(t *kavosh.Task, page *kavosh.Page) places {
	p := c.placesOf(t)
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
	bytes              int64  // payload bytes recorded in the round that is on, for --max-bytes
	before             int64  // … in the first, when the second is on
	parts              bool   // all pages are finished that may be, and only parts of them are asked for
	twice              bool   // the crawl visits its pages twice
	second             bool   // … and its second round is on, in which its pages are asked for once more, and parts of them
	again              bool   // … or only these pages, since a limit is reached
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
// it calls only: parts of them alone are asked for from then on, and no place for a page is taken. A crawl that visits its
// pages twice asks for these alone when it has all its URLs, which takes no place. It is not ok when the round is to end:
// ctx has ended, or limit names the limit that is reached.
func (q *quota) reserve(ctx context.Context, only func(parts, again bool) error, hurry func()) (held places, ok bool, limit string, err error) {
	q.Lock()
	defer q.Unlock()
	q.working--
	defer func() { q.working++ }()
	for ctx.Err() == nil {
		held = q.next()
		switch limit = q.spent(); {
		case q.turning: // what is next is of the second round
		case limit != "" && q.twice && !q.again && (!q.second || limit == "urls" && q.working == 0):
			if err := only(false, true); err != nil { // in the first round, it ends the waiting of others for what is next
				return held, false, "", err
			}
			q.again = true
			q.cond.Broadcast()
			continue
		case limit != "" && (!q.second || limit == "bytes"):
			return held, false, limit, nil
		case q.paused || q.offline || q.working >= q.workers:
		case q.fits(held):
			q.reserved = q.reserved.plus(held)
			return held, true, "", nil
		case !q.second && q.limits.Pages > 0 && q.finished.pages >= q.limits.Pages && q.working == 0: // no lease is out
			if err := only(true, false); err != nil {
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

// next are the places that whatever URL is next may use. q is locked.
func (q *quota) next() places {
	switch {
	case q.again && q.second:
		return places{}
	case q.parts:
		return places{urls: 1}
	}
	return places{urls: 1, pages: 1}
}

// spent names the limit of URLs or bytes that is reached; "" for none. q is locked.
func (q *quota) spent() string {
	switch {
	case q.limits.Bytes > 0 && q.bytes >= q.limits.Bytes:
		return "bytes"
	case q.limits.URLs > 0 && q.finished.urls >= q.limits.URLs:
		return "urls"
	}
	return ""
}

// left names the limit beyond which URLs were not asked for when nothing else is left; "" for none.
func (q *quota) left() string {
	q.Lock()
	defer q.Unlock()
	switch {
	case q.limits.Pages > 0 && q.finished.pages >= q.limits.Pages:
		return "pages"
	case q.limits.URLs > 0 && q.finished.urls >= q.limits.URLs:
		return "urls"
	case q.full():
		return "bytes"
	}
	return ""
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
		q.turned(q.bytes)
	}
	q.cond.Broadcast()
	return err == nil, err
}

// turned takes note that the second round is on, after so many bytes of the first. Its own bytes count anew, and so do its
// URLs: what is visited again takes no place. q is locked.
func (q *quota) turned(before int64) {
	q.parts, q.second = true, true
	q.before, q.bytes = before, q.bytes-before
	q.again = q.full()
}

// full reports whether the first round has reached a limit of URLs or bytes. q is locked.
func (q *quota) full() bool {
	first := q.bytes
	if q.second {
		first = q.before
	}
	return q.limits.URLs > 0 && q.finished.urls >= q.limits.URLs || q.limits.Bytes > 0 && first >= q.limits.Bytes
}

// fits says that the limits leave these places. q is locked.
func (q *quota) fits(p places) bool {
	all := q.finished.plus(q.reserved).plus(p)
	return (q.limits.URLs == 0 || p.urls == 0 || all.urls <= q.limits.URLs) && (q.limits.Pages == 0 || p.pages == 0 || all.pages <= q.limits.Pages)
}

// errLimit means that no URL is asked for any more, since a limit is reached.
var errLimit = errors.New("a limit is reached")

// next waits for the URL whose turn it is. The error is io.EOF when none is left, and errLimit when none may be asked for; limit
// names the limit beyond which URLs are left.
func (c *crawl) next(ctx context.Context) (lease *frontier.Lease, limit string, err error) {
	held, ok, limit, err := c.quota.reserve(ctx, c.frontier.Only, c.pend.kick) // places under --max-pages and --max-urls
	switch {
	case err != nil:
		return nil, "", c.diskError(err)
	case limit != "":
		return nil, limit, errLimit
	case !ok:
		return nil, "", ctx.Err()
	}
	if lease, err = c.frontier.Next(ctx); err != nil {
		c.quota.unreserve(held)
		if errors.Is(err, io.EOF) {
			limit = c.quota.left()
		}
		return nil, limit, err
	}
	c.quota.unreserve(held.minus(c.placesOf(&lease.Task)))
	return lease, "", nil
}

// goOn reports whether there is more to do when no URL is left: pages wait for the browser, whose scripts may find more, or the
// second round begins, if the first was on.
func (c *crawl) goOn(ctx context.Context, turns bool) (more bool, err error) {
	if more, err = c.loadLast(ctx); more || err != nil || !turns {
		return more, err
	}
	more, err = c.quota.turn(ctx, func() error { return c.revisits.turn(ctx) })
	return more, c.diskError(err)
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
