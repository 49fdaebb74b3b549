// Package engine joins the stages into a crawl; this file, pipeline.go, is the whole crawler on one screen.
//
// Workers each lead one URL at a time through the stages, a plain call chain without channels between. What comes out
// of it (records, log lines, links) waits in one list for the committer (commit.go), which makes it durable in the
// order WARC, logs, frontier, a group at a time: nothing derived from an exchange outlives a crash that its records
// did not. run.go starts, resumes and ends a crawl, quota.go lets workers take their next URL, pending.go is the list of
// what waits, recover.go accounts for what a crash left, control.go obeys commands, undecided.go holds what --only and
// --keep may drop. Package archive knows the folder that a crawl fills, and keeps it afterwards.
package engine

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"kavosh"
	"kavosh/frontier"
)

// work leads one URL after another from the frontier to the committer, until nothing is left or the crawl stops.
func (c *crawl) work(ctx context.Context) error {
	defer c.quota.change(func(q *quota) { q.working-- })
	for {
		if err := c.loadWaiting(ctx); err != nil { // pages for the browser, those first that an earlier run left
			return err
		}
		turns := c.revisits.turns()
		lease, limit, err := c.next(ctx) // whose turn is it?
		if errors.Is(err, io.EOF) || turns && errors.Is(err, errLimit) {
			more, err := c.goOn(ctx, turns)
			if err != nil {
				return err
			}
			if more {
				continue
			}
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, io.EOF) || errors.Is(err, errLimit):
			if limit != "" {
				c.halt(limit)
			}
			return nil
		default:
			return err
		}
		if err := c.lead(ctx, lease, nil); err != nil {
			return err
		}
		if c.quota.alone() {
			c.pend.settle() // the order sees every page before it chooses
		}
	}
}

// lead leads a leased URL through the stages to the committer. The places of the URL (see quota) are held already. p is
// not nil if a page in the browser waits for the URL: it is what the page wants.
func (c *crawl) lead(ctx context.Context, lease *frontier.Lease, p *part) error {
	task := &lease.Task
	if p != nil {
		task.Partial = nil // a page wants it whole
	}
	held := c.placesOf(task)
	var x *kavosh.Exchange
	var err error
	defer func() { c.quota.unreserve(held); x.Close() }() // gives back what the outcome does not use
	if item, refused := c.refused(lease); refused {
		if task.Partial != nil { // what came of its body stays
			item = c.ended(*task, &kavosh.Exchange{Task: task, Began: c.clock.Now(), Detail: item.line.Reason}, nil)
			held = held.minus(item.places)
		}
		c.pend.hand(item) // robots.txt forbids it, its host cannot be asked, or it has turned out to be a trap: logged, never requested
		return nil
	}
	if p == nil {
		if item, skipped := c.young(lease); skipped {
			c.pend.hand(item) // the archive has a young capture: never requested, its links are followed
			return nil
		}
	}
	if c.quota.waits() { // a limit was reached while the URL waited
		lease.Later(0)
		return nil
	}
	x, err = c.fetch(lease, p) // the bytes that crossed the wire
	if err != nil || x == nil {
		p.wait()
		return err // its address is busy or our line is down: the URL waits in its queue
	}
	o := c.reading(x, confirmed(x))
	defer o.close()
	loads := p == nil && c.loads(x, o.standIn().Kind) // then the browser tells whether it is a bot wall
	isOut, err := c.meetLogout(ctx, lease, o)
	if err != nil {
		return c.diskError(err)
	}
	if !loads || isOut.out {
		if again, err := c.again(lease, o, isOut, nil); again || err != nil { // a failure that may pass, a bot wall, or a login that is over
			return err
		}
	}
	partly := task.Partial != nil
	if partly && x.Status != http.StatusOK { // it was to bring the rest of a body
		item, err := c.continued(task, x)
		if err != nil {
			return c.diskError(err)
		}
		permitted(item.line, lease)
		held = held.minus(item.places)
		c.pend.hand(item)
		return nil
	}
	task.Partial, x.Task.Partial = nil, nil
	if task.Kind == kavosh.Prerequisite {
		c.decide(lease, x)
	}
	c.pend.announce(task.ID, written{c.recorder.End(), c.spool.end()})
	captures, err := c.record(x) // the truth, first
	if err != nil {
		return c.diskError(err)
	}
	page := c.read(o)                                  // type, charset, links with their context
	loads = loads || p == nil && c.auto.makes(x, page) // a schedule judges it by what its scripts make of it
	verdict, dropped := c.purpose.weigh(x, page)       // is it what the crawl is after?
	if dropped == nil && p == nil && !loads {
		dropped = c.little(o, page) // with --keep: does it differ from what the archive has?
	}
	looked, heard := c.revisits.look(o, page), c.hear(o, page)          // what does it tell the schedule, and of other pages?
	o.close()                                                           // before a browser loads the page, which takes long
	if captures, err = c.keepWanted(x, captures, dropped); err != nil { // does the archive keep it?
		return c.diskError(err)
	}
	if p == nil && !partly {
		if item, waits := c.brokeOff(x, captures); waits { // the rest of its body is asked for later
			permitted(item.line, lease)
			c.pend.hand(item)
			return nil
		}
	}
	out := outcome{x: x, captures: captures, verdict: verdict}
	if loads {
		defer out.close()
		if again, err := c.show(ctx, lease, o, page, &out); again || err != nil { // with --browser: what its scripts ask for, and link to
			return err
		}
	}
	hold := func() {}
	if !loads && p == nil {
		hold = c.auto.meet(task, out.x, out.captures, page) // with --browser auto: do pages like it need the browser?
	}
	found := c.revisits.found(out.x, out.captures, page, looked)
	c.revisits.shows(found, out.x, out.document)                   // in the browser, it may be another page than its HTML
	item := c.judge(*task, out.x, out.captures, page, out.verdict) // which links belong to the crawl, and why the others do not
	item.found, item.heard = found, heard
	permitted(item.line, lease)
	if task.Kind == kavosh.Prerequisite {
		item.update.Robots = robotsOf(lease, x, &c.decoders)
		item.update.Robots.Last = true
		if item.host, err = newHost(c.frontier, lease.Origin); err != nil {
			return c.diskError(err)
		}
	}
	item.unloaded, item.line.Acts, item.load = out.unloaded, out.acts, out.load
	item.captures = append(item.captures, out.renderings...)
	if out.anew != nil { // its records have a number of their own
		item.task = out.anew.lease.Task
		item.group = groupOf(&item.task)
	}
	held = held.minus(item.places)
	c.pend.hand(item)
	hold()
	p.give(x)
	return nil
}

