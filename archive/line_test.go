package archive

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kavosh"
)

// ReadLine reads a line of crawl.log back to the line that it was made of, with every field it has.
func TestLineAppend(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	full := Line{
		Time: when, URL: "http://a.test/<&>", Outcome: Recorded, Status: 200, Failure: kavosh.TruncatedAnswer, Reason: "scope \"host\"\n", Rule: "scope", Forbids: "robots.txt line 2: /x", Permit: "a.test its owner agreed", StandIn: kavosh.Wall, Sign: "Akamai",
		Kind: "navigation", Via: "http://a.test/", Seed: "http://a.test/", Path: "SL", Hops: 1, Score: 1.5e-9, Why: "parent 0.5", Attempt: 2, MIME: "text/html", Size: 1 << 40,
		Took: 3, Began: when.Add(-time.Second), Digest: "sha256:X", Revisit: "identical", Near: "http://a.test/other", Cut: kavosh.TruncTime, File: "a.WARC.gz", Offset: 9, Links: 50, Class: kavosh.ClassRDF,
		Title: "A \"title\"", Lang: "fa", Anchor: "کاوش", Notes: []string{"one", "two"},
	}
	for _, l := range []Line{{}, full, {Time: when, Score: math.Inf(1)}, {Notes: []string{""}}} {
		line := l.Append(nil)
		got, err := ReadLine(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if math.IsInf(l.Score, 0) {
			l.Score = 0
		}
		if diff := cmp.Diff(l, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
		theirs, err := json.Marshal(&l)
		if err != nil {
			t.Fatal(err)
		}
		var ours, want map[string]any
		if json.Unmarshal(line, &ours) != nil || json.Unmarshal(theirs, &want) != nil || !cmp.Equal(ours, want) {
			t.Errorf("%s, and encoding/json says %s", line, theirs)
		}
	}
	if l, err := ReadLine([]byte(`{"url":"http://a.test/","outcome":"retry","wall":"Akamai","crc":"00000000"}`)); err != nil || l.StandIn != kavosh.Wall || l.Sign != "Akamai" {
		t.Errorf("a line of an older program: %+v, %v", l, err)
	}
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { full.Append(buf) }); n > 0 {
		t.Errorf("%v allocations a line, want none", n)
	}
}
