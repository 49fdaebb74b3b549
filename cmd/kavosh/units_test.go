package main

import (
	"strings"
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "500": 500, "10MB": 10_000_000, "1GiB": 1 << 30, "1.5G": 1_500_000_000, "64 KiB": 65536, "2kb": 2000, "7B": 7, "1TiB": 1 << 40,
	} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "ten", "1XB", "1e30", "NaN", "9999999TB"} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "10MB") {
			t.Errorf("%q: %d, %v; want an error that shows how", text, s, err)
		}
	}
	for n, want := range map[size]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 12_400_000: "12.4 MB", 999_600_000: "1.0 GB", 250_000_000_000: "250 GB"} {
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
		var s span
		if err := s.UnmarshalText([]byte(text)); err != nil || time.Duration(s) != want {
			t.Errorf("%q: %v, %v; want %v", text, time.Duration(s), err, want)
		}
	}
	for _, text := range []string{"", "5", "-1s", "s", "1 fortnight", "1y", "99999999w", "1s2"} {
		var s span
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as") && !strings.Contains(err.Error(), "unit") {
			t.Errorf("%q: %v, %v; want an error that shows how", text, time.Duration(s), err)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"max-pages", "max-time", "delay", "address-delay", "scope"}
	for word, want := range map[string]string{
		"max_pages": "max-pages", "maxpages": "max-pages", "dealy": "delay", "scop": "scope", "Scope": "scope", "colour": "", "adress-delay": "address-delay",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestCountsAndTimesForPeople(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for d, want := range map[time.Duration]string{8200 * time.Millisecond: "8.2 s", 42 * time.Second: "42 s", 185 * time.Second: "3 min 5 s", 134 * time.Minute: "2 h 14 min"} {
		if got := elapsed(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestPersianDigits(t *testing.T) {
	for text, want := range map[string]string{"1,234.5 kB": "۱٬۲۳۴٫۵ kB", "robots.txt": "robots.txt", "0:00:09": "۰:۰۰:۰۹"} {
		if got := persianDigits(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
