package pages

// This file draws counts over time as bars.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"kavosh/lib/dates"
)

// Graph shows counts over time as bars, and as a table below.
type Graph struct {
	Title string
	Bars  []Bar
	Bad   bool // some bars have a part in another colour: errors, which have a column of their own
}

// Bar is the count of one span of time.
type Bar struct {
	Label string
	Count int64
	Bad   int64  // part of Count that is drawn in another colour
	Path  string // where it leads; "" for nowhere

	X, Width, Height, BadHeight string // in the graph's own units: 600 wide, 100 high
}

// The size of a graph in its own units: the page stretches it.
const (
	graphWidth  = 600.0
	graphHeight = 100.0
	fewBars     = 12 // a graph with fewer bars has room left at its end
)

// Tells reports whether the graph says more than its numbers do alone: one bar, or none, says nothing.
func (g Graph) Tells() bool { return len(g.Bars) > 1 && g.Most().Count > 0 }

// Few reports whether the graph has room left at its end.
func (g Graph) Few() bool { return len(g.Bars) < fewBars }

// size returns how long the bar of n is, in parts of that of most. It grows by the square root, so that a small number is
// still seen beside a large one: of 100 and 1, ten times as long. The pages say so beside the bars.
func size(n, most int64) float64 { return math.Sqrt(float64(n) / float64(most)) }

// Draw computes the place and size of the bars. Time runs in the direction of l: from the right in Persian.
func (g Graph) Draw(l Lang) Graph {
	most := int64(1)
	for _, b := range g.Bars {
		most = max(most, b.Count)
	}
	step := graphWidth / float64(max(len(g.Bars), fewBars))
	for i := range g.Bars {
		b := &g.Bars[i]
		x := float64(i) * step
		if l == Persian {
			x = graphWidth - x - step*0.85
		}
		high, bad := 0.0, 0.0
		if b.Count > 0 {
			high = max(2, graphHeight*size(b.Count, most))
		}
		if b.Bad > 0 { // the errors' share of the bar is their share of the count
			bad = max(1, high*float64(b.Bad)/float64(b.Count))
		}
		b.X, b.Width = fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", step*0.85)
		b.Height, b.BadHeight = fmt.Sprintf("%.1f", high), fmt.Sprintf("%.1f", bad)
	}
	return g
}

// First is the label of the first bar.
func (g Graph) First() string {
	if len(g.Bars) == 0 {
		return ""
	}
	return g.Bars[0].Label
}

// Last is the label of the last bar.
func (g Graph) Last() string {
	if len(g.Bars) == 0 {
		return ""
	}
	return g.Bars[len(g.Bars)-1].Label
}

// Most is the highest bar.
func (g Graph) Most() Bar {
	return slices.MaxFunc(g.Bars, func(a, b Bar) int { return int(max(-1, min(1, a.Count-b.Count))) })
}

// DayCount is how many captures a day has, and how many of them are errors.
type DayCount struct{ All, Bad int64 }

// Days has counts by day. The key is the number of days since 1 January 1970, UTC.
type Days map[int64]DayCount

// Add counts one capture.
func (d Days) Add(t time.Time, bad bool) {
	at := t.Unix() / 86400
	c := d[at]
	c.All++
	if bad {
		c.Bad++
	}
	d[at] = c
}

// Bounds that decide whether a graph has one bar for each day, month or year.
const (
	mostDays   = 62
	mostMonths = 120
)

// Over makes a graph of days, with bars of days, months or years in the calendar of l. path returns the link of a bar,
// given the first and the last second of its span; if path is nil, bars have no links.
func (l Lang) Over(title string, days Days, path func(from, to time.Time) string) Graph {
	g := Graph{Title: title}
	if len(days) == 0 {
		return g
	}
	first, last := int64(1<<62), int64(-1<<62)
	for at := range days {
		first, last = min(first, at), max(last, at)
	}
	at, end := time.Unix(first*86400, 0).UTC(), time.Unix(last*86400, 0).UTC()
	step := l.stepOf(at, end)
	for !at.After(end) {
		label, next := step(at)
		b := Bar{Label: label}
		for day := at.Unix() / 86400; day < next.Unix()/86400; day++ {
			b.Count += days[day].All
			b.Bad += days[day].Bad
		}
		if path != nil && b.Count > 0 {
			b.Path = path(at, next.Add(-time.Second))
		}
		g.Bad = g.Bad || b.Bad > 0
		g.Bars = append(g.Bars, b)
		at = next
	}
	return g.Draw(l)
}

// stepOf returns how to cut the time between two days into spans: for the begin of a span, its label and the begin of
// the next span.
func (l Lang) stepOf(first, last time.Time) func(at time.Time) (label string, next time.Time) {
	fromYear, fromMonth, _ := l.YMD(first)
	toYear, toMonth, _ := l.YMD(last)
	switch {
	case last.Sub(first) < mostDays*24*time.Hour:
		return func(at time.Time) (string, time.Time) { return l.Date(at), at.AddDate(0, 0, 1) }
	case (toYear-fromYear)*12+toMonth-fromMonth < mostMonths:
		return func(at time.Time) (string, time.Time) {
			y, m, _ := l.YMD(at)
			toYear, toMonth := dates.Next(y, m)
			return l.MonthOf(y, m), l.Start(toYear, toMonth, 1)
		}
	}
	return func(at time.Time) (string, time.Time) {
		y, _, _ := l.YMD(at)
		return l.Digits(fmt.Sprint(y)), l.Start(y+1, 1, 1)
	}
}

// Share is one of several counts that are drawn as bars beside each other.
type Share struct {
	Label string
	Code  bool // the label is a technical name, so that it is written from left to right
	Count int64
	Bad   bool
	Path  string // "" for nowhere
	Of    int64  // the largest of them: as wide as a bar can be

	X, Width string // of its bar, in percent of the width
}

// Ranked returns the largest counts as shares, the largest first; most bounds their number.
func (l Lang) Ranked(counts map[string]int64, most int, share func(key string) Share) []Share {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := counts[b] - counts[a]; d != 0 {
			return int(max(-1, min(1, d)))
		}
		return strings.Compare(a, b)
	})
	var list []Share
	for _, k := range keys[:min(len(keys), most)] {
		s := share(k)
		s.Count = counts[k]
		list = append(list, s)
	}
	return l.Shares(list)
}

// Shares computes the place and width of the bars.
func (l Lang) Shares(list []Share) []Share {
	most := int64(1)
	for _, s := range list {
		most = max(most, s.Count)
	}
	for i := range list {
		w := max(1, 100*size(list[i].Count, most))
		x := 0.0
		if l == Persian {
			x = 100 - w
		}
		list[i].Of, list[i].X, list[i].Width = most, fmt.Sprintf("%.1f%%", x), fmt.Sprintf("%.1f%%", w)
	}
	return list
}
