package schedule

// This file is the policy round-robin: the page that waited longest is visited first.

import "fmt"

type roundRobin struct{}

func newRoundRobin(*Args) any { return roundRobin{} }

// Urgency implements Policy.
func (roundRobin) Urgency(p *Page, o *Outlook) float64 { return o.Hours(p) }

// Why implements Policy.
func (roundRobin) Why(p *Page, o *Outlook) string {
	return fmt.Sprintf("%.0f h since the last visit", o.Hours(p))
}
