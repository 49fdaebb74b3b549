package frontier

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
	"kavosh/lib/weburl"
)

// This file takes what became of tasks (Update) and makes it durable in one write: tasks done or queued again, new
// links queued.

// Update is what became of one task. Task is zero for seeds, which come from no task, and for links of a page that are
// queued before the page is done, or after it.
type Update struct {
	Task     kavosh.Task
	Retry    time.Time     // zero: the task is done; else it failed, and is requested again at this time or later
	Again    time.Time     // of a task that is done: when it is queued once more (again.go); zero for never
	Links    []kavosh.Link // links in scope; each URL is a seen-key. Links that are not known, or were rejected, are queued
	Parent   *kavosh.Task  // the task whose page has Links, if Task is zero; nil for seeds
	Visit    *order.Visit  // what was fetched, for an order that learns and for the scores of Links; may be nil
	Rejected []string      // seen-keys of links that are out of scope
	Stale    []int         // indexes of those of Rejected, ascending, that stay out when pages link to them later; seeds, parts of pages and redirects do not
	Robots   *Robots       // the answer, if the task asked for a robots.txt
	Bytes    int64         // bytes received, for the counters
	Values   []Value       // values of another stage, which are written with this
}

// Robots is the answer for a robots.txt.
type Robots struct {
	Origin   string // Lease.Origin
	Status   int    // 0 if no answer came
	Body     []byte // of a 2xx answer, after content decoding; only the first 500 KiB are used
	Location string // the header of a 3xx answer, as received
	Retry    string // the header Retry-After, as received
	Failure  kavosh.Failure
	Detail   string        // the failure in words
	Age      time.Duration // time since it came: 0 for just now, more for an answer that was recorded before a crash
	Last     bool          // robots.txt is not to be requested again, even if the failure may pass
}

// Result is what Apply made of one Update.
type Result struct {
	Known    bool      // the task was done before: its records are already in the archive
	Queued   []Queued  // the links that were new
	Rejected []int     // indexes of Update.Rejected that were never seen before
	Trapped  []Trapped // links that a trap rule (budget.go) kept out, each told once
	LeftOut  []Trapped // links that the order leaves out (order.LeftOut), each told once; Rule is its words
	Foreign  []int     // links of hosts that another frontier owns (Options.Owns), each told once: the caller hands them over
}

// Queued is a link that became a task.
type Queued struct {
	Link  int // index of Update.Links
	ID    uint64
	Score float64
	Why   string // the order's words for the score
}

// Trapped is a link that was taken for a trap, or left out.
type Trapped struct {
	Link int // index of Update.Links
	Rule string
}

// Apply makes updates durable, in one synced write, and returns a result for each in order. When it returns without an
// error no crash undoes them; when it returns one, the frontier is of no more use, and the next Open shows all of them or
// none. Applying an update again does no harm. New links are offered by Next only after Apply.
//
// seal, unless nil, is called with the results before they are written; what it returns is written with them, to be
// read by Get(Mark). It must not call the frontier.
func (f *Frontier) Apply(updates []Update, seal func([]Result) (mark []byte, err error)) ([]Result, error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	a, err := f.newApplication()
	if err == nil {
		err = a.plan(updates)
	}
	if err == nil && seal != nil {
		var mark []byte
		if mark, err = seal(a.results); err == nil {
			err = a.batch.Set(stringKey(tagBlob, Mark), mark, nil)
		}
	}
	if err == nil {
		err = a.settleOn()
	}
	if err != nil {
		f.fail(err)
		return nil, err
	}
	if len(a.changes) > 0 { // may be lost in a crash: they are opinions
		if _, err := f.reprioritise(a.changes, nil, true); err != nil {
			return nil, err
		}
	}
	if err := f.showParts(updates); err != nil {
		return nil, err
	}
	return a.results, nil
}

