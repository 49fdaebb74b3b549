package frontier

import (
	"fmt"
	"time"
)

// This file lets a crawl that may take only so much wait for better URLs. Frontier.mu guards all of it.

// While the hosts of the best URLs rest, workers could ask other hosts for URLs that score far less. Where the crawl may
// take so many URLs and no more, each of these takes the place of a better one. So nothing is handed out while a host
// that rests has a better URL. Only the order of the scores counts, since each order has its own scale.
//
// Waiting costs time, and is bounded twice. A crawl waits in all for as much of Budget.Wait as it has spent of the
// budget. So the wait is spread over the crawl, and a budget too large for it is spent as fast as ever. And it waits for
// waitAtOnce at a time: then what is best among those that may be asked is handed out, whoever rests or is silent.

// Budget is what a crawl may take before it ends, such as --max-pages.
type Budget struct {
	Spent, All int64         // All is 0 for no bound
	Of         string        // what is counted, for people: "pages"
	Wait       time.Duration // how long the crawl may wait for better URLs until all is spent; 0 is never
}

// waitAtOnce is how long a crawl waits for better URLs at a time. A host that rests longer is not waited for.
const waitAtOnce = 10 * time.Second

// patience says whether the crawl waits for better URLs.
type patience struct {
	budget  Budget
	before  int64         // of budget.Spent, what was spent before this frontier was opened
	promise heap[*host]   // hosts that may be asked again soon, by the best that they will offer; empty without a budget
	since   instant       // when the wait began that is on; never if none is
	waited  time.Duration // in all, the wait that is on left out
}

func newPatience() patience {
	return patience{since: never, promise: heap[*host]{
		less: func(a, b *host) bool { return a.promise.less(b.promise) },
		at:   func(h *host) *int { return &h.promiseAt },
	}}
}

// SetBudget says how much of its budget the crawl has spent, and how long it may wait for better URLs because of it. It
// is called again whenever more is spent. Nothing is kept over a restart: the time to wait begins anew then.
func (f *Frontier) SetBudget(b Budget) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.mu.patience
	if p.budget == (Budget{}) {
		p.before = b.Spent
	}
	p.budget = b
}

// better reports whether there is budget left, and a host that will soon offer a better URL than a host with the seat s.
func (p *patience) better(s seat) bool {
	if p.budget.Spent >= p.budget.All || p.promise.len() == 0 || s.class == classFirst {
		return false
	}
	best := p.promise.items[0].promise
	best.id, s.id = 0, 0 // equal scores are equally good
	return best.less(s)
}

// leaves reports whether the URL of a ready host with the seat s is left, because the crawl waits for a better one.
func (p *patience) leaves(s seat, now instant) bool {
	if !p.better(s) {
		return false
	}
	if p.since == never {
		p.since = now
	}
	return now < p.until()
}

// until returns when the wait that is on must be over.
func (p *patience) until() instant {
	share := float64(p.budget.Spent-p.before) / float64(max(p.budget.All-p.before, 1))
	return p.since + min(time.Duration(share*float64(p.budget.Wait))-p.waited, waitAtOnce)
}

// end ends the wait that is on, if one is: something is handed out, or nothing could be.
func (p *patience) end(now instant) {
	if p.since != never {
		p.waited += now - p.since
		p.since = never
	}
}

// words says for what a host with the seat s waits though it may be asked; "" for nothing.
func (p *patience) words(s seat, now instant) string {
	if !p.better(s) || p.since != never && now >= p.until() {
		return ""
	}
	return fmt.Sprintf("the crawl waits for better ones: %d of its %d %s are left, and %s, which is asked again soon, has URLs that score more",
		p.budget.All-p.budget.Spent, p.budget.All, p.budget.Of, p.promise.items[0].name)
}

// promises takes note of what h, a host that is not ready, will offer, if its turn comes soon.
func (h *host) promises(now instant) {
	p := &h.f.mu.patience
	if p.budget.All == 0 || !h.rests() || h.dead(now) || h.turn() > now+waitAtOnce {
		return
	}
	best, some := h.best()
	if !some {
		return
	}
	h.promise = seat{h.f.budgets.roundOf(h, h.f.mu.sums.round), best.raised(h.onDisk.add)}
	p.promise.push(h)
	h.promised = true
}

// breaksPromise forgets what h will offer.
func (h *host) breaksPromise() {
	if h.promised {
		h.f.mu.patience.promise.remove(h)
		h.promised = false
	}
}
