package frontier

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// This file is the workbench: which hosts are in memory, and how they take turns with those on disk. Frontier.mu guards
// what it has in memory; what it changes on disk needs Frontier.applying, too.

// Memory holds a bounded number of hosts, the workbench. All other hosts stand in two lines on disk (standing.go): those
// whose turn has come by the rank of what they offer, the rest by the time of their turn. Turning over brings the best
// hosts of both lines onto the workbench, and puts hosts that are worse, or sleep for long, back in line. (BUbiNG keeps
// the states of hosts on a workbench and their URLs in a virtualiser on disk; here the states of hosts that are not at
// work are on disk, too.)
//
// A host leaves memory only when its turn has come or the time of it is on disk, so that politeness does not depend on
// where it is. A host on the workbench keeps its place in line: after a crash it is found there.
const (
	benchHosts = 1 << 16         // Options.Workbench
	turnHosts  = 1 << 10         // hosts brought in at a time, at most
	turnTasks  = 4               // tasks read with each of them
	shortSleep = 2 * time.Second // a host that sleeps no longer than this stays in memory
	turnAgain  = time.Second     // to the next turnover after a fruitless one, or for hosts that have waited
	parkedKeep = 16              // of the hosts that wait for one address, so many stay in memory
	parkedAway = time.Minute     // … and the others may go away for this time
)

// line is what is in memory about hosts in line that are neither on the workbench nor on hold: lower bounds of their
// times.
type line struct {
	best seat  // at or before the first seat in the line of hosts that may be asked; lineEmpty if it is empty
	wait int64 // at or before the first time in the line of hosts that wait, nanoseconds since 1970; math.MaxInt64 if empty

	turning   bool    // a caller turns over, or does other work of Frontier.unlocked
	again     instant // turnAgain after the last turnover. Hosts that have waited come in then, or when no host is ready
	fruitless bool    // the last turnover brought in no host, and no better one has come since: wait until again, too …
	changes   int     // … unless many hosts have moved; how many did since the last turnover
}

// lineEmpty returns a seat behind every other. It means that no host stands in the line.
func lineEmpty() seat { return seat{round: math.MaxUint32} }

// empty reports whether no host stands in either line.
func (l *line) empty() bool { return l.best == lineEmpty() && l.wait == math.MaxInt64 }

// workbench holds the hosts in memory, and what is in memory about those in line. Frontier.mu guards all of it.
type workbench struct {
	size   int // the bound of hosts; those with leases are not counted
	clock  *crawlClock
	hosts  map[string]*host
	silent map[*host]struct{} // the hosts that did not answer last time
	ready  heap[*host]        // hosts that may be asked now, ordered by what they offer
	asleep heap[*host]        // hosts that rest, ordered by when they wake
	loaded int                // tasks that all these hosts have in memory
	dirty  []*host            // hosts whose trouble (failures and waits) is to be written
	line   line
}

func newWorkbench(size int, clock *crawlClock) workbench {
	return workbench{
		size: size, clock: clock, hosts: make(map[string]*host), silent: make(map[*host]struct{}),
		ready: heap[*host]{less: headLess, at: hostAt}, asleep: heap[*host]{less: wakeLess, at: hostAt},
		line: line{best: lineEmpty(), wait: math.MaxInt64},
	}
}

// due returns when the first of the hosts that are asleep wakes; forever for none.
func (w *workbench) due() instant {
	if w.asleep.len() == 0 {
		return forever
	}
	return w.asleep.items[0].wake
}

// admit lowers the bounds of line for a host that stands in line now, with the standing s.
func (w *workbench) admit(s *standing, p *partsOnly) {
	if !s.waits() {
		return
	}
	l := &w.line
	if at, until := s.line(); until != 0 {
		l.wait = min(l.wait, until)
	} else if at.less(l.best) && !p.barred(at.rank) {
		l.best, l.fruitless = at, false
	}
}

// admits reports whether a new host with that seat may come onto the workbench at once. engaged is how many hosts have
// leases.
func (w *workbench) admits(s seat, engaged int) bool {
	return w.room(engaged) > 0 && s.less(w.line.best)
}

