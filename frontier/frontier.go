// Package frontier holds the URLs waiting to be fetched and says whose turn it is.
//
// It is three things in one, because each needs the others to answer "what may be requested now?":
//
//   - the queue: every URL accepted, a queue a host, in Pebble (store.go has the stored form, apply.go writes it,
//     host.go keeps the heads of the queues in memory, workbench.go, depart.go and standing.go most hosts on disk);
//   - the seen set: every URL ever offered, by 128 bits of its SHA-256, and what became of it (known.go, package seen);
//   - the gate: when a host and an address may be asked (gate.go, address.go), how many pages a host or a domain may
//     have in a round (allowance.go), how much may be taken at all (limit.go, patience.go), and what robots.txt allows (robots.go).
//
// Frontier joins types that each own one part of the state: known, workbench, addresses, budgets, robotsFiles, leases,
// holds, limiter, patience, callers and crawlClock. Two locks guard them: applying for what is written, mu for what Next reads. Package
// frontier touches no files but those in Options.Dir, and asks nothing of the network.
//
// A worker's loop is
//
//	lease, err := f.Next(ctx)       // waits for the turn of a host; a robots.txt comes by itself before the first URL
//	lease.Address(addr)             // the name is resolved: may the address be asked, too?
//	… the request …
//	lease.Answered(answer)          // host and address rest from now on
//	… records are made durable …
//	f.Apply(updates, nil)           // done or again, and the links found: new ones are offered from now on
//
// What Next hands out is remembered in memory only, so that after a crash all that was not Applied is queued as it was.
//
// Which of a host's URLs comes first says an order (package order); which links belong to the crawl says a scope
// (package scope) before they come here.
package frontier

import (
	"cmp"
	"container/list"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
	"kavosh/internal/clock"
	"kavosh/internal/store"
)

// Options say where a frontier lives and how polite it is. Dir is needed; the rest may be zero.
type Options struct {
	FS    vfs.FS       // nil is the machine's
	Dir   string       // made when missing
	Clock clock.Clock  // nil is the machine's
	Order order.Policy // nil is the first of order.List

	Delay        time.Duration // Pace.Delay until SetPace
	AddressDelay time.Duration // Pace.AddressDelay until SetPace
	MaxPerHost   int           // requests at once to a host whose delay is 0; 0 is 8. With a delay it is always one
	Agent        string        // product token that robots.txt groups are matched against; "" is "kavosh"
	// Permit returns why a URL that robots.txt forbids is requested nevertheless, or "" if it is not. nil permits none.
	// It must return soon.
	Permit func(url string) (why string)
	// Unwanted returns why the crawl does not want a queued task any more, or nil if it does. It is asked before a
	// robots.txt is requested that the task needs, so that a host is asked for nothing from which nothing is wanted. nil
	// wants all. It must return soon, and must not call the frontier.
	Unwanted func(t *kavosh.Task) *Refusal

	Attempts  int           // requests for one URL, or one robots.txt, before its failure is final; 0 is 3
	RetryWait time.Duration // before the second request for a URL, four times as long before each later one; 0 is 10 s

	HostBudget   int // pages that a host may have in a round, robots.txt not counted; 0 is no limit (allowance.go)
	DomainBudget int // the same for a domain: all hosts of a public suffix plus one label

	GoesOn bool // Next waits for URLs that wait again (Update.Again) when only such are left; else it ends then
	// Owns reports whether this frontier crawls the URLs of a host; nil means all hosts. Links to other hosts are
	// returned in Result.Foreign. The engine does not set it yet: whoever sets it must hand these links over durably.
	Owns func(host string) bool

	CountPages bool // pages are bounded: a URL that a page embeds waits as its part, even if a link led there first (parts.go)

	QueryBudget int   // different queries of one path that are queued; more are a trap; 0 is 10,000, negative is no limit
	CacheBytes  int64 // memory for blocks read from disk; 0 is 32 MB
	Workbench   int   // hosts held in memory (workbench.go); all others are on disk; 0 is 65,536

	seenTable int // entries of the seen set in memory; 0 is its default, tests make it small
}

