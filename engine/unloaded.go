package engine

// This file keeps a list of the pages that are in the browser, in the frontier (the crawl's queue), so that those whose
// loading was cut short are loaded when the crawl resumes.

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine/needs"
	"kavosh/frontier"
	"kavosh/lib/cdx"
)

// unloaded is a page whose loading a stop or a crash cut short. Those of a crawl are kept in its frontier.
type unloaded struct {
	Task   kavosh.Task `json:"task"`
	File   string      `json:"file"` // of the record that has its body
	Offset int64       `json:"offset"`
	Posted bool        `json:"posted,omitempty"` // a request other than GET was sent for it: none is sent again

	StandIn kavosh.StandIn `json:"standin,omitempty"` // what its answer stands in for

	Page     kavosh.Capture `json:"page,omitzero"`      // of its answer
	Rendered bool           `json:"rendered,omitempty"` // what the browser makes of it is recorded already

	Programs uint64 `json:"programs,omitempty"` // kavosh.Page.Programs, with --browser auto
}

// unloadedOf is a page to be loaded: the answer for a task, which captures hold.
func unloadedOf(task *kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture, page *kavosh.Page) unloaded {
	u := unloaded{Task: *task, File: captures[0].File, Offset: captures[0].Offset, StandIn: page.StandIn, Programs: page.Programs, Page: captures[0]}
	if prior := confirmed(x); prior != nil {
		u.File, u.Offset = prior.File, prior.Offset
	}
	return u
}

// list puts u on a list, in place of what that has of the same page: a crash may have left it there before its line was written.
func (u unloaded) list(all []unloaded) []unloaded {
	for i := range all {
		if had := &all[i]; had.Task.URL == u.Task.URL {
			u.Rendered, u.Posted = u.Rendered || had.Rendered, u.Posted || had.Posted
			*had = u
			return all
		}
	}
	return append(all, u)
}

// entry is the record that has the body of u.
func (u *unloaded) entry() *cdx.Entry { return &cdx.Entry{Filename: u.File, Offset: u.Offset} }

// unloadedName is the name under which the frontier keeps the list of pages that are still to be loaded.
const unloadedName = "unloaded"

// unloadedPages are the pages whose loading was cut short. The mutex guards todo.
type unloadedPages struct {
	sync.Mutex
	all  []unloaded // only the committer uses it while the crawl runs
	todo []unloaded // left by an earlier run, and not yet taken up in this one
}

// next takes a page that an earlier run left. ok is false if there is none.
func (p *unloadedPages) next() (u unloaded, ok bool) {
	p.Lock()
	defer p.Unlock()
	if len(p.todo) == 0 {
		return u, false
	}
	u, p.todo = p.todo[0], p.todo[1:]
	return u, true
}

// keep makes the changes of items to the list, and gives it to the frontier to store. The committer calls it.
func (p *unloadedPages) keep(f *frontier.Frontier, items []item) error {
	changed := false
	for i := range items {
		if change := items[i].unloaded; change != nil {
			p.all, changed = change(p.all), true
		}
	}
	if !changed {
		return nil
	}
	data, err := json.Marshal(p.all)
	if err != nil {
		return err
	}
	return f.Put(unloadedName, data)
}

// recall reads the list that an earlier run left.
func (p *unloadedPages) recall(f *frontier.Frontier) error {
	data, err := f.Get(unloadedName)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, &p.all); err != nil {
		return fmt.Errorf("the list of pages that are still to be loaded is damaged: %w", err)
	}
	return nil
}

// rendered notes in the list that what the browser made of the page at url is recorded.
func rendered(url string, all []unloaded) []unloaded {
	for i := range all {
		all[i].Rendered = all[i].Rendered || all[i].Task.URL == url
	}
	return all
}

// postedBy notes in the list that a request other than GET was sent for the page at url.
func postedBy(url string, all []unloaded) []unloaded {
	for i := len(all) - 1; i >= 0; i-- { // the page came not long before
		if all[i].Task.URL == url {
			all[i].Posted = true
			break
		}
	}
	return all
}

// loadLeft loads a page that waits for the browser: one whose loading an earlier run left or, with --browser auto, one that
// needs it. last says that nothing else is left to do. more is false if there is none, or if the crawl is stopped.
func (c *crawl) loadLeft(ctx context.Context, last bool) (more bool, err error) {
	if c.opt.Browser == nil || c.auto.gaveUp() {
		return false, nil
	}
	u, ok := c.unloaded.next()
	var chosen *needs.Page[unloaded]
	if !ok && c.auto != nil {
		if chosen, ok = c.auto.next(last); ok {
			u = chosen.Page
			defer c.auto.ended()
			c.await(ctx, item{unloaded: u.list, size: 512}) // its records are durable then
		}
	}
	if !ok {
		return false, nil
	}
	doc, err := c.stored(ctx, u.entry(), maxStored)
	var v *visit
	if err == nil {
		if v, err = c.visit(ctx, u, doc, 0); err != nil { // its URL has its outcome
			c.auto.lost(chosen)
			if ctx.Err() != nil || c.auto.givesUp(err) {
				return false, nil // it stays on the list
			}
			return false, err
		}
		for i := range v.links {
			v.links[i].From = u.StandIn
		}
	} else {
		v = &visit{notes: []string{"not loaded in the browser, since the stored page cannot be read: " + err.Error()}}
	}
	it := item{}
	if c.auto != nil {
		if it, err = c.auto.learn(ctx, &u, chosen, v); err != nil {
			return false, err
		}
	} else {
		it = c.linksOf(&u.Task, v.links)
		it.load = c.loadOf(&u, v)
		it.load.Why = "its loading was cut short"
	}
	if len(v.made) > 0 && !u.Rendered && u.Page.Record != "" {
		it.task = u.Task
		c.pend.announce(u.Task.ID, written{c.recorder.End(), c.spool.end()})
		captures, err := c.recorder.WriteRenderings(&u.Task, &u.Page, v.made)
		if err != nil {
			return false, c.diskError(err)
		}
		it.recorded(c.recorder, captures)
	}
	it.unloaded = func(all []unloaded) []unloaded {
		for i := range all {
			if all[i].Task.URL == u.Task.URL {
				return append(all[:i:i], all[i+1:]...)
			}
		}
		return all
	}
	c.await(ctx, it) // its links are in the queue before a worker looks for more there
	return true, nil
}

// await hands an item to the committer and waits until it is durable, or ctx ends. So is then all that was handed over
// before.
func (c *crawl) await(ctx context.Context, it item) {
	it.urgent, it.done = true, make(chan struct{})
	c.pend.hand(it)
	select {
	case <-it.done:
	case <-ctx.Done():
	}
}

// loadOf is the line of browser.log for a page that was loaded after its line of crawl.log was written.
func (c *crawl) loadOf(u *unloaded, v *visit) *archive.Load {
	return &archive.Load{Time: c.clock.Now().UTC(), URL: u.Task.URL, Notes: v.notes, Acts: v.acts}
}

// keepLoads writes the loads of items to browser.log. The committer calls it.
func (c *crawl) keepLoads(items []item) error {
	if c.loadLog == nil {
		return nil
	}
	for i := range items {
		if items[i].load == nil {
			continue
		}
		text, err := json.Marshal(items[i].load)
		if err != nil {
			return err
		}
		c.loadLog.Append(text)
	}
	return c.loadLog.Sync()
}
