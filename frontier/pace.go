package frontier

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// This file says how long hosts, addresses and the whole crawl rest between requests. The gate (gate.go) keeps to it.

// Pace says how fast a crawl may ask. Each host keeps to all that concerns it; the longest rest counts.
type Pace struct {
	Delay        time.Duration // least time from the end of an answer to the next request to the same host; 0 is for one's own servers
	Spread       time.Duration // each Delay is longer by a random time of at most this
	AddressDelay time.Duration // as Delay, of an address; 0 puts no limit on an address
	Factor       int           // a host rests at least so many times as long as its last answer took, at most maxPace; 0 is off
	HostRate     int64         // bytes a second that a host may send on average; 0 is no limit
	Rate         int64         // bytes a second that all hosts together may send on average; 0 is no limit
}

// pacing is the pace of a running frontier. Frontier.mu guards it.
type pacing struct {
	Pace
	until instant // when the bytes that came are within Rate: nothing is leased before
}

// Bounds of the rests that we choose ourselves.
const (
	maxPace     = time.Minute            // a longer rest by Factor counts as this
	maxRateRest = time.Hour              // a longer rest by HostRate counts as this
	strainFrom  = 250 * time.Millisecond // a host that answers sooner than this is never called strained
	strainTimes = 3                      // it is strained when it takes so many times as long as usual …
	maxStrain   = 3                      // … and then rests twice as long for each such answer, at most 2^maxStrain times
	pulseShare  = 8                      // a new answer moves what is usual by one part in so many
)

// pulse is how soon a host begins to answer. A host that takes much longer than usual is strained: it rests longer, as
// after errors, before it fails. Host memory keeps it, the disk does not.
type pulse struct {
	usual  time.Duration // average of the answers of late that did not strain it; 0 before the first
	strain int           // how often the delay is doubled
}

// beat takes note of how long the host took to begin an answer; 0 is not known.
func (p *pulse) beat(waited time.Duration) {
	switch {
	case waited <= 0:
	case p.usual == 0:
		p.usual = waited
	case waited > max(strainFrom, strainTimes*p.usual):
		p.strain = min(p.strain+1, maxStrain)
		p.usual += min(waited, 2*p.usual) / (4 * pulseShare) // a host that stays slow is slow, and not strained for ever
	default:
		p.strain = max(p.strain-1, 0)
		p.usual += (waited - p.usual) / pulseShare
	}
}

// ownPace is what the rest of one host is made of, beside its delay.
type ownPace struct {
	pulse
	share float64 // of Spread, drawn anew after each answer
	bytes int64   // that the last answer had, or all answers of the last turn
	began instant // when the first of them was asked for
}

// delay returns the delay of h: Pace.Delay or its Crawl-delay, whichever is longer.
func (h *host) delay() time.Duration { return max(h.f.mu.pace.Delay, h.crawlDelay) }

// rests reports whether h rests at all after an answer.
func (h *host) rests() bool {
	p := &h.f.mu.pace
	return h.delay() > 0 || p.Spread > 0 || p.Factor > 0 || p.HostRate > 0
}

// paces takes note of an answer in the pace of h and of the crawl.
func (h *host) paces(a Answer, began, end instant) {
	p := &h.f.mu.pace
	h.pace.beat(a.Waited)
	if p.Spread > 0 {
		h.pace.share = rand.Float64()
	}
	if h.burst <= 1 {
		h.pace.bytes, h.pace.began = 0, began
	}
	h.pace.bytes += a.Bytes
	if p.Rate > 0 {
		p.until = max(p.until, began) + worth(a.Bytes, p.Rate)
	}
}

// gapEnd returns when the gap after the last answer of h ends. It is one delay for each request of that turn, or as much
// as the other parts of Pace say, if that is longer.
func (h *host) gapEnd() instant {
	p := &h.f.mu.pace
	rest := doubled(h.delay(), h.pace.strain, max(maxBackoff, h.delay()))
	if p.Spread > 0 {
		rest += time.Duration(h.pace.share * float64(p.Spread))
	}
	end := h.lastEnd + max(rest*time.Duration(max(h.burst, 1)), min(h.took*time.Duration(p.Factor), maxPace))
	if p.HostRate > 0 && h.pace.bytes > 0 {
		end = max(end, h.pace.began+worth(h.pace.bytes, p.HostRate))
	}
	return end
}

// worth returns how long n bytes take at a rate a second.
func worth(n, rate int64) time.Duration {
	return time.Duration(min(float64(n)/float64(rate), maxRateRest.Seconds()) * float64(time.Second))
}

// SetPace changes the pace of a running frontier, also for hosts and addresses that rest already. It is not kept over a
// restart.
func (f *Frontier) SetPace(p Pace) {
	f.repace(func(now instant) {
		f.mu.pace.Pace = p
		if p.Rate == 0 {
			f.mu.pace.until = 0
		}
		f.mu.addrs.setDelay(max(p.AddressDelay, 0), now)
	})
}

// SetMaxPerHost changes Options.MaxPerHost in the same way; n is at least 1.
func (f *Frontier) SetMaxPerHost(n int) {
	f.repace(func(instant) { f.mu.atOnce = n })
}

// repace lets set change how fast hosts may be asked, and gives the hosts that rest their new turns.
func (f *Frontier) repace(set func(now instant)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.now()
	set(now)
	for _, name := range slices.Sorted(maps.Keys(f.mu.bench.hosts)) {
		if h := f.mu.bench.hosts[name]; h != nil && !h.isReady() {
			h.arrange(now)
		}
	}
	f.wakeNext()
}
