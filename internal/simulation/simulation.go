// Package simulation is a simulated world for whole crawls. Everything outside the crawl is derived from one number,
// the seed: the web with its failures, the disk with its crashes, the clock with its jumps, and the order in which
// goroutines continue.
//
// A World lasts over several runs of one crawl. Each run is a Life of a process, which a kill or power cut may end. A
// life gives the crawl its clock, disk, names and connections. Whoever waits (for time, a connection, bytes) waits at a
// gate. When all goroutines of the world are blocked, one scheduler lets one or some continue, chosen by the seed. If
// none can, time moves to the next moment at which one can, or a little beyond. So a crawl of days takes a second, and
// its events come in the order that the seed chooses.
//
// The world must run in a bubble of testing/synctest, because it uses its time. Violations, Counts and the trace report
// what it saw: the trace has one line for each event, always the same for the same seed and program.
//
//	simulation.go  the world, lives, gates and the scheduler
//	web.go         the generated web: hosts, pages, links, rules
//	server.go      how its servers answer, and fail to
//	conn.go        connections as scripts of bytes
//	ledger.go      what servers see of politeness
//	disk.go        the disk, file.go its open files
package simulation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Options of a world. Seed and Quiet are required.
type Options struct {
	Seed  uint64
	Quiet func()    // returns when all other goroutines of the bubble are blocked: synctest.Wait
	Trace io.Writer // receives each line of the trace; nil keeps only the last ones
	Calm  bool      // no faults, crashes or jumps
	Large bool      // many links lead to large pictures, half of all answers have a fault, and the rest of a picture can be asked for
}

// World is the environment of one crawl's lives. It is safe for concurrent use.
type World struct {
	o     Options
	seed  uint64
	begin time.Time
	web   *web

	mu struct {
		sync.Mutex
		rng        *rand.Rand // of the scheduler
		asks       int        // reads of the clock since the last step
		pending    []*gate
		steps      int64
		stopped    bool
		shift      time.Duration // offset of the wall clock, from its jumps
		nextJump   time.Time     // zero if none
		life       *Life
		lives      int
		conns      map[string]int  // number of events of each name
		served     map[string]bool // by URL and digest: bodies sent, and whether each is the whole page
		tail       []string        // last lines of the trace, a ring
		events     int64
		violations []string
		counts     map[string]int64
		settled    map[string]time.Time // by URL: when the crawl said that it is durably done with it
		jumped     bool
		ledger     ledger
	}
	kick chan struct{} // a gate was added
	done chan struct{} // the scheduler ended
}

// gate is an operation that waits to continue.
type gate struct {
	name  string
	due   time.Time
	life  *Life
	ready chan struct{}
}

// tailSize is how many lines of the trace are kept for the report of a violation.
const tailSize = 60

// New makes a world and starts its scheduler; Stop ends it.
func New(o Options) *World {
	w := &World{o: o, seed: o.Seed, begin: time.Now(), kick: make(chan struct{}, 1), done: make(chan struct{})}
	w.mu.rng = rand.New(rand.NewPCG(o.Seed, 1))
	w.mu.counts = map[string]int64{}
	w.mu.settled = map[string]time.Time{}
	w.mu.conns = map[string]int{}
	w.mu.served = map[string]bool{}
	w.mu.ledger = newLedger()
	w.web = newWeb(o.Seed, o.Calm, o.Large)
	if !o.Calm && w.dice("jumps", "", 0).IntN(4) == 0 {
		w.mu.nextJump = w.begin.Add(time.Duration(w.mu.rng.IntN(600)) * time.Second)
	}
	go w.schedule()
	return w
}

// Stop ends the scheduler. No life may be running.
func (w *World) Stop() {
	w.mu.Lock()
	w.mu.stopped = true
	w.mu.Unlock()
	w.stir()
	<-w.done
}

