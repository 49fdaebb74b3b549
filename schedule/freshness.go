package schedule

// This file is the policy freshness: the most of the archive, by worth, is as the web is now. For pages that change at
// constant rates, the optimum fills visits in like water into a vessel: every page is visited as often as makes one more
// visit bring the same everywhere (Azar, Horvitz, Lubetzky, Peres and Shahaf, "Tractable near-optimal policies for
// crawling", 2018; Kolobov and others, "Staying up to date with online content changes", 2019). What one more visit brings,
// as a function of the time since the last, is the urgency here; the level of the water sets itself by the budget.

import (
	"fmt"
	"math"
)

type freshness struct{}

func newFreshness(*Args) any { return freshness{} }

// Urgency implements Policy.
func (freshness) Urgency(p *Page, o *Outlook) float64 {
	rate := o.Rate(p)
	x := rate * o.Hours(p)
	return p.worth() / rate * (1 - (1+x)*math.Exp(-x))
}

// Why implements Policy.
func (f freshness) Why(p *Page, o *Outlook) string {
	return fmt.Sprintf("a visit makes it fresh for %.3g h: it changes %.3g times an hour, last visited %.1f h ago", f.Urgency(p, o), o.Rate(p), o.Hours(p))
}
