package engine

// This file is the part of a crawl that loads a fetched page in a browser, and fetches what the scripts of the page ask
// for.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
	"kavosh/standin"
)

// A page that the browser loads was fetched and recorded before, like any other. The browser has no network of its own:
// all that the page asks for comes here. A request by GET becomes a link of the page. Scope judges it, it is queued,
// and it is claimed from the queue at once (frontier.Visit). So it passes the same gate, robots.txt, fetcher, recorder
// and log as every task. What the crawl has already is read from the archive instead.
// docs/decisions/0150-one-gate-for-the-browser.md has the reasons.

// Loader loads pages in a browser. browser.Browser is one.
type Loader interface {
	// Load loads the page at url, and returns when it is at rest or after a minute. ask answers each of its requests, the
	// one for url first; the page may load itself again so often as reloads says. The error is ctx's, or that of a browser
	// that does not work; what the page does wrong is none.
	Load(ctx context.Context, url string, reloads int, ask browser.Asker) (*browser.Loaded, error)
}

// maxStored is how many bytes of a capture are read back for the browser.
const maxStored = 64 << 20

// noPlace is why nothing is asked for a page that is being loaded.
const noPlace = "--max-urls, --max-bytes or a pause"

// visit is a page being loaded.
type visit struct {
	c    *crawl
	page kavosh.Task
	from kavosh.StandIn   // what the answer stands in for
	doc  *kavosh.Exchange // the answer for the page's own URL
	turn *frontier.Visit  // takes the tasks of the page from the frontier
	gets bool             // only GET may be asked for
	ctx  context.Context  // ends with the page
	asks sync.WaitGroup   // calls of ask that have not returned

	// Of the page's own URL; used by one request at a time.
	began   bool  // it was requested
	reloads int   // how often it is still sent; else it is answered by what came last
	anew    *anew // what came last; nil if that is doc

	// What came of it in the end.
	links []kavosh.Link
	html  []byte // the document
	text  string // what a reader sees of it, where a schedule judges pages by that (--browser auto); else ""
	made  []kavosh.Rendering
	notes []string
	acts  map[string]int // how often behaviours acted, by their names

	mu struct {
		sync.Mutex
		under   map[string]chan struct{}   // by URL: closed when the request for it is over
		posted  map[[32]byte]bool          // hashes of the requests other than GET
		refused map[string]int             // how many requests were refused, by reason
		came    map[string]kavosh.Answered // by URL: what came of each request
		err     error                      // the first error of the crawl itself, which ends it
		over    bool                       // no more requests are answered
		asked   map[string]bool            // URLs asked for by GET, and whether the page gave the crawl one that answers
		posts   int                        // requests other than GET that were sent
	}
}

// loads reports whether the browser shall load the answer for a task at once, if it is a page. seen is what it stands in for.
// With --browser auto it loads what may be a bot wall at once; other pages later, if at all (auto.go).
func (c *crawl) loads(x *kavosh.Exchange, seen kavosh.StandIn) bool {
	return c.loadable(x, seen) && (c.auto == nil || seen == kavosh.Wall)
}

// loadable reports whether the browser may load the answer for a task, if it is a page.
func (c *crawl) loadable(x *kavosh.Exchange, seen kavosh.StandIn) bool {
	t := x.Task
	if c.opt.Browser == nil || t.Variant || t.Kind == kavosh.Prerequisite || x.Truncated != kavosh.Whole {
		return false
	}
	if t.Partial != nil && x.Status != http.StatusOK { // it was to bring the rest of a body
		return false
	}
	if seen == kavosh.Wall && !strings.Contains(strings.ToLower(x.Header.Get("Content-Type")), "html") {
		return false
	}
	if way := strings.TrimRight(t.Path, "R"); strings.HasSuffix(way, "E") {
		return false // a frame: it is loaded within its page
	}
	return x.Status >= 200 && x.Status <= 299 || confirmed(x) != nil || x.Status >= 400 && seen == kavosh.Wall
}

