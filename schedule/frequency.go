package schedule

// This file is the policy frequency: pages that change often are visited often. It is the baseline of Ben Saad and
// Gançarski: pages are selected by their frequency of change (Cho's estimator), the longest waiting of them come first, and
// what is left of the budget goes to the longest waiting of the others.

import "fmt"

type frequency struct{}

func newFrequency(*Args) any { return frequency{} }

// Urgency implements Policy.
func (frequency) Urgency(p *Page, o *Outlook) float64 {
	if hours := o.Hours(p); hours*p.Cho() < 1 {
		return hours
	}
	return 1e9 + o.Hours(p)
}

// Why implements Policy.
func (frequency) Why(p *Page, o *Outlook) string {
	if cho := p.Cho(); cho > 0 {
		return fmt.Sprintf("changes about every %.1f h, last visited %.1f h ago", 1/cho, o.Hours(p))
	}
	return fmt.Sprintf("no change seen yet, last visited %.1f h ago", o.Hours(p))
}