// room returns how many more hosts there may be; negative if there are too many. engaged is how many hosts have leases.
// These do not count, because the number of workers bounds them.
func (w *workbench) room(engaged int) int { return w.size - (len(w.hosts) - engaged) }

// wantsTurnover reports whether a host in line should come onto the workbench now. The first hold ends at holdEnd.
func (w *workbench) wantsTurnover(now instant, p *partsOnly, holdEnd timeOfDay) bool {
	l := &w.line
	if l.turning || l.empty() && holdEnd == noTime {
		return false
	}
	better := l.best != lineEmpty() && !p.barred(l.best.rank) && (w.ready.len() == 0 || l.best.less(w.ready.items[0].first))
	if !better {
		wall := w.clock.wall().UnixNano()
		if l.wait > wall && !w.clock.come(holdEnd) && (l.wait == math.MaxInt64 || l.wait <= wall+int64(longestWait)) {
			return false
		}
		if w.ready.len() > 0 && now < l.again {
			return false // others are asked meanwhile
		}
	}
	return !l.fruitless || now >= l.again || l.changes > w.size/64
}

// lineDue returns when the lines should be looked at next.
func (w *workbench) lineDue(p *partsOnly, holdEnd timeOfDay) instant {
	l, now := &w.line, w.clock.now()
	if w.wantsTurnover(now, p, holdEnd) {
		return now
	}
	due := w.clock.until(holdEnd)
	if l.wait != math.MaxInt64 {
		due = min(due, w.clock.instantOf(l.wait, now))
	}
	if w.ready.len() > 0 {
		due = max(due, l.again)
	}
	if l.fruitless && (due <= now || l.best != lineEmpty()) {
		due = max(l.again, now)
	}
	return due
}

