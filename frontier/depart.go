package frontier

import (
	"cmp"
	"slices"
	"strings"

	"kavosh/lib/weburl"
)

// This file lets hosts leave the workbench (the hosts in memory) for their line on disk. Those that are missed least
// leave first.

// departure is a host that may leave the workbench.
type departure struct {
	h     *host
	sleep instant // how long it has nothing to do; 0 for ready ones
	first seat    // of ready ones
}

// compare sorts hosts that are missed least to the front: first those that sleep longest, then those with the worst
// seat.
func (a departure) compare(b departure) int {
	switch {
	case a.sleep != b.sleep:
		return cmp.Compare(b.sleep, a.sleep)
	case a.first.less(b.first):
		return 1
	case b.first.less(a.first):
		return -1
	}
	return strings.Compare(a.h.name, b.h.name)
}

// mayLeave reports whether h may leave the workbench, and what decides its place among those that may.
func (h *host) mayLeave(now instant) (l departure, ok bool) {
	if h.out > 0 || h.dirty || h.writing || !h.dispensable(now) {
		return l, false
	}
	switch {
	case h.isReady():
		return departure{h, 0, h.first}, true
	case h.in == nil && h.f.parts.only:
		return departure{h, forever, seat{}}, h.turn() <= now
	case h.held > now:
		return departure{h, forever, seat{}}, h.gapEnd() <= now
	case h.in == &h.f.mu.bench.asleep:
		return departure{h, h.wake - now, seat{}}, h.wake-now > shortSleep
	case h.in != nil:
		return departure{h, parkedAway, seat{}}, h.in.len() > parkedKeep
	}
	return l, false
}

// worst returns up to n hosts that may leave, the one that is missed least first.
func (w *workbench) worst(n int, now instant) []departure {
	if n == 0 {
		return nil
	}
	var all []departure
	sorted := 0 // n once all was cut to the n that are missed least; a host behind the n-th is of no interest
	for _, h := range w.hosts {
		l, ok := h.mayLeave(now)
		if !ok || sorted == n && l.compare(all[n-1]) > 0 {
			continue
		}
		if all = append(all, l); len(all) == 2*n {
			slices.SortFunc(all, departure.compare)
			all, sorted = all[:n], n
		}
	}
	slices.SortFunc(all, departure.compare)
	return all[:min(n, len(all))]
}

// departures chooses hosts that make room for arrivals: for each arrival one host that is worse, or sleeps for long.
// When it returns, these hosts are out of all heaps, and their standings (what the disk keeps of them) are in ss.
func (f *Frontier) departures(worst []departure, arrivals []arrival, ss *standings) (out []*host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.now()
	for _, l := range worst {
		h := l.h
		if len(out) == len(arrivals) {
			break
		}
		if l, ok := h.mayLeave(now); !ok || f.mu.bench.hosts[h.name] != h || l.sleep == 0 && !arrivals[len(out)].head.less(l.first) {
			continue // it was given something to do meanwhile, or is good enough
		}
		away := never
		if h.in != nil && !h.isReady() && h.in != &f.mu.bench.asleep {
			away = now + parkedAway
		}
		ss.resident(h).now = h.standingOf(away, now)
		if h.in != nil {
			h.in.remove(h)
			h.in = nil
		}
		h.leaving = true
		out = append(out, h)
	}
	return out
}

// dispensable reports whether nothing would be forgotten if h left. Three things keep a host on the workbench: it is asked
// for the robots.txt of another host, another host is asked for its robots.txt, or somebody waits for its turn in Claim.
func (h *host) dispensable(now instant) bool {
	if h.waiting > 0 {
		return false
	}
	for _, a := range h.asks {
		if a.leased || weburl.Host(a.origin) != h.name {
			return false
		}
	}
	return !h.blocked || len(h.asks) > 0
}

// standingOf returns what the disk must keep of h when h leaves until the time away or longer.
func (h *host) standingOf(away, now instant) standing {
	s := standing{trouble: h.troubleOf(now), allowance: h.onDisk.allowance, add: h.onDisk.add}
	if r := h.f.budgets.roundOf(h, h.f.mu.sums.round); r > s.round {
		s.allowance = allowance{round: r}
	}
	asked := instant(never)
	for i, a := range h.asks { // its URLs wait for a robots.txt that is to be asked again
		if i == 0 || a.notBefore < asked {
			asked = a.notBefore
		}
	}
	if t := max(h.gapEnd(), h.notBefore, h.hold, asked, away); t > now {
		s.until = h.f.clock.wallOf(min(t, now+longestWait))
	}
	switch {
	case len(h.window) > 0 && (!h.more || h.window[0].less(h.from)):
		s.queued, s.rank = true, h.window[0].rank
	case h.more:
		s.queued, s.rank = true, h.from
	}
	for i := range h.window { // retries whose time had come wait in the window, too
		if after := h.window[i].after; after != 0 && (s.later == 0 || after < s.later) {
			s.later = after
		}
	}
	if h.later != forever {
		if at := max(h.f.clock.wallOf(h.later), 1); s.later == 0 || at < s.later {
			s.later = at
		}
	}
	return s
}

// goAway takes a host off the workbench when its standing is on disk, unless it was given something to do meanwhile.
func (h *host) goAway(now instant) {
	h.leaving = false
	if h.out > 0 || h.dirty || !h.dispensable(now) {
		h.arrange(now)
		return
	}
	h.f.mu.robots.leave(h)
	h.f.mu.bench.loaded -= len(h.window)
	h.remove()
	if !h.f.mu.holds.has(h.name) {
		h.f.mu.bench.admit(&h.onDisk, &h.f.parts)
	}
	h.passAddress(now)
}
