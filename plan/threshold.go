package plan

// This file says of which shares of a crawl a person wants to be warned.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Threshold is a share of a crawl above which a person is warned, written "missing=5".
type Threshold struct {
	What    string  // "missing", "failed", "errors" or "standins"
	Percent float64 // from 0 to 100
}

var thresholds = []string{"missing", "failed", "errors", "standins"}

// UnmarshalText parses what a person wrote.
func (t *Threshold) UnmarshalText(text []byte) error {
	what, share, _ := strings.Cut(string(text), "=")
	percent, err := strconv.ParseFloat(strings.TrimSuffix(share, "%"), 64)
	if !slices.Contains(thresholds, what) || err != nil || !(percent >= 0 && percent <= 100) {
		return fmt.Errorf("%q is no share to be warned of: write missing, failed, errors or standins, and how many percent, such as missing=5", text)
	}
	t.What, t.Percent = what, percent
	return nil
}

// MarshalText writes a text that UnmarshalText parses.
func (t Threshold) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s=%g", t.What, t.Percent), nil
}
