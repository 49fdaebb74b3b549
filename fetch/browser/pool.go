package browser

// This file shares out the pages among Chromium processes, which it starts, watches, replaces and ends.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kavosh/internal/chromium"
	"kavosh/internal/clock"
)

// Bounds on one Chromium process with all that belong to it.
const (
	tabs      = 3   // pages at once
	maxPages  = 200 // loaded in all; then another process takes its place
	maxAge    = 30 * time.Minute
	maxMemory = 2 << 30 // bytes; less where Options.Memory is less
)

// watching is how often the memory of the processes is looked at.
const watching = 500 * time.Millisecond

// tries is how often a process is started in a row. The pause between two is as long as the number of failures in seconds,
// doubled for each.
const tries = 4

// pool is the Chromium processes. A process starts when all others are full. It is safe for concurrent use.
type pool struct {
	how    chromium.Options
	clock  clock.Clock
	memory int64         // bytes that each process may take
	free   chan struct{} // holds one token for each free tab of all processes, running or not
	alone  chan struct{} // holds one token: for the next page that waits for a process of its own

	starting sync.Mutex // one at a time

	mu struct {
		sync.Mutex
		all    []*process
		closed bool
	}
}

// process is a Chromium with what belongs to it.
type process struct {
	*chromium.Browser
	started time.Time
	alone   bool          // it takes one page, and has no other
	pages   int           // begun; guarded by the pool's mu
	under   int           // being loaded; guarded by the pool's mu
	over    atomic.Int64  // bytes of memory for which a page was ended that does not know it yet; 0 if none was
	ended   chan struct{} // closed when it is no more
}

// errClosed is what pages get of a pool that is closed.
var errClosed = errors.New("the browser is closed")

// newPool returns a pool for this machine: a process for each core, as far as memory goes. most is Options.Memory.
func newPool(how chromium.Options, most int64, c clock.Clock) *pool {
	p := &pool{how: how, clock: c, memory: maxMemory}
	processes := runtime.GOMAXPROCS(0)
	if free, ok := chromium.FreeMemory(); ok {
		most = min(cmp.Or(most, free), free/2)
	}
	if most > 0 {
		p.memory = min(maxMemory, most)
		processes = max(1, min(processes, int(most/p.memory)))
	}
	p.free = make(chan struct{}, processes*tabs)
	p.release(processes * tabs)
	p.alone = make(chan struct{}, 1)
	p.alone <- struct{}{}
	return p
}

func (p *pool) release(tabs int) {
	for range tabs {
		p.free <- struct{}{}
	}
}

// take waits for a free tab and returns a process that has one, or for as many as a process has, and returns one that has no
// other page and takes none. put gives it back. The error is ctx's, or says why none can be started.
func (p *pool) take(ctx context.Context, alone bool) (*process, error) {
	want := 1
	if alone {
		want = tabs
		select {
		case <-p.alone: // two that wait could each hold what the other one needs
			defer func() { p.alone <- struct{}{} }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for got := range want {
		select {
		case <-p.free:
		case <-ctx.Done():
			p.release(got)
			return nil, ctx.Err()
		}
	}
	q, err := p.open(ctx, alone)
	if err != nil {
		p.release(want)
	}
	return q, err
}

// open returns a process with a free tab, and starts one if there is none or the page is to be alone.
func (p *pool) open(ctx context.Context, alone bool) (*process, error) {
	p.starting.Lock()
	defer p.starting.Unlock()
	if !alone {
		if q := p.running(); q != nil {
			return q, nil
		}
	}
	for failures := 0; ; {
		b, err := chromium.Start(context.WithoutCancel(ctx), p.how)
		if err == nil {
			return p.add(b, alone)
		}
		failures++
		if failures == tries || errors.Is(err, chromium.ErrAbsent) || errors.Is(err, chromium.ErrUnsandboxed) {
			return nil, err
		}
		if err := p.clock.Sleep(ctx, time.Second<<(failures-1)); err != nil {
			return nil, err
		}
	}
}

// running returns the running process with the most pages that takes another one, so that as few run as can; nil if there is
// none.
func (p *pool) running() (most *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.mu.all {
		if q.under < tabs && !p.old(q) && (most == nil || q.under > most.under) {
			most = q
		}
	}
	if most != nil {
		most.pages++
		most.under++
	}
	return most
}

// old reports whether a process takes no more pages; p.mu is held.
func (p *pool) old(q *process) bool {
	return q.alone || q.pages >= maxPages || p.clock.Now().Sub(q.started) >= maxAge || q.gone()
}

func (q *process) gone() bool {
	select {
	case <-q.Gone():
		return true
	default:
		return false
	}
}

// add takes in a process that has just started, with one page.
func (p *pool) add(b *chromium.Browser, alone bool) (*process, error) {
	q := &process{Browser: b, alone: alone, started: p.clock.Now(), pages: 1, under: 1, ended: make(chan struct{})}
	p.mu.Lock()
	closed := p.mu.closed
	if !closed {
		p.mu.all = append(p.mu.all, q)
	}
	p.mu.Unlock()
	if closed {
		b.Close()
		return nil, errClosed
	}
	go p.watch(q)
	return q, nil
}

// put gives back what take gave.
func (p *pool) put(q *process) {
	p.mu.Lock()
	q.under--
	last := q.under == 0 && p.old(q)
	p.mu.Unlock()
	if last {
		p.end(q)
	}
	if q.alone {
		p.release(tabs)
	} else {
		p.release(1)
	}
}

// end ends a process, and its pages with it.
func (p *pool) end(q *process) {
	q.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.mu.all, q); i >= 0 {
		p.mu.all = slices.Delete(p.mu.all, i, i+1)
		close(q.ended)
	}
}

// watch keeps a process within its memory until it has ended: of one that takes more, the largest page is ended.
func (p *pool) watch(q *process) {
	tick := time.NewTicker(watching) // by the machine's clock, as memory is the machine's
	defer tick.Stop()
	for {
		select {
		case <-q.ended:
			return
		case <-q.Gone():
			return
		case <-tick.C:
			if used := q.Memory(); used > p.memory {
				q.over.Store(used)
				if !q.EndLargest() {
					p.end(q)
				}
			}
		}
	}
}

// whyCrashed says why a page of q crashed.
func (p *pool) whyCrashed(q *process) string {
	if used := q.over.Swap(0); used > 0 {
		return fmt.Sprintf("browser: the page was ended, the largest in a Chromium that took %d MB of memory, of %d that it may", used>>20, p.memory>>20)
	}
	return "browser: the page crashed"
}

// close ends all processes. Pages in progress end as they are.
func (p *pool) close() {
	p.mu.Lock()
	p.mu.closed = true
	all := slices.Clone(p.mu.all)
	p.mu.Unlock()
	for _, q := range all {
		p.end(q)
	}
}
