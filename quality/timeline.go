package quality

// This file tells when the versions of a visit were there, page by page, beside the moment at which most were.

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kavosh/change"
)

// Bounds of a Timeline.
const (
	MostBars   = 300
	levelsEach = 60 // moments at which pages are counted, for each of the three times: of the visits, between them, of those that came again
)

// Timeline is when versions of pages were there.
type Timeline struct {
	Visited [2]time.Time           `json:"visited"`        // the first visit and the last
	Again   [2]time.Time           `json:"again,omitzero"` // of the second visits
	States  map[change.State]int64 `json:"states"`         // pages, by whether their version was there at Together.At
	Levels  []Level                `json:"levels"`         // over all of that time, of all pages
	Bars    []Bar                  `json:"bars"`           // some pages, as Some chooses them
}

// Level is how many pages had the version of the first visit at a moment.
type Level struct {
	At    time.Time `json:"at"`
	Known int64     `json:"known"` // certainly
	May   int64     `json:"may"`   // … or perhaps
}

// Bar is when the version of a page was there: certainly while From ≤ t < Until, and perhaps while Earliest ≤ t < Latest.
type Bar struct {
	URL      string       `json:"url"`
	State    change.State `json:"state"` // at Together.At
	Class    Class        `json:"class"` // what the second visit found
	Visited  time.Time    `json:"visited"`
	Again    time.Time    `json:"again,omitzero"`
	From     time.Time    `json:"from"`
	Until    time.Time    `json:"until"`
	Earliest time.Time    `json:"earliest,omitzero"` // zero: nobody knows
	Latest   time.Time    `json:"latest,omitzero"`
	Weight   float64      `json:"weight"` // of the page, as in Defect
}

// lived is a page of which lives has the spans, at the same place.
type lived struct {
	url            string
	visited, again int64 // again is always for none
	class          Class
	weight         float64
}

// states are in the order of a Timeline, the worst first.
var states = [...]change.State{change.Incoherent, change.Unknown, change.Coherent}

// stateAt tells whether a version was there at a moment.
func stateAt(known, possible Span, at int64) change.State {
	switch {
	case known.has(at):
		return change.Coherent
	case possible.has(at):
		return change.Unknown
	}
	return change.Incoherent
}

// has reports whether a moment lies in s.
func (s *Span) has(at int64) bool { return s.From <= at && at < s.Until }

// away returns how far a moment lies outside of s.
func (s *Span) away(at int64) int64 { return max(s.From-at, at-s.Until+1, 0) }

// timeline tells when the versions of all pages were there, and has at most so many bars.
func (l *lives) timeline(all []lived, at int64, most int) *Timeline {
	t := &Timeline{States: map[change.State]int64{}, Bars: []Bar{}}
	worse := func(a, b int) int {
		return cmp.Or(cmp.Compare(all[b].weight, all[a].weight), cmp.Compare(l.known[b].away(at), l.known[a].away(at)), strings.Compare(all[a].url, all[b].url))
	}
	var worst [len(states)][]int // places of pages, by state
	var have [len(states)]int
	for i := range all {
		grow(&t.Visited, all[i].visited)
		grow(&t.Again, all[i].again)
		s := slices.Index(states[:], stateAt(l.known[i], l.possible[i], at))
		have[s]++
		if place, _ := slices.BinarySearchFunc(worst[s], i, worse); place < most {
			worst[s] = slices.Insert(worst[s], place, i)
			worst[s] = worst[s][:min(len(worst[s]), most)]
		}
	}
	for s, take := range shares(have, most) {
		t.States[states[s]] = int64(have[s])
		for _, i := range worst[s][:take] {
			p, known, possible := &all[i], l.known[i], l.possible[i]
			t.Bars = append(t.Bars, Bar{URL: p.url, State: states[s], Class: p.class, Visited: second(p.visited), Again: second(p.again),
				From: second(known.From), Until: second(known.Until), Earliest: second(possible.From), Latest: second(possible.Until), Weight: p.weight})
		}
	}
	t.levels(l)
	return t
}

// second is a time in seconds; zero for the ends of time.
func second(at int64) time.Time {
	if at == always || at == forever {
		return time.Time{}
	}
	return time.Unix(at, 0).UTC()
}

// grow makes the first and the last of some times hold one more.
func grow(ends *[2]time.Time, at int64) {
	switch t := second(at); {
	case t.IsZero():
	case ends[0].IsZero():
		*ends = [2]time.Time{t, t}
	case t.Before(ends[0]):
		ends[0] = t
	case t.After(ends[1]):
		ends[1] = t
	}
}

// shares returns how many pages of each state a picture of so many has: half are of the worst, a quarter of each of the others, and what
// one does not need the others get, the worst first.
func shares(have [len(states)]int, most int) (take [len(states)]int) {
	left := most
	for s, share := range [...]int{most / 2, most / 4, most / 4} {
		take[s] = min(have[s], share)
		left -= take[s]
	}
	for s := range take {
		more := min(have[s]-take[s], left)
		take[s] += more
		left -= more
	}
	return take
}

// Some returns at most so many bars: the worst pages first, which are those of the greatest weight and the furthest from the moment, and
// some of those that were there.
func (t *Timeline) Some(most int) (bars []Bar) {
	var have [len(states)]int
	for i := range t.Bars {
		have[slices.Index(states[:], t.Bars[i].State)]++
	}
	take := shares(have, most)
	for i := range t.Bars {
		if s := slices.Index(states[:], t.Bars[i].State); take[s] > 0 {
			take[s]--
			bars = append(bars, t.Bars[i])
		}
	}
	return bars
}

// levels counts the pages that were there, moment by moment.
func (t *Timeline) levels(l *lives) {
	known, possible := endsOf(l.known), endsOf(l.possible)
	marks := []int64{t.Visited[0].Unix(), t.Visited[1].Unix()}
	if !t.Again[0].IsZero() {
		marks = append(marks, t.Again[0].Unix(), t.Again[1].Unix())
	}
	for i, from := range marks[:len(marks)-1] {
		for k := range int64(levelsEach + 1) {
			at := from + (marks[i+1]-from)*k/levelsEach
			if n := len(t.Levels); n == 0 || t.Levels[n-1].At.Unix() < at {
				t.Levels = append(t.Levels, Level{second(at), known.at(at), possible.at(at)})
			}
		}
	}
}

// ends has when spans begin and end, each sorted.
type ends struct{ from, until []int64 }

func endsOf(spans []Span) (e ends) {
	for _, s := range spans {
		e.from, e.until = append(e.from, s.From), append(e.until, s.Until)
	}
	slices.Sort(e.from)
	slices.Sort(e.until)
	return e
}

// at returns how many spans have a moment.
func (e *ends) at(moment int64) int64 {
	begun, _ := slices.BinarySearch(e.from, moment+1)
	ended, _ := slices.BinarySearch(e.until, moment+1)
	return int64(begun - ended)
}
