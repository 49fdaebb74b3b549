package frontier

// This file tells people what a queued URL waits for. The frontier holds the URLs that wait to be fetched.

import (
	"fmt"
	"time"

	"kavosh/frontier/scope"
)

// Turn says in words what the host of a queued URL waits for; url is a seen-key. It returns "" if the host only waits
// for its turn. It reads nothing from disk.
func (f *Frontier) Turn(url string) string {
	p, _ := scope.Split(url)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.now()
	at := func(t instant) string { return time.Unix(0, f.clock.wallOf(t)).UTC().Format(time.DateTime) }
	if held, ok := f.mu.holds.byHost[p.Name]; ok && !held.over(f.clock.Now()) {
		until := "it is released"
		if !held.Until.IsZero() {
			until = held.Until.UTC().Format(time.DateTime)
		}
		return fmt.Sprintf("its host is on hold until %s (%s)", until, held.Why)
	}
	h := f.mu.bench.hosts[p.Name]
	switch {
	case h == nil:
		return ""
	case h.notBefore > now:
		return fmt.Sprintf("its host asked for time or gave no answer, and is not asked before %s", at(h.notBefore))
	case len(h.asks) > 0:
		return "robots.txt of its host is asked for first"
	case h.leases >= h.limit():
		return "its host is being asked for a URL now"
	case h.hold > now, h.in != nil && !h.isReady() && h.in != &f.mu.bench.asleep:
		return "the address of its host is busy with another host's turn"
	case h.gapEnd() > now:
		return fmt.Sprintf("its host rests until %s, as the delay says", at(h.gapEnd()))
	}
	return ""
}
