package engine

// This file sends what a page that is being loaded asks for and no queue holds: requests other than GET, those for
// WebSockets (websocket.go), and the page's own URL once more.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
)

// post answers a request other than GET, by sending it. The same one is sent once for a page. It is in no queue,
// because nothing can send it later without the page.
func (v *visit) post(ctx context.Context, key string, ask *kavosh.Ask, answer func(*kavosh.Exchange)) error {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s", ask.Method, key, ask.Body))
	v.mu.Lock()
	twice := v.mu.posted[sum]
	v.mu.posted[sum] = true
	v.mu.Unlock()
	link := kavosh.Link{URL: key, Kind: kavosh.Embed, From: v.from}
	switch d := v.c.belongs(&link, &v.page); {
	case v.gets:
		v.refuse(ask.Method + " was asked before")
		return nil
	case twice:
		v.refuse("the same " + ask.Method + " again")
		return nil
	case !d.In:
		v.leaveOut(&link, d, ask.Method)
		return nil
	}
	v.mu.Lock()
	v.mu.posts++
	v.mu.Unlock()
	return v.beyondQueue(ctx, v.followed(key), func(lease *frontier.Lease) (bool, error) {
		return v.c.postOnce(lease, &part{ctx: v.ctx, ask: ask, answer: answer})
	})
}

// leaveOut notes a request that is in no queue and does not belong to the crawl. what is what it was, in words.
func (v *visit) leaveOut(link *kavosh.Link, d scope.Decision, what string) {
	l := refusedBy(link, &v.page, d, v.c.clock.Now())
	l.Notes = []string{what}
	v.c.pend.hand(item{line: &l, size: 512})
	v.refuse("out of scope")
}

// beyondQueue leases a request that is in no queue for once, which says whether nothing was sent, so that it must come again.
func (v *visit) beyondQueue(ctx context.Context, task kavosh.Task, once func(*frontier.Lease) (again bool, err error)) error {
	for {
		lease, err := v.turn.Join(ctx, task)
		if err != nil {
			if errors.Is(err, frontier.ErrUnfit) {
				return nil
			}
			return err
		}
		if lease.Origin != "" {
			if again, err := v.lead(lease, nil); err != nil || !again {
				return err
			}
			continue
		}
		if again, err := once(lease); err != nil || !again {
			return err
		}
	}
}

// postOnce sends and records a leased request that is in no queue. again means that nothing was sent, because its
// address is busy.
func (c *crawl) postOnce(lease *frontier.Lease, p *part) (again bool, err error) {
	defer lease.Drop()
	task := lease.Task
	if lease.Refused != nil {
		c.refusedOnce(lease, p.ask.Method)
		return false, nil
	}
	held := places{urls: 1}
	if !c.quota.placeLeft(held) {
		lease.Later(0)
		return false, nil
	}
	x, captures, again, err := c.fetchBeyondQueue(lease, p, c.recorder.Write)
	if x == nil || err != nil {
		c.quota.unreserve(held)
		return again, err
	}
	defer x.Close()
	it := c.posted(task, x, captures)
	permitted(it.line, lease)
	c.pend.hand(it)
	p.give(x)
	return false, nil
}

// refusedOnce logs a leased request that is in no queue and must not be sent.
func (c *crawl) refusedOnce(lease *frontier.Lease, what string) {
	l := taskLine(&lease.Task, c.clock.Now())
	l.Outcome, l.Failure, l.Reason, l.Notes = archive.Refused, lease.Refused.Failure, lease.Refused.Text, []string{what}
	c.pend.hand(item{line: &l, size: 512})
}

// fetchBeyondQueue sends a leased request that is in no queue, and records it by record. If it returns no exchange, again
// says that nothing was sent.
func (c *crawl) fetchBeyondQueue(lease *frontier.Lease, p *part, record func(*kavosh.Exchange) ([]kavosh.Capture, error)) (x *kavosh.Exchange, captures []kavosh.Capture, again bool, err error) {
	if x, err = c.fetch(lease, p); err != nil || x == nil {
		return nil, nil, err == nil && p.ctx.Err() == nil, err
	}
	c.pend.announce(lease.Task.ID, written{c.recorder.End(), c.spool.end()})
	if captures, err = record(x); err != nil {
		x.Close()
		return nil, nil, false, c.diskError(err)
	}
	return x, captures, false, nil
}

// posted returns what the committer writes of a recorded request that is in no queue.
func (c *crawl) posted(task kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture) item {
	line := lineOf(&task, x)
	line.MIME, line.Digest, line.Revisit, line.Notes = captures[0].MIME, captures[0].Digest, captures[0].Profile, []string{x.Method}
	if x.Answered() {
		line.Size = x.Payload.Size()
		c.quota.count(line.Size)
	}
	it := item{task: task, line: &line, size: line.Size + 1024, places: places{urls: 1}}
	it.recorded(c.recorder, captures)
	return it
}
