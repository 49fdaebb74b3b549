package quality

// This file says of a group of pages how they behave.

import (
	"slices"
	"strings"
	"time"
)

// HabitKind says when pages change.
type HabitKind string

// When pages change.
const (
	Once      HabitKind = "once"      // nobody knows: they were seen once
	Never     HabitKind = "never"     // in less than one of 200 visits
	Seldom    HabitKind = "seldom"    // in less than one of ten
	Sometimes HabitKind = "sometimes" // now and then
	Always    HabitKind = "always"    // at nearly each visit
	Weekly    HabitKind = "weekly"    // on one day of the week
	Every     HabitKind = "every"     // at each nth crawl
	Dated     HabitKind = "dated"     // all together, a few times
)

// Habit is how pages of a group behave.
type Habit struct {
	Changes HabitKind   `json:"changes"`
	Rate    float64     `json:"rate"`              // share of visits that found a change
	Weekday string      `json:"weekday,omitempty"` // of Weekly: "friday"
	Every   int         `json:"every,omitempty"`   // of Every
	At      []time.Time `json:"at,omitempty"`      // of Dated: when those crawls began
	From    time.Time   `json:"from,omitzero"`     // the crawl that had most of them first; zero for the first of all
	Coming  bool        `json:"coming,omitempty"`  // they came one after the other: less than half of them in From
	Until   time.Time   `json:"until,omitzero"`    // the crawl that had them no more; zero if the last one has them
	Failing bool        `json:"failing,omitempty"` // there are errors in their place since Until
	Missed  []time.Time `json:"missed,omitempty"`  // crawls between that did not have most of them
}

// Bounds of habits.
const (
	never      = 0.005
	seldom     = 0.1
	nearlyEach = 0.9
	mostDated  = 3
	fewestBeat = 3 // changes that make a rhythm
)

// habit tells how the pages of a group behave. Crawls that are odd do not count: they tell of themselves.
func (t *tally) habit(visits []Visit) (h Habit) {
	first, last := -1, -1
	for k := range visits {
		if t.here(k) {
			if last = k; first < 0 {
				first = k
			}
		}
	}
	if first > 0 {
		h.From, h.Coming = visits[first].Started, 2*(t.present(first)-t.present(first-1)) < t.pages
	}
	if first >= 0 && last < len(visits)-1 {
		h.Until = visits[last+1].Started
		h.Failing = t.mostly(last+1) == Failing
	}
	var seen, changing, alone []int // crawls that have them again; those of them that found most changed; and of these, those that found others unchanged
	again, changed := 0, 0
	for k := first + 1; k <= last && first >= 0; k++ {
		if visits[k].Odd != Usual {
			continue
		}
		if !t.here(k) {
			h.Missed = append(h.Missed, visits[k].Started)
			continue
		}
		seen = append(seen, k)
		again, changed = again+t.present(k), changed+t.seen[k][Changed]
		if t.seen[k][Changed] > t.seen[k][Same] {
			if changing = append(changing, k); !visits[k].touched {
				alone = append(alone, k)
			}
		}
	}
	h.Rate = float64(changed) / float64(max(1, again))
	h.Changes = h.kind(visits, seen, changing, alone)
	return h
}

// here reports whether a crawl has most pages.
func (t *tally) here(k int) bool { return 2*t.present(k) > t.pages }

// present is how many pages a crawl has.
func (t *tally) present(k int) int { return t.seen[k][Same] + t.seen[k][Changed] }

// kind tells when pages change, by the crawls that have them again, those of them that found most changed, and those that found them alone so: a
// touch of the whole site hides no rhythm.
func (h *Habit) kind(visits []Visit, seen, changing, alone []int) HabitKind {
	switch {
	case len(seen) == 0:
		return Once
	case float64(len(changing)) >= nearlyEach*float64(len(seen)):
		return Always
	case h.weekly(visits, seen, changing) || h.weekly(visits, seen, alone):
		return Weekly
	case h.every(changing) || h.every(alone):
		return Every
	case len(changing) > 0 && len(changing) <= mostDated:
		for _, k := range changing {
			h.At = append(h.At, visits[k].Started)
		}
		return Dated
	case h.Rate < never:
		return Never
	case h.Rate < seldom:
		return Seldom
	}
	return Sometimes
}

// weekly reports whether changes are found on one day of the week alone, and nearly each time.
func (h *Habit) weekly(visits []Visit, seen, changing []int) bool {
	if len(changing) < fewestBeat {
		return false
	}
	day := func(k int) time.Weekday { return visits[k].Started.UTC().Weekday() }
	var on, hits [7]int
	for _, k := range seen {
		on[day(k)]++
	}
	for _, k := range changing {
		hits[day(k)]++
	}
	best := slices.Index(hits[:], slices.Max(hits[:]))
	n := float64(hits[best])
	if on[best] == len(seen) || n < nearlyEach*float64(len(changing)) || n < 0.8*float64(on[best]) {
		return false
	}
	h.Weekday = strings.ToLower(time.Weekday(best).String())
	return true
}

// every reports whether changes are found at each nth crawl.
func (h *Habit) every(changing []int) bool {
	if len(changing) < fewestBeat {
		return false
	}
	gaps := map[int]int{}
	for i := 1; i < len(changing); i++ {
		gap := changing[i] - changing[i-1]
		if gaps[gap]++; gaps[gap] > gaps[h.Every] || gaps[gap] == gaps[h.Every] && gap < h.Every {
			h.Every = gap
		}
	}
	if h.Every > 1 && float64(gaps[h.Every]) >= 0.8*float64(len(changing)-1) {
		return true
	}
	h.Every = 0
	return false
}