// load lets the browser load a page that came out so, and adds the links that it has then to page. What the browser shows in
// the end tells what the answer stands in for. If the page asked for its URL anew and was let in, that answer takes the
// place of the first one in out, and of its page. If the crawl is stopped meanwhile, out.unloaded adds the page to the list
// of those that are loaded when the crawl resumes.
func (c *crawl) load(ctx context.Context, lease *frontier.Lease, o *reading, page *kavosh.Page, out *outcome) error {
	if o.x.Dropped != nil || !isHTML(page) {
		return nil
	}
	u := unloadedOf(&lease.Task, o.x, out.captures, page)
	doc := o.x
	if confirmed(o.x) != nil {
		var err error
		if doc, err = c.stored(ctx, u.entry(), maxStored); err != nil {
			page.Print = 0
			page.Notes = append(page.Notes, "not loaded in the browser, since the stored page cannot be read: "+err.Error())
			return nil
		}
	}
	reloads := 0
	if page.StandIn == kavosh.Wall {
		reloads = wallLoads
	}
	v, err := c.visit(ctx, u, doc, reloads)
	if c.auto.givesUp(err) {
		return nil
	}
	stopped := err != nil && ctx.Err() != nil
	if err != nil && !stopped {
		if v.anew != nil {
			v.anew.x.Close()
		}
		return err
	}
	before, last := o.standIn(), o
	if v.anew != nil {
		last = c.reading(v.anew.x, nil)
		defer last.close()
	}
	seen := last.shown(v.html)
	switch {
	case v.anew == nil:
	case lets(v.anew.x, seen.Kind):
		c.pend.hand(c.tried(lease, out.x, out.captures, before))
		out.anew, out.x, out.captures = v.anew, v.anew.x, v.anew.captures
		u.File, u.Offset, u.StandIn, u.Page = out.captures[0].File, out.captures[0].Offset, seen.Kind, out.captures[0]
		*page = *c.read(last)
	default:
		if seen.Kind != kavosh.Wall {
			seen = before
		}
		if err := c.leave(v.anew); err != nil {
			return err
		}
	}
	o.seen = seen
	page.StandIn, page.Sign = seen.Kind, seen.Sign
	if before.Kind == kavosh.Wall && seen.Kind != kavosh.Wall && (len(v.html) > 0 || out.anew != nil) {
		page.Notes = append(page.Notes, "the browser passed a bot wall: "+before.Sign)
		if before.Sign == standin.Repeated && out.anew == nil { // scripts make the pages of that site of it
			c.standIns.Pass(weburl.Host(lease.Task.URL), before.Print)
		}
	}
	if stopped {
		out.unloaded = u.list
		return nil
	}
	out.made, out.document, out.load = v.made, v.html, c.auto.shows(&u, v)
	page.Notes = append(page.Notes, v.notes...)
	out.acts = v.acts
	if seen.Kind != kavosh.Wall || out.x.Status < 400 { // else they lead to the maker of the wall
		page.Links = append(page.Links, v.links...)
	}
	if page.Print != 0 { // before the scripts ran, many pages may be the same
		page.Print = scope.Print(v.html, lease.Task.URL)
	}
	return nil
}

