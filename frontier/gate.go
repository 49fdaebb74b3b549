package frontier

import (
	"strings"
	"time"

	"kavosh"
)

// This file is the half of the gate that concerns hosts: when a host may be asked again after an answer or a failure.
// The other half concerns addresses (address.go). Frontier.mu guards all that it reads and changes.

// Bounds of the waits that servers ask for, and the waits that we choose ourselves.
const (
	maxCrawlDelay = 10 * time.Minute // a longer Crawl-delay counts as this
	maxRetryAfter = 24 * time.Hour   // a longer Retry-After counts as this
	maxBackoff    = 5 * time.Minute  // between requests to a host that keeps answering 429 or 5xx, or not at all
	leastBackoff  = time.Second      // backing off starts from the delay, or from this if the delay is shorter
	downAfter     = 5                // requests in a row without an answer: the host counts as down
	downWait      = time.Minute      // until a host that is down is tried again; four times as long each further time
	deadAfter     = 8                // requests in a row without an answer: its URLs are refused …
	deadFor       = 24 * time.Hour   // … for this time; then it is tried once more
	deadName      = 2                // deadAfter, where the name has no address for certain and the host never answered

	longestWait = maxRetryAfter + time.Hour // no stored wait is longer
)

// turn returns when h may be asked next.
func (h *host) turn() instant { return max(h.gapEnd(), h.notBefore, h.hold, h.held) }

// limit returns how many requests to h may be under way at once.
func (h *host) limit() int {
	if !h.rests() && h.backoff == 0 {
		return h.f.mu.atOnce
	}
	return 1
}

// dead reports whether h did not answer for so long that its URLs are refused.
func (h *host) dead(now instant) bool {
	return h.fails >= deadAfter && h.notBefore > now && h.held <= now
}

// unanswered reports whether x means that no answer came at all. Then the host itself may be out of reach.
func unanswered(x kavosh.Failure) bool {
	switch x {
	case kavosh.DNSFailure, kavosh.ConnectFailure, kavosh.TLSFailure, kavosh.TimeoutFailure, kavosh.ResetFailure:
		return true
	}
	return false
}

// answered sets the next turn of h by the answer to a request that lasted from began to end. It reports whether the
// server itself named a time that must be made durable at once.
func (h *host) answered(a Answer, began, end instant) (named bool) {
	h.lastEnd = max(h.lastEnd, end)
	if took := end - began; h.burst <= 1 || took > h.took {
		h.took = took
	}
	h.paces(a, began, end)
	none := unanswered(a.Failure)
	slow := none || a.Status == 429 || a.Status >= 500
	switch {
	case slow && began < h.troubledAt:
		// Asked before the trouble was known, as several requests at once can be: it does not count twice.
	case slow:
		h.backoff++
		h.troubledAt = end
		h.notBefore = max(h.notBefore, end+doubled(max(h.delay(), leastBackoff), h.backoff, maxBackoff))
		if none {
			h.fails++
			h.failure = a.Failure
			h.f.mu.bench.silent[h] = struct{}{}
			if h.fails >= deadName && a.Gone && !h.everAnswered() {
				h.fails = max(h.fails, deadAfter)
			}
		} else {
			h.fails = 0
			delete(h.f.mu.bench.silent, h)
		}
		switch {
		case h.fails >= deadAfter:
			h.notBefore = max(h.notBefore, end+deadFor)
		case h.fails >= downAfter:
			h.notBefore = max(h.notBefore, end+downWait<<(2*(h.fails-downAfter)))
		}
		h.markTroubled()
	case a.Status != 0 && (h.backoff > 0 || h.fails > 0):
		h.backoff, h.fails = 0, 0
		delete(h.f.mu.bench.silent, h)
		h.markTroubled()
	}
	h.answers = h.answers || a.Status != 0
	if a.Status >= 300 {
		if t, ok := parseRetryAfter(a.RetryAfter, h.f.clock.Now().Add(end-h.f.clock.now())); ok {
			h.notBefore = max(h.notBefore, end+t)
			h.markTroubled()
			return t > h.delay() // also when we back off for longer, which is kept only with the next Apply
		}
	}
	return false
}

// everAnswered reports whether h answered in this crawl, as far as memory and its stored robots.txt tell.
func (h *host) everAnswered() bool {
	for _, scheme := range [...]string{"https://", "http://"} {
		if h.answers {
			break
		}
		r, err := h.f.db.robots(scheme + h.name)
		h.answers = err != nil || r != nil && r.status != 0 // an error of the disk is reported elsewhere
	}
	return h.answers
}

// doubled returns d doubled n times, at most limit.
func doubled(d time.Duration, n int, limit time.Duration) time.Duration {
	for ; n > 0 && d < limit; n-- {
		d *= 2
	}
	return min(d, limit)
}

// parseRetryAfter returns the wait from now on that a Retry-After header asks for. The header is a number of seconds or
// an HTTP date in one of its three forms. A time that has passed gives 0; a longer wait than maxRetryAfter gives that.
func parseRetryAfter(s string, now time.Time) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false
	}
	if strings.Trim(s, "0123456789") == "" {
		s = strings.TrimLeft(s, "0")
		if len(s) > 6 { // over 11 days
			return maxRetryAfter, true
		}
		n := 0
		for _, c := range s {
			n = 10*n + int(c-'0')
		}
		return min(time.Duration(n)*time.Second, maxRetryAfter), true
	}
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if t, err := time.Parse(layout, s); err == nil {
			return min(max(t.Sub(now), 0), maxRetryAfter), true
		}
	}
	return 0, false
}

// free reports whether the address of h may be asked now. It returns true if the address is not known.
func (h *host) free(now instant) bool {
	a := h.f.mu.addrs.byAddr[h.addr]
	return a == nil || a.holder == nil && a.until <= now
}

// park makes h wait for its address.
func (h *host) park(now instant) {
	a := h.f.mu.addrs.byAddr[h.addr]
	h.first = h.seat(now)
	h.in = &a.parked
	a.parked.push(h)
}

// passAddress gives the turn at the address of h to the next host parked there, because h did not use it.
func (h *host) passAddress(now instant) {
	if a := h.f.mu.addrs.byAddr[h.addr]; a != nil {
		h.f.mu.addrs.serve(a, now)
	}
}

// markTroubled marks the trouble of h as changed, so that the next Apply writes it.
func (h *host) markTroubled() {
	if !h.dirty {
		h.dirty = true
		h.f.mu.bench.dirty = append(h.f.mu.bench.dirty, h)
	}
}

// troubleOf returns what is to be stored of the failures and waits of h.
func (h *host) troubleOf(now instant) trouble {
	t := trouble{backoff: h.backoff, fails: h.fails}
	if h.fails > 0 {
		t.failure = h.failure
	}
	if h.notBefore > now {
		t.until = h.f.clock.wallOf(h.notBefore)
	}
	return t
}