// schedule lets operations continue, one after the other.
func (w *World) schedule() {
	defer close(w.done)
	for {
		w.o.Quiet()
		w.mu.Lock()
		if w.mu.stopped {
			w.mu.Unlock()
			return
		}
		select {
		case <-w.kick:
		default:
		}
		now := time.Now()
		w.jump(now)
		if g := w.choose(now); g != nil {
			more := 0
			if rng := w.dice("more", "", int(w.mu.steps)); rng.IntN(4) == 0 {
				more = 1 + rng.IntN(3) // several at once, so that their goroutines interfere
			}
			for ; g != nil; g, more = w.choose(now), more-1 {
				w.mu.steps++
				w.trace("go %s", g.name)
				close(g.ready)
				if more == 0 {
					break
				}
			}
			w.mu.Unlock()
			continue
		}
		var next <-chan time.Time
		var timer *time.Timer
		hangs := false
		if due, ok := w.next(); ok {
			late := time.Duration(0) // a machine may be late, and then has more to do
			if rng := w.dice("late", "", int(w.mu.steps)); rng.IntN(4) == 0 {
				late = time.Duration(rng.IntN(200)) * time.Millisecond
			}
			timer = time.NewTimer(due.Sub(now) + late)
			next = timer.C
		} else if w.mu.life != nil {
			timer, hangs = time.NewTimer(patience), true
			next = timer.C
		}
		w.mu.Unlock()
		select {
		case <-w.kick:
		case <-next:
			if hangs {
				w.giveUp("nothing can go on any more, and the crawl does not end")
			}
		}
		if time.Since(w.begin) > longest {
			w.giveUp("the crawl does not end")
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// choose removes one of the gates that are due and returns it; nil if none is.
func (w *World) choose(now time.Time) *gate {
	var due []*gate
	for _, g := range w.mu.pending {
		if !g.due.After(now) {
			due = append(due, g)
		}
	}
	if len(due) == 0 {
		return nil
	}
	// Not in order of arrival: with several goroutines, that depends on the machine.
	slices.SortFunc(due, func(a, b *gate) int { return strings.Compare(a.name, b.name) })
	g := due[0]
	if len(due) > 1 {
		g = due[w.mu.rng.IntN(len(due))]
	}
	w.mu.pending = slices.DeleteFunc(w.mu.pending, func(x *gate) bool { return x == g })
	return g
}

// next returns when the next gate is due. A gate that only waits for others is due in centuries, that is, never.
func (w *World) next() (due time.Time, ok bool) {
	for _, g := range w.mu.pending {
		if !ok || g.due.Before(due) {
			due, ok = g.due, true
		}
	}
	return due, ok && due.Sub(w.begin) < horizon
}

// giveUp ends the life of a crawl that does not end.
func (w *World) giveUp(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.mu.life; l != nil && l.ctx.Err() == nil {
		w.violate("%s", why)
		l.cancel()
	}
}

const (
	patience = 10 * time.Minute    // how long nothing may continue: anything that the crawl waits for without a gate takes less
	longest  = 30 * 24 * time.Hour // longest crawl
)

// horizon is longer than any simulated crawl.
const horizon = 10 * 365 * 24 * time.Hour

// pass waits at a gate, at least until due. It returns true when the scheduler lets it continue, and false if cancelled
// was closed first.
func (w *World) pass(l *Life, name string, due time.Time, cancelled <-chan struct{}) bool {
	g := &gate{name: name, due: due, life: l, ready: make(chan struct{})}
	w.mu.Lock()
	if l.dead {
		w.mu.Unlock()
		return true
	}
	w.mu.pending = append(w.mu.pending, g)
	w.mu.Unlock()
	w.stir()
	select {
	case <-g.ready:
		return true
	case <-cancelled:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.mu.pending)
	w.mu.pending = slices.DeleteFunc(w.mu.pending, func(x *gate) bool { return x == g })
	return len(w.mu.pending) == before // it had been allowed to continue
}

func (w *World) stir() {
	select {
	case w.kick <- struct{}{}:
	default: // it was told already
	}
}

// jump moves the wall clock if it is time.
func (w *World) jump(now time.Time) {
	if w.mu.nextJump.IsZero() || now.Before(w.mu.nextJump) || w.mu.life == nil || w.mu.life.dead {
		return
	}
	d := time.Duration(1+w.mu.rng.IntN(4*3600)) * time.Second
	kind := "clock forward"
	if w.mu.rng.IntN(2) == 0 && w.mu.shift-d > -24*time.Hour {
		d, kind = -d, "clock back"
	}
	w.mu.shift += d
	w.mu.jumped = true
	w.count(kind)
	w.trace("%s by %v", kind, d)
	w.mu.nextJump = now.Add(time.Duration(60+w.mu.rng.IntN(3600)) * time.Second)
}

// trace records an event. The caller holds w.mu.
func (w *World) trace(format string, args ...any) {
	w.mu.events++
	line := fmt.Sprintf("%s %s\n", time.Since(w.begin), fmt.Sprintf(format, args...))
	if w.o.Trace != nil {
		io.WriteString(w.o.Trace, line)
	}
	if len(w.mu.tail) < tailSize {
		w.mu.tail = append(w.mu.tail, line)
	} else {
		w.mu.tail[(w.mu.events-1)%tailSize] = line
	}
}

// count counts one fault or event of a kind. The caller holds w.mu.
func (w *World) count(kind string) { w.mu.counts[kind]++ }

// violate records a violation. The caller holds w.mu.
func (w *World) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.trace("VIOLATION %s", text)
	if len(w.mu.violations) < 20 {
		w.mu.violations = append(w.mu.violations, fmt.Sprintf("after %s: %s", time.Since(w.begin), text))
	}
}

// Violations returns the violations so far, oldest first.
func (w *World) Violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.mu.violations)
}

