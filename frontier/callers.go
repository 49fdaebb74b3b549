package frontier

import (
	"context"
	"slices"
	"sync"
)

// This file lets callers of Next, Claim and Join sleep while there is nothing for them, and wakes them.

// callers are the goroutines that wait in Next, and the guests, which wait in Claim and Join. Frontier.mu guards all
// fields but starving.
type callers struct {
	waiters     []*waiter     // callers of Next, in the order they came
	leader      *waiter       // the one of waiters that also wakes when a time has come
	leaderUntil instant       // that time
	guests      []*waiter     // callers of Claim and Join
	starving    chan struct{} // see Frontier.Starving
}

// waiter is a caller for whom there is nothing now.
type waiter struct {
	wake context.CancelFunc
}

// wait sleeps until somebody wakes the caller of Next, or ctx ends; mu is unlocked meanwhile. One of the waiters, the
// leader, sleeps no longer than until due, when the next host or address has its turn. The others sleep until they are
// woken, so that not all of them wake for one host.
func (c *callers) wait(ctx context.Context, mu sync.Locker, clock *crawlClock, now, due instant) {
	sleep, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &waiter{wake: cancel}
	until := forever
	if c.leader == nil {
		c.leader, c.leaderUntil = w, due
		until = due
	} else if due < c.leaderUntil {
		// This caller's look put a host to sleep (a Crawl-delay just learned) that is due before the leader wakes.
		c.wakeUp(c.leader)
	}
	c.waiters = append(c.waiters, w)
	c.sleep(sleep, mu, clock, now, until)
	c.dismiss(w)
	if c.leader == w {
		c.leader = nil
	}
}

// waitAsGuest sleeps until wakeGuests is called, the time until has come, or ctx ends. mu is unlocked meanwhile.
func (c *callers) waitAsGuest(ctx context.Context, mu sync.Locker, clock *crawlClock, now, until instant) {
	sleep, cancel := context.WithCancel(ctx)
	defer cancel()
	c.guests = append(c.guests, &waiter{wake: cancel})
	c.sleep(sleep, mu, clock, now, until)
}

func (c *callers) sleep(ctx context.Context, mu sync.Locker, clock *crawlClock, now, until instant) {
	d := forever
	if until < forever {
		d = until - now
	}
	mu.Unlock()
	clock.Sleep(ctx, d)
	mu.Lock()
}

// dismiss takes w out of the waiters.
func (c *callers) dismiss(w *waiter) {
	if i := slices.Index(c.waiters, w); i >= 0 {
		c.waiters = slices.Delete(c.waiters, i, i+1)
	}
}

// wakeUp lets a caller of Next look again.
func (c *callers) wakeUp(w *waiter) {
	c.dismiss(w)
	w.wake()
}

// wakeGuests lets all callers of Claim and Join look again.
func (c *callers) wakeGuests() {
	for i, w := range c.guests {
		w.wake()
		c.guests[i] = nil
	}
	c.guests = c.guests[:0]
}

// starve tells the reader of Frontier.Starving that a caller waits.
func (c *callers) starve() {
	select {
	case c.starving <- struct{}{}:
	default: // it was told already
	}
}
