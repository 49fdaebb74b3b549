// Package simulation is a world for whole crawls in which everything outside them is made up from one number, the seed:
// the web with its failures, the disk with its crashes, the clock with its jumps, and who goes on first.
//
// A World lasts over the runs of one crawl; each run is a Life of a process, which a kill or a power cut may end. A life
// gives a crawl its clock, its disk, its names and its connections. Whoever waits (for time, a connection, bytes) does so
// at a gate: the operation is written down, and one scheduler lets one or some go on, chosen by the seed, when all
// goroutines of the world are blocked. When nothing can go on, time moves to the next moment at which something can, or a
// little beyond. So a crawl of days takes a second, and its events come in the order that the seed chooses.
//
// The world must run in a bubble of testing/synctest, whose time it uses. What it saw is told by Violations, Counts and
// the trace: one line for each event, byte for byte the same for the same seed and program.
//
//	simulation.go  the world, lives, gates and the scheduler
//	web.go         the made-up web: hosts, pages, links, rules
//	server.go      how its servers answer, and fail to
//	conn.go        connections as byte scripts
//	ledger.go      what servers see of politeness
//	disk.go        the disk, file.go its open files
package simulation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Options of a world. Seed and Quiet are needed.
type Options struct {
	Seed  uint64
	Quiet func()    // returns when all other goroutines of the bubble are blocked: synctest.Wait
	Trace io.Writer // gets each line of the trace; nil keeps the last ones only
	Calm  bool      // nothing fails: no faults, no crashes, no jumps
}

// World is what surrounds the lives of one crawl. It is safe for concurrent use.
type World struct {
	o     Options
	seed  uint64
	begin time.Time
	web   *web

	mu struct {
		sync.Mutex
		rng        *rand.Rand // of the scheduler
		asks       int        // for the time, since the last step
		pending    []*gate
		steps      int64
		stopped    bool
		shift      time.Duration // of the wall clock, by its jumps
		nextJump   time.Time     // zero for none
		life       *Life
		lives      int
		conns      map[string]int  // events of each name
		served     map[string]bool // by URL and digest: bodies sent, and whether each is the whole page
		tail       []string        // of the trace, a ring
		events     int64
		violations []string
		counts     map[string]int64
		settled    map[string]time.Time // by URL: when the crawl said that it is done with it, durably
		jumped     bool
		ledger     ledger
	}
	kick chan struct{} // a gate was added
	done chan struct{} // the scheduler ended
}

// gate is an operation that waits to go on.
type gate struct {
	name  string
	due   time.Time
	life  *Life
	ready chan struct{}
}

// tailSize is how many lines of the trace are kept for a violation's report.
const tailSize = 60

// New makes a world and starts its scheduler, which Stop ends.
func New(o Options) *World {
	w := &World{o: o, seed: o.Seed, begin: time.Now(), kick: make(chan struct{}, 1), done: make(chan struct{})}
	w.mu.rng = rand.New(rand.NewPCG(o.Seed, 1))
	w.mu.counts = map[string]int64{}
	w.mu.settled = map[string]time.Time{}
	w.mu.conns = map[string]int{}
	w.mu.served = map[string]bool{}
	w.mu.ledger = newLedger()
	w.web = newWeb(o.Seed, o.Calm)
	if !o.Calm && w.dice("jumps", "", 0).IntN(4) == 0 {
		w.mu.nextJump = w.begin.Add(time.Duration(w.mu.rng.IntN(600)) * time.Second)
	}
	go w.schedule()
	return w
}

// Stop ends the scheduler. No life may be going on.
func (w *World) Stop() {
	w.mu.Lock()
	w.mu.stopped = true
	w.mu.Unlock()
	w.stir()
	<-w.done
}

// schedule lets one operation after the other go on.
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
				more = 1 + rng.IntN(3) // at once, and their goroutines get into each other's way
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
			late := time.Duration(0) // a machine may be, and has more to do then
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

// choose takes one of the gates that are due out; nil when none is.
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
	// Not by when they came, which is the machine's choice where several goroutines ran.
	slices.SortFunc(due, func(a, b *gate) int { return strings.Compare(a.name, b.name) })
	g := due[0]
	if len(due) > 1 {
		g = due[w.mu.rng.IntN(len(due))]
	}
	w.mu.pending = slices.DeleteFunc(w.mu.pending, func(x *gate) bool { return x == g })
	return g
}

