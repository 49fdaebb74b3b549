package engine

// This file lets a browser load a page, and asks for the parts that the page wants.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/extract"
	"kavosh/fetch/browser"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// A page that the browser loads was fetched and recorded like any other before. What its scripts then ask for comes
// here, and becomes a task like any other, only sooner: a link of the page, judged by scope, queued, and claimed from
// the frontier at once (frontier.Visit), so that gate, robots.txt, fetcher, recorder and log are the same for it, and
// what the crawl has already is not asked for again. docs/decisions/0150-one-gate-for-the-browser.md has the reasons.

// Loader loads pages in a browser: browser.Browser.
type Loader interface {
	// Load is as browser.Browser has it.
	Load(ctx context.Context, url string, ask browser.Asker) (*browser.Loaded, error)
}

// maxStored is how many bytes of a capture are read back for the browser.
const maxStored = 64 << 20

// unloaded is a page whose loading a stop or a crash cut short. Those of a crawl are kept in its frontier.
type unloaded struct {
	Task   kavosh.Task `json:"task"`
	File   string      `json:"file"` // of the record that has its body
	Offset int64       `json:"offset"`
	Posted bool        `json:"posted,omitempty"` // what it asks for other than by GET was asked for and recorded: not again
}

// entry is the record that has the body of u.
func (u *unloaded) entry() *cdx.Entry { return &cdx.Entry{Filename: u.File, Offset: u.Offset} }

// visit is a page being loaded.
type visit struct {
	c    *crawl
	page kavosh.Task
	doc  *kavosh.Exchange // its own answer
	turn *frontier.Visit
	gets bool            // only GET may be asked for
	ctx  context.Context // ends with the page
	asks sync.WaitGroup  // under way

	mu struct {
		sync.Mutex
		under   map[string]chan struct{} // by URL: closed when a request for it is over
		posted  map[[32]byte]bool        // requests by POST that were made
		refused map[string]int           // by why
		err     error                    // of ours: the crawl must end
		over    bool
	}
}

// wantsLoading reports whether the browser shall load the response for a task.
func (c *crawl) wantsLoading(x *kavosh.Exchange, page *kavosh.Page) bool {
	t := x.Task
	if c.opt.Browser == nil || t.Variant || t.Kind == kavosh.Prerequisite || x.Truncated != kavosh.Whole {
		return false
	}
	if way := strings.TrimRight(t.Path, "R"); strings.HasSuffix(way, "E") {
		return false // a frame: it is loaded within its page
	}
	return (x.Status >= 200 && x.Status <= 299 || confirmed(x) != nil) && isHTML(page)
}

// load lets the browser load a page that was recorded, and adds to page the links that it has then. When the crawl is
// stopped meanwhile, left puts the page on the list of those to be loaded when it resumes.
func (c *crawl) load(ctx context.Context, lease *frontier.Lease, x *kavosh.Exchange, captures []kavosh.Capture, page *kavosh.Page) (left func([]unloaded) []unloaded, err error) {
	if x.Dropped != nil || !c.wantsLoading(x, page) {
		return nil, nil
	}
	u := unloaded{Task: lease.Task, File: captures[0].File, Offset: captures[0].Offset}
	doc := x
	if prior := confirmed(x); prior != nil {
		u.File, u.Offset = prior.File, prior.Offset
		if doc, err = c.stored(ctx, u.entry(), maxStored); err != nil {
			page.Print = 0
			page.Notes = append(page.Notes, "not loaded in the browser, since the stored page cannot be read: "+err.Error())
			return nil, nil
		}
	}
	links, notes, html, err := c.visit(ctx, u, doc)
	if err != nil && ctx.Err() != nil {
		return func(all []unloaded) []unloaded { return append(all, u) }, nil
	}
	page.Links, page.Notes = append(page.Links, links...), append(page.Notes, notes...)
	if page.Print != 0 { // many pages may come as one and the same frame that scripts fill
		page.Print = scope.Print(html, lease.Task.URL)
	}
	return nil, err
}