// Counts returns how often each fault was injected and each kind of event happened. "fetch" is a request that reached a
// server or failed on its way.
func (w *World) Counts() map[string]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := make(map[string]int64, len(w.mu.counts))
	for k, n := range w.mu.counts {
		counts[k] = n
	}
	return counts
}

// Tail returns the last part of the trace.
func (w *World) Tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	for i := range w.mu.tail {
		b.WriteString(w.mu.tail[(w.mu.events+int64(i))%int64(len(w.mu.tail))])
	}
	return b.String()
}

// Note adds a line to the trace.
func (w *World) Note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace(format, args...)
}

// dice returns random numbers that depend only on the seed and the names given, not on earlier events.
func (w *World) dice(what, name string, n int) *rand.Rand {
	return rand.New(rand.NewPCG(mix(w.seed, what, n), mix(w.seed, name, n)))
}

func mix(seed uint64, s string, n int) uint64 {
	h := seed*0x9e3779b97f4a7c15 ^ 0xcbf29ce484222325
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	h = (h ^ uint64(n)) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9
}

// Life is one run of the crawler's process.
type Life struct {
	w      *World
	disk   *Disk
	ctx    context.Context
	cancel context.CancelFunc

	// Guarded by w.mu.
	dead  bool
	after *Disk // what the kill left

	ops    int64 // changes of the disk so far; only the disk's hook uses it
	killAt int64 // the process ends before this change; 0 = never
	power  bool  // … by a power cut
	broken diskFault
	hook   sync.Mutex
}

// Plan says what happens to a life.
type Plan struct {
	KillAt int64          // the process is killed before this change of the disk, counted from 1; 0 = never
	Power  bool           // … and unsynced data is lost
	After  *regexp.Regexp // the process is killed after the first change that this matches, as "rename archive/archive.json"
	Stop   time.Duration  // time after which it is asked to stop; 0 = never
	Fault  string         // disk fault at change FaultAt: "full", "short write", "failed sync"; "" = none
	At     int64
	Spare  func(name string) bool // files that the disk fault spares; nil = none
}

type diskFault struct {
	Plan
	hit bool
}

