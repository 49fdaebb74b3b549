package engine

import (
	"context"

	"kavosh"
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

// reserve takes places for whatever URL is next, waiting while those in flight may still give theirs back. When all pages
// are finished that may be, only parts of them are asked for from then on, and no place for a page is taken. It is not ok
// when the crawl is to end: stopped, or at a limit.
func (c *crawl) reserve(ctx context.Context) (held places, ok bool, err error) {
	q := &c.quota
	q.Lock()
	defer q.Unlock()
	q.working--
	for ctx.Err() == nil {
		limits := &c.opt.Limits
		held = places{1, 1}
		if q.parts {
			held.pages = 0
		}
		switch {
		case limits.Bytes > 0 && c.payload.Load() >= limits.Bytes:
			c.halt("bytes")
			return held, false, nil
		case q.paused || q.offline:
		case c.fits(held):
			q.reserved = q.reserved.plus(held)
			q.working++
			return held, true, nil
		case limits.URLs > 0 && q.finished.urls >= limits.URLs:
			c.halt("urls")
			return held, false, nil
		case limits.Pages > 0 && q.finished.pages >= limits.Pages && q.working == 0: // no lease is out
			if err := c.frontier.OnlyParts(); err != nil {
				return held, false, err
			}
			q.parts = true
			q.cond.Broadcast()
			continue
		default:
			c.kick() // what is finished but not committed counts only then
		}
		q.cond.Wait()
	}
	return held, false, nil
}

// fits says that the limits leave these places. quota is locked.
func (c *crawl) fits(p places) bool {
	limits, all := &c.opt.Limits, c.quota.finished.plus(c.quota.reserved).plus(p)
	return (limits.URLs == 0 || all.urls <= limits.URLs) && (limits.Pages == 0 || p.pages == 0 || all.pages <= limits.Pages)
}

// unreserve gives places back that were not used.
func (c *crawl) unreserve(p places) {
	if p == (places{}) {
		return
	}
	c.quota.Lock()
	c.quota.reserved = c.quota.reserved.minus(p)
	c.quota.cond.Broadcast()
	c.quota.Unlock()
}

// placeLeft takes the places of a page's part, if there are such now: they are not waited for, since the page itself holds
// some.
func (c *crawl) placeLeft(p places) bool {
	c.quota.Lock()
	defer c.quota.Unlock()
	if limit := c.opt.Limits.Bytes; limit > 0 && c.payload.Load() >= limit || !c.fits(p) || c.quota.paused || c.quota.offline {
		return false
	}
	c.quota.reserved = c.quota.reserved.plus(p)
	return true
}