// Frontier is the durable set of URLs of one crawl: known, waiting, leased and finished. It is safe for concurrent use.
type Frontier struct {
	o        Options
	db       *database
	clock    crawlClock
	opened   instant // when every host and address counts as asked last: 0 after a restart, never in a new crawl
	nextID   atomic.Uint64
	applying sync.Mutex    // one writer at a time; taken before mu
	learner  order.Learner // the order, when it learns; applying guards it
	favours  favours       // applying guards them
	expiring expiring      // applying guards it
	known    known
	scratch  scratch // applying guards it, and all below
	recent   recent

	priorities priorities // read with applying or mu.Mutex held, replaced with both
	parts      partsOnly
	budgets    budgets
	retries    retries
	callers    callers

	mu struct {
		sync.Mutex
		failed   error  // the first error of the disk, or ErrClosed
		pace     pacing // of Options, or as SetPace changed it
		atOnce   int    // Options.MaxPerHost, or as SetMaxPerHost changed it
		permit   func(url string) (why string)
		sums     counters
		bench    workbench
		addrs    addresses
		robots   robotsFiles
		leases   leases
		holds    holds
		limits   limiter
		patience patience
		again    timeOfDay // when the first URL that waits again is queued, or sooner
	}
}

// ErrClosed is what a closed frontier answers.
var ErrClosed = errors.New("frontier: closed")

// ErrDamaged is part of the error for files that are not what was written.
var ErrDamaged = errors.New("is damaged")

// Damaged reports whether err, from a frontier, says that its files are not what was written. It is false for a disk
// that fails and for missing rights.
func Damaged(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, seen.ErrDamaged) || store.Damaged(err)
}

// idsReserved is how many ids are reserved on disk at a time. Ids are given out in memory; reserving them first makes
// sure that none is used again after a crash.
const idsReserved = 1 << 20

// Open opens the frontier in o.Dir, or makes an empty one. All that was leased and not Applied is queued again. In a
// frontier that was opened before, each host and address counts as asked just now, because it may have been.
func Open(o Options) (*Frontier, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.Order == nil {
		var err error
		if o.Order, err = order.Parse("", order.Setup{}); err != nil {
			return nil, err
		}
	}
	if o.Agent == "" {
		o.Agent = "kavosh"
	}
	o.MaxPerHost = orDefault(o.MaxPerHost, 8)
	o.Attempts = orDefault(o.Attempts, 3)
	o.RetryWait = orDefault(o.RetryWait, 10*time.Second)
	o.QueryBudget = orDefault(o.QueryBudget, 10_000)
	o.CacheBytes = orDefault(o.CacheBytes, 32<<20)
	o.Workbench = orDefault(o.Workbench, benchHosts)

	f := &Frontier{
		o: o, clock: crawlClock{Clock: o.Clock, start: o.Clock.Now()}, opened: never, recent: newRecent(),
		priorities: make(priorities), retries: retries{o.Attempts, o.RetryWait},
		budgets: budgets{max(o.HostBudget, 0), max(o.DomainBudget, 0), make(map[string]*domain)},
		callers: callers{starving: make(chan struct{}, 1)},
	}
	f.learner, _ = o.Order.(order.Learner)
	f.mu.pace.Delay, f.mu.atOnce, f.mu.permit = max(o.Delay, 0), o.MaxPerHost, o.Permit
	f.mu.bench = newWorkbench(o.Workbench, &f.clock)
	f.mu.addrs, f.mu.patience = newAddresses(max(o.AddressDelay, 0)), newPatience()
	f.mu.robots = robotsFiles{asks: make(map[string]*ask), rules: ruleCache{byOrigin: make(map[string]*list.Element)}}
	f.mu.leases = leases{out: make(map[uint64]*Lease), moving: make(map[uint64]struct{})}
	f.mu.limits.by, f.mu.limits.why = make(map[limitKey]*account), make(map[uint64]string)
	f.mu.holds, f.mu.again = holds{byHost: make(map[string]Held), end: noTime}, noTime
	var err error
	if f.db, err = openDatabase(o.FS, o.Dir, o.CacheBytes, false); err != nil {
		return nil, err
	}
	if err := f.load(); err != nil {
		_ = cmp.Or(f.known.close(), f.db.Close()) // an error here has the same cause
		return nil, err
	}
	return f, nil
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// load reads what memory holds of an earlier run: the counters, the holds and the priorities.
func (f *Frontier) load() error {
	version, err := f.db.value([]byte{tagVersion})
	if err != nil {
		return err
	}
	if err := f.clock.load(f.db); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.db.NewBatch()
	if version == nil {
		if err := b.Set([]byte{tagVersion}, []byte{formatVersion}, nil); err != nil {
			return err
		}
	} else {
		if len(version) != 1 || version[0] != formatVersion {
			return fmt.Errorf("frontier: %s is of format %v, this program knows %d: use the release that made it", f.o.Dir, version, formatVersion)
		}
		f.opened, f.mu.addrs.opened = 0, 0
		if f.mu.sums, err = f.db.counters(); err != nil {
			return err
		}
		if err := f.mu.holds.load(f.db, b, f.clock.Now()); err != nil {
			return err
		}
		if err := f.loadLimited(); err != nil {
			return err
		}
		if f.mu.again, err = f.db.firstAgain(); err != nil {
			return err
		}
		if err := f.priorities.load(f.db); err != nil {
			return err
		}
		f.mu.bench.line.best, f.mu.bench.line.wait = seat{}, 0 // lower bounds: the lines are read when they are needed
	}
	set := seen.Options{FS: f.o.FS, Dir: f.o.FS.PathJoin(f.o.Dir, "seen"), Table: f.o.seenTable}
	if f.known, err = openKnown(f.db, set); err != nil {
		return err
	}
	f.nextID.Store(max(f.mu.sums.reserved, 1))
	f.mu.sums.reserved = f.nextID.Load() + idsReserved
	f.mu.sums.hostBudget, f.mu.sums.domainBudget = int64(f.budgets.host), int64(f.budgets.domain)
	if err := b.Set([]byte{tagCounters}, f.mu.sums.append(nil), nil); err != nil {
		return err
	}
	return f.db.commit(b, pebble.Sync)
}

// Close closes the files. Leases that are still out are lost, but their URLs are still queued. Next returns ErrClosed
// from then on.
func (f *Frontier) Close() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	f.mu.Lock()
	failed := f.mu.failed
	f.mu.failed = ErrClosed
	f.wakeNext()
	f.mu.Unlock()
	if failed == ErrClosed {
		return nil
	}
	var err error
	if failed == nil {
		err = f.keepJump()
	}
	err = cmp.Or(f.known.close(), err)
	return cmp.Or(f.db.Close(), err)
}

