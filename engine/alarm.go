package engine

// This file notices while a crawl runs that it is going wrong, by the log lines of late.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
)

// alarms look at the outcomes of a crawl, alarmRow at a time. Each trouble is told when it begins. It is told anew only
// after a row in which it was half as bad or better.
type alarms struct {
	judged bool              // the crawl has a purpose, so that its harvest counts
	tell   func(text string) // called from line
	row    row               // since the last look
	before struct{ pages, wanted int64 }

	mu struct {
		sync.Mutex
		now map[string]string // what is wrong now, by kind, in words
	}
}

// row counts the outcomes since the last look.
type row struct {
	finished, failed, errors, pages, wanted, traps int64

	failures map[string]int64 // by kind of failure
	codes    map[string]int64 // by status code of errors
	hosts    map[string]int64 // whose links were taken for traps
}

const (
	alarmRow     = 200               // finished URLs from one look to the next
	mostFailed   = alarmRow / 2      // requests without a usable answer
	mostErrors   = alarmRow * 6 / 10 // answers of status 400 and above
	mostTraps    = alarmRow * 2      // links taken for traps
	harvestFrom  = 5 * alarmRow      // pages, before which nobody knows what harvest to expect
	leastHarvest = 0.05              // a smaller one may fall by chance
	harvestFalls = 4                 // it fell to one part in so many
	alarmHosts   = 10_000            // bound of row.hosts
)

// line takes note of a line of the log.
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
	case l.Status >= 400 && l.Wall == "": // a host with a wall is held, which is told
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

// look tells what is wrong in the row.
func (a *alarms) look() {
	r := &a.row
	a.about("failures", r.failed >= mostFailed, r.failed < mostFailed/2, func() string {
		return fmt.Sprintf("%d of the last %d URLs failed, most by %s: is their server or the way to it in trouble?", r.failed, alarmRow, most(r.failures))
	})
	a.about("errors", r.errors >= mostErrors, r.errors < mostErrors/2, func() string {
		return fmt.Sprintf("%d of the last %d answers are errors, most of status %s: does the site refuse the crawl, or do its links lead nowhere?", r.errors, alarmRow, most(r.codes))
	})
	a.about("traps", r.traps >= mostTraps, r.traps < mostTraps/2, func() string {
		return fmt.Sprintf("%d links of the last %d URLs were taken for traps, most on %s: exclude that part of the site, or look with `kavosh log --status trap` whether they are real pages", r.traps, alarmRow, most(r.hosts))
	})
	if !a.judged {
		return
	}
	if was := float64(a.before.wanted) / float64(max(a.before.pages, 1)); a.before.pages >= harvestFrom && was >= leastHarvest && r.pages > alarmRow/4 {
		now := float64(r.wanted) / float64(r.pages)
		a.about("harvest", now < was/harvestFalls, now > was/2, func() string {
			return fmt.Sprintf("%.1f %% of the last %d pages were wanted, and %.1f %% of all before: the crawl has left the part of the web that it is after", 100*now, r.pages, 100*was)
		})
	}
	a.before.pages += r.pages
	a.before.wanted += r.wanted
}

// about tells a kind of trouble when it begins, and forgets it when it is over.
func (a *alarms) about(kind string, begins, over bool, say func() string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if over {
		delete(a.mu.now, kind)
	} else if begins && a.mu.now[kind] == "" {
		a.mu.now[kind] = say()
		a.tell(a.mu.now[kind])
	}
}

// current returns what is wrong now, in words.
func (a *alarms) current() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Values(a.mu.now))
}

// most returns the key with the largest count.
func most(counts map[string]int64) (key string) {
	for k, n := range counts {
		if key == "" || n > counts[key] || n == counts[key] && k < key {
			key = k
		}
	}
	return cmp.Or(key, "none")
}