// visit loads a page and gives the links and the HTML that it has in the end, and what is to be noted. The error is
// ctx's, or ours.
func (c *crawl) visit(ctx context.Context, u unloaded, doc *kavosh.Exchange) (links []kavosh.Link, notes []string, html []byte, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	task := u.Task
	v := &visit{c: c, page: task, doc: doc, turn: c.frontier.NewVisit(), gets: u.Posted, ctx: ctx}
	v.mu.under, v.mu.posted, v.mu.refused = map[string]chan struct{}{}, map[[32]byte]bool{}, map[string]int{}
	loaded, err := c.opt.Browser.Load(ctx, task.URL, v.ask)
	stopped := ctx.Err() != nil
	v.mu.Lock()
	v.mu.over = true
	v.mu.Unlock()
	cancel()
	v.asks.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mu.err != nil {
		return nil, nil, nil, v.mu.err
	}
	if err != nil || stopped {
		return nil, nil, nil, cmp.Or(err, context.Canceled)
	}
	for i, left := range loaded.Left {
		if key, err := weburl.Key(left); err == nil {
			links = append(links, kavosh.Link{URL: key, Kind: kavosh.Redirect, Element: "browser", Attr: "location", Position: i})
		}
	}
	html = []byte(loaded.HTML)
	d := extract.Document{
		URL: task.URL, Status: 200, Payload: html, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}},
	}
	links = append(links, extract.Extract(d, extract.Options{Agent: c.agent, MaxBytes: maxRead, Buffers: &c.buffers}).Links...)
	notes = loaded.Notes
	for why, n := range v.mu.refused {
		notes = append(notes, fmt.Sprintf("browser: %d requests refused: %s", n, why))
	}
	return links, notes, html, nil
}

// ask answers one request of the page: browser.Asker.
func (v *visit) ask(ctx context.Context, r *browser.Request, answer func(*kavosh.Exchange)) {
	v.mu.Lock()
	if v.mu.over {
		v.mu.Unlock()
		return
	}
	v.asks.Add(1)
	v.mu.Unlock()
	defer v.asks.Done()
	key, err := weburl.Key(r.URL)
	if err != nil {
		v.refuse("no URL that can be fetched")
		return
	}
	if r.Ask.Method != "GET" {
		err = v.post(ctx, key, &r.Ask, answer)
	} else if key == v.page.URL {
		answer(v.doc)
	} else {
		err = v.get(ctx, key, &r.Ask, answer)
	}
	if err != nil && ctx.Err() == nil && v.ctx.Err() == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.mu.err == nil {
			v.mu.err = err
		}
	}
}

func (v *visit) refuse(why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.mu.refused) < 10 || v.mu.refused[why] > 0 {
		v.mu.refused[why]++
	}
}

