package engine

// This file lets a browser pass a bot wall whose page lets in who runs its script.

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/standin"
)

// Such a page sets a cookie and loads itself again. Its second request for its own URL, with the cookie, is sent like any
// other, and recorded. If the browser then shows no wall, that answer is what the URL came to; the one before it stands
// in the log as a request after which the URL was asked for again.

// wallLoads is how often the page of a bot wall may load itself again.
const wallLoads = 2

// anew is an answer for the URL of a page that is being loaded, after a bot wall had answered. It is in no queue.
type anew struct {
	lease    *frontier.Lease
	x        *kavosh.Exchange
	captures []kavosh.Capture
}

// outcome is what a URL came to.
type outcome struct {
	x          *kavosh.Exchange
	captures   []kavosh.Capture
	verdict    kavosh.Verdict
	unloaded   func([]unloaded) []unloaded
	acts       map[string]int     // how often behaviours acted on the page, by their names
	made       []kavosh.Rendering // what the browser made of it, and renderings their captures
	renderings []kavosh.Capture
	load       *archive.Load // the line of browser.log, where --browser auto loads pages at once that a schedule judges
	document   []byte        // what its scripts made of it; none if the browser did not load it
	anew       *anew         // of which x and captures are, if a browser passed a bot wall; else nil
}

func (out *outcome) close() {
	if out.anew != nil {
		out.anew.x.Close()
	}
}

// show lets the browser load a page that came out so, and changes page and out by what it then shows. again says that
// this is a bot wall, and that the URL was handed over to be asked for again.
func (c *crawl) show(ctx context.Context, lease *frontier.Lease, o *reading, page *kavosh.Page, out *outcome) (again bool, err error) {
	if err = c.load(ctx, lease, o, page, out); err != nil {
		return false, c.diskError(err)
	}
	isOut, err := c.showsOut(ctx, lease, o)
	if err != nil {
		return false, c.diskError(err)
	}
	if again, err = c.again(lease, o, isOut, out.captures); again || err != nil {
		return again, err
	}
	if out.anew != nil {
		var dropped *kavosh.Dropped
		out.verdict, dropped = c.purpose.weigh(out.x, page)
		if out.captures, err = c.keepWanted(out.x, out.captures, dropped); err != nil {
			return false, c.diskError(err)
		}
	}
	if page.StandIn != kavosh.NoStandIn {
		out.verdict = kavosh.Verdict{}
	}
	if len(out.made) > 0 && out.x.Dropped == nil {
		if out.renderings, err = c.recorder.WriteRenderings(out.x.Task, &out.captures[0], out.made); err != nil {
			return false, c.diskError(err)
		}
	}
	return false, nil
}

// lets reports whether an answer that came when a bot wall's page asked again may be what the URL came to. seen is what it
// stands in for.
func lets(x *kavosh.Exchange, seen kavosh.StandIn) bool {
	return x.Answered() && seen != kavosh.Wall && x.Status != http.StatusTooManyRequests && x.Status < 500
}

// own answers a request for the page's own URL with the last answer that came for it. If that page may load itself again,
// and this is not its first request, it is sent before.
func (v *visit) own(ctx context.Context, ask *kavosh.Ask, answer func(*kavosh.Exchange)) error {
	done, ok := v.alone(ctx, v.page.URL)
	if !ok {
		return nil
	}
	defer done()
	if v.began && v.reloads > 0 {
		v.reloads--
		task := v.followed(v.page.URL)
		task.Attempt = v.page.Attempt + 1 // it has its place under all limits
		if err := v.beyondQueue(ctx, task, func(lease *frontier.Lease) (bool, error) { return v.askAnew(lease, ask) }); err != nil {
			return err
		}
	}
	v.began = true
	if v.anew != nil {
		answer(v.anew.x)
	} else {
		answer(v.doc) // if nothing came anew, the page shows what it showed before
	}
	return nil
}

// askAnew sends and records a leased request for the page's own URL. again means that nothing was sent, because its
// address is busy.
func (v *visit) askAnew(lease *frontier.Lease, ask *kavosh.Ask) (again bool, err error) {
	defer lease.Drop()
	c := v.c
	switch {
	case lease.Refused != nil:
		v.refuse(lease.Refused.Text)
		return false, nil
	case !c.quota.placeLeft(places{}):
		lease.Later(0)
		v.refuse(noPlace)
		return false, nil
	}
	x, captures, again, err := c.fetchBeyondQueue(lease, &part{ctx: v.ctx, ask: ask}, c.record)
	if x == nil || err != nil {
		return again, err
	}
	n := &anew{lease, x, captures}
	if !x.Answered() {
		return false, c.leave(n)
	}
	task := v.page // from here on it is an answer for the page
	task.ID, task.Attempt = lease.Task.ID, lease.Task.Attempt
	x.Task = &task
	if v.anew != nil {
		err = c.leave(v.anew)
	}
	v.anew = n
	return false, err
}

// leave accounts for an answer that is not what the URL came to, and closes it.
func (c *crawl) leave(a *anew) (err error) {
	defer a.x.Close()
	if a.captures, err = c.keepWanted(a.x, a.captures, nil); err != nil {
		return c.diskError(err)
	}
	o := c.reading(a.x, nil)
	defer o.close()
	c.pend.hand(c.tried(a.lease, a.x, a.captures, o.standIn()))
	return nil
}

// tried is the item of a recorded answer after which the page of a bot wall asked for its URL again. seen is what it stands
// in for.
func (c *crawl) tried(lease *frontier.Lease, x *kavosh.Exchange, captures []kavosh.Capture, seen standin.Verdict) item {
	l := lineOf(&lease.Task, x)
	l.Outcome, l.StandIn, l.Sign = archive.Retry, seen.Kind, seen.Sign
	l.Reason = cmp.Or(l.Reason, fmt.Sprintf("status %d", x.Status))
	if seen.Kind == kavosh.Wall {
		l.Reason = wallWhy + seen.Sign
	}
	l.Reason += ", asked again by its page in the browser"
	permitted(&l, lease)
	it := item{task: lease.Task, line: &l}
	c.keptInVain(&it, captures)
	return it
}

// keptInVain completes the item of a recorded answer after which its URL is asked for again.
func (c *crawl) keptInVain(it *item, captures []kavosh.Capture) {
	main := &captures[0]
	it.line.MIME, it.line.Digest, it.line.Revisit, it.line.Size = main.MIME, main.Digest, main.Profile, main.Payload
	it.size = main.Payload + 1024
	it.recorded(c.recorder, captures)
	c.quota.count(main.Payload)
}
