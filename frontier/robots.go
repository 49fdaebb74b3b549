package frontier

import (
	"container/list"
	"fmt"
	"slices"
	"time"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lib/robots"
	"kavosh/lib/weburl"
)

// This file asks for robots.txt files, keeps their rules, and says what they allow.

// Each origin (scheme, host and port) has its own robots.txt. Its life:
//
//	unknown → an ask waits at the host, before all its tasks → it is leased and requested → Update.Robots, which is
//	   → 2xx: its rules hold
//	   → a redirect: its target is asked next; all is allowed if it has none, or after robotsRedirects of them;
//	     all is disallowed if the caller refuses to ask the target
//	   → a failure that may pass (retry.go): it is asked again later
//	   → another 4xx: all is allowed
//	   → another failure, or the last one: all is disallowed, but allowed if it was 408 or 425
//
// The result holds for 24 hours, also over restarts; then robots.txt is asked for again. No other URL of the origin is
// requested before the result is known.
const (
	robotsFor       = 24 * time.Hour
	robotsRedirects = 10          // redirects followed; RFC 9309 wants five at least. After more of them all is allowed
	robotsBody      = 500<<10 + 1 // bytes kept of a body: one more than the parser reads, so that it sees the cut
	rulesMemory     = 16 << 20    // compiled rules are held in memory for robots.txt bodies of this many bytes in all
	rulesOverhead   = 512         // bytes counted for each of them in addition
)

// ask is a robots.txt that is needed and not known yet. Frontier.mu guards it.
type ask struct {
	origin    string // the origin whose rules it has
	id        uint64 // of its task
	record    robotsRecord
	parent    kavosh.Task // the task that needed it first
	host      *host       // the host that is asked: that of record.url, which may be a redirect's target
	notBefore instant
	leased    bool // it is being requested
}

// task returns the task that requests a.
func (a *ask) task() kavosh.Task {
	t := kavosh.Task{
		ID: a.id, URL: a.record.url, Kind: kavosh.Prerequisite, Via: a.record.via,
		Seed: a.parent.Seed, Path: a.parent.Path, Hops: a.parent.Hops, Extra: a.parent.Extra, Attempt: a.record.attempts, Added: a.parent.Added,
	}
	t.Path += string(rune(kavosh.Prerequisite.Letter()))
	for range a.record.hops {
		t.Path += string(rune(kavosh.Redirect.Letter()))
	}
	if over := len(t.Path) - 64; over > 0 {
		t.Path = t.Path[over:]
	}
	if t.Via == "" {
		t.Via = a.parent.URL
	}
	return t
}

// verdict is what robots.txt says for an origin.
type verdict struct {
	origin  string
	rules   *robots.Rules
	delay   time.Duration  // its Crawl-delay, at most maxCrawlDelay
	failure kavosh.Failure // the failure of URLs that are refused: RobotsFailure, or why robots.txt could not be had
	text    string         // why all is disallowed, if robots.txt could not be had; else ""
	expires instant
	size    int // bytes that it counts in the ruleCache
}