// alone waits until no other request for key is under way, and is the one that is.
func (v *visit) alone(ctx context.Context, key string) (done func(), ok bool) {
	for {
		v.mu.Lock()
		other := v.mu.under[key]
		if other == nil {
			mine := make(chan struct{})
			v.mu.under[key] = mine
			v.mu.Unlock()
			return func() {
				v.mu.Lock()
				defer v.mu.Unlock()
				delete(v.mu.under, key)
				close(mine)
			}, true
		}
		v.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// part is a task that is led through the pipeline for a page that waits for it.
type part struct {
	ctx    context.Context        // ends with the page: then the task goes back to its queue
	ask    *kavosh.Ask            // how the page asks; nil is the crawl's own way
	answer func(*kavosh.Exchange) // takes the answer; nil for nobody
	later  bool                   // nothing was asked: its address is busy
}

// wait says that nothing was asked.
func (p *part) wait() {
	if p != nil {
		p.later = true
	}
}

// give gives the page the answer that came, when one did.
func (p *part) give(x *kavosh.Exchange) {
	if p != nil && p.answer != nil && x.Answered() {
		p.answer(x)
	}
}

// get answers a request by GET: from what the crawl has of the URL, or by asking for it now.
func (v *visit) get(ctx context.Context, key string, ask *kavosh.Ask, answer func(*kavosh.Exchange)) error {
	done, ok := v.alone(ctx, key)
	if !ok {
		return nil
	}
	defer done()
	release, err := v.turn.Hold(key)
	if err != nil {
		return err
	}
	defer release()
	for offered := false; ; {
		state, err := v.c.frontier.State(key, false)
		if err != nil {
			return err
		}
		switch {
		case state == frontier.Done:
			return v.stored(ctx, key, answer)
		case state == frontier.Waiting:
		case offered:
			v.refuse("a trap, or left out by the order")
			return nil
		case !v.offer(ctx, key):
			return nil
		default:
			offered = true
			continue
		}
		lease, err := v.turn.Claim(ctx, key)
		switch {
		case errors.Is(err, frontier.ErrDone):
			continue
		case errors.Is(err, frontier.ErrUnfit):
			v.refuse("to be asked for again later")
			return nil
		case err != nil:
			return err
		}
		if t := &lease.Task; t.Page() { // a link of the page before, perhaps: now it is a part of this one
			as := followed(&v.page, key)
			t.Kind, t.Via, t.Seed, t.Path, t.Hops, t.Embeds = as.Kind, as.Via, as.Seed, as.Path, as.Hops, as.Embeds
		}
		again, err := v.lead(lease, &part{ctx: v.ctx, ask: ask, answer: answer})
		if err != nil || !again {
			return err
		}
	}
}

// lead leads a lease of the page's through the pipeline. again says that what it was for is still to be asked.
func (v *visit) lead(lease *frontier.Lease, p *part) (again bool, err error) {
	if !v.c.quota.placeLeft(placesOf(&lease.Task)) {
		lease.Later(0)
		v.refuse("--max-urls, --max-bytes or a pause")
		return false, nil
	}
	robots := lease.Task.Kind == kavosh.Prerequisite
	if robots {
		p = &part{ctx: v.ctx}
	}
	err = v.c.lead(v.ctx, lease, p)
	return (p.later || robots) && v.ctx.Err() == nil, err
}

// offer makes key a link of the page and waits until it is queued. It is false when it does not belong to the crawl.
func (v *visit) offer(ctx context.Context, key string) bool {
	link := kavosh.Link{URL: key, Kind: kavosh.Embed, Element: "browser", Attr: "request"}
	it := item{update: frontier.Update{Parent: &v.page}, size: 512, urgent: true, done: make(chan struct{})}
	d := v.c.scope.Judge(&link, &v.page)
	if d.In {
		it.update.Links = []kavosh.Link{link}
	} else {
		it.update.Rejected = []string{key}
		it.rejected = []archive.Line{refusedBy(&link, &v.page, d, v.c.clock.Now())}
		v.refuse("out of scope")
	}
	v.c.pend.hand(it)
	if !d.In {
		return false
	}
	select {
	case <-it.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// stored answers with the newest capture of key, which is done in this crawl.
func (v *visit) stored(ctx context.Context, key string, answer func(*kavosh.Exchange)) error {
	c := v.c
	var newest cdx.Entry
	for e, err := range c.archive.Records.Index.Query(ctx, cdx.Query{URL: key, MatchType: cdx.Exact}) {
		if err != nil {
			return err
		}
		if e.URL == key && len(e.Extra) == 0 && e.Timestamp >= newest.Timestamp {
			newest = e
		}
	}
	if newest.Filename == "" {
		v.refuse("asked for before, and without an answer")
		return nil
	}
	x, err := c.stored(ctx, &newest, maxStored)
	if errors.Is(err, records.ErrNoOriginal) {
		v.refuse("a revisit without its original")
		return nil
	}
	if err != nil {
		return err
	}
	answer(x)
	return nil
}

// post answers a request other than GET. It is in no queue, because it cannot be sent without its page, and the page
// sends it once.
func (v *visit) post(ctx context.Context, key string, ask *kavosh.Ask, answer func(*kavosh.Exchange)) error {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s", ask.Method, key, ask.Body))
	v.mu.Lock()
	twice := v.mu.posted[sum]
	v.mu.posted[sum] = true
	v.mu.Unlock()
	link := kavosh.Link{URL: key, Kind: kavosh.Embed}
	switch d := v.c.scope.Judge(&link, &v.page); {
	case v.gets:
		v.refuse(ask.Method + " was asked before")
		return nil
	case twice:
		v.refuse("the same " + ask.Method + " again")
		return nil
	case !d.In:
		v.refuse("out of scope")
		return nil
	}
	task := followed(&v.page, key)
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
		if again, err := v.c.postOnce(lease, &part{ctx: v.ctx, ask: ask, answer: answer}); err != nil || !again {
			return err
		}
	}
}

// followed is the task of a part of page.
func followed(page *kavosh.Task, url string) kavosh.Task {
	t := *page
	t.URL, t.Kind, t.Via, t.Attempt, t.Prior, t.Score, t.Why = url, kavosh.Embed, page.URL, 0, nil, 0, ""
	t.Path += string(rune(kavosh.Embed.Letter()))
	t.Path = t.Path[max(0, len(t.Path)-64):]
	t.Embeds++
	return t
}

// postOnce sends and records a leased request that is in no queue. again means that its address is busy.
func (c *crawl) postOnce(lease *frontier.Lease, p *part) (again bool, err error) {
	defer lease.Drop()
	task := lease.Task
	if lease.Refused != nil {
		l := taskLine(&task, c.clock.Now())
		l.Outcome, l.Failure, l.Reason, l.Notes = archive.Refused, lease.Refused.Failure, lease.Refused.Text, []string{p.ask.Method}
		c.pend.hand(item{line: &l, size: 512})
		return false, nil
	}
	held := places{urls: 1}
	if !c.quota.placeLeft(held) {
		lease.Later(0)
		return false, nil
	}
	x, err := c.fetch(lease, p)
	if err != nil || x == nil {
		c.quota.unreserve(held)
		return err == nil && p.ctx.Err() == nil, err
	}
	defer x.Close()
	c.pend.announce(task.ID, written{c.recorder.End(), c.spool.end()})
	captures, err := c.recorder.Write(x)
	if err != nil {
		c.quota.unreserve(held)
		return false, c.diskError(err)
	}
	it := c.posted(task, x, captures)
	permitted(it.line, lease)
	c.pend.hand(it)
	p.give(x)
	return false, nil
}

// posted returns the item of a request that is in no queue.
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

// unloadedName is where the frontier keeps the pages that are still to be loaded.
const unloadedName = "unloaded"

// unloadedPages are those that the browser was kept from loading.
type unloadedPages struct {
	sync.Mutex
	all  []unloaded // the committer's
	todo []unloaded // of these, what an earlier run left
}

// next takes a page that an earlier run left; ok is false where there is none.
func (p *unloadedPages) next() (u unloaded, ok bool) {
	p.Lock()
	defer p.Unlock()
	if len(p.todo) == 0 {
		return u, false
	}
	u, p.todo = p.todo[0], p.todo[1:]
	return u, true
}

// keep changes the list of pages that are still to be loaded by what is to be committed.
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

// postedBy adds to the list that the page at url made a request other than GET.
func postedBy(url string, all []unloaded) []unloaded {
	for i := len(all) - 1; i >= 0; i-- { // the page came not long before
		if all[i].Task.URL == url {
			all[i].Posted = true
			break
		}
	}
	return all
}

// loadLeft loads a page that an earlier run left, if there is one; more says that there was.
func (c *crawl) loadLeft(ctx context.Context) (more bool, err error) {
	if c.opt.Browser == nil {
		return false, nil
	}
	u, ok := c.unloaded.next()
	if !ok {
		return false, nil
	}
	doc, err := c.stored(ctx, u.entry(), maxStored)
	var links []kavosh.Link
	if err == nil {
		if links, _, _, err = c.visit(ctx, u, doc); err != nil {
			if ctx.Err() != nil {
				return false, nil // it stays on the list
			}
			return false, err
		}
	}
	it := c.linksOf(&u.Task, links)
	it.unloaded = func(all []unloaded) []unloaded {
		for i := range all {
			if all[i].Task.URL == u.Task.URL {
				return append(all[:i:i], all[i+1:]...)
			}
		}
		return all
	}
	c.pend.hand(it)
	return true, nil
}
