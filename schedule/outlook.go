package schedule

// This file foretells the changes of pages.

import (
	"math"

	"kavosh/schedule/pattern"
)

// Outlook is what is expected in a period.
type Outlook struct {
	s       *Schedule
	at, end uint32  // of the period
	number  uint64  // of the period, since 1970
	usualE  float64 // importance of the changes of a mean page
	usual   float64 // rate of a mean page
}

// window is how many hours back the rhythm is followed hour by hour; before, all hours are alike.
const window = 4 * 7 * 24

// ahead is how many hours are foretold.
const ahead = 48

// cluster is sites with one rhythm.
type cluster struct {
	seen       pattern.Pattern
	shape      pattern.Shape
	changes    []float32 // sums of the shape over the hours of Schedule.bins: changes of a page that changes once in a mean hour
	importance []float32 // the same, each change times its importance
}

// Hours returns the hours from the last visit of p to the start of the period.
func (o *Outlook) Hours(p *Page) float64 { return float64(since(p.Last, o.at)) / 3600 }

// Length returns the hours of the period.
func (o *Outlook) Length() float64 { return float64(o.end-o.at) / 3600 }

// Rate returns how often p changes in a mean hour.
func (o *Outlook) Rate(p *Page) float64 {
	return p.rate(o.s.sites[p.Site].usual(o.usual))
}

// Missed returns how many changes of p are expected between its last visit and the start of the period, and their
// importance together.
func (o *Outlook) Missed(p *Page) (changes, importance float64) { return o.between(p, p.Last, o.at) }

// Coming returns the same for the period.
func (o *Outlook) Coming(p *Page) (changes, importance float64) { return o.between(p, o.at, o.end) }

func (o *Outlook) between(p *Page, from, to uint32) (changes, importance float64) {
	c := &o.s.clusters[o.s.sites[p.Site].cluster]
	rate := o.Rate(p)
	shaped, weighed := o.s.over(c, from, to)
	return rate * shaped, rate * weighed * p.meanE(o.usualE)
}

// over returns the sums of a cluster's shape over a time, in hours.
func (s *Schedule) over(c *cluster, from, to uint32) (changes, importance float64) {
	to = max(from, to)
	if len(c.changes) == 0 {
		h := float64(to-from) / 3600
		return h, h
	}
	fromHour := float64(from)/3600 - float64(s.first)
	toHour := float64(to)/3600 - float64(s.first)
	known := float64(len(s.bins))
	beyond := max(-fromHour, 0) + max(toHour-known, 0) // where all hours are alike
	fromHour, toHour = max(fromHour, 0), min(toHour, known)
	return beyond + at(c.changes, toHour) - at(c.changes, fromHour), beyond + at(c.importance, toHour) - at(c.importance, fromHour)
}

// at returns a sum at a time, in hours, between two of its steps.
func at(sums []float32, hour float64) float64 {
	i := min(int(hour), len(sums)-2)
	part := hour - float64(i)
	return float64(sums[i])*(1-part) + float64(sums[i+1])*part
}

// Told returns the chance that p changed since its last visit by what its site told, and false if it told nothing.
func (o *Outlook) Told(p *Page) (chance float64, ok bool) {
	if p.Told == 0 {
		return 0, false
	}
	trust := &o.s.sites[p.Site].trust
	missed, _ := o.Missed(p)
	if p.ToldChange {
		return trust.Believe(true, 1-math.Exp(-missed)), true
	}
	until, _ := o.between(p, p.Last, p.Told)
	after := math.Exp(until - missed) // nothing came after it told
	return 1 - (1-trust.Believe(false, 1-math.Exp(-until)))*after, true
}

// roll moves the hours that shapes are summed over, and sums the shapes again.
func (s *Schedule) roll(at uint32) {
	first := int64(at)/3600 - window
	n := window + ahead
	if shift := int(first - s.first); len(s.bins) == n && shift > 0 && shift < n {
		s.bins = s.bins[:copy(s.bins, s.bins[shift:])]
	} else if shift != 0 || len(s.bins) != n {
		s.bins = s.bins[:0]
	}
	s.first = first
	for h := first + int64(len(s.bins)); len(s.bins) < n; h++ {
		s.bins = append(s.bins, s.Calendar.Bin(instant(uint32(h*3600+1800))))
	}
	for i := range s.clusters {
		s.clusters[i].sum(s.bins)
	}
}

func (c *cluster) sum(bins []uint8) {
	if len(c.changes) != len(bins)+1 {
		c.changes, c.importance = make([]float32, len(bins)+1), make([]float32, len(bins)+1)
	}
	for i, b := range bins {
		c.changes[i+1] = c.changes[i] + c.shape.Changes[b]
		c.importance[i+1] = c.importance[i] + c.shape.Changes[b]*c.shape.Importance[b]
	}
}

// bin returns the bin of a time.
func (s *Schedule) bin(at uint32) uint8 {
	if h := int64(at)/3600 - s.first; h >= 0 && h < int64(len(s.bins)) {
		return s.bins[h]
	}
	return s.Calendar.Bin(instant(at))
}
