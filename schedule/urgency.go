package schedule

// This file is the policy urgency of Ben Saad, Gançarski and Pehlivan ("Archiving Web Pages Based on Visual Analysis and
// Diff", 2009): worth × importance of changes × time since the last visit. As printed, the mean importance of a change is
// divided by the whole time that the page is known, so that the urgency of every page falls as its history grows. The
// form rate divides the sum of the importances instead; the form integral adds up what the rhythm of the site lets expect.

import "fmt"

type urgency struct{ form int }

const (
	literal = iota
	byRate
	byIntegral
)

func newUrgency(a *Args) any { return urgency{int(a.Value("form"))} }

// Urgency implements Policy.
func (u urgency) Urgency(p *Page, o *Outlook) float64 {
	switch u.form {
	case literal:
		return p.worth() * float64(p.Importance) / max(float64(p.Changed), 1) / p.span() * o.Hours(p)
	case byRate:
		return p.worth() * float64(p.Importance) / p.span() * o.Hours(p)
	}
	_, importance := o.Missed(p)
	return p.worth() * importance
}

// Why implements Policy.
func (u urgency) Why(p *Page, o *Outlook) string {
	return fmt.Sprintf("urgency %.3g: worth %.2g, importance of changes %.2g in %.0f h, last visited %.1f h ago", u.Urgency(p, o), p.worth(), p.Importance, p.span(), o.Hours(p))
}
