package schedule

// This file has the bounds that people set: intervals, and when they end.

import (
	"fmt"
	"time"
)

// Rule bounds how often pages are visited, for one time after the other: weekly until an election, then monthly.
type Rule struct {
	Name  string
	Spans []Span // in the order of their ends; without any, nothing is bounded
}

// Span is how often a page is visited until a time.
type Span struct {
	Until           time.Time     // zero is without end; after the last span a page is not visited any more
	Least, Greatest time.Duration // between visits; 0 is no bound
}

// state is what rules make of a page at a time.
type state uint8

const (
	free    state = iota // the policy decides
	early                // its least interval is not over
	overdue              // its greatest interval is over
	ended                // it is not visited any more
)

// bound returns what the rule of p makes of it at a time, and the reason in words.
func (s *Schedule) bound(p *Page, at uint32) (state, string) {
	if int(p.Rule) >= len(s.Rules) || len(s.Rules[p.Rule].Spans) == 0 {
		return free, ""
	}
	r := &s.Rules[p.Rule]
	for _, span := range r.Spans {
		if !span.Until.IsZero() && !instant(at).Before(span.Until) {
			continue
		}
		waited := time.Duration(since(p.Last, at)) * time.Second
		switch {
		case p.Visits == 0:
			return free, ""
		case span.Least > 0 && waited < span.Least:
			return early, fmt.Sprintf("rule %s: not sooner than %s after the last visit", r.Name, span.Least)
		case span.Greatest > 0 && waited >= span.Greatest:
			return overdue, fmt.Sprintf("rule %s: at the latest %s after the last visit", r.Name, span.Greatest)
		}
		return free, ""
	}
	return ended, fmt.Sprintf("rule %s: ended %s", r.Name, r.Spans[len(r.Spans)-1].Until.Format(time.DateOnly))
}

// Bounds says in words how the rule of a page bounds its visits at a time; "" if none does.
func (s *Schedule) Bounds(id ID, at time.Time) string {
	p := &s.pages[id]
	if int(p.Rule) >= len(s.Rules) {
		return ""
	}
	r := &s.Rules[p.Rule]
	for _, span := range r.Spans {
		if !span.Until.IsZero() && !at.Before(span.Until) {
			continue
		}
		text := "rule " + r.Name + ":"
		if span.Least > 0 {
			text += fmt.Sprintf(" at the soonest %s after the last visit", span.Least)
		}
		if span.Greatest > 0 {
			text += fmt.Sprintf(" at the latest %s after the last visit", span.Greatest)
		}
		return text
	}
	return ""
}
