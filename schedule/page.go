package schedule

// This file says what is known of a page.

import (
	"math"
	"time"
)

// Page is what is known of a page: 48 bytes. Times are seconds since 1970. Its fields are set by Add and learned by Observe.
type Page struct {
	Worth float32 // how important the page is beside others; 0 counts as 1
	Site  uint32  // number of its site: pages of one site have one rhythm, and are trusted alike
	Rule  uint16  // which of Options.Rules holds

	// Listing is a sitemap or feed: it is visited for what it tells of other pages of its site (Signal), when that is likely to
	// save a visit, and once a day to see how far it can be trusted. Nothing else is learned from it.
	Listing bool

	Visits, Changed uint16  // visits, and those of them that found a change
	First, Last     uint32  // the first and the last visit
	Importance      float32 // the sum of E over the visits that found a change
	Watched         float32 // hours between first and last visit, each weighed by the shape of the site's rhythm
	Changes         float32 // changes that came in them: at least one for each visit that found one
	Told            uint32  // when the site told of its last change or that there was none; 0 if it said nothing since the last visit
	ToldChange      bool    // what it told then
	out             bool    // it was handed out by Due, and not observed yet
	age             uint32  // what halving has taken from Last-First
}

func (p *Page) worth() float64 {
	if p.Worth == 0 {
		return 1
	}
	return float64(p.Worth)
}

// Cho returns how often the page changes an hour, by the estimator of Cho and Garcia-Molina ("Estimating frequency of
// change", 2003), for visits that are as far apart as they were on average.
func (p *Page) Cho() float64 {
	if p.Visits < 2 {
		return 0
	}
	n, x := float64(p.Visits)-1, float64(p.Changed)
	apart := p.span() / n
	return -math.Log((n-x+0.5)/(n+0.5)) / apart
}

// span returns the hours from the first visit to the last, at least one.
func (p *Page) span() float64 {
	return max(float64(p.Last-p.First)-float64(p.age), 3600) / 3600
}

// meanE returns the mean importance of a change, drawn towards what is usual as long as few were found.
func (p *Page) meanE(usual float64) float64 {
	return (float64(p.Importance) + usual) / (float64(p.Changes) + 1)
}

// rate returns how often the page changes in a mean hour. It begins as usual, the rate that pages of its site have, and this
// belief counts as one change in the time that such pages take for it: the exponential distribution with that mean, which
// assumes the least. A belief that counted as so many hours would be worth nothing where pages change once in months, and
// those that were not yet seen to change would be left alone.
func (p *Page) rate(usual float64) float64 {
	return (float64(p.Changes) + 1) / (float64(p.Watched) + 1/usual)
}

// halve makes what is known count half, so that numbers stay small and what is new counts for more.
func (p *Page) halve() {
	p.age += uint32((float64(p.Last-p.First) - float64(p.age)) / 2)
	p.Visits, p.Changed = p.Visits/2, p.Changed/2
	p.Importance, p.Watched, p.Changes = p.Importance/2, p.Watched/2, p.Changes/2
}

// mostVisits is how many visits of a page count.
const mostVisits = 400

// Observation is what a visit found.
type Observation struct {
	At       time.Time
	Changed  bool      // since the visit before
	E        float64   // importance of what changed, from 0 to 1
	Lost     bool      // no answer came: nothing is learned, and the page waits as if it had been visited
	Modified time.Time // when it last changed by its own word, such as Last-Modified or a date in it; zero if it says nothing
}