// compile returns the verdict for origin. r must be settled: no more requests for it are to come.
func (r *robotsRecord) compile(origin, agent string, clock *crawlClock, now instant) *verdict {
	age := time.Duration(clock.wallOf(now) - r.at)
	v := &verdict{
		origin: origin, failure: kavosh.RobotsFailure, size: len(r.body) + rulesOverhead,
		expires: now + robotsFor - min(max(age, 0), robotsFor),
	}
	switch {
	case r.failure == kavosh.RobotsFailure:
		v.text = "robots.txt was not read: it " + r.detail
		v.rules = robots.DisallowAll(v.text)
	case r.failure != "" && r.status == 0:
		v.failure = r.failure
		v.text = fmt.Sprintf("robots.txt could not be had (%s: %s), asked %s", r.failure, r.detail, times(r.attempts))
		v.rules = robots.DisallowAll(v.text)
	case r.status >= 200 && r.status < 300:
		v.rules = robots.Parse(r.body).For(agent)
	case r.status >= 300 && r.status < 500 && r.status != 429:
		v.rules = robots.AllowAll()
	default:
		v.text = fmt.Sprintf("robots.txt could not be had (status %d), asked %s", r.status, times(r.attempts))
		v.rules = robots.DisallowAll(v.text)
	}
	if d, ok := v.rules.CrawlDelay(); ok {
		v.delay = min(d, maxCrawlDelay)
	}
	return v
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// refusal returns why a URL with that path and query may not be requested; nil if it may.
func (v *verdict) refusal(pathQuery string) *Refusal {
	d := v.rules.Match(pathQuery)
	switch {
	case d.Allowed:
		return nil
	case v.text != "":
		return &Refusal{Failure: v.failure, Text: v.text}
	}
	return &Refusal{Failure: kavosh.RobotsFailure, Rule: d.Rule, Line: d.Line, Text: fmt.Sprintf("robots.txt line %d: %s", d.Line, d.Rule)}
}

// verdictFor returns the verdict for origin, or nil while its robots.txt is not known. In that case it makes sure that
// the robots.txt is asked for. t is the task of h that needs it; if it is unwanted, no says why, and nothing is asked
// for. Frontier.mu is held.
func (f *Frontier) verdictFor(origin string, h *host, t *kavosh.Task, now instant) (v *verdict, no *Refusal, err error) {
	files := &f.mu.robots
	if v := files.rules.get(origin); v != nil && v.expires > now {
		return v, nil, nil
	}
	if a := files.asks[origin]; a != nil && !f.forsake(a, h, now) {
		return nil, nil, nil
	}
	r, err := f.db.robots(origin)
	if err != nil {
		return nil, nil, err
	}
	if r != nil && r.settled {
		if v := r.compile(origin, f.o.Agent, &f.clock, now); v.expires > now {
			files.rules.put(v)
			return v, nil, nil
		}
		r = nil
	}
	if no := f.unwanted(t); no != nil {
		return nil, no, nil
	}
	if r == nil {
		r = &robotsRecord{url: origin + "/robots.txt"}
	}
	asked, err := f.bring(weburl.Host(r.url), now)
	if err != nil {
		return nil, nil, err
	}
	files.ask(&ask{origin: origin, id: f.newID(), record: *r, parent: *t, host: asked, notBefore: f.clock.since(r.until, now)})
	if asked != h {
		asked.arrange(now)
	}
	return nil, nil, nil
}

// unwanted is Options.Unwanted, which may be nil.
func (f *Frontier) unwanted(t *kavosh.Task) *Refusal {
	if f.o.Unwanted == nil {
		return nil
	}
	return f.o.Unwanted(t)
}

// forsake forgets a if it is not leased and the task that needed it is unwanted now; another task that needs it asks
// anew. h is the host that is being looked at, which its caller arranges. Frontier.mu is held.
func (f *Frontier) forsake(a *ask, h *host, now instant) bool {
	if a.leased || f.unwanted(&a.parent) == nil {
		return false
	}
	f.mu.robots.answered(a.origin)
	owner := f.mu.bench.hosts[weburl.Host(a.origin)]
	if owner != nil {
		owner.blocked = false
	}
	for _, of := range []*host{owner, a.host} {
		if of != nil && of != h {
			of.arrange(now)
		}
	}
	return true
}

// Asked reports whether the robots.txt of origin was ever asked for in this crawl.
func (f *Frontier) Asked(origin string) (bool, error) {
	f.applying.Lock() // so that the frontier is not closed meanwhile
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return false, err
	}
	r, err := f.db.robots(origin)
	return r != nil, err
}

// robots reads what the disk knows of an origin's robots.txt; nil if it knows nothing.
func (d *database) robots(origin string) (*robotsRecord, error) {
	key := stringKey(tagRobots, origin)
	v, err := d.value(key)
	if v == nil || err != nil {
		return nil, err
	}
	r, err := parseRobots(v)
	if err != nil {
		return nil, corrupt(key, err)
	}
	if _, ok := scope.Split(r.url); !ok {
		return nil, corrupt(key, "has no URL to ask")
	}
	return r, nil
}

// robotsFiles are the robots.txt files that are being asked for, and the rules of those that came. Frontier.mu guards it.
type robotsFiles struct {
	asks  map[string]*ask // by origin
	rules ruleCache
}

// ask adds a to its host, where it comes before all tasks.
func (r *robotsFiles) ask(a *ask) {
	r.asks[a.origin] = a
	a.host.asks = append(a.host.asks, a)
}

// answered forgets the verdict for origin and its ask, which it takes from its host. It returns that ask; nil if there
// was none.
func (r *robotsFiles) answered(origin string) *ask {
	r.rules.drop(origin)
	a := r.asks[origin]
	if a != nil {
		a.host.asks = slices.DeleteFunc(a.host.asks, func(x *ask) bool { return x == a })
		delete(r.asks, origin)
	}
	return a
}

