package schedule

// This file learns from visits, and from what sites say of their pages.

import (
	"math"
	"time"

	"kavosh/lib/httpwire"
	"kavosh/schedule/pattern"
)

// site is what is known of pages that have one rhythm.
type site struct {
	cluster         uint16
	seen            pattern.Pattern
	trust           pattern.Trust
	changes, hours  float32 // of all its pages, for the rate of one that is new
	importance, hit float32 // … for the importance of its changes
	out, served     uint32  // visits that are out, and those observed in the period that is on
	room            uint32  // visits that may be chosen for a period; 0 is no bound (due.go)
	waited          bool    // a visit of the period that is on waited for others of the site
}

// usual returns the rate of the site's pages, drawn towards that of all.
func (s *site) usual(all float64) float64 {
	const believed = 24 * 7 // hours
	return (float64(s.changes) + believed*all) / (float64(s.hours) + believed)
}

// Trust returns how far the word of a site counts, from 0 to 1.
func (s *Schedule) Trust(site uint32) float64 { return s.sites[site].trust.Of() }

// Group returns the number of the rhythm that a site has.
func (s *Schedule) Group(site uint32) int { return int(s.sites[site].cluster) }

// Shape returns what is believed of a rhythm.
func (s *Schedule) Shape(group int) pattern.Shape { return s.clusters[group].shape }

// Signal notes that the site of a page told, at a time, when the page changed last: in a sitemap or a feed. It counts as far
// as the site's word was true before.
func (s *Schedule) Signal(id ID, at, modified time.Time) {
	p := &s.pages[id]
	if p.Visits == 0 || !httpwire.ChangedBefore(modified, at) {
		return
	}
	p.Told, p.ToldChange = second(at), second(modified) > p.Last
	if p.ToldChange {
		s.told = append(s.told, id)
	}
}

// Observe learns from a visit.
func (s *Schedule) Observe(id ID, o Observation) {
	p := &s.pages[id]
	at := max(second(o.At), p.Last) // a clock that goes back says nothing
	site := &s.sites[p.Site]
	s.Leave(id)
	s.sites[p.Site].served++
	if o.Lost {
		p.Last = at
		return
	}
	if p.Visits > 0 && at > p.Last && !p.Listing {
		s.between(p, site, at, o)
	}
	if p.Visits == 0 {
		p.First = at
	}
	p.Last, p.Told = at, 0
	if p.Visits++; p.Visits > mostVisits {
		p.halve()
	}
}

// between learns from what a visit says of the time since the visit before.
func (s *Schedule) between(p *Page, site *site, at uint32, o Observation) {
	last := instant(p.Last)
	if httpwire.ChangedBefore(o.Modified, o.At) {
		site.trust.Check(o.Modified.After(last), o.Changed)
	}
	if p.Told > 0 && (p.ToldChange || !o.Changed) { // what came between its word and the visit is not its fault
		site.trust.Check(p.ToldChange, o.Changed)
	}
	c := &s.clusters[site.cluster]
	rate := s.now.Rate(p)
	hours, _ := s.over(c, p.Last, at)
	parts := s.parts(p.Last, at)
	site.seen.Watched(parts, rate)
	p.Watched += float32(hours)
	site.hours += float32(hours)
	if !o.Changed {
		return
	}
	// How many changes came, given that one did: the expectation of a Poisson count that is not 0.
	changes := 1.0
	if expected := rate * hours; expected > 1e-6 {
		changes = expected / (1 - math.Exp(-expected))
	}
	e := min(max(o.E, 0), 1)
	p.Changed++
	p.Changes += float32(changes)
	p.Importance += float32(e)
	site.changes += float32(changes)
	site.importance += float32(e)
	site.hit++
	switch exact := second(o.Modified); {
	case exact > p.Last && httpwire.ChangedBefore(o.Modified, o.At):
		trust := site.trust.Of()
		site.seen.ChangedAt(s.bin(exact), trust*changes, trust*e)
		if s.Spread {
			site.seen.Changed(parts, &c.shape, (1-trust)*changes, (1-trust)*e)
		}
	case s.Spread || at-p.Last <= 2*3600:
		site.seen.Changed(parts, &c.shape, changes, e)
	}
}

// parts cuts a time into the bins it goes through. Of a long one, only the last four weeks are cut.
func (s *Schedule) parts(from, to uint32) []pattern.Part {
	from = max(from, to-min(to, window*3600))
	var parts []pattern.Part
	for from < to {
		end := min((from/3600+1)*3600, to)
		parts = append(parts, pattern.Part{Bin: s.bin(from), Hours: float32(end-from) / 3600})
		from = end
	}
	return parts
}

// regroup groups the sites by their rhythms, and makes their shapes.
func (s *Schedule) regroup() {
	patterns := make([]*pattern.Pattern, len(s.sites))
	for i := range s.sites {
		patterns[i] = &s.sites[i].seen
	}
	of, groups := pattern.Group(patterns)
	all := pattern.Pattern{}
	for i := range groups {
		all.Add(&groups[i])
	}
	s.common = *all.Shape(pattern.Flat())
	s.clusters = s.clusters[:0]
	for i := range groups {
		s.clusters = append(s.clusters, cluster{seen: groups[i], shape: *groups[i].Shape(&s.common)})
	}
	if len(groups) == 0 {
		s.clusters = append(s.clusters, cluster{shape: s.common})
	}
	for i := range s.sites {
		s.sites[i].cluster = uint16(of[i])
	}
}
