package order

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh"
)

// Entries of a sitemap come by priority, then the newest first, and never before what is a hop nearer.
func TestListedEntriesInBreadth(t *testing.T) {
	now := time.Date(2026, 3, 21, 0, 0, 0, 0, time.UTC)
	policy, err := Parse("breadth", Setup{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	all := []struct {
		name string
		hops int
		l    *kavosh.Listed
	}{
		{"near", 1, &kavosh.Listed{Priority: 0, Changed: at(4000)}},
		{"important", 2, &kavosh.Listed{Priority: 1, Changed: at(4000)}},
		{"today", 2, &kavosh.Listed{Priority: 0.5, Changed: at(0)}},
		{"hourly", 2, &kavosh.Listed{Priority: 0.5, Every: time.Hour}},
		{"last month", 2, &kavosh.Listed{Priority: 0.5, Changed: at(30)}},
		{"yearly", 2, &kavosh.Listed{Priority: 0.5, Every: 365 * 24 * time.Hour}},
		{"unknown", 2, &kavosh.Listed{Priority: 0.5}},
		{"unimportant", 2, &kavosh.Listed{Priority: 0.1, Changed: at(0)}},
		{"far", 3, &kavosh.Listed{Priority: 1, Changed: at(0)}},
	}
	var scores []float64
	for _, c := range all {
		score, why := policy.Score(&Candidate{Link: &kavosh.Link{Kind: kavosh.Sitemap, Listed: c.l}, Task: &kavosh.Task{Hops: c.hops, Added: now}})
		if scores = append(scores, score); !strings.HasPrefix(why, "sitemap priority ") {
			t.Errorf("%s: the reason is %q", c.name, why)
		}
	}
	if !slices.IsSortedFunc(scores, func(a, b float64) int {
		if a > b {
			return -1
		}
		return 1
	}) {
		t.Errorf("scores %v", scores)
	}
}