// leave forgets the asks at h, because h leaves memory. They are made again when a task needs them.
func (r *robotsFiles) leave(h *host) {
	for _, a := range h.asks {
		delete(r.asks, a.origin)
	}
}

// settle returns what the answer a makes of r, the record of its origin. The record is settled if no other request is
// needed; else its url and until say what to ask next, and when.
func (r robotsRecord) settle(a *Robots, clock *crawlClock, again retries) robotsRecord {
	wall := clock.wall()
	r.at, r.until = wall.Add(-max(a.Age, 0)).UnixNano(), 0
	r.status, r.failure, r.detail = a.Status, a.Failure, a.Detail
	r.body = nil
	temporary := passing(a.Status, a.Failure)
	switch {
	case a.Status >= 300 && a.Status < 400:
		r.settled = true
		if target, ok := redirected(r.url, a.Location); ok && r.hops < robotsRedirects {
			r.settled, r.via, r.url = false, r.url, target
			r.hops, r.attempts = r.hops+1, 0
			return r
		}
	case temporary && !a.Last && r.attempts+1 < again.attempts:
		r.settled = false
		after, _ := parseRetryAfter(a.Retry, clock.Now())
		r.until = wall.Add(max(again.wait(r.attempts), after)).UnixNano()
	default:
		r.settled = true
		if a.Status >= 200 && a.Status < 300 {
			r.body = a.Body[:min(len(a.Body), robotsBody)]
		}
	}
	r.attempts++
	return r
}

// redirected returns the URL that a Location header at url leads to. ok is false if that URL cannot be requested.
func redirected(url, location string) (target string, ok bool) {
	base, err := weburl.Parse(url)
	if err != nil || location == "" {
		return "", false
	}
	if target, err = weburl.Resolve(base, location); err != nil {
		return "", false
	}
	_, ok = scope.Split(target)
	return target, ok
}

// ruleCache holds the verdicts that were used last. rulesMemory bounds the bytes that their robots.txt files had.
type ruleCache struct {
	byOrigin map[string]*list.Element // of *verdict
	used     list.List                // the one used last is in front
	size     int                      // of all verdicts together
}

func (c *ruleCache) get(origin string) *verdict {
	e := c.byOrigin[origin]
	if e == nil {
		return nil
	}
	c.used.MoveToFront(e)
	return e.Value.(*verdict)
}

func (c *ruleCache) put(v *verdict) {
	c.drop(v.origin)
	c.byOrigin[v.origin] = c.used.PushFront(v)
	c.size += v.size
	for c.size > rulesMemory && c.used.Len() > 1 {
		c.drop(c.used.Back().Value.(*verdict).origin)
	}
}

func (c *ruleCache) drop(origin string) {
	if e := c.byOrigin[origin]; e != nil {
		c.size -= c.used.Remove(e).(*verdict).size
		delete(c.byOrigin, origin)
	}
}

// SetPermit changes Options.Permit of a running frontier. It is not kept over a restart.
func (f *Frontier) SetPermit(permit func(url string) (why string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.permit = permit
}

// Overridden returns Forbidden and Permitted of a lease for a URL that an earlier run requested, by the robots.txt that it
// had. It is no right to anything.
func (f *Frontier) Overridden(url string) (*Lease, error) {
	f.applying.Lock() // so that the frontier is not closed meanwhile
	defer f.applying.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &Lease{Task: kavosh.Task{URL: url}}
	p, _ := scope.Split(url)
	v := f.mu.robots.rules.get(p.Origin)
	if v == nil {
		r, err := f.db.robots(p.Origin)
		if r == nil || err != nil || !r.settled {
			return l, err
		}
		v = r.compile(p.Origin, f.o.Agent, &f.clock, f.clock.now())
		f.mu.robots.rules.put(v)
	}
	f.obey(l, v.refusal(p.PathQuery))
	return l, nil
}

// obey refuses the task of l if no is not nil, unless Options.Permit gives a reason to request it nevertheless. no says
// why robots.txt forbids it; it is nil if robots.txt allows it. Frontier.mu is held.
func (f *Frontier) obey(l *Lease, no *Refusal) {
	if no == nil {
		return
	}
	if f.mu.permit != nil {
		l.Permitted = f.mu.permit(l.Task.URL)
	}
	if l.Permitted == "" {
		l.Refused = no
	} else {
		l.Forbidden = no
	}
}
