package engine

import (
	"testing"
	"time"

	"kavosh"
	"kavosh/internal/spool"
)

// Hours that reach over midnight, and the ends of summer time, in which days have 23 and 25 hours.
func TestHours(t *testing.T) {
	h, err := parseHours("a.test", "22:00-06:00", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at, next string
		open     bool
	}{
		{"2026-03-01T12:00:00+01:00", "2026-03-01T22:00:00+01:00", false},
		{"2026-03-01T22:00:00+01:00", "2026-03-02T06:00:00+01:00", true},
		{"2026-03-02T05:59:59+01:00", "2026-03-02T06:00:00+01:00", true},
		{"2026-03-28T23:00:00+01:00", "2026-03-29T06:00:00+02:00", true},
		{"2026-10-24T23:00:00+02:00", "2026-10-25T06:00:00+01:00", true},
	} {
		at, _ := time.Parse(time.RFC3339, test.at)
		next, _ := time.Parse(time.RFC3339, test.next)
		if open, when := h.at(at); open != test.open || !when.Equal(next) {
			t.Errorf("at %s: %v until %s, want %v until %s", test.at, open, when, test.open, test.next)
		}
	}
	for _, bad := range []string{"", "22-06", "22:00", "25:00-06:00", "06:00-06:00"} {
		if _, err := parseHours("a.test", bad, ""); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

// A wall is told by more than its status, and a page that only speaks of one is none.
func TestWalls(t *testing.T) {
	for _, test := range []struct {
		status int
		field  kavosh.Field
		page   string
		want   string
	}{
		{403, kavosh.Field{Name: "cf-mitigated", Value: "challenge"}, "", "Cloudflare challenge"},
		{503, kavosh.Field{Name: "Server", Value: "cloudflare"}, "<script src=/cdn-cgi/challenge-platform/x>", "Cloudflare challenge"},
		{503, kavosh.Field{Name: "Server", Value: "cloudflare"}, "<p>origin is down", ""},
		{403, kavosh.Field{Name: "Server", Value: "AkamaiGHost"}, "<H1>Access Denied</H1> Reference&#32;&#35;18", "Akamai"},
		{403, kavosh.Field{Name: "Server", Value: "nginx"}, "<H1>Access Denied</H1>", ""},
		{405, kavosh.Field{}, "<script src=https://geo.captcha-delivery.com/c.js>", "DataDome"},
		{200, kavosh.Field{Name: "Set-Cookie", Value: "techaro.lol-anubis-auth=x"}, "<script id=anubis_challenge>", "Anubis"},
		{200, kavosh.Field{}, "<div class=\"h-captcha\"> a form with a captcha", ""},
		{403, kavosh.Field{}, "forbidden", ""},
	} {
		var pool spool.Pool
		b := pool.Get()
		if _, err := b.Write([]byte(test.page)); err != nil {
			t.Fatal(err)
		}
		if err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		x := &kavosh.Exchange{Status: test.status, Header: kavosh.Header{test.field}, Payload: b}
		if got := wallOf(x); got != test.want {
			t.Errorf("%d %s %s: %q, want %q", test.status, test.field, test.page, got, test.want)
		}
		b.Close()
	}
}
