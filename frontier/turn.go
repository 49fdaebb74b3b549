package frontier

// This file tells people why a queued URL waits. The frontier holds the URLs that wait to be fetched.

import (
	"fmt"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/weburl"
)

// Wait says why a URL waits.
type Wait struct {
	State string    // one of States
	Until time.Time // when that is over; zero if it is not known, or depends on people or on other URLs
	Why   string    // in words; "" for a URL that only waits for its turn
	By    string    // what keeps it, in few words, if it is held or beyond a limit: "host example.org 500 URLs"; else ""
}

// The values of Wait.State.
const (
	WaitReady   = "ready"   // its turn may come at any time
	WaitAsked   = "asked"   // it is being asked for, or what came of it is being written
	WaitRest    = "rest"    // its host or its address rests, or answers another request
	WaitBackoff = "backoff" // its host asked for time, or gave no answer
	WaitRobots  = "robots"  // robots.txt is asked for first
	WaitRetry   = "retry"   // it failed, and is asked for again at that time
	WaitBudget  = "budget"  // its host or domain has spent its budget of this round (allowance.go)
	WaitLimit   = "limit"   // it lies beyond a limit (limit.go), or --max-pages lets nothing of this kind pass
	WaitHeld    = "held"    // a person has put it or its host on hold, or the crawl its host
	WaitAgain   = "again"   // it is done, and is queued anew at that time (again.go)
)

// States returns all values of Wait.State.
func States() []string {
	return []string{WaitReady, WaitAsked, WaitRest, WaitBackoff, WaitRobots, WaitRetry, WaitBudget, WaitLimit, WaitHeld, WaitAgain}
}

// utc writes a time for people. It names the zone, because whoever lists the queue may have another.
func utc(t time.Time) string { return t.UTC().Format(time.DateTime + " UTC") }

// hostWait returns why the URLs of a host wait, all of them alike. s is what the disk knows of the host, for one that is
// not on the workbench. Frontier.mu is held.
func (f *Frontier) hostWait(name string, s *standing) Wait {
	now, round := f.clock.now(), f.mu.sums.round
	if held, ok := f.mu.holds.byHost[name]; ok && !held.over(f.clock.Now()) {
		until := "it is released"
		if !held.Until.IsZero() {
			until = utc(held.Until)
		}
		why := ""
		if held.Why != "" {
			why = " (" + held.Why + ")"
		}
		return Wait{WaitHeld, held.Until, "its host is on hold until " + until + why, "host " + name}
	}
	h := f.mu.bench.hosts[name]
	hostRound, domainRound := s.allowance.next(round, f.budgets.host, 0), s.domain.next(round, f.budgets.domain, 0)
	notBefore, gapEnd, troubled := f.clock.since(s.until, now), instant(never), s.backoff > 0
	if !troubled {
		notBefore, gapEnd = never, notBefore
	}
	if h != nil {
		hostRound, domainRound = h.onDisk.next(round, f.budgets.host, h.spending), 0
		if h.domain != nil {
			domainRound = h.domain.next(round, f.budgets.domain, h.domain.spending)
		}
		notBefore, gapEnd = h.notBefore, h.gapEnd()
	}
	at := func(t instant) time.Time { return time.Unix(0, f.clock.wallOf(t)).UTC() }
	switch {
	case notBefore > now:
		t := at(notBefore)
		return Wait{State: WaitBackoff, Until: t, Why: "its host asked for time or gave no answer, and is not asked before " + utc(t)}
	case hostRound > round:
		return Wait{State: WaitBudget, Why: fmt.Sprintf("its host's budget of %d pages in this round is spent", f.budgets.host)}
	case domainRound > round:
		return Wait{State: WaitBudget, Why: fmt.Sprintf("the budget of its domain, %s, of %d pages in this round is spent", weburl.Domain(name), f.budgets.domain)}
	case h != nil && len(h.asks) > 0:
		return Wait{State: WaitRobots, Why: "robots.txt of its host is asked for first"}
	case h != nil && h.leases >= h.limit():
		return Wait{State: WaitRest, Why: "its host is being asked for a URL now"}
	case h != nil && (h.hold > now || h.in != nil && !h.isReady() && h.in != &f.mu.bench.asleep):
		return Wait{State: WaitRest, Why: "the address of its host is busy with another host's turn"}
	case gapEnd > now:
		t := at(gapEnd)
		why := "the delay says"
		if h != nil {
			why = h.restReason()
		}
		return Wait{State: WaitRest, Until: t, Why: fmt.Sprintf("its host rests until %s, as %s", utc(t), why)}
	case f.mu.pace.until > now:
		t := at(f.mu.pace.until)
		return Wait{State: WaitRest, Until: t, Why: fmt.Sprintf("the crawl rests until %s, as --rate says", utc(t))}
	}
	stands := s.seat()
	if h != nil {
		stands = h.seat(now)
	}
	return Wait{State: WaitReady, Why: f.mu.patience.words(stands, now)}
}

// taskWait returns why t, the task at p, waits. host is the Wait of its host, which has that name. Frontier.mu is held.
func (f *Frontier) taskWait(host Wait, name string, t *kavosh.Task, p place) Wait {
	beyond := f.limitWait(name, t)
	switch {
	case f.mu.leases.away(p.id):
		return Wait{State: WaitAsked, Why: "it is being asked for now"}
	case host.State == WaitHeld:
		return host
	case f.mu.limits.why[p.limit] != "":
		why := f.mu.limits.why[p.limit]
		return Wait{State: WaitHeld, Why: "it is on hold until it is released (" + why + ")", By: "URL (" + strings.ToValidUTF8(why[:min(len(why), shortWhy)], "") + ")"}
	case beyond.State != "":
		return beyond
	case f.parts.barred(p.rank) && f.parts.again:
		return Wait{State: WaitLimit, Why: "the second round of the crawl is on, and visits the pages of the first", By: "crawl --revisit once"}
	case f.parts.barred(p.rank):
		return Wait{State: WaitLimit, Why: "the crawl has all the pages that it may have, and asks only for their parts", By: "crawl --max-pages"}
	case p.after > f.clock.wall().UnixNano():
		until := time.Unix(0, p.after).UTC()
		if host.Until.After(until) {
			return host
		}
		return Wait{State: WaitRetry, Until: until, Why: "it failed, and is asked for again at " + utc(until) + " or later"}
	}
	return host
}

// shortWhy bounds what Wait.By repeats of a person's words, in bytes.
const shortWhy = 40

// restReason says in words why the gap of h is as long as it is.
func (h *host) restReason() string {
	p := &h.f.mu.pace
	switch rest := h.gapEnd() - h.lastEnd; {
	case p.HostRate > 0 && h.pace.bytes > 0 && h.gapEnd() == h.pace.began+worth(h.pace.bytes, p.HostRate):
		return "--host-rate says"
	case p.Factor > 0 && rest == min(h.took*time.Duration(p.Factor), maxPace):
		return "--delay-factor says"
	case h.pace.strain > 0:
		return "it answers much slower than usual"
	case h.crawlDelay > p.Delay:
		return "the Crawl-delay of its robots.txt says"
	}
	return "the delay says"
}
