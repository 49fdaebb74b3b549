package engine

// This file chooses which pages the browser loads with --browser auto, by what it found in pages like them (package needs).

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine/needs"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/journal"
	"kavosh/lib/weburl"
)

// Every page is read as it came, and its links are queued at once. A page that has scripts is then held in a table, from
// which workers take those that are worth loading between two URLs. So loading holds up no other page. What a load found
// is a line of browser.log. When a crawl resumes, the table is made again of this log and crawl.log, which names the
// pages with scripts. A page in the browser is on the list of those whose loading was cut short until it is done.

// loadsAtOnce is how many workers may be at pages in the browser while URLs wait.
const loadsAtOnce = 4

// auto is nil if not --browser auto is chosen: its methods then do nothing.
type auto struct {
	c     *crawl
	table *needs.Table[unloaded]

	mu      sync.Mutex
	over    *sync.Cond // signalled when a load is over
	loading int
	none    bool // the browser does not work here
}

// openBrowser opens the log of loads.
func (c *crawl) openBrowser() (err error) {
	if c.opt.Browser == nil {
		return nil
	}
	if c.opt.BrowserAuto {
		c.auto = &auto{c: c, table: needs.New[unloaded]()}
		c.auto.over = sync.NewCond(&c.auto.mu)
	}
	c.loadLog, err = journal.Open(c.fs, c.fs.PathJoin(c.dir, archive.BrowserLogFile))
	return err
}

// recallLoads makes the table again of the logs of earlier runs.
func (c *crawl) recallLoads() error {
	a := c.auto
	if a == nil || !c.opt.Resume {
		return nil
	}
	loads := map[string]*archive.Load{}
	for l, err := range archive.ReadLoads(c.fs, c.opt.Archive, c.id) {
		if err != nil {
			return err
		}
		if had := loads[l.URL]; had != nil && l.Why == forSchedule {
			had.Makes = l.Makes
			continue
		}
		loads[l.URL] = &l
	}
	for i := range c.unloaded.all {
		loads[c.unloaded.all[i].Task.URL] = nil // it is loaded anyway
	}
	for l, err := range archive.ReadLog(c.fs, c.opt.Archive, c.id) {
		if err != nil {
			return err
		}
		if l.Programs == "" {
			continue
		}
		programs, err := strconv.ParseUint(l.Programs, 16, 64)
		if err != nil {
			continue // of another program
		}
		if load, met := loads[l.URL]; load != nil {
			a.table.Loaded(weburl.Host(l.URL), l.URL, programs, needs.Finding{Links: load.Links, Resources: load.Resources, Asked: load.Resources, Makes: load.Makes})
		} else if kind, ok := kavosh.ParseKind(l.Kind); ok && !met {
			task := kavosh.Task{URL: l.URL, Kind: kind, Via: l.Via, Seed: l.Seed, Path: l.Path, Hops: l.Hops}
			a.table.Meet(weburl.Host(l.URL), l.URL, programs)
			a.table.Hold(weburl.Host(l.URL), l.URL, programs, unloaded{Task: task, File: l.File, Offset: l.Offset, StandIn: l.StandIn, Programs: programs})
		}
	}
	return nil
}

// programs is Page.Programs of an answer that the browser may load; else 0.
func (a *auto) programs(x *kavosh.Exchange, page *kavosh.Page) uint64 {
	if a == nil || x.Dropped != nil && x.Dropped.Kept == nil || !isHTML(page) || page.StandIn == kavosh.Wall || !a.c.loadable(x, page.StandIn) {
		return 0
	}
	return page.Programs
}

// mayLoad reports whether the browser may load a page: it is not known that pages like it do not need that.
func (a *auto) mayLoad(x *kavosh.Exchange, page *kavosh.Page) bool {
	programs := a.programs(x, page)
	return programs != 0 && !a.table.Spares(weburl.Host(x.Task.URL), x.Task.URL, programs)
}

// makes reports whether a page is loaded at once, since scripts make much of what pages like it show, and a schedule judges it by
// that (shown.go).
func (a *auto) makes(x *kavosh.Exchange, page *kavosh.Page) bool {
	if a == nil || a.c.revisits == nil || a.gaveUp() {
		return false
	}
	programs := a.programs(x, page)
	return programs != 0 && a.table.Makes(weburl.Host(x.Task.URL), x.Task.URL, programs)
}

// forSchedule is archive.Load.Why of pages that were loaded at once.
const forSchedule = "scripts make much of what pages like it show, by which the schedule judges them"

// shows takes note of what a page showed that was loaded at once, and returns its line of browser.log; nil if there is none.
func (a *auto) shows(u *unloaded, v *visit) *archive.Load {
	if a == nil || a.c.revisits == nil || u.Programs == 0 || u.StandIn == kavosh.Wall {
		return nil
	}
	makes := v.makes()
	a.table.Shows(weburl.Host(u.Task.URL), u.Task.URL, u.Programs, makes)
	return &archive.Load{Time: a.c.clock.Now().UTC(), URL: u.Task.URL, Why: forSchedule, Makes: makes} // all else is in crawl.log
}