// Live begins a life on disk. Its context ends when it is killed or asked to stop.
func (w *World) Live(disk *Disk, p Plan) *Life {
	l := &Life{w: w, disk: disk, killAt: p.KillAt, power: p.Power, broken: diskFault{Plan: p}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	disk.Before = l.before
	disk.Free = l.free
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.life = l
	w.mu.lives++
	w.trace("life %d begins", w.mu.lives)
	if p.Stop > 0 {
		go func() {
			if w.pass(l, "stop", time.Now().Add(p.Stop), l.ctx.Done()) && l.ctx.Err() == nil {
				w.mu.Lock()
				w.count("interrupt")
				w.trace("interrupt")
				w.mu.Unlock()
				l.cancel()
			}
		}()
	}
	return l
}

// Context ends with the life.
func (l *Life) Context() context.Context { return l.ctx }

// Disk returns the disk of the life.
func (l *Life) Disk() *Disk { return l.disk }

// End ends the life after its run returned. It returns the disk that is left: the one after the crash if there was one.
func (l *Life) End() (disk *Disk, killed bool) {
	l.cancel()
	faulted := l.Faulted()
	w := l.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if faulted {
		w.mu.ledger.failed(time.Now())
	}
	killed = l.dead
	l.dead = true
	w.mu.life = nil
	w.mu.ledger.cutAll(time.Now())
	disk = l.after
	if disk == nil {
		disk = l.disk
	}
	disk.Before, disk.Free = nil, nil
	w.trace("life %d ended after %d changes of the disk", w.mu.lives, l.ops)
	return disk, killed
}

// Changes returns how many changes the life made to the disk.
func (l *Life) Changes() int64 {
	l.hook.Lock()
	defer l.hook.Unlock()
	return l.ops
}

// before is the disk's hook: it counts changes, kills at the planned one, and makes some fail.
func (l *Life) before(op DiskOp) (short int, err error) {
	l.hook.Lock()
	defer l.hook.Unlock()
	w := l.w
	w.mu.Lock()
	dead := l.dead
	if !dead {
		l.ops++
		w.trace("disk %s %s %d+%d", op.Kind, op.Name, op.Offset, op.Bytes)
	}
	w.mu.Unlock()
	if dead {
		return 0, nil
	}
	if l.ops == l.killAt {
		l.kill()
		return 0, nil
	}
	if after := l.broken.After; l.killAt == 0 && after != nil && after.MatchString(op.Kind+" "+op.Name) {
		l.killAt = l.ops + 1
	}
	return l.fault(op)
}

// fault applies the plan's disk fault to an operation.
func (l *Life) fault(op DiskOp) (short int, err error) {
	f := &l.broken
	if f.Fault == "" || l.ops < f.At || f.Spare != nil && f.Spare(op.Name) {
		return 0, nil
	}
	switch f.Fault {
	case "full":
		if op.Kind != "write" && op.Kind != "create" && op.Kind != "mkdir" {
			return 0, nil
		}
		err = ErrFull
	case "short write":
		if f.hit || op.Kind != "write" || op.Bytes < 2 {
			return 0, nil
		}
		short, err = op.Bytes/2, ErrFull
	case "failed sync":
		if f.hit || op.Kind != "sync" && op.Kind != "syncdir" {
			return 0, nil
		}
		err = ErrIO
	}
	w := l.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if !f.hit || f.Fault == "full" {
		w.count(f.Fault)
	}
	f.hit = true
	w.trace("%s: %s %s", f.Fault, op.Kind, op.Name)
	return short, err
}

// Faulted reports whether the plan's disk fault has happened.
func (l *Life) Faulted() bool {
	l.hook.Lock()
	defer l.hook.Unlock()
	return l.broken.hit
}

// free returns the free space that the disk reports: hardly any once it is full.
func (l *Life) free() uint64 {
	return 1 << 40
}

// kill ends the process now: the disk stays as it is, connections break, and nobody sees what the program does from now
// on. Goroutines cannot be killed, so they must end by themselves.
func (l *Life) kill() {
	w := l.w
	w.mu.Lock()
	defer w.mu.Unlock()
	l.dead = true
	o := Outage{Power: l.power, Keep: []int{0, 30, 70, 100}[w.mu.rng.IntN(4)], Order: w.mu.rng.IntN(2) == 0, RNG: w.mu.rng}
	kind := "kill"
	if l.power {
		kind = "power cut"
	}
	w.count(kind)
	w.trace("%s, keeping %d%%", kind, o.Keep)
	l.after = l.disk.Crash(o)
	w.mu.ledger.killed(time.Now())
	for _, g := range w.mu.pending {
		if g.life == l {
			close(g.ready)
		}
	}
	w.mu.pending = slices.DeleteFunc(w.mu.pending, func(g *gate) bool { return g.life == l })
	l.cancel()
}

// Now returns the wall clock with its jumps. Differences of two such times are true.
func (l *Life) Now() time.Time {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.wall(time.Now())
}

// wall returns what the wall clock shows at a true time. Its monotonic part is the true time, as on a machine whose
// clock is set. Package time cannot make such a value, so it is assembled from the words that time.Time documents. The
// caller holds w.mu.
func (w *World) wall(t time.Time) time.Time {
	const monotonic = 1 << 63
	shown := t.Add(w.mu.shift)
	seconds := uint64(shown.Unix() - since1885)
	words := struct {
		wall uint64
		ext  int64
		loc  *time.Location
	}{monotonic | seconds<<30 | uint64(shown.Nanosecond()), int64(t.Sub(w.begin)) + 1, nil}
	return *(*time.Time)(unsafe.Pointer(&words))
}

// since1885 is the Unix time from which the seconds of a time.Time with a monotonic part count.
const since1885 = -2682288000

// Sleep implements clock.Clock. In a life that was ended it returns at once.
func (l *Life) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if l.w.pass(l, fmt.Sprintf("sleep %v", d), time.Now().Add(min(d, 2*horizon)), ctx.Done()) {
		return nil
	}
	return ctx.Err()
}
