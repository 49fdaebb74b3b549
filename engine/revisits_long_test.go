//go:build simulation

package engine

import (
	"testing"
	"time"
)

// A crawl that goes on for 30 days over 10,000 pages with 50 kills keeps its schedule, its budget and its politeness.
func TestRevisitsLong(t *testing.T) {
	if kills := simulateRevisits(t, revisiting{seed: 1, hosts: 100, pages: 100, days: 30, budget: 250, longest: 20 * 24 * time.Hour, lives: 15_000}); kills < 50 {
		t.Errorf("only %d kills", kills)
	}
}