// next is when the next gate is due. One that waits for others alone is due in centuries, which is never.
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
	patience = 10 * time.Minute    // in which nothing can go on: what the crawl waits for without a gate takes less
	longest  = 30 * 24 * time.Hour // of a crawl
)

// horizon is longer than any crawl of a simulated world takes.
const horizon = 10 * 365 * 24 * time.Hour

// pass waits at a gate until due at the soonest. It reports whether the scheduler let it go on; false means that
// cancelled was closed first.
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
	return len(w.mu.pending) == before // it had been let go
}

func (w *World) stir() {
	select {
	case w.kick <- struct{}{}:
	default: // it was told
	}
}

// jump moves the wall clock when its time has come.
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

// trace writes an event down. w.mu is held.
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

// count notes one injection or event of a kind. w.mu is held.
func (w *World) count(kind string) { w.mu.counts[kind]++ }

// violate notes that something happened that never may. w.mu is held.
func (w *World) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.trace("VIOLATION %s", text)
	if len(w.mu.violations) < 20 {
		w.mu.violations = append(w.mu.violations, fmt.Sprintf("after %s: %s", time.Since(w.begin), text))
	}
}

// Violations are the breaches that the world saw, oldest first.
func (w *World) Violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.mu.violations)
}

// Counts are how often each fault was injected and each kind of event happened: "fetch" is a request that reached a
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

// Tail is the last part of the trace.
func (w *World) Tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b bytes.Buffer
	for i := range w.mu.tail {
		b.WriteString(w.mu.tail[(w.mu.events+int64(i))%int64(len(w.mu.tail))])
	}
	return b.String()
}

// Note adds a line of the caller's to the trace.
func (w *World) Note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace(format, args...)
}

// dice are random numbers that depend on the seed and the names given alone, not on what happened before.
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

	ops    int64 // changes of the disk so far, by the disk's hook alone
	killAt int64 // the change before which the process ends; 0 for never
	power  bool  // … by a power cut
	broken diskFault
	hook   sync.Mutex
}

// Plan is what happens to a life.
type Plan struct {
	KillAt int64         // before this change of the disk, counted from 1, the process is killed; 0 for never
	Power  bool          // … and what was not synced is lost
	Stop   time.Duration // after which it is asked to stop; 0 for never
	Fault  string        // of the disk, at change FaultAt: "full", "short write", "failed sync"; "" for none
	At     int64
	Spare  func(name string) bool // files that the disk's fault does not touch; nil for none
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

// Disk is the disk that the life runs on.
func (l *Life) Disk() *Disk { return l.disk }

// End ends the life after its run returned, and gives the disk that is left: that of the crash if there was one.
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

// Changes is how many changes of the disk the life made.
func (l *Life) Changes() int64 {
	l.hook.Lock()
	defer l.hook.Unlock()
	return l.ops
}

// before is the disk's hook: it counts changes, kills at the appointed one, and fails some.
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
	return l.fault(op)
}

// fault is what the disk's plan does to an operation.
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

// Faulted reports whether the plan's fault of the disk has struck.
func (l *Life) Faulted() bool {
	l.hook.Lock()
	defer l.hook.Unlock()
	return l.broken.hit
}

// free is the room that the disk tells of: none to speak of once it is full.
func (l *Life) free() uint64 {
	return 1 << 40
}

// kill ends the process at this moment: the disk is as it is, connections break, and what the program does from now on
// nobody sees. It is to wind down by itself, since goroutines cannot be ended.
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

// Now is the time by the wall clock as it stands after its jumps; differences of two such times are true.
func (l *Life) Now() time.Time {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.wall(time.Now())
}

// wall is what the wall clock shows at a true time. Its monotonic part is the true time, as on a machine whose clock is
// set; package time has no way to make such a value, so it is put together from the words that time.Time documents.
// w.mu is held.
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

// since1885 is the Unix time at which the seconds of a time.Time with a monotonic part begin.
const since1885 = -2682288000

// Sleep waits as clock.Clock wants it. In a life that was ended nobody waits.
func (l *Life) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if l.w.pass(l, fmt.Sprintf("sleep %v", d), time.Now().Add(min(d, 2*horizon)), ctx.Done()) {
		return nil
	}
	return ctx.Err()
}
