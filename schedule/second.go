package schedule

// This file orders second visits. A crawl has visited all its pages, and visits each once more: a page that has not changed
// between its two visits belongs to one picture with all others of which that is true, the site as it was when the first
// round ended (Denev, Mazeika, Spaniol and Weikum, "SHARC: framework for quality-conscious web archiving", 2009).
//
// SHARC visits pages from the one that changes least to the one that changes most, and again the other way round, with
// hopeless pages apart: those that will have changed anyway. Here the first visits are given, as links were found. What
// a page loses by coming last and not first puts both ideas into one number: it is great for a page that changes often,
// and little for one that changes so often that nothing is left to lose.

import "math"

// Seen is a page that was visited once.
type Seen struct {
	Rate  float64 // how often it changes, an hour
	Since float64 // hours from its visit to the beginning of the second round
}

// Loss returns the chance that a page is as it was when the second round begins, but not when it ends so many hours later.
// The greatest loss comes first.
func (s Seen) Loss(hours float64) float64 { return s.Same() * (1 - math.Exp(-s.Rate*hours)) }

// Same returns the chance that a page is as it was when the second round begins.
func (s Seen) Same() float64 { return math.Exp(-s.Rate * s.Since) }

// Known is what is known of the changes of a page, or of several together: how many came in how many hours.
type Known struct{ Changes, Hours float64 }

// Add adds what is known of others.
func (k *Known) Add(o Known) {
	k.Changes += o.Changes
	k.Hours += o.Hours
}

// rate returns how often a page changes an hour, drawn towards usual: all the more, the less than hours is known.
func (k Known) rate(usual, hours float64) float64 {
	return (k.Changes + usual*hours) / (k.Hours + hours)
}

// Drawn returns the rate of a page of which this is known, drawn towards pages that are like it, these towards those of its host,
// and these towards all, of which nothing may be known.
func Drawn(page, group, host, all Known) float64 {
	const week, days = 24 * 7, 24 * 2 // for how much what is usual counts
	return page.rate(group.rate(host.rate(all.rate(usualRate, week), week), week), days)
}

// Counted is what visits tell that are evenly apart in so many hours, and of which some found a change: the expected number
// of changes, as several may have come between two visits (Cho and Garcia-Molina, "Estimating frequency of change", 2003).
func Counted(visits, changed int, hours float64) Known {
	n, x := float64(visits-1), float64(changed)
	if n < 1 || hours <= 0 {
		return Known{}
	}
	return Known{-n * math.Log((n-x+0.5)/(n+0.5)), hours}
}

// usualRate is how often a page changes an hour of which nothing is known: once a week.
const usualRate = 1.0 / (24 * 7)