// fetch requests the leased URL. It returns nil if the host's address must not be asked now, or if the request failed
// by our own fault. p is as in lead.
func (c *crawl) fetch(lease *frontier.Lease, p *part) (*kavosh.Exchange, error) {
	ctx := c.hard // a graceful stop lets exchanges end
	task := lease.Task
	if p != nil {
		ctx, task.Ask = p.ctx, p.ask
	} else if task.Kind != kavosh.Prerequisite && !task.Variant && task.Partial == nil && (!c.first || task.Again) && !c.patch.parts() {
		if p, ok := c.archive.Originals.URL(task.URL); ok && (task.Again || p.Time.Before(c.began)) {
			if c.revisits.doubts(&task) {
				p.ETag, p.LastModified = "", "" // it is asked for in full
			}
			task.Prior = &p
		}
	}
	c.inFlight.Add(1)
	defer c.inFlight.Add(-1)
	x, gone, wait, err := c.dial(ctx, lease, &task)
	if err != nil && x != nil { // stopped as below, and its host may have asked for time
		lease.Answered(frontier.Answer{Status: x.Status, RetryAfter: x.Header.Get("Retry-After")})
		return nil, nil
	}
	if err != nil {
		lease.Later(0)
		if ctx.Err() != nil {
			return nil, nil // stopped: it will be requested again
		}
		return nil, c.diskError(err)
	}
	if x == nil {
		lease.Later(wait)
		return nil, nil
	}
	ours, err := c.network.ourFault(c.hard, x)
	if ours || err != nil {
		x.Close()
		lease.Later(0) // nothing was learned about its host
		return nil, c.diskError(err)
	}
	answer := answerOf(x)
	answer.Gone = gone
	lease.Answered(answer)
	return x, nil
}

// dial resolves the task's host, leases the address and makes the exchange. gone is Answer.Gone. If it returns no
// exchange, wait says for how long the address must not be asked.
func (c *crawl) dial(ctx context.Context, lease *frontier.Lease, task *kavosh.Task) (x *kavosh.Exchange, gone bool, wait time.Duration, err error) {
	began := c.clock.Now()
	target, err := c.fetcher.Address(ctx, task)
	if err != nil {
		return nil, false, 0, err
	}
	if target.Failure != kavosh.NoFailure {
		return &kavosh.Exchange{
			Task: task, Began: began, Took: c.clock.Now().Sub(began), Failure: target.Failure, Detail: target.Detail, DNS: target.DNS,
		}, target.Gone, 0, nil
	}
	if wait := lease.Address(target.Addr); wait > 0 {
		return nil, false, wait, nil
	}
	if x, wait, err = c.fetcher.Fetch(ctx, task, lease.Address); x != nil && x.DNS == nil {
		x.DNS = target.DNS
	}
	return x, false, wait, err
}

// confirmed returns the stored capture that a 304 confirms, or nil.
func confirmed(x *kavosh.Exchange) *kavosh.Prior {
	if x.Status == 304 {
		return x.Task.Prior
	}
	return nil
}