// keepJump stores by how much the clock has been set since the last update, if it was. Without it, stored waits would
// have a wrong length after a restart. applying is held.
func (f *Frontier) keepJump() error {
	b, err := f.known.begin()
	if err != nil {
		return err
	}
	if err := f.clock.noteJump(b); err != nil || b.Empty() {
		return cmp.Or(err, b.Close())
	}
	return f.known.commit(b)
}

// fail makes err the answer to every later call.
func (f *Frontier) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.failed == nil {
		f.mu.failed = err
	}
	f.wakeNext()
}

func (f *Frontier) newID() uint64 { return f.nextID.Add(1) - 1 }

// Starving has a value when a caller of Next, Claim or Join begins to wait while answered tasks have not been Applied.
// It may wait for the links of these tasks, or for a robots.txt among them. So a group of updates should be Applied
// now.
func (f *Frontier) Starving() <-chan struct{} { return f.callers.starving }

// Hungry reports whether a caller of Next, Claim or Join waits. Then updates should be Applied now, and not wait until
// they are a larger group.
func (f *Frontier) Hungry() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.callers.waiters)+len(f.callers.guests) > 0
}

// Put keeps a small value of another stage under name, such as cookies. It is durable when Put returns.
func (f *Frontier) Put(name string, value []byte) error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	b := f.db.NewBatch()
	if err := b.Set(stringKey(tagBlob, name), value, nil); err != nil {
		return err
	}
	if err := f.db.commit(b, pebble.Sync); err != nil {
		f.fail(err)
		return err
	}
	return nil
}

// Get returns the value that Put stored under name, or nil.
func (f *Frontier) Get(name string) ([]byte, error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return nil, err
	}
	return f.db.value(stringKey(tagBlob, name))
}

func (f *Frontier) usable() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.failed
}