// turnOver brings hosts from the lines onto the workbench, and puts others back in line. Next calls it without holding
// Frontier.mu.
func (f *Frontier) turnOver() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	b, err := f.known.begin()
	if err != nil {
		return err
	}
	if err := f.endHolds(b); err != nil {
		return err
	}
	f.mu.Lock()
	l := f.mu.bench.line
	ss := standings{f: f}
	dirty := ss.takeDirty(f.clock.now())
	round := f.mu.sums.round
	room := max(f.mu.bench.room(f.mu.leases.engaged), 0) // there may be too many hosts after leases have ended
	most := min(turnHosts, max(f.mu.bench.size/4, 1))
	worst := f.mu.bench.worst(max(most-room, 0), f.clock.now())
	f.mu.Unlock()
	in, rest, err := f.arrivals(&l, &ss, most, round, func(n int, at seat) bool {
		return n < room || n-room < len(worst) && (worst[n-room].sleep > 0 || at.less(worst[n-room].first))
	})
	if err != nil {
		return err
	}
	var out []*host
	if len(in) > room {
		out = f.departures(worst, in[room:], &ss)
		n := room + len(out)
		rest, in = append(rest, in[n:]...), in[:n]
	}
	// Hosts that have waited and do not come in stand in the other line, by their seats, from now on. Hosts whose
	// domain has spent its budget since they were placed move to a later round, and so make way for others.
	made := false // whether any host made way
	for i := range rest {
		late := rest[i].head.round > max(rest[i].s.round, round)
		made = made || late
		if at, until := rest[i].s.line(); until == 0 && !late {
			if at.less(l.best) {
				l.best = at
			}
			continue
		}
		c, err := ss.of(rest[i].name)
		if err != nil {
			return err
		}
		if late {
			c.now.allowance = allowance{round: rest[i].head.round}
		}
		if c.now.fails < deadAfter {
			c.now.until = 0
		}
		if !c.now.queued { // it waited for a deferred task, which refill will find
			c.now.queued, c.now.rank = true, rank{class: classNormal}
		}
	}
	ss.emptied(f.clock.wall())
	more, err := ss.write(b)
	if err != nil {
		return err
	}
	changed := f.known.changed(b)
	if changed {
		if err := f.clock.noteJump(b); err != nil {
			return err
		}
	}
	if more != 0 {
		f.mu.Lock()
		f.mu.sums.hosts += more
		err = b.Set([]byte{tagCounters}, f.mu.sums.append(nil), nil)
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
	if changed {
		// Not synced: after a power cut, hosts stand in line where they stood before, and nothing is lost.
		if err := f.known.commitEarly(b); err != nil {
			return err
		}
	} else if err := b.Close(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	if err := f.db.readHeads(in); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.now()
	f.mu.bench.line.best, f.mu.bench.line.wait = l.best, l.wait
	f.mu.bench.line.fruitless, f.mu.bench.line.changes, f.mu.bench.line.again = len(in) == 0 && !made, 0, now+turnAgain
	ss.learn()
	for _, h := range dirty {
		h.arrange(now)
	}
	for _, h := range out {
		h.goAway(now)
	}
	for i := range in {
		f.comeIn(&in[i], now)
	}
	return nil
}

// arrival is a host in line that may come onto the workbench.
type arrival struct {
	name string
	s    standing
	head seat     // its seat, with the budget of its domain taken into account
	read []queued // the first tasks of its queue
	more bool     // there are more tasks behind them
	from rank     // … with this rank or a later one
}

// arrivals returns the hosts in line whose turn it is, the best first. It takes up to most hosts of each line. In the
// line of seats it stops at the n-th host if enough(n, its seat) is false. Afterwards l says where the lines go on. in
// has at most most hosts; rest has the others.
func (f *Frontier) arrivals(l *line, ss *standings, most int, round uint32, enough func(n int, at seat) bool) (in, rest []arrival, err error) {
	from := l.best
	l.best = lineEmpty()
	err = f.db.read([]byte{tagReady}, []byte{tagReady + 1}, "the line", func(it *pebble.Iterator) error {
		if from == lineEmpty() {
			return nil
		}
		for ok := it.SeekGE(appendSeat([]byte{tagReady}, from)); ok; ok = it.Next() {
			name, at, _, err := parseLine(it.Key())
			if err != nil {
				return err
			}
			if f.parts.first() && at.class != classFirst {
				if it.SeekLT(appendSeat([]byte{tagReady}, seat{round: at.round + 1})) {
					continue // at the next round, in which parts come first again
				}
				break
			}
			if f.elsewhere(name) {
				continue
			}
			if len(in) == most || !enough(len(in), at) {
				l.best = at
				break
			}
			in = append(in, arrival{name: name})
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	wall := f.clock.wall().UnixNano()
	if l.wait <= wall {
		if in, err = f.db.waited(l, in, most, wall, f.elsewhere); err != nil {
			return nil, nil, err
		}
	}
	names := make([]string, len(in))
	for i := range in {
		names[i] = in[i].name
	}
	if err := ss.find(names); err != nil {
		return nil, nil, err
	}
	for i := range in {
		c := &in[i]
		c.s = ss.byName[c.name].was
		c.head = c.s.seat()
		c.head.round = max(c.head.round, c.s.domain.next(round, f.budgets.domain, 0))
	}
	slices.SortFunc(in, func(a, b arrival) int {
		if a.head != b.head {
			if a.head.less(b.head) {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.name, b.name)
	})
	if len(in) > most {
		in, rest = in[:most], slices.Clone(in[most:])
	}
	return in, rest, nil
}

// waited adds to in up to most hosts that have waited long enough. A time further off than longestWait was written
// before the clock jumped: its host comes in now, and waits there for longestWait at most.
func (d *database) waited(l *line, in []arrival, most int, wall int64, elsewhere func(string) bool) ([]arrival, error) {
	at := func(t int64) []byte { return binary.BigEndian.AppendUint64([]byte{tagWaiting}, uint64(t)) }
	tooFar := wall + int64(longestWait)
	n := 0
	from := l.wait
	l.wait = math.MaxInt64
	err := d.read([]byte{tagWaiting}, []byte{tagWaiting + 1}, "the line", func(it *pebble.Iterator) error {
		for ok := it.SeekGE(at(from)); ok; {
			name, _, until, err := parseLine(it.Key())
			if err != nil {
				return err
			}
			switch {
			case elsewhere(name):
				ok = it.Next()
			case n == most:
				l.wait, ok = min(l.wait, until), false
			case until > wall && until <= tooFar:
				l.wait = until
				ok = it.SeekGE(at(tooFar + 1))
			default:
				n++
				in = append(in, arrival{name: name})
				ok = it.Next()
			}
		}
		return nil
	})
	return in, err
}

// elsewhere reports whether a host in line is also on the workbench or on hold, so that it does not come in.
func (f *Frontier) elsewhere(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.bench.hosts[name] != nil || f.mu.holds.has(name)
}

// comeIn puts a host on the workbench.
func (f *Frontier) comeIn(c *arrival, now instant) {
	if f.mu.bench.hosts[c.name] != nil { // it came in meanwhile, for example to be asked for a robots.txt
		return
	}
	h := f.newHost(c.name, &c.s, now)
	h.more, h.from = c.more, c.from
	for _, q := range c.read {
		h.insert(q, now)
	}
	h.arrange(now)
}

// readHeads reads the first tasks of the hosts that come in. It does so before Frontier.mu is locked, so that no caller
// of Next waits for the disk.
func (d *database) readHeads(in []arrival) error {
	byName := make([]*arrival, len(in)) // neighbours on disk are read together
	for i := range in {
		byName[i] = &in[i]
	}
	slices.SortFunc(byName, func(a, b *arrival) int { return strings.Compare(a.name, b.name) })
	return d.read([]byte{tagQueue}, []byte{tagQueue + 1}, "the queues", func(it *pebble.Iterator) error {
		for _, c := range byName {
			if !c.s.queued {
				continue
			}
			lo, _ := hostRange(tagQueue, c.name)
			for ok := it.SeekPrefixGE(appendRank(lo, c.s.rank)); ok; ok = it.Next() {
				_, p, err := parsePlace(it.Key())
				if err != nil {
					return err
				}
				if len(c.read) == turnTasks {
					c.more, c.from = true, p.rank
					break
				}
				c.read = append(c.read, queued{p, slices.Clone(it.Value())})
			}
		}
		return nil
	})
}

// endHolds ends the holds whose time is over, and lets b delete them on disk. Frontier.applying is held.
func (f *Frontier) endHolds(b *pebble.Batch) error {
	f.mu.Lock()
	over := f.mu.holds.over(f.clock.Now())
	f.mu.Unlock()
	for _, name := range over {
		if err := b.Delete(stringKey(tagHold, name), nil); err != nil {
			return err
		}
		if err := f.setHold(name, nil); err != nil {
			return err
		}
	}
	return nil
}

// findLost puts every host that has something queued into its line, as if it stood in none. It is called when URLs
// count as queued but no host can be found. That happens only if the lines were damaged; so even then no URL is lost.
// It reads one key for each host. It fails if nothing is queued at all.
func (f *Frontier) findLost() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	ss := standings{f: f}
	for _, tag := range [...]byte{tagQueue, tagDeferred} {
		err := f.db.read([]byte{tag}, []byte{tag + 1}, "the queues", func(it *pebble.Iterator) error {
			for ok := it.First(); ok; {
				name, p, err := parsePlace(it.Key())
				var c *change
				if err == nil {
					c, err = ss.of(name)
				}
				if err != nil {
					return err
				}
				c.add(p, 0)
				_, hi := hostRange(tag, name)
				ok = it.SeekGE(hi)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(ss.all) == 0 {
		f.mu.Lock()
		defer f.mu.Unlock()
		return fmt.Errorf("frontier: %s: %d URLs count as queued, but none is", f.o.Dir, f.mu.sums.queued)
	}
	b, err := f.known.begin()
	if err != nil {
		return err
	}
	for _, c := range ss.all { // as if it stood in no line
		if key := c.was.lineKey(c.name); key != nil {
			if err := b.Delete(key, nil); err != nil {
				return err
			}
		}
		c.was = standing{allowance: c.was.allowance, trouble: c.was.trouble, add: c.was.add, domain: c.was.domain}
	}
	if _, err := ss.write(b); err != nil {
		return err
	}
	if err := f.known.commit(b); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ss.learn()
	f.mu.sums.hosts = int64(len(ss.all))
	return nil
}
