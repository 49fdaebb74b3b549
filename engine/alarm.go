package engine

// This file notices while a crawl runs that something goes wrong: many failures, many error pages, many links that
// look like traps, or too few wanted pages. It reads the latest lines of crawl.log from memory, and touches no file.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/plan"
)

// Alarm is something that goes wrong in a crawl, as it was when it was noticed.
type Alarm struct {
	Kind   string  `json:"kind"`
	Count  int64   `json:"count"`            // failed URLs, error answers, links taken for traps, wanted pages
	Of     int64   `json:"of"`               // among the last so many URLs, for AlarmHarvest pages, for AlarmOver all so far
	Most   string  `json:"most,omitempty"`   // what most of them share: a kind of failure, a status code, a host
	Before float64 `json:"before,omitempty"` // of AlarmHarvest: the share of wanted pages before, from 0 to 1
}

// The kinds of Alarm.
const (
	AlarmFailures = "failures" // URLs that gave no usable answer
	AlarmErrors   = "errors"   // answers of status 400 and above
	AlarmTraps    = "traps"    // links that look like an endless series of made-up URLs
	AlarmHarvest  = "harvest"  // few pages are wanted, and before more were
	AlarmOver     = "over-"    // and what plan.Threshold names: more of all so far than a person allows
)

// String returns the alarm as an English sentence, with what to do about it.
func (a Alarm) String() string {
	switch a.Kind {
	case AlarmFailures:
		return fmt.Sprintf("%d of the last %d URLs failed, most by %s: is their server or the way to it in trouble?", a.Count, a.Of, a.Most)
	case AlarmErrors:
		return fmt.Sprintf("%d of the last %d answers are errors, most of status %s: does the site refuse the crawl, or do its links lead nowhere?", a.Count, a.Of, a.Most)
	case AlarmTraps:
		return fmt.Sprintf("%d links of the last %d URLs were taken for traps, most on %s: exclude that part of the site, or look with `kavosh log --status trap` whether they are real pages", a.Count, a.Of, a.Most)
	case AlarmHarvest:
		return fmt.Sprintf("%.1f %% of the last %d pages were wanted, and %.1f %% of all before: the crawl has left the part of the web that it is after", 100*float64(a.Count)/float64(max(a.Of, 1)), a.Of, 100*a.Before)
	}
	if what, over := strings.CutPrefix(a.Kind, AlarmOver); over {
		return fmt.Sprintf("%d of %d %s so far %s: more than --warn allows; kavosh log tells which", a.Count, a.Of, overNouns[what][0], overNouns[what][1])
	}
	return a.Kind
}

// overNouns say in words what a plan.Threshold counts.
var overNouns = map[string][2]string{
	archive.ShareMissing: {"parts of pages", "are missing"}, archive.ShareFailed: {"pages", "failed"},
	archive.ShareErrors: {"pages", "are errors"}, archive.ShareStandIns: {"pages", "have something else in their place"},
}

// alarms look at the outcomes of a crawl in rows: a row is alarmRow finished URLs. A trouble is told to the user when
// it begins. It is told again only if there was a row between in which it was over: for most troubles, one with less
// than half of what raises the alarm. Only mu may be used by several goroutines; the committer alone uses the rest.
type alarms struct {
	judged  bool              // a judge scores pages, so that the harvest (the share of wanted pages) is watched
	tell    func(text string) // tells the user; called from line
	row     row               // the row that is being counted
	warn    []plan.Threshold  // what a person wants to be warned of, in what counted returns
	counted func() archive.Counted
	// before has the sums of all rows before this one.
	before struct{ pages, wanted int64 }

	mu struct {
		sync.Mutex
		now map[string]Alarm // what is wrong now, by its kind
	}
}

// row counts the outcomes of one row. finished are URLs that were recorded, dropped or failed, without robots.txt. They
// are failed (no usable answer), errors (status 400 and above, and not from a bot wall), pages, or embedded parts of
// pages, which are not counted apart. wanted are the pages that the judge finds relevant. traps are links that were
// refused because they look like an endless series of made-up URLs.
type row struct {
	finished, failed, errors, pages, wanted, traps int64

	failures map[string]int64 // failed, by kind of failure
	codes    map[string]int64 // errors, by status code
	hosts    map[string]int64 // traps, by the host that the link leads to
}