// visit loads a page, which may load itself again so often as reloads says. The error is ctx's, or one of the crawl itself.
func (c *crawl) visit(ctx context.Context, u unloaded, doc *kavosh.Exchange, reloads int) (*visit, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	task := u.Task
	v := &visit{c: c, page: task, from: u.StandIn, doc: doc, turn: c.frontier.NewVisit(), gets: u.Posted, ctx: ctx, reloads: reloads}
	v.mu.under, v.mu.posted, v.mu.refused, v.mu.asked = map[string]chan struct{}{}, map[[32]byte]bool{}, map[string]int{}, map[string]bool{}
	v.mu.came = map[string]kavosh.Answered{}
	loaded, err := c.opt.Browser.Load(ctx, task.URL, reloads, v.ask)
	stopped := ctx.Err() != nil
	v.mu.Lock()
	v.mu.over = true
	v.mu.Unlock()
	cancel()
	v.asks.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mu.err != nil {
		return v, v.mu.err
	}
	if stopped {
		return v, context.Canceled
	}
	if err != nil {
		return v, &noBrowserError{err}
	}
	for i, left := range loaded.Left {
		if key, err := weburl.Key(left); err == nil {
			v.links = append(v.links, kavosh.Link{URL: key, Kind: kavosh.Redirect, Element: "browser", Attr: "location", Position: i})
		}
	}
	v.html = []byte(loaded.HTML)
	d := extract.Document{
		URL: task.URL, Status: 200, Payload: v.html, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}},
	}
	page := extract.Extract(d, extract.Options{Agent: c.agent, MaxBytes: maxRead, Buffers: &c.buffers, Needs: kavosh.Needs{Text: c.auto != nil && c.revisits != nil}})
	v.links, v.text = append(v.links, page.Links...), page.Text
	v.links = append(v.links, alsoSeen(loaded.Seen, v.links)...)
	v.notes, v.acts, v.made = loaded.Notes, loaded.Acts, loaded.Renderings
	if c.opt.PageInfo {
		v.made = append(v.made, v.info(loaded.Errors))
	}
	if len(loaded.Sockets) > 0 {
		v.made = append(v.made, spoken(task.URL, loaded.Sockets, c.fetcher.Secrets))
		v.notes = append(v.notes, toldSockets(loaded.Sockets)...)
	}
	for why, n := range v.mu.refused {
		v.notes = append(v.notes, fmt.Sprintf("browser: %d requests refused: %s", n, why))
	}
	return v, nil
}

// alsoSeen returns links to the addresses that a page showed while behaviours acted on it, and that are not among the links of
// its document in the end.
func alsoSeen(seen []browser.Seen, links []kavosh.Link) (more []kavosh.Link) {
	known := map[string]bool{}
	for i := range links {
		known[links[i].URL] = true
	}
	for _, s := range seen {
		key, err := weburl.Key(s.URL)
		if err != nil || known[key] {
			continue
		}
		known[key] = true
		link := kavosh.Link{URL: key, Kind: kavosh.Navigation, Element: "browser", Attr: "href", Position: len(links) + len(more)}
		if s.Part {
			link.Kind, link.Attr = kavosh.Embed, "src"
		}
		more = append(more, link)
	}
	return more
}

// noBrowserError means that the browser does not work here.
type noBrowserError struct{ error }

func (e *noBrowserError) Unwrap() error { return e.error }

// ask answers one request of the page; it is a browser.Asker. If it does not call answer, the page sees a network
// error.
func (v *visit) ask(ctx context.Context, r *browser.Request, answer func(*kavosh.Exchange)) {
	v.mu.Lock()
	if v.mu.over {
		v.mu.Unlock()
		return
	}
	v.asks.Add(1)
	v.mu.Unlock()
	defer v.asks.Done()
	answer = v.noted(r.URL, answer)
	key, err := weburl.Key(r.URL)
	if err != nil {
		v.refuse("no URL that can be fetched")
		return
	}
	if r.Ask.Socket {
		err = v.socket(ctx, key, &r.Ask, answer)
	} else if r.Ask.Method != "GET" {
		err = v.post(ctx, key, &r.Ask, answer)
	} else if key == v.page.URL {
		err = v.own(ctx, &r.Ask, answer)
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

// refuse counts a refused request for the notes. It counts at most ten different reasons.
func (v *visit) refuse(why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.mu.refused) < 10 || v.mu.refused[why] > 0 {
		v.mu.refused[why]++
	}
}

// alone waits until no other request for key is under way. Then others wait until done is called. ok is false if ctx
// ended first.
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

// part is what a page that is being loaded wants of a task. The methods may be called on nil, for tasks that no page
// waits for.
type part struct {
	ctx    context.Context        // ends with the page: then the task goes back to its queue
	ask    *kavosh.Ask            // how the page asks; nil is the crawl's own way
	answer func(*kavosh.Exchange) // takes the answer; nil for nobody
	later  bool                   // nothing was sent, so the page must ask again
}

// wait notes that nothing was sent.
func (p *part) wait() {
	if p != nil {
		p.later = true
	}
}

// give gives the page the answer, if one came.
func (p *part) give(x *kavosh.Exchange) {
	if p != nil && p.answer != nil && x.Answered() {
		p.answer(x)
	}
}

// get answers a request by GET: with what this crawl has recorded of the URL, or by fetching it now.
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
	v.note(key, false)
	if err := v.recallData(ctx, key); err != nil {
		return err
	}
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
			v.note(key, true)
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
		if t := &lease.Task; t.Page() { // it was queued as a link to a page; now it is a part of this one
			as := v.followed(key)
			t.Kind, t.Via, t.From, t.Seed, t.Path, t.Hops, t.Embeds, t.Extra = as.Kind, as.Via, as.From, as.Seed, as.Path, as.Hops, as.Embeds, as.Extra
		}
		if lease.Refused != nil {
			v.note(key, false)
		}
		again, err := v.lead(lease, &part{ctx: v.ctx, ask: ask, answer: func(x *kavosh.Exchange) {
			if x.Status >= 400 {
				v.note(key, false)
			}
			answer(x)
		}})
		if err != nil || !again {
			return err
		}
	}
}

