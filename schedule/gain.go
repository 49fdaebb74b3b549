package schedule

// This file is the policy gain, which is ours: pages first of which a visit brings the most. What a page gains in importance
// adds up by the rhythm of its site at its own rate, and a page that changed altogether cannot change more:
//
//	urgency = worth · (1 − exp(−∫ω))
//
// What the site told takes the place of what is expected, as far as its word was true before: a page that is told to have
// changed gains what is expected of pages that did, one that is told to be as it was gains nothing until then.

import (
	"fmt"
	"math"
)

type gain struct{}

func newGain(*Args) any { return gain{} }

// Urgency implements Policy.
func (gain) Urgency(p *Page, o *Outlook) float64 {
	missed, importance := o.Missed(p)
	if chance, ok := o.Told(p); ok && missed > 0 {
		importance *= chance / (1 - math.Exp(-missed))
	}
	return p.worth() * (1 - math.Exp(-importance))
}

// Place implements Arranger.
func (gain) Place(p *Page, o *Outlook) float64 {
	_, importance := o.Coming(p)
	return p.worth() * importance
}

// Why implements Policy.
func (gain) Why(p *Page, o *Outlook) string {
	missed, importance := o.Missed(p)
	why := fmt.Sprintf("%.2g changes expected since the last visit %.1f h ago, importance %.2g together", missed, o.Hours(p), importance)
	if chance, ok := o.Told(p); ok {
		why += fmt.Sprintf("; by what the site told it changed with a chance of %.2f", chance)
	}
	return why
}