// These are the bounds at which a row raises an alarm.
const (
	alarmRow     = 200               // finished URLs in a row
	mostFailed   = alarmRow / 2      // row.failed
	mostErrors   = alarmRow * 6 / 10 // row.errors
	mostTraps    = alarmRow * 2      // row.traps
	harvestFrom  = 5 * alarmRow      // so many pages must have been seen before the harvest is watched
	leastHarvest = 0.05              // a share of wanted pages below this is not watched: it may fall by chance
	harvestFalls = 4                 // the share of wanted pages in the row is less than 1/4 of the share before
	alarmHosts   = 10_000            // most entries of row.hosts, to bound memory
)

// line counts a line of crawl.log. At the end of a row it looks for trouble.
func (a *alarms) line(l *archive.Line) {
	r := &a.row
	if r.failures == nil {
		r.failures, r.codes, r.hosts = map[string]int64{}, map[string]int64{}, map[string]int64{}
	}
	if l.Outcome == archive.Refused && l.Failure == kavosh.TrapFailure {
		r.traps++
		if p, _ := scope.Split(l.URL); len(r.hosts) < alarmHosts || r.hosts[p.Name] > 0 {
			r.hosts[p.Name]++
		}
	}
	if l.Outcome == archive.Refused || l.Outcome == archive.Retry || l.Kind == kavosh.Prerequisite.String() {
		return
	}
	r.finished++
	switch {
	case l.Outcome == archive.Failed:
		r.failed++
		r.failures[string(l.Failure)]++
	case l.Status >= 400 && l.StandIn != kavosh.Wall: // the user is told elsewhere of a host that answers by a bot wall
		r.errors++
		r.codes[fmt.Sprint(l.Status)]++
	case l.Kind != kavosh.Embed.String():
		r.pages++
		if l.Verdict >= kavosh.RelevantFrom {
			r.wanted++
		}
	}
	if r.finished == alarmRow {
		a.look()
		*r = row{}
	}
}

// look compares the row with the bounds above, and tells what begins to be wrong.
func (a *alarms) look() {
	r := &a.row
	a.about(r.failed >= mostFailed, r.failed < mostFailed/2, Alarm{Kind: AlarmFailures, Count: r.failed, Of: alarmRow, Most: most(r.failures)})
	a.about(r.errors >= mostErrors, r.errors < mostErrors/2, Alarm{Kind: AlarmErrors, Count: r.errors, Of: alarmRow, Most: most(r.codes)})
	a.about(r.traps >= mostTraps, r.traps < mostTraps/2, Alarm{Kind: AlarmTraps, Count: r.traps, Of: alarmRow, Most: most(r.hosts)})
	a.watch()
	if !a.judged {
		return
	}
	if was := float64(a.before.wanted) / float64(max(a.before.pages, 1)); a.before.pages >= harvestFrom && was >= leastHarvest && r.pages > alarmRow/4 {
		now := float64(r.wanted) / float64(r.pages)
		a.about(now < was/harvestFalls, now > was/2, Alarm{Kind: AlarmHarvest, Count: r.wanted, Of: r.pages, Before: was})
	}
	a.before.pages += r.pages
	a.before.wanted += r.wanted
}

// watch holds what is counted so far against what a person allows.
func (a *alarms) watch() {
	if len(a.warn) == 0 {
		return
	}
	q := a.counted()
	for _, w := range a.warn {
		n, of := q.Share(w.What)
		over := 100*float64(n) > w.Percent*float64(of)
		a.about(over, !over, Alarm{Kind: AlarmOver + w.What, Count: n, Of: of})
	}
}

// about tells the user of a trouble if it begins and is not known yet, and forgets it if it is over.
func (a *alarms) about(begins, over bool, alarm Alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.mu.now[alarm.Kind]; over {
		delete(a.mu.now, alarm.Kind)
	} else if begins && !known {
		a.mu.now[alarm.Kind] = alarm
		a.tell(alarm.String())
	}
}

// current returns what is wrong now, by its kind. Any goroutine may call it.
func (a *alarms) current() []Alarm {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(a.mu.now), func(a, b Alarm) int { return cmp.Compare(a.Kind, b.Kind) })
}

// most returns the key with the largest count; of equal counts, the first key in order; "none" if there are no keys.
func most(counts map[string]int64) (key string) {
	for k, n := range counts {
		if key == "" || n > counts[key] || n == counts[key] && k < key {
			key = k
		}
	}
	return cmp.Or(key, "none")
}
