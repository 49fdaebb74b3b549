// Package schedule decides when to visit what again: one file a policy, one line in List.
//
// Time is cut into periods, such as hours, and each has a budget of visits. A policy says how urgent a visit of a page
// is; the most urgent pages get the visits of the next period. Some visits are taken out of this: a share goes to the
// pages that waited longest, so that none is starved, and, with policies that go by patterns, a share to pages visited just
// before, because only visits close together tell at what hour pages change.
//
// What is known of a page is a Page of 48 bytes (page.go), and what is known of the rhythm of the pages of a site is a
// pattern.Pattern. Every policy sees the same knowledge, and differs in what it makes of it. schedule.go says what a policy
// is, policies.go lists all, spec.go reads what people write. period.go chooses the visits of a period; outlook.go
// foretells the changes of a page; learn.go learns from visits and from what sites say themselves; rules.go has the
// bounds that people set. Everything is computed from what it is told: no clock, no files, no network, no chance but a seed.
package schedule

import (
	"fmt"
	"slices"
	"time"

	"kavosh/schedule/pattern"
)

// Policy says how urgent visits are.
type Policy interface {
	// Urgency returns how urgent a visit of p is in the period of o. It only matters which of two pages has more.
	Urgency(p *Page, o *Outlook) float64
	// Why returns the reason for the urgency of p in a few words.
	Why(p *Page, o *Outlook) string
}

// Arranger is a policy that says in which order the chosen pages of a period are visited: those with the greatest Place
// first. Without it, the most urgent are first.
type Arranger interface {
	Policy
	Place(p *Page, o *Outlook) float64
}

// Sweeper is a policy that visits all pages, then all again, in an order that it makes for each round.
type Sweeper interface {
	// Sweep returns an order of all pages.
	Sweep(pages []Page, o *Outlook) []ID
	Why(p *Page, o *Outlook) string
}

// ID is the number of a page, in the order in which pages were added.
type ID uint32

// Options are the settings of a schedule.
type Options struct {
	Start    time.Time
	Period   time.Duration     // a whole number of seconds, at least one; 0 is an hour
	Budget   int               // visits a period, at least one
	Calendar *pattern.Calendar // nil is "world" in UTC
	Rules    []Rule            // the first is that of pages without another
	Seed     uint64            // of random choices
}

// Visit is what is to be done: look at a page.
type Visit struct {
	Page ID
	At   time.Time // not before
}

// Schedule says which page is visited next. One goroutine at a time uses it.
type Schedule struct {
	Options
	Chosen
	pages    []Page
	listings []ID
	sites    []site
	clusters []cluster
	common   pattern.Shape // of all sites together
	bins     []uint8       // of the hours from firstHour on
	first    int64         // hours since 1970 of bins[0]
	grouped  uint32        // when sites were last grouped

	start uint32   // of the period that is served
	queue []pick   // its visits
	next  int      // which of queue is next
	spent int      // of the budget of the period, before its queue was chosen
	out   int      // pages that Due handed out and that are not observed yet
	spare []pick   // what would have been chosen next
	told  []ID     // pages that changed, as their sites told since the last visit
	sweep sweep    // the choice of the visits of the period after it
	round []ID     // what is left of the round of a Sweeper
	look  Outlook  // on the period after it
	now   Outlook  // on the period that is served
	kept  struct { // of a period that was begun before a restart
		start uint32
		spent int
	}
}

// New makes an empty schedule.
func New(c Chosen, o Options) *Schedule {
	if o.Period == 0 {
		o.Period = time.Hour
	}
	if o.Calendar == nil {
		o.Calendar, _ = pattern.Named("world", time.UTC) // which is there: a test reads all calendars
	}
	s := &Schedule{Options: o, Chosen: c, start: second(o.Start), common: *pattern.Flat()}
	s.first = int64(s.start)/3600 - window
	s.clusters = []cluster{{shape: s.common}}
	s.start -= s.seconds() // the border to the first period is crossed by the first Next
	s.begin()
	return s
}

func (s *Schedule) seconds() uint32 { return uint32(s.Period / time.Second) }

// mostSites bounds what is kept of sites, a kilobyte each. Sites beyond share what is known with others.
const mostSites = 1 << 16

// Add adds a page.
func (s *Schedule) Add(p Page) ID {
	p.Site %= mostSites
	for int(p.Site) >= len(s.sites) {
		s.sites = append(s.sites, site{})
	}
	if p.Listing {
		s.listings = append(s.listings, ID(len(s.pages)))
	}
	s.pages = append(s.pages, p)
	return ID(len(s.pages) - 1)
}

// Reserve makes room for n pages at once.
func (s *Schedule) Reserve(n int) { s.pages = slices.Grow(s.pages, n) }

// Page returns what is known of a page.
func (s *Schedule) Page(id ID) Page { return s.pages[id] }

// Follow goes on with another policy and budget from the next period on, with all that was learned.
func (s *Schedule) Follow(c Chosen, budget int) {
	s.Chosen, s.Budget = c, budget
	s.queue, s.next, s.round, s.told = s.queue[:0], 0, nil, nil
	s.start -= s.seconds() // the period that was begun is chosen for anew
	s.begin()
}

// Next returns the next visit; false if no page is ever to be visited again.
func (s *Schedule) Next() (Visit, bool) {
	for empty := 0; s.next == len(s.queue); {
		s.border()
		if len(s.queue) > 0 {
			break
		}
		if empty++; empty > mostEmpty || len(s.pages) == 0 {
			return Visit{}, false
		}
	}
	if len(s.told) > 0 && s.Policy != nil {
		s.rechoose()
	}
	p := s.queue[s.next]
	at := s.time(s.next)
	s.next++
	s.sweepOn(len(s.pages)/len(s.queue) + 1)
	return Visit{ID(p.id), instant(at)}, true
}

// time returns when the i-th visit of the period is due: all are equally far apart.
func (s *Schedule) time(i int) uint32 {
	return s.start + uint32(uint64(s.seconds())*uint64(s.spent+i)/uint64(max(s.Budget, s.spent+len(s.queue))))
}

// mostEmpty is how many periods without a visit are looked through for one that has some: a year of hours. Least intervals
// are shorter.
const mostEmpty = 24 * 366

// Why returns why a page is due when it is, in words.
func (s *Schedule) Why(id ID) string {
	p := &s.pages[id]
	if p.Listing {
		return fmt.Sprintf("it tells of changes, with a trust of %.2f; last read %.1f h ago", s.Trust(p.Site), s.now.Hours(p))
	}
	if p.Visits == 0 {
		return "never visited yet"
	}
	if s.Sweeper != nil {
		return s.Sweeper.Why(p, &s.now)
	}
	if state, why := s.bound(p, s.now.at); state != free {
		return why
	}
	return s.Policy.Why(p, &s.now)
}

// second returns a time in seconds since 1970; what lies before that or after 2100 becomes its bound.
func second(t time.Time) uint32 { return uint32(min(max(t.Unix(), 1), lastSecond)) }

const lastSecond = 130 * 365 * 24 * 3600

// since returns the seconds from last to at, and 0 if a clock went back between them.
func since(last, at uint32) uint32 { return max(last, at) - last }

func instant(s uint32) time.Time { return time.Unix(int64(s), 0).UTC() }
