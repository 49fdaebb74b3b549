package units

import (
	"strings"
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "500": 500, "10MB": 10_000_000, "1GiB": 1 << 30, "1.5G": 1_500_000_000, "64 KiB": 65536, "2kb": 2000, "7B": 7, "1TiB": 1 << 40,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "ten", "1XB", "1e30", "NaN", "9999999TB"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "10MB") {
			t.Errorf("%q: %d, %v; want an error that shows how", text, s, err)
		}
	}
	for n, want := range map[Size]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 12_400_000: "12.4 MB", 999_600_000: "1.0 GB", 250_000_000_000: "250 GB"} {
		if got := n.String(); got != want {
			t.Errorf("%d: %q, want %q", int64(n), got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "1s": time.Second, "2h30m": 150 * time.Minute, "1d": 24 * time.Hour, "1w": 168 * time.Hour, "1.5s": 1500 * time.Millisecond,
		"500ms": 500 * time.Millisecond, "1d12h": 36 * time.Hour, "1h0m0s": time.Hour, "250µs": 250 * time.Microsecond,
	} {
		var s Span
		if err := s.UnmarshalText([]byte(text)); err != nil || time.Duration(s) != want {
			t.Errorf("%q: %v, %v; want %v", text, time.Duration(s), err, want)
		}
	}
	for _, text := range []string{"", "5", "-1s", "s", "1 fortnight", "1y", "99999999w", "1s2"} {
		var s Span
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as") && !strings.Contains(err.Error(), "unit") {
			t.Errorf("%q: %v, %v; want an error that shows how", text, time.Duration(s), err)
		}
	}
}