// meet notes of a page that has scripts what pages like it need. To one that is spared it adds the links that its scripts
// would have. hold is called when its records are on their way.
func (a *auto) meet(task *kavosh.Task, x *kavosh.Exchange, captures []kavosh.Capture, page *kavosh.Page) (hold func()) {
	programs := a.programs(x, page)
	if programs == 0 {
		return func() {}
	}
	host, u := weburl.Host(task.URL), unloadedOf(task, x, captures, page)
	met := a.table.Meet(host, task.URL, programs)
	if !met.Spared || len(met.Links) > 0 {
		page.Print, page.Shell = 0, true
	}
	page.Links = append(page.Links, made(met.Links)...)
	way := "read without the browser so far: "
	if met.Spared {
		way = "read without the browser: "
	}
	page.Notes = append(page.Notes, way+met.Reason)
	if x.Dropped != nil { // there is nothing that the browser could load
		return func() {}
	}
	return func() { a.table.Hold(host, u.Task.URL, programs, u) }
}

// made are the links of a page that its scripts would ask for.
func made(urls []string) (links []kavosh.Link) {
	for i, url := range urls {
		if key, err := weburl.Key(url); err == nil {
			links = append(links, kavosh.Link{URL: key, Kind: kavosh.Embed, Element: "browser", Attr: "as pages like it", Position: i})
		}
	}
	return links
}

// next takes a page that is worth loading. ended is called when that is over. last says that nothing else is left to do.
func (a *auto) next(last bool) (*needs.Page[unloaded], bool) {
	page, ok := a.table.Next(last)
	if !ok {
		return nil, false
	}
	a.mu.Lock()
	a.loading++
	a.mu.Unlock()
	return &page, true
}

func (a *auto) ended() {
	a.mu.Lock()
	a.loading--
	a.over.Broadcast()
	a.mu.Unlock()
}

func (a *auto) lost(page *needs.Page[unloaded]) {
	if page != nil {
		a.table.Lost(*page)
	}
}

// givesUp reports whether err means that the browser does not work here: then the crawl goes on without it.
func (a *auto) givesUp(err error) bool {
	var none *noBrowserError
	if a == nil || !errors.As(err, &none) {
		return false
	}
	a.mu.Lock()
	first := !a.none
	a.none = true
	a.mu.Unlock()
	if first {
		a.c.trouble("--browser auto: scripts are not run: " + err.Error())
	}
	return true
}

func (a *auto) gaveUp() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.none
}

// full reports whether as many pages are in the browser as may be while URLs wait.
func (a *auto) full() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.loading >= loadsAtOnce
}

// wait waits until a load is over. It returns false if none is under way.
func (a *auto) wait() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.loading == 0 {
		return false
	}
	a.over.Wait()
	return true
}

// loadWaiting loads pages that wait for the browser: all that an earlier run left and, with --browser auto, those that
// need it, unless others are at that.
func (c *crawl) loadWaiting(ctx context.Context) error {
	for ctx.Err() == nil && (c.auto == nil || !c.auto.full() || c.auto.table.Crowded()) {
		if more, err := c.loadLeft(ctx, false); err != nil || !more {
			return err
		}
	}
	return nil
}

// loadLast loads a page that waits for the browser when nothing else is left, or waits for one that others load. more is
// false if there is none.
func (c *crawl) loadLast(ctx context.Context) (more bool, err error) {
	if more, err = c.loadLeft(ctx, true); more || err != nil || c.auto == nil {
		return more, err
	}
	return c.auto.wait() && ctx.Err() == nil, nil
}

// learn tells the table what the browser found in a page, and returns the item of that. page is nil if an earlier run chose
// it.
func (a *auto) learn(ctx context.Context, u *unloaded, page *needs.Page[unloaded], v *visit) (it item, err error) {
	c := a.c
	c.await(ctx, item{}) // what others found before is known then
	load := c.loadOf(u, v)
	load.Makes = v.makes()
	found := needs.Finding{Links: v.mu.posts, Makes: load.Makes}
	for url, gave := range v.mu.asked {
		found.Asked = append(found.Asked, url)
		if gave && a.table.Claim(url) {
			found.Resources = append(found.Resources, url)
		}
	}
	for i := range v.links {
		l := v.links[i]
		state, err := c.frontier.State(l.URL, false)
		if err != nil {
			return it, err
		}
		if state == frontier.Waiting || state == frontier.Done {
			found.Around = append(found.Around, l.URL)
		} else if c.scope.Judge(&l, &u.Task).In {
			found.Around = append(found.Around, l.URL)
			if a.table.Claim(l.URL) {
				found.Links++
			}
		}
	}
	if load.Links, load.Resources = found.Links, found.Resources; len(load.Resources) > maxKeptResources {
		load.Resources = load.Resources[:maxKeptResources]
	}
	load.Found = len(found.Resources)
	it = c.linksOf(&u.Task, v.links)
	if page == nil {
		a.table.Loaded(weburl.Host(u.Task.URL), u.Task.URL, u.Programs, found)
	} else {
		load.Why = page.Why
		for _, p := range a.table.Found(*page, found) {
			c.pend.hand(c.linksOf(&p.Page.Task, made(p.Links)))
		}
	}
	if it.load = load; load.Makes {
		it.late = &shownLate{u.Task.URL, scope.Print(v.html, u.Task.URL)}
	}
	return it, nil
}

// maxKeptResources is how many resources of one page browser.log names.
const maxKeptResources = 32
