package main

import (
	"testing"
	"time"
)

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
