package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
)

// A calendar that goes on for ever ends by what its pages say, and guesses that all lead nowhere end by that; crawl.log
// has the evidence.
func TestWhatIsLearnedEndsTraps(t *testing.T) {
	var table strings.Builder
	for i := range 300 {
		fmt.Fprintf(&table, "'data/part%d.html',\n", i)
	}
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<script src=table.js></script><a href=/cal/1>calendar</a>
-- a.test/table.js Content-Type=text/javascript --
var parts = [`+table.String()+`]
-- a.test/cal/** expand --
<p>Monday Tuesday Wednesday Thursday Friday Saturday Sunday 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
26 27 28 29 30 31 There are no events in this month. <a href=/cal/{n+1}>The next month</a>
`)
		o := options(s, fs, "http://a.test/")
		o.Workers = 1
		r := crawlNow(t, o)
		if r.End != "done" || r.Fetched > 90 {
			t.Errorf("%s after %d requests", r.End, r.Fetched)
		}
		months, guesses, trap := 0, 0, archive.Line{}
		for url, l := range outcomes(t, fs) {
			switch {
			case strings.Contains(url, "/cal/") && l.Outcome == archive.Recorded:
				months++
			case strings.Contains(url, "/cal/") && l.Outcome == archive.Refused:
				trap = l
			case strings.Contains(url, "/data/") && l.Outcome == archive.Recorded:
				guesses++
			case strings.Contains(url, "/data/") && (l.Rule != "guess" || l.Failure != kavosh.NoFailure || !strings.Contains(l.Reason, "none of the first 20 addresses guessed from http://a.test/table.js in http://a.test/data/ exists")):
				t.Errorf("%s: %s %s %s: %s", url, l.Outcome, l.Rule, l.Failure, l.Reason)
			}
		}
		if guesses != 20 {
			t.Errorf("%d of 300 guesses were tried", guesses)
		}
		if months < 16 || months > 60 || trap.Failure != kavosh.TrapFailure || trap.Rule != "trap" || !strings.Contains(trap.Reason, "pages in a row of a.test") || !strings.Contains(trap.Reason, "http://a.test/cal/") {
			t.Errorf("after %d months: %s %s: %s", months, trap.Rule, trap.Failure, trap.Reason)
		}
	})
}