// settleOn makes the plan durable, and then brings it into memory, where Next sees it.
func (a *application) settleOn() error {
	if err := a.f.known.commit(a.batch); err != nil {
		return err
	}
	for i := range a.slots {
		if s := &a.slots[i].status; s.state == stateQueued || s.done() {
			a.f.recent.add(&a.slots[i].key)
		}
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	a.publish()
	return nil
}

// Mark is the name under which Get finds what the last Apply was sealed with.
const Mark = "marks"

// application is an Apply under way: the batch to be written, and what memory must learn after it is durable.
type application struct {
	f       *Frontier
	updates []Update
	results []Result
	batch   *pebble.Batch
	sums    counters
	parts   int64     // how many more tasks there are at classFirst (parts.go); negative for fewer
	again   timeOfDay // the new value of Frontier.mu.again
	wall    time.Time

	slots  []slot              // one for each distinct URL, sorted by key
	slotOf []int               // for each URL in updates, in their order: its index in slots
	counts map[seen.Key]uint64 // new counts of the trap rules (budget.go), by the key of what is counted

	changes []Change // new scores that the order has learned
	gone    []goneTask
	settled []settled
	dirty   []*host
	hosts   standings
	domains map[string]allowance // new allowances of domains that spent something
	room    []byte               // for a key

	limited     bool // there are limits
	limits      Limits
	accounts    map[limitKey]*used // what is taken of limits, and has changed
	accountKeys []limitKey         // of accounts, in the order they came
}

// slot is a URL that the updates speak of.
type slot struct {
	key    seen.Key
	status status // what is known of it, as the plan changes it
	dirty  bool   // status was changed and is to be written
}

// goneTask is a task that left its place in the queue.
type goneTask struct {
	host   string
	queued uint64 // its id in the queue; 0 if it was in no queue
	leased uint64 // the id under which it was leased; another one if a robots.txt was also queued as a link
}

// settled is an answer for a robots.txt, and what it makes of its origin's record.
type settled struct {
	origin string
	task   kavosh.Task
	record robotsRecord
	host   *change // the host that is asked next; nil if record is settled
}

// plan works out what updates change and writes it to a batch.
func (a *application) plan(updates []Update) error {
	a.updates, a.results = updates, make([]Result, len(updates))
	if err := a.lookUp(); err != nil {
		return err
	}
	if err := a.lookUpHosts(); err != nil {
		return err
	}
	offer := 0
	next := func() *slot {
		s := &a.slots[a.slotOf[offer]]
		offer++
		return s
	}
	for i := range updates {
		u, r := &updates[i], &a.results[i]
		a.sums.bytes += u.Bytes
		if err := a.keep(u.Values); err != nil {
			return err
		}
		if u.Task.URL != "" {
			if err := a.planTask(u, r, next()); err != nil {
				return err
			}
		}
		if a.f.learner != nil && u.Visit != nil && !r.Known {
			a.changes = append(a.changes, a.f.learner.Learn(u.Visit)...)
		}
		for j := range u.Links {
			if err := a.planLink(u, r, j, next()); err != nil {
				return err
			}
		}
		for j := range u.Rejected {
			s := next()
			if s.status.state == stateUnseen {
				s.status, s.dirty = status{state: stateRejected}, true
				a.sums.rejected++
				r.Rejected = append(r.Rejected, j)
			}
			if _, stale := slices.BinarySearch(u.Stale, j); stale && s.status.state == stateRejected {
				s.status, s.dirty = status{state: stateStale}, true
			}
		}
	}
	return a.write()
}

// newApplication begins an Apply with the counters and changed hosts that are in memory, and an empty batch.
func (f *Frontier) newApplication() (*application, error) {
	a := &application{f: f, wall: f.clock.Now(), hosts: standings{f: f}}
	f.mu.Lock()
	err := f.mu.failed
	a.sums, a.again = f.mu.sums, f.mu.again
	a.limited, a.limits = f.mu.limits.on, f.mu.limits.Limits
	a.dirty = a.hosts.takeDirty(f.clock.now())
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	a.batch, err = f.known.begin()
	return a, err
}

// planTask takes a task out of its queue: it is done, or queued again with a not-before time.
func (a *application) planTask(u *Update, r *Result, s *slot) error {
	p, ok := scope.Split(u.Task.URL)
	if !ok {
		return fmt.Errorf("frontier: task %q is no http or https URL", u.Task.URL)
	}
	if u.Task.Kind == kavosh.Prerequisite {
		if err := a.planRobots(u); err != nil {
			return err
		}
		if p.PathQuery != "/robots.txt" || s.status.done() {
			return nil // where a robots.txt was redirected to may be a page like any other
		}
	} else if s.status.done() {
		r.Known = true
		a.gone = append(a.gone, goneTask{p.Name, 0, u.Task.ID})
		return a.planAgain(u, s)
	}
	again := !u.Retry.IsZero() && u.Task.Kind != kavosh.Prerequisite
	switch s.status.state {
	case stateQueued:
		a.room = s.status.key(a.room[:0], p.Name)
		if err := a.batch.Delete(a.room, nil); err != nil {
			return err
		}
		if a.sums.queued--; s.status.limit != 0 { // its records are older than its place there
			if err := a.unlist(s.status.limit, p.Name, &u.Task); err != nil {
				return err
			}
			break
		}
		c, err := a.hosts.of(p.Name)
		if err != nil {
			return err
		}
		c.gone++
		if s.status.class == classFirst {
			a.parts--
		}
	case stateRejected, stateStale:
		a.sums.rejected--
		a.sums.known++
	case stateUnseen:
		if u.Task.Kind == kavosh.Prerequisite { // not a URL of the crawl, but no link to it shall fetch it again
			s.status, s.dirty = status{state: stateDone}, true
			return nil
		}
		a.sums.known++
	}
	a.gone = append(a.gone, goneTask{p.Name, s.status.id, u.Task.ID})
	if err := cmp.Or(a.spend(&u.Task, p.Name), a.take(u, p.Name)); err != nil {
		return err
	}
	if again {
		t := u.Task
		t.Attempt++
		return a.queue(&t, p.Name, max(a.f.clock.wallOf(u.Retry.Sub(a.f.clock.start)), 1), s)
	}
	a.f.expiring.asked(u.Task.URL, p.Name)
	a.sums.finished++
	s.status, s.dirty = status{state: stateDone}, true
	return a.planAgain(u, s)
}

// planLink queues link j of u if it is not known, or was rejected until now.
func (a *application) planLink(u *Update, r *Result, j int, s *slot) error {
	link := &u.Links[j]
	if s.status.state == stateStale && (link.Kind != kavosh.Navigation && link.Kind != kavosh.Speculative) {
		s.status.state = stateRejected
	}
	if s.status.state != stateUnseen && s.status.state != stateRejected {
		return nil
	}
	p, ok := scope.Split(link.URL)
	if !ok {
		return fmt.Errorf("frontier: link %q is no http or https URL", link.URL)
	}
	if a.f.o.Owns != nil && !a.f.o.Owns(p.Name) {
		if s.status.state == stateUnseen { // so that it is told once; should the host become ours, its links are queued
			s.status, s.dirty = status{state: stateRejected}, true
			a.sums.rejected++
			r.Foreign = append(r.Foreign, j)
		}
		return nil
	}
	rule, err := a.budget(link, &p)
	if err != nil {
		return err
	}
	if rule != "" {
		if s.status.state == stateUnseen {
			s.status, s.dirty = status{state: stateRejected}, true
			a.sums.rejected++
			r.Trapped = append(r.Trapped, Trapped{j, rule})
		}
		return nil
	}
	parent := &u.Task
	if parent.URL == "" {
		parent = u.Parent
	}
	t := scope.Follow(parent, link)
	t.Added = a.wall
	score, why := a.f.o.Order.Score(&order.Candidate{Link: link, Task: &t, Parent: u.Visit})
	if score == order.LeftOut() && link.Kind != kavosh.Seed {
		if s.status.state == stateUnseen {
			s.status, s.dirty = status{state: stateRejected}, true
			a.sums.rejected++
			r.LeftOut = append(r.LeftOut, Trapped{j, why})
		}
		return nil
	}
	score, why = a.f.favours.add(link.URL, t.Seed, score, why)
	score, why = a.f.expiring.add(link.URL, p.Name, link.Kind == kavosh.Seed, a.wall, score, why)
	t.ID, t.Score, t.Why = a.f.newID(), score, why
	if s.status.state == stateRejected {
		a.sums.rejected--
	}
	a.sums.known++
	r.Queued = append(r.Queued, Queued{Link: j, ID: t.ID, Score: score, Why: why})
	return a.queue(&t, p.Name, 0, s)
}

// queue puts t in the queue of its host. If after, a not-before time, is not 0, t goes among the deferred tasks
// instead. If t lies beyond a limit, it goes into the list of that limit.
func (a *application) queue(t *kavosh.Task, host string, after int64, s *slot) error {
	const rest = 64 // mostly enough for all but the URL
	q := queued{place{rank: a.f.parts.rankOf(t), after: after}, appendTask(make([]byte, 0, len(t.URL)+rest), t)}
	s.status, s.dirty = status{state: stateQueued, place: q.place}, true
	a.sums.queued++
	if a.limited {
		key, beyond, err := a.limitOf(host, t)
		if err != nil {
			return err
		}
		if beyond {
			q.after = 0
			return a.list(&q, key, s)
		}
	}
	if q.class == classFirst {
		a.parts++
	}
	c, err := a.hosts.of(host)
	if err != nil {
		return err
	}
	c.add(q.place, a.sums.round)
	c.tasks = append(c.tasks, q)
	return nil
}

// planRobots works out what the answer for a robots.txt makes of the record of its origin.
func (a *application) planRobots(u *Update) error {
	answer := u.Robots
	a.f.mu.Lock()
	l := a.f.mu.leases.out[u.Task.ID]
	a.f.mu.Unlock()
	if answer == nil { // refused because its host is dead, or given up by the caller
		answer = &Robots{Failure: kavosh.ConnectFailure, Detail: "its host does not answer"}
		if l != nil && l.Refused != nil {
			answer.Failure, answer.Detail = l.Refused.Failure, l.Refused.Text
		}
	}
	origin := answer.Origin
	if origin == "" && l != nil {
		origin = l.Origin
	}
	if origin == "" {
		p, _ := scope.Split(u.Task.URL)
		origin = p.Origin
	}
	record := robotsRecord{url: u.Task.URL, attempts: u.Task.Attempt}
	if l != nil && l.ask != nil && l.ask.origin == origin {
		record = l.ask.record
	} else if old, err := a.f.db.robots(origin); err != nil {
		return err
	} else if old != nil && !old.settled && old.url == u.Task.URL {
		record = *old
	}
	record = record.settle(answer, &a.f.clock, a.f.retries)
	s := settled{origin: origin, task: u.Task, record: record}
	if !record.settled {
		var err error
		if s.host, err = a.hosts.of(weburl.Host(record.url)); err != nil {
			return err
		}
	}
	a.settled = append(a.settled, s)
	return a.batch.Set(stringKey(tagRobots, origin), record.append(nil), nil)
}

// write puts the whole plan into the batch.
func (a *application) write() error {
	if next := a.f.nextID.Load(); next+idsReserved/2 > a.sums.reserved {
		a.sums.reserved = next + idsReserved
	}
	var v []byte
	for i := range a.slots {
		if s := &a.slots[i]; s.dirty {
			v = s.status.append(v[:0])
			a.f.known.add(&s.key, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.domains)) {
		if err := a.batch.Set(stringKey(tagDomain, name), a.domains[name].append([]byte{allowanceVersion}), nil); err != nil {
			return err
		}
	}
	// Tasks are written in the order of their keys: Pebble's skip list takes them in a fifth of the time.
	for _, c := range slices.SortedFunc(slices.Values(a.hosts.all), func(x, y *change) int { return strings.Compare(x.name, y.name) }) {
		slices.SortFunc(c.tasks, func(x, y queued) int { return x.compare(y.place) })
		for i := range c.tasks {
			v = c.tasks[i].key(v[:0], c.name)
			if err := a.batch.Set(v, c.tasks[i].value, nil); err != nil {
				return err
			}
		}
	}
	if err := a.writeAccounts(a.batch); err != nil {
		return err
	}
	for key, n := range a.counts {
		a.f.known.add(&key, appendCount(nil, n))
	}
	a.hosts.emptied(a.f.clock.wall())
	more, err := a.hosts.write(a.batch)
	if err != nil {
		return err
	}
	a.sums.hosts += more
	if err := a.f.clock.noteJump(a.batch); err != nil {
		return err
	}
	return a.batch.Set([]byte{tagCounters}, a.sums.append(v[:0]), nil)
}
