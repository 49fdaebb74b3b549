package quality

// This file proposes settings by what a crawl was answered by each host.

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/weburl"
)

// Bounds from which on something is proposed for a host: so many requests at least, and such a share of all.
const (
	fewestFailed, downShare      = 10, 0.5
	fewestMoved, movedShare      = 10, 0.5 // of redirects; one is enough if a seed is redirected
	fewestRefused, refusedShare  = 10, 0.1 // by status 429 or 503
	fewestTimeouts, timeoutShare = 10, 0.1
	fewestTimed, slowFrom        = 20, 5 * time.Second // on average
	fewestWalls, wallShare       = 3, 0.1              // of pages; a host is held after three walls in a row
	fewestNotFound, missingPages = 10, 0.2             // of pages
	fewestParked, parkedShare    = 1, 0.5

	largeAnswer  = 1 << 20 // bytes, from which on the time of an answer tells of the line, not of the host
	maxTallied   = 10_000  // hosts; those beyond are not told of
	maxMovedTo   = 10      // hosts that one leads to
	maxProposals = 3       // of one kind
)

// Given is what a crawl was given, as far as proposals go beyond it.
type Given struct {
	Began       time.Time
	Delay       time.Duration
	DelayFactor int
	Browser     bool // it loaded every page in the browser
	Profile     bool // it had logged in
}

// Request is what came of a request.
type Request struct {
	URL     string
	Status  int // 0 if no answer came
	Timeout bool
	Took    time.Duration
	Size    int64 // bytes of the payload
	Page    bool  // it is no part of a page
	StandIn kavosh.StandIn
	From    string // of the target of a redirect: the URL that leads to it
	Seed    bool   // From is one of the crawl's seeds
}

// Hosts counts what a crawl was answered by each host. The zero value is empty.
type Hosts struct{ of map[string]*host }

type host struct {
	name, origin                          string
	all, failed, timeouts, refused, timed int64
	took                                  time.Duration
	pages                                 int64
	standIns                              map[kavosh.StandIn]int64
	moved                                 map[string]*target // by host
}

// target is a host that another one leads to.
type target struct {
	origin string
	n      int64
	seed   bool
}

// get returns the tally of a URL's host; nil if there are too many.
func (h *Hosts) get(url string) *host {
	origin := originOf(url)
	_, name, _ := strings.Cut(origin, "://")
	t := h.of[name]
	switch {
	case h.of == nil:
		h.of = map[string]*host{}
	case t == nil && len(h.of) == maxTallied:
		return nil
	}
	if t == nil {
		t = &host{name: name, standIns: map[kavosh.StandIn]int64{}, moved: map[string]*target{}}
		h.of[name] = t
	}
	t.origin = origin
	return t
}

// Add counts a request that was made.
func (h *Hosts) Add(r *Request) {
	t := h.get(r.URL)
	if t == nil {
		return
	}
	t.all++
	switch {
	case r.Timeout:
		t.timeouts++
		t.failed++
	case r.Status == 0:
		t.failed++
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable && r.StandIn == kavosh.NoStandIn:
		t.refused++
	case r.Size <= largeAnswer:
		t.timed++
		t.took += r.Took
	}
	if r.Page && r.Status != 0 {
		t.pages++
		if r.StandIn != kavosh.NoStandIn {
			t.standIns[r.StandIn]++
		}
	}
}

// Redirect counts the target of a redirect, whether it was asked for or not.
func (h *Hosts) Redirect(r *Request) {
	from, to := weburl.Host(r.From), weburl.Host(r.URL)
	if from == "" || to == "" || strings.TrimPrefix(from, "www.") == strings.TrimPrefix(to, "www.") {
		return
	}
	t := h.get(r.From)
	if t == nil {
		return
	}
	m := t.moved[to]
	if m == nil {
		if len(t.moved) == maxMovedTo {
			return
		}
		m = &target{}
		t.moved[to] = m
	}
	m.n++
	m.origin, m.seed = originOf(r.URL), m.seed || r.Seed
}

// Proposals returns what the hosts speak for, at most maxProposals of a kind, those first for which most speaks.
func (h *Hosts) Proposals(given *Given) (all []Proposal) {
	for _, name := range slices.Sorted(maps.Keys(h.of)) {
		all = append(all, h.of[name].proposals(given)...)
	}
	slices.SortStableFunc(all, func(a, b Proposal) int { return cmp.Compare(b.N, a.N) })
	kinds := map[Trouble]int{}
	return slices.DeleteFunc(all, func(p Proposal) bool {
		kinds[p.About]++
		return kinds[p.About] > maxProposals
	})
}

// proposals returns what one host speaks for.
func (t *host) proposals(given *Given) (all []Proposal) {
	propose := func(about Trouble, n, of int64, do string) {
		all = append(all, Proposal{About: about, N: n, Of: of, Host: t.name, Do: do})
	}
	again := func(flags string) string { return crawlOf(flags, t.origin) }
	delay := max(5*time.Second, 2*given.Delay)
	down := enough(t.failed, t.all, fewestFailed, downShare)
	if down {
		propose(TroubleDown, t.failed, t.all, again("--skip-younger "+given.Began.UTC().Format(time.RFC3339)))
	}
	if to := t.movedTo(); to != nil {
		propose(TroubleMoved, to.n, t.all, "kavosh crawl --archive ARCHIVE "+shellWord(to.origin+"/"))
		all[len(all)-1].To = weburl.Host(to.origin)
	}
	slow := !down && enough(t.timeouts, t.all, fewestTimeouts, timeoutShare)
	switch {
	case enough(t.refused, t.all, fewestRefused, refusedShare):
		propose(TroubleRefusing, t.refused, t.all, again(fmt.Sprintf("--delay %ds", delay/time.Second)))
	case given.DelayFactor >= considerate:
	case slow:
		propose(TroubleSlow, t.timeouts, t.all, again(fmt.Sprintf("--delay-factor %d", considerate)))
	case t.timed >= fewestTimed && t.took >= slowFrom*time.Duration(t.timed):
		propose(TroubleSlow, t.timed, t.all, again(fmt.Sprintf("--delay-factor %d", considerate)))
	}
	if n := t.standIns[kavosh.Wall] + t.standIns[kavosh.Consent]; !given.Browser && enough(n, t.pages, fewestWalls, wallShare) {
		propose(TroubleWall, n, t.pages, again(fmt.Sprintf("--browser always --delay %ds", delay/time.Second)))
	}
	if n := t.standIns[kavosh.Login]; !given.Profile && enough(n, t.pages, fewestWalls, wallShare) {
		propose(TroubleLogin, n, t.pages, "kavosh profile new NAME "+shellWord(t.origin+"/")+" && "+again("--profile NAME"))
	}
	if n := t.standIns[kavosh.NotFound]; enough(n, t.pages, fewestNotFound, missingPages) {
		propose(TroubleNotFound, n, t.pages, again("--rule 'leave from=notfound'"))
	}
	if n := t.standIns[kavosh.Parked]; enough(n, t.pages, fewestParked, parkedShare) {
		propose(TroubleParked, n, t.pages, "--rule "+shellWord("leave host="+weburl.Host(t.origin)))
	}
	return all
}

// considerate is the --delay-factor that is proposed.
const considerate = 5

// movedTo returns the host to which this one leads; nil if it leads to none, or to several.
func (t *host) movedTo() *target {
	for _, name := range slices.Sorted(maps.Keys(t.moved)) {
		to := t.moved[name]
		few := int64(fewestMoved)
		if to.seed {
			few = 1
		}
		if enough(to.n, t.all, few, movedShare) {
			return to
		}
	}
	return nil
}
