package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
)

// A terminal's line is written over, only when it differs, never wider than the terminal; what is said meanwhile stands
// above it.
func TestTerminalLine(t *testing.T) {
	var out strings.Builder
	w := &progress{out: &out, width: func() int { return 20 }, ended: make(chan struct{})}
	w.draw(" 1 URL")
	w.draw(" 1 URL")
	w.say("a word")
	w.draw(" 2 URLs and more than fits")
	w.draw("")
	want := "\r 1 URL\x1b[K" + "\r\x1b[Kkavosh: a word\n 1 URL" + "\r 2 URLs and more t…\x1b[K" + "\r\x1b[K"
	if out.String() != want {
		t.Errorf("wrote %q\nwant  %q", out.String(), want)
	}
}

// Where there is no terminal a plain line comes every ten seconds, with the rate of late.
func TestPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		w := newProgress(&out)
		start := time.Now()
		w.start(func() engine.Status {
			passed := time.Since(start)
			return engine.Status{
				Now: time.Now(), Finished: int64(passed.Seconds()) * 20, Pages: 7, Queued: 1234, Hosts: 1, Bytes: 12_400_000, Codes: map[int]int64{200: 20, 404: 1280, 500: 3, 503: 12},
				Failed: map[kavosh.Failure]int64{kavosh.DNSFailure: 2}, MIME: map[string]int64{"text/html": 7, "image/png": 9, "image/webp": 1},
			}
		})
		<-time.After(25 * time.Second)
		w.stop()
		want := "kavosh: 7 pages  200 URLs  20/s  1,234 queued  at least 62 s left  404 × 1,280 · 503 × 12 · …  2 failed (dns)  1 host  12.4 MB  image 10 · html 7\n" +
			"kavosh: 7 pages  400 URLs  20/s  1,234 queued  at least 62 s left  404 × 1,280 · 503 × 12 · …  2 failed (dns)  1 host  12.4 MB  image 10 · html 7\n"
		if out.String() != want {
			t.Errorf("wrote %q\nwant  %q", out.String(), want)
		}
	})
}

// Who waits for a host that does not answer is told how long.
func TestLineTellsWaits(t *testing.T) {
	s := engine.Status{Queued: 1, Now: time.Unix(100, 0), AgainAt: time.Unix(111, 5e8), Again: map[kavosh.Failure]int64{kavosh.ConnectFailure: 2, kavosh.DNSFailure: 1}}
	if line := progressLine(s, 0, 0); !strings.Contains(line, "  waits to ask again: 3 hosts (connect), in 12 s  0 failed") {
		t.Error(line)
	}
}

func TestSummary(t *testing.T) {
	var out strings.Builder
	r := &archive.Report{
		ID: "20260301080000", End: "pages", Seconds: 185, Fetched: 312, Pages: 12, Recorded: 1, Hosts: 2, Bytes: 999, Queued: 1,
		Status: map[string]int64{"200": 290, "404": 12, "0": 2}, Failed: map[kavosh.Failure]int64{kavosh.RobotsFailure: 3}, Files: []string{"a"},
	}
	if err := writeSummary(&out, r, "my archive"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Crawl 20260301080000 reached --max-pages after 3 min 5 s.\n", "1 of 312 URLs (12 pages) from 2 hosts, 999 B in 1 WARC file\n", "200 × 290 · 404 × 12 · malformed × 2\n",
		"robots × 3\n", "1 URL\n", "kavosh crawl --archive 'my archive' --resume --max-pages 0\n", "kavosh serve 'my archive'\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

// A line says how much of a limit is done, how long that takes, and for whom the crawl waits while all hosts rest.
func TestLineTellsLimits(t *testing.T) {
	start := time.Unix(100, 0)
	s := engine.Status{Started: start, Now: start.Add(time.Minute), Pages: 50, Finished: 300, Queued: 900, Bytes: 6e6}
	for _, test := range []struct {
		set  func(*engine.Status)
		want string
	}{
		{func(s *engine.Status) {}, "50 pages  300 URLs  5.0/s  900 queued  at least 3 min left"},
		{func(s *engine.Status) { s.Limits.Pages = 200 }, "50 of 200 pages  300 URLs  5.0/s  900 queued  about 2 min left"},
		{func(s *engine.Status) { s.Limits.URLs = 310 }, "50 pages  300 of 310 URLs  5.0/s  900 queued  about 2 s left"},
		{func(s *engine.Status) { s.Limits.Bytes = 600e6 }, "about 2 h left  0 failed  0 hosts  6.0 MB of 600 MB"},
		{func(s *engine.Status) { s.Limits.Time, s.Limits.Pages = 3*time.Hour, 1e9 }, "about 3 h left"},
		{func(s *engine.Status) { s.Limits.Time, s.Stopping = 3*time.Hour, "interrupted" }, "stopping (interrupted)  50 pages  300 URLs  5.0/s  900 queued  0 failed"},
		{func(s *engine.Status) { s.Next, s.NextAt = "slow.test", s.Now.Add(1500*time.Millisecond) }, "left  0 failed"},
		{func(s *engine.Status) { s.Next, s.NextAt = "slow.test", s.Now.Add(11500*time.Millisecond) }, "left  slow.test is asked in 12 s  0 failed"},
	} {
		now := s
		test.set(&now)
		if line := progressLine(now, 1.25, 5); !strings.Contains(line, test.want) {
			t.Errorf("%q, want %q in it", line, test.want)
		}
	}
}