// State is what the crawl knows of a URL.
type State string

const (
	Unseen   State = "unseen"
	Waiting  State = "queued" // or leased, and not Applied yet
	Done     State = "done"
	Rejected State = "rejected"
)

// State returns what the crawl knows of url, a seen-key (the form under which URLs are compared): of its page, or with
// variant of its RDF form.
func (f *Frontier) State(url string, variant bool) (State, error) {
	f.applying.Lock() // so that it is not closed meanwhile
	defer f.applying.Unlock()
	s, err := f.status(url, variant)
	if err != nil {
		return Unseen, err
	}
	switch s.state {
	case stateUnseen:
		return Unseen, nil
	case stateQueued:
		return Waiting, nil
	case stateDone, stateAgain:
		return Done, nil
	}
	return Rejected, nil
}

// Task returns the task that waits in the queue for url, a seen-key, or with variant for its RDF form. queued is false
// if there is none.
func (f *Frontier) Task(url string, variant bool) (t kavosh.Task, queued bool, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	return f.task(url, variant)
}

func (f *Frontier) task(url string, variant bool) (t kavosh.Task, queued bool, err error) {
	s, err := f.status(url, variant)
	if err != nil || s.state != stateQueued {
		return t, false, err
	}
	p, _ := scope.Split(url)
	t, _, err = f.db.task(s.key(nil, p.Name), s.rank)
	return t, err == nil, err
}

func (f *Frontier) status(url string, variant bool) (status, error) {
	if err := f.usable(); err != nil {
		return status{}, err
	}
	return f.known.status(taskKey(url, variant, &f.scratch.url))
}

// Stats are counts, cheap enough for a progress line.
type Stats struct {
	Known    int64                    // URLs accepted: waiting, leased and finished
	Queued   int64                    // waiting or leased
	Limited  int64                    // of Queued, those that wait beyond a limit
	OnHold   int64                    // of Queued, those that HoldTasks put on hold
	Finished int64                    // done, robots.txt files not counted
	Rejected int64                    // seen, out of scope or trapped
	Bytes    int64                    // sum of Update.Bytes
	Hosts    int                      // hosts with something waiting or leased
	Ready    int                      // hosts in memory that could be asked now
	Leased   int                      // requests under way
	Held     int                      // hosts on hold
	Again    map[kavosh.Failure]int64 // hosts that did not answer and will be asked again, by failure
	AgainAt  time.Time                // when the first of them will be asked
	Next     string                   // while all hosts rest: the one that wakes first; otherwise, and while only held hosts are left, ""
	NextAt   time.Time                // when it wakes
	Revisit  time.Time                // when the first done URL is queued again (Update.Again), or sooner; zero for none
}

// Stats returns the counts of now. It reads nothing from disk.
func (f *Frontier) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	again, at, now, wall := map[kavosh.Failure]int64{}, time.Time{}, f.clock.now(), f.clock.Now()
	for h := range f.mu.bench.silent {
		offers := h.offers()
		if offers == forever || h.leases > 0 || h.dead(now) {
			continue
		}
		again[h.failure]++
		if next := wall.Add(max(h.turn(), offers) - now); at.IsZero() || next.Before(at) {
			at = next
		}
	}
	var revisit time.Time
	if f.mu.again != noTime {
		revisit = time.Unix(0, int64(f.mu.again))
	}
	next, nextAt := "", time.Time{}
	if b := &f.mu.bench; b.ready.len() == 0 && f.mu.leases.leased == 0 && b.asleep.len() > 0 && b.due() < forever {
		next, nextAt = b.asleep.items[0].name, wall.Add(b.due()-now)
	}
	c, limited := &f.mu.sums, f.mu.sums.limited
	if f.full() {
		limited = c.queued
	}
	return Stats{
		Known: c.known, Queued: c.queued, Limited: limited, OnHold: f.mu.limits.held, Finished: c.finished, Rejected: c.rejected, Bytes: c.bytes,
		Hosts: int(c.hosts), Ready: f.mu.bench.ready.len(), Leased: f.mu.leases.leased,
		Held: f.mu.holds.count(wall), Again: again, AgainAt: at, Next: next, NextAt: nextAt, Revisit: revisit,
	}
}
