package engine

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
	"kavosh/archive"
	"kavosh/plan"
)

// What goes wrong is told when it begins, once, and again when it comes back.
func TestAlarms(t *testing.T) {
	well := archive.Line{URL: "http://a.test/", Outcome: archive.Recorded, Status: 200, Verdict: 1}
	missing := archive.Line{URL: "http://a.test/x", Outcome: archive.Recorded, Status: 404}
	failed := archive.Line{URL: "http://a.test/", Outcome: archive.Failed, Failure: kavosh.TimeoutFailure}
	trap := archive.Line{URL: "http://maze.test/", Outcome: archive.Refused, Failure: kavosh.TrapFailure}
	other := archive.Line{URL: "http://a.test/", Outcome: archive.Recorded, Status: 200}
	picture := archive.Line{URL: "http://a.test/", Outcome: archive.Recorded, Status: 200, Kind: "embed"}
	var told []string
	a := &alarms{judged: true, tell: func(text string) { told = append(told, text) }}
	a.mu.now = map[string]Alarm{}
	feed := func(rows int, parts map[*archive.Line]int) {
		for range rows {
			for l, n := range parts {
				for range n {
					a.line(l)
				}
			}
		}
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if len(told) != len(want) {
			t.Fatalf("%s: told %q, want %d", when, told, len(want))
		}
		for i := range want {
			if !strings.Contains(told[i], want[i]) {
				t.Errorf("%s: told %q, want %q in it", when, told[i], want[i])
			}
		}
		told = nil
	}
	feed(10, map[*archive.Line]int{&well: 120, &missing: 60, &failed: 20, &trap: 100})
	expect("a crawl as it should be")
	feed(3, map[*archive.Line]int{&well: 90, &failed: 110})
	expect("a host that fails", "110 of the last 200 URLs failed, most by timeout")
	if got := fmt.Sprint(a.current()); !strings.Contains(got, "timeout") {
		t.Errorf("now: %s", got)
	}
	feed(1, map[*archive.Line]int{&well: 140, &failed: 60})
	feed(1, map[*archive.Line]int{&well: 90, &failed: 110})
	expect("somewhat better, and as before")
	feed(1, map[*archive.Line]int{&well: 180, &failed: 20})
	if got := a.current(); len(got) != 0 {
		t.Errorf("it is well again, and says %s", got)
	}
	feed(1, map[*archive.Line]int{&well: 20, &failed: 180})
	expect("it fails again", "180 of the last 200 URLs failed")
	feed(1, map[*archive.Line]int{&well: 20, &missing: 180})
	expect("dead links", "180 of the last 200 answers are errors, most of status 404")
	feed(1, map[*archive.Line]int{&trap: 500})
	feed(1, map[*archive.Line]int{&well: 200})
	expect("a maze", "500 links of the last 200 URLs were taken for traps, most on maze.test")
	feed(2, map[*archive.Line]int{&picture: 200})
	expect("pictures, which nobody judges")
	feed(2, map[*archive.Line]int{&other: 190, &well: 10})
	expect("other pages", "5.0 % of the last 200 pages were wanted, and 100.0 % of all before")
}

// What a person allows is held against all that was counted, and told once until it is so no more.
func TestThresholds(t *testing.T) {
	var q archive.Counted
	var told []string
	a := &alarms{tell: func(text string) { told = append(told, text) }, warn: []plan.Threshold{{What: "missing", Percent: 5}, {What: "failed", Percent: 50}}, counted: func() archive.Counted { return q }}
	a.mu.now = map[string]Alarm{}
	n := newCounts()
	for i := range 3 * alarmRow {
		l := archive.Line{URL: "http://a.test/p.png", Outcome: archive.Recorded, Status: 200, Kind: "embed"}
		if i >= alarmRow && i < alarmRow+30 {
			l.Status = 404
		}
		n.line(&l)
		q = n.Quality
		a.line(&l)
		if i == alarmRow && len(told) != 0 {
			t.Errorf("told too early: %q", told)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "30 of 400 parts of pages so far are missing") || len(a.current()) != 0 {
		t.Errorf("told %q; now %v", told, a.current())
	}
}
