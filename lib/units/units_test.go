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

func TestRates(t *testing.T) {
	for text, want := range map[string]Rate{"0": 0, "500": 500, "500kB/s": 500_000, " 2MB/s ": 2_000_000, "1MiB": 1 << 20, "۲MB/s": 2_000_000} {
		var r Rate
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%q: %d, %v; want %d", text, r, err, want)
		}
	}
	for rate, want := range map[Rate]string{0: "0", 7: "7B/s", 1500: "1500B/s", 500_000: "500kB/s", 2_000_000_000: "2GB/s"} {
		var again Rate
		if text, err := rate.MarshalText(); err != nil || string(text) != want || again.UnmarshalText(text) != nil || again != rate {
			t.Errorf("%d is written %q and read as %d, %v", int64(rate), text, again, err)
		}
	}
	for _, text := range []string{"", "/s", "2MB/min", "-1"} {
		var r Rate
		if err := r.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "500kB/s") {
			t.Errorf("%q: %d, %v; want an error that shows how", text, r, err)
		}
	}
}

func TestSpansBetween(t *testing.T) {
	for text, want := range map[string]Spans{
		"2s": Always(Span(2 * time.Second)), "0": {}, "1s-3s": {Span(time.Second), Span(3 * time.Second)}, "500ms – 1m": {Span(500 * time.Millisecond), Span(time.Minute)},
	} {
		var s, again Spans
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %v, %v; want %v", text, s, err, want)
		}
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%q is written %q and read as %v, %v", text, s, again, err)
		}
	}
	for text, fix := range map[string]string{"": "such as", "3s-1s": "the shorter time first", "-1s": "such as", "1s-": "such as", "1-3": "unit", "1s-2s-3s": "such as"} {
		var s Spans
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), fix) {
			t.Errorf("%q: %v, %v; want an error that says %q", text, s, err, fix)
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
