package schedule

// This file serves visits by the clock of a crawl, whose visits take time: a page that is handed out is not chosen again before
// Observe or Leave, and what is out when a period begins is part of its budget.

import "time"

// Due returns a visit that is due at a time. Without one, due is false and next is when to ask again. It is called instead of
// Next. Periods that are over when it is called are left out.
func (s *Schedule) Due(now time.Time) (v Visit, next time.Time, due bool) {
	at, length := int64(second(now)), int64(s.seconds())
	if passed := floor(at-int64(s.start), length); passed != 0 {
		if passed != 1 { // periods are missed, or the clock was set back
			s.start = uint32(int64(s.start) + (passed-1)*length)
			s.begin()
		}
		s.border()
	}
	if len(s.told) > 0 && s.Policy != nil && s.next < len(s.queue) {
		s.rechoose()
	}
	if s.next == len(s.queue) {
		return Visit{}, instant(s.start + s.seconds()), false
	}
	if from := s.time(s.next); int64(from) > at {
		return Visit{}, instant(from), false
	}
	id := ID(s.queue[s.next].id)
	s.next++
	s.pages[id].out = true
	s.out++
	s.sweepOn(len(s.pages)/len(s.queue) + 1)
	return Visit{id, now}, now, true
}

// When returns when a page is visited in the period that is on; false if it is not among its visits.
func (s *Schedule) When(id ID) (time.Time, bool) {
	for i := s.next; i < len(s.queue); i++ {
		if ID(s.queue[i].id) == id {
			return instant(s.time(i)), true
		}
	}
	return time.Time{}, false
}

// floor returns n/by, rounded down.
func floor(n, by int64) int64 {
	if n < 0 {
		n -= by - 1
	}
	return n / by
}

// Leave takes back a visit that is not made: the page may be chosen again.
func (s *Schedule) Leave(id ID) {
	if p := &s.pages[id]; p.out {
		p.out = false
		s.out--
	}
}

// Out returns how many visits are handed out and neither observed nor left.
func (s *Schedule) Out() int { return s.out }

// Pages returns how many pages there are.
func (s *Schedule) Pages() int { return len(s.pages) }

// Round returns the number of the period that a time is in, from 1; 1 for times before the first.
func (o *Options) Round(at time.Time) int {
	return 1 + int(max(at.Sub(o.Start), 0)/o.Period)
}

// Over reports whether no page is to be visited any more after a time, by its rules, and none is out.
func (s *Schedule) Over(at time.Time) bool {
	if s.out > 0 {
		return false
	}
	for i := range s.pages {
		if state, _ := s.bound(&s.pages[i], second(at)); state != ended {
			return false
		}
	}
	return true
}

// SetRule lets another rule of Options.Rules hold for a page.
func (s *Schedule) SetRule(id ID, rule uint16) { s.pages[id].Rule = rule }

// room returns how many visits may be chosen for the period that begins: the budget, less what is out already, and less what was
// spent of it before a restart.
func (s *Schedule) room() int {
	spent := s.out
	if s.kept.start == s.look.at {
		spent = max(spent, s.kept.spent)
	}
	return max(0, s.Budget-spent)
}
