package status

import "testing"

// TestRate wants a fraction only where it says something.
func TestRate(t *testing.T) {
	for rate, want := range map[float64]string{1.52: "1.5", 9.99: "10.0", 31.4: "31"} {
		if got := Rate(rate); got != want {
			t.Errorf("%g: %s", rate, got)
		}
	}
}