// note takes note of a URL that the page asks for, and whether the page gave it to the crawl.
func (v *visit) note(key string, gave bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mu.asked[key] = gave
}

// lead fetches and records the task of a lease. again means that the page's request was not sent yet: the task was a
// robots.txt that is needed first, or nothing could be sent now.
func (v *visit) lead(lease *frontier.Lease, p *part) (again bool, err error) {
	if !v.c.quota.placeLeft(v.c.placesOf(&lease.Task)) {
		lease.Later(0)
		v.refuse(noPlace)
		return false, nil
	}
	robots := lease.Task.Kind == kavosh.Prerequisite
	if robots {
		p = &part{ctx: v.ctx}
	}
	err = v.c.lead(v.ctx, lease, p)
	return (p.later || robots) && v.ctx.Err() == nil, err
}

// offer makes key a link of the page and waits until it is queued. It returns false if scope leaves it out, or if ctx
// ended.
func (v *visit) offer(ctx context.Context, key string) bool {
	link := kavosh.Link{URL: key, Kind: kavosh.Embed, Element: "browser", Attr: "request", From: v.from}
	it := item{update: frontier.Update{Parent: &v.page}, size: 512, urgent: true, done: make(chan struct{})}
	d := v.c.belongs(&link, &v.page)
	if d.In {
		link.Extra = d.Extra
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

// newest returns the newest capture of key; its Filename is "" if there is none.
func (v *visit) newest(ctx context.Context, key string) (newest cdx.Entry, err error) {
	for e, err := range v.c.archive.Records.Index.Query(ctx, cdx.Query{URL: key, MatchType: cdx.Exact}) {
		if err != nil {
			return newest, err
		}
		if e.URL == key && len(e.Extra) == 0 && e.Timestamp >= newest.Timestamp {
			newest = e
		}
	}
	return newest, nil
}

// stored answers with the newest capture of key, which this crawl has fetched.
func (v *visit) stored(ctx context.Context, key string, answer func(*kavosh.Exchange)) error {
	c := v.c
	newest, err := v.newest(ctx, key)
	if err != nil {
		return err
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

// followed returns the task for a part of the page, such as a picture or a script.
func (v *visit) followed(url string) kavosh.Task {
	t := v.page
	t.URL, t.Kind, t.Via, t.From, t.Attempt, t.Prior, t.Score, t.Why = url, kavosh.Embed, v.page.URL, v.from, 0, nil, 0, ""
	t.Path += string(rune(kavosh.Embed.Letter()))
	t.Path = t.Path[max(0, len(t.Path)-64):]
	t.Embeds++
	return t
}
