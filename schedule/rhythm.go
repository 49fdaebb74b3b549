package schedule

// This file has the policies pattern and importance-pattern of Ben Saad and Gançarski: pages are visited at the hours at
// which they change, or at which what changes matters. In a period, pages of which the most is expected come first.
// The body of the published formula is lost, so that it has three forms.

import "fmt"

// rhythm is both policies.
type rhythm struct {
	form       int
	alpha      float64
	importance bool // importance of changes counts, rather than their number
}

const (
	bySum     = iota // ω + α·Δt
	byProduct        // ω·Δt: a factor would change no order
	bySpan           // ∫ω: what the pattern lets expect since the last visit
)

func newPattern(a *Args) any { return rhythm{int(a.Value("form")), a.Value("alpha"), false} }

func newImportancePattern(a *Args) any { return rhythm{int(a.Value("form")), a.Value("alpha"), true} }

// of returns what is expected of p from changes.
func (r rhythm) of(p *Page, changes, importance float64) float64 {
	if r.importance {
		return p.worth() * importance
	}
	return changes
}

// Urgency implements Policy.
func (r rhythm) Urgency(p *Page, o *Outlook) float64 {
	switch r.form {
	case bySum:
		return r.Place(p, o) + r.alpha*o.Hours(p)
	case byProduct:
		return r.Place(p, o) * o.Hours(p)
	}
	changes, importance := o.Missed(p)
	return r.of(p, changes, importance)
}

// Place implements Arranger: ω, what is expected in an hour of the period.
func (r rhythm) Place(p *Page, o *Outlook) float64 {
	changes, importance := o.Coming(p)
	return r.of(p, changes, importance) / o.Length()
}

// Why implements Policy.
func (r rhythm) Why(p *Page, o *Outlook) string {
	what := "changes"
	if r.importance {
		what = "importance of changes"
	}
	return fmt.Sprintf("%s in an hour now %.3g, last visited %.1f h ago", what, r.Place(p, o), o.Hours(p))
}
