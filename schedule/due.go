package schedule

// This file serves visits by the clock of a crawl, whose visits take time: a page that is handed out is not chosen again before
// Observe or Leave, and what is out when a period begins is part of its budget.

import "time"

// Due returns a visit that is due at a time. Without one, due is false and next is when to ask again. It is called instead of
// Next. Periods that are over when it is called are left out.
func (s *Schedule) Due(now time.Time) (v Visit, next time.Time, due bool) {
	s.Cross(now)
	at := int64(second(now))
	if len(s.told) > 0 && s.Policy != nil && s.next < len(s.queue) {
		s.rechoose()
	}
	if s.next == len(s.queue) {
		return Visit{}, instant(s.start + s.seconds()), false
	}
	if from := s.time(s.next); int64(from) > at {
		return Visit{}, instant(from), false
	}
	i := s.firstFree()
	if i < 0 {
		return Visit{}, now.Add(time.Second), false
	}
	p := s.queue[i]
	copy(s.queue[s.next+1:i+1], s.queue[s.next:i])
	s.queue[s.next] = p
	s.next++
	s.hand(ID(p.id))
	s.sweepOn(len(s.pages)/len(s.queue) + 1)
	return Visit{ID(p.id), now}, now, true
}

// Cross begins the period that a time is in, if that is not on. What was found in a period is observed after it began, so that
// the visit is part of its budget.
func (s *Schedule) Cross(now time.Time) {
	length := int64(s.seconds())
	passed := floor(int64(second(now))-int64(s.start), length)
	if passed == 0 {
		return
	}
	if passed != 1 { // periods are missed, or the clock was set back
		s.start = uint32(int64(s.start) + (passed-1)*length)
		s.begin()
	}
	s.pace(passed == 1)
	s.border()
}

// hand notes that a visit is out.
func (s *Schedule) hand(id ID) {
	p := &s.pages[id]
	p.out = true
	s.out++
	s.sites[p.Site].out++
}

// mostOut returns how many visits of one site are out at most: those of a minute, and a quarter of the budget.
func (s *Schedule) mostOut() uint32 {
	return uint32(max(4, min(s.Budget/4, int(int64(s.Budget)*60/int64(s.seconds())))))
}

// blocked is how many visits are looked through for one whose site may be asked.
const blocked = 1024

// firstFree returns the first visit of the queue whose site has not too many out; -1 if there is none.
func (s *Schedule) firstFree() int {
	most := s.mostOut()
	for i := s.next; i < min(len(s.queue), s.next+blocked); i++ {
		site := &s.sites[s.pages[s.queue[i].id].Site]
		if site.out < most {
			return i
		}
		site.waited = true
	}
	return -1
}

// pace learns, at the end of a period, how many visits sites take. One that could not be asked as often as was chosen has as many
// visits in the next period as it took in this, and twice as many again with each period in which it keeps up. A site that cannot
// keep up would have the visits of all others otherwise.
func (s *Schedule) pace(whole bool) {
	slow := map[uint32]bool{}
	if left := s.queue[s.next:]; whole {
		round := make([]ID, 0, len(left)+len(s.round))
		for _, p := range left {
			n := s.pages[p.id].Site
			slow[n] = s.sites[n].waited
			round = append(round, ID(p.id))
		}
		if s.Sweeper != nil {
			s.round = append(round, s.round...)
		}
	}
	for i := range s.sites {
		site := &s.sites[i]
		switch {
		case slow[uint32(i)]:
			site.room = max(1, site.served)
		case site.room > 0 && whole:
			if site.room *= 2; int(site.room) >= s.Budget {
				site.room = 0
			}
		}
		site.served, site.waited = 0, false
	}
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
		s.sites[p.Site].out--
	}
}

// Out reports whether a visit of the page was handed out and not observed yet.
func (p *Page) Out() bool { return p.out }

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
