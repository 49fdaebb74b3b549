package order

// This file gives a small score to what sitemaps say of their URLs.

import (
	"fmt"
	"time"

	"kavosh"
)

// listedScore returns a score within ±0.5 for what a sitemap says of a URL, and the reason in words: its priority, from
// which the middle 0.5 is taken, and as a tie-breaker how lately it was changed at the time now. A page whose last change
// is not told counts as changed one interval of its changefreq ago.
func listedScore(l *kavosh.Listed, now time.Time) (float64, string) {
	score, why := 0.9*(l.Priority-0.5), fmt.Sprintf("sitemap priority %.2g", l.Priority)
	age := now.Sub(l.Changed)
	switch {
	case !l.Changed.IsZero():
		why += ", changed " + l.Changed.UTC().Format(time.DateOnly)
	case l.Every > 0:
		age = l.Every
	default:
		return score, why
	}
	return score + 0.05/(1+max(age, 0).Hours()/(30*24)), why
}
