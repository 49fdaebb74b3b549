package plan

import (
	"strings"
	"testing"
	"time"
)

// TestStarts foretells when crawls begin.
func TestStarts(t *testing.T) {
	for _, c := range []struct{ text, after, want string }{
		{"hourly in UTC", "2026-11-27T10:00:00Z", "2026-11-27T11:00:00Z 2026-11-27T12:00:00Z"},
		{"hourly :15 in UTC", "2026-11-27T23:20:00Z", "2026-11-28T00:15:00Z 2026-11-28T01:15:00Z"},
		{"daily 03:00 in UTC", "2026-12-31T02:59:59Z", "2026-12-31T03:00:00Z 2027-01-01T03:00:00Z"},
		{"daily 03:00 in Asia/Tehran", "2026-11-27T00:00:00Z", "2026-11-27T23:30:00Z 2026-11-28T23:30:00Z"},
		{"weekly in UTC", "2026-11-27T10:00:00Z", "2026-11-30T00:00:00Z 2026-12-07T00:00:00Z"}, // from a Friday
		{"weekly Friday 03:00 in UTC", "2026-11-27T03:00:00Z", "2026-12-04T03:00:00Z 2026-12-11T03:00:00Z"},
		{"monthly 31 03:00 in UTC", "2027-01-31T03:00:00Z", "2027-02-28T03:00:00Z 2027-03-31T03:00:00Z"},
		{"monthly 1 jalali 00:00 in Asia/Tehran", "2027-03-01T00:00:00Z", "2027-03-20T20:30:00Z 2027-04-20T20:30:00Z"}, // 1406/01/01, 1406/02/01
		{"weekly fri 03:00 until 2026-12-10, monthly 15 04:30 in UTC", "2026-11-28T00:00:00Z", "2026-12-04T03:00:00Z 2026-12-15T04:30:00Z 2027-01-15T04:30:00Z"},
		{"daily 00:00 until 1405/09/10 in Asia/Tehran", "2026-11-28T20:00:00Z", "2026-11-28T20:30:00Z 2026-11-29T20:30:00Z"}, // until 2026-12-01
		{"daily 02:30 in Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:30:00Z 2027-03-29T00:30:00Z"},                // the first is in no clock
	} {
		var s Starts
		if err := s.UnmarshalText([]byte(c.text)); err != nil {
			t.Error(err)
			continue
		}
		at, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range strings.Fields(c.want) {
			got, ok := s.Next(at)
			if !ok || got.UTC().Format(time.RFC3339) != want {
				t.Errorf("%s: after %v comes %v, not %s", c.text, at, got.UTC(), want)
			}
			at = got
		}
		if text, _ := s.MarshalText(); string(text) != c.text {
			t.Errorf("%q became %q", c.text, text)
		}
	}
	var over Starts
	if err := over.UnmarshalText([]byte("daily until 2026-11-01")); err != nil {
		t.Fatal(err)
	}
	if at, ok := over.Next(time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)); ok {
		t.Errorf("after the end comes %v", at)
	}
}

// TestWrongStarts wants what is wrong to be named.
func TestWrongStarts(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "write hourly",
		"sometimes":              "write hourly",
		"hourly 3:15":            "write hourly",
		"daily 25:00":            "write hourly",
		"daily 3":                "write hourly",
		"weekly someday 03:00":   "write hourly",
		"monthly 0":              "write hourly",
		"daily 03:00 in Nowhere": "is no time zone",
		"daily, weekly":          "never ends",
		"daily until 2027-06-18, weekly until 2027-06-01": "ends before it begins",
		"daily until soon": "soon",
	} {
		var s Starts
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
