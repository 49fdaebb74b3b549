package archive

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/change"
	"kavosh/quality"
	"kavosh/schedule"
)

// lines are those of a log: n of each of some, the URL of each with its number.
func lines(n int, of ...Line) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for _, l := range of {
			for i := range n {
				numbered := l
				numbered.URL = fmt.Sprint(l.URL, i)
				if !yield(numbered, nil) {
					return
				}
			}
		}
	}
}

// A log speaks for a setting from so many requests and such a share on, and not below; and not for what the crawl had already.
func TestPropose(t *testing.T) {
	well := Line{URL: "http://a.test/", Outcome: Recorded, Status: 200, Kind: "navigation", Took: 100}
	with := func(set func(*Line)) Line {
		l := well
		l.URL = "http://a.test/other/"
		set(&l)
		return l
	}
	answers := func(kind kavosh.StandIn) Line { return with(func(l *Line) { l.StandIn = kind }) }
	failed := func(f kavosh.Failure) Line {
		return with(func(l *Line) { l.Outcome, l.Status, l.Failure = Failed, 0, f })
	}
	busy := with(func(l *Line) { l.Outcome, l.Status = Retry, 429 })
	slow := with(func(l *Line) { l.Took = 6000 })
	moved := []Line{with(func(l *Line) { l.Status = 301 }), {URL: "http://b.test/", Via: "http://a.test/1", Outcome: Refused, Rule: "scope", Kind: kavosh.Redirect.String(), Path: "LR"}}
	for _, c := range []struct {
		name   string
		n      int
		bad    []Line
		well   int
		config map[string]string
		want   string // what is proposed; "" for nothing
	}{
		{"well", 0, nil, 100, nil, ""},
		{"few down", 9, []Line{failed(kavosh.ConnectFailure)}, 0, nil, ""},
		{"down", 10, []Line{failed(kavosh.ConnectFailure)}, 10, nil, "down --skip-younger 2026-01-01T00:00:00Z http://a.test/"},
		{"half of it is up", 10, []Line{failed(kavosh.ConnectFailure)}, 11, nil, ""},
		{"busy", 10, []Line{busy}, 90, nil, "refusing --delay 5s http://a.test/"},
		{"busy, and slow already", 10, []Line{busy}, 90, map[string]string{"delay": "4s"}, "refusing --delay 8s http://a.test/"},
		{"seldom busy", 10, []Line{busy}, 91, nil, ""},
		{"slow", 20, []Line{slow}, 0, nil, "slow --delay-factor 5 http://a.test/"},
		{"slow, and considerate", 20, []Line{slow}, 0, map[string]string{"delay-factor": "5"}, ""},
		{"slow at times", 20, []Line{slow}, 20, nil, ""},
		{"late", 10, []Line{failed(kavosh.TimeoutFailure)}, 90, nil, "slow --delay-factor 5 http://a.test/"},
		{"moved", 10, moved, 0, nil, "moved kavosh crawl --archive ARCHIVE http://b.test/"},
		{"moved in part", 10, moved, 11, nil, ""},
		{"few moved", 9, moved, 0, nil, ""},
		{"walled", 3, []Line{answers(kavosh.Wall)}, 27, nil, "wall --browser always --delay 5s http://a.test/"},
		{"walled before the browser", 3, []Line{answers(kavosh.Wall)}, 27, map[string]string{"browser": "always"}, ""},
		{"two walls", 2, []Line{answers(kavosh.Wall)}, 0, nil, ""},
		{"login", 3, []Line{answers(kavosh.Login)}, 27, nil, "login --profile NAME http://a.test/"},
		{"logged in", 3, []Line{answers(kavosh.Login)}, 27, map[string]string{"profile": "a"}, ""},
		{"soft 404", 10, []Line{answers(kavosh.NotFound)}, 40, nil, "notfound --rule 'leave from=notfound' http://a.test/"},
		{"a few of them", 10, []Line{answers(kavosh.NotFound)}, 41, nil, ""},
		{"parked", 1, []Line{answers(kavosh.Parked)}, 0, nil, "parked --rule 'leave host=a.test'"},
	} {
		r := Report{Started: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		if err := r.Propose(together(lines(c.n, c.bad...), lines(c.well, well)), c.config); err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, p := range r.Proposals {
			told += string(p.About) + " " + p.Do
		}
		about, command, _ := strings.Cut(c.want, " ")
		if c.want == "" && told != "" || !strings.HasPrefix(told, about) || !strings.HasSuffix(told, command) {
			t.Errorf("%s: %q, want %q", c.name, told, c.want)
		}
	}
	r := Report{Coherence: &change.Coherence{Coherent: 90, Incoherent: 10}, Quality: Counted{Parts: 500, Missing: 5}}
	if err := r.Propose(lines(0), nil); err != nil || len(r.Proposals) != 2 || r.Proposals[0].About != quality.TroubleParts || r.Proposals[1].About != quality.TroubleApart {
		t.Errorf("%v %+v", err, r.Proposals)
	}
	r = Report{Coherence: &change.Coherence{Coherent: 91, Incoherent: 10}, Quality: Counted{Parts: 501, Missing: 5}}
	if err := r.Propose(lines(0), nil); err != nil || len(r.Proposals) != 0 {
		t.Errorf("%v %+v", err, r.Proposals)
	}
}

// A host may be called as its owner likes: a command that is copied runs nothing else.
func TestProposedHostsAreQuoted(t *testing.T) {
	bad := Line{URL: "http://$(id)'.test/", Outcome: Failed, Failure: kavosh.DNSFailure, Kind: "navigation"}
	r := Report{}
	if err := r.Propose(lines(10, bad), nil); err != nil || len(r.Proposals) != 1 || !strings.HasSuffix(r.Proposals[0].Do, ` 'http://$(id)'\''.test/'`) {
		t.Errorf("%v %+v", err, r.Proposals)
	}
}

func together(all ...iter.Seq2[Line, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for _, seq := range all {
			for l, err := range seq {
				if !yield(l, err) {
					return
				}
			}
		}
	}
}

// behaved makes a series of daily crawls, in which each page was found as a letter says: "+" new, "=" unchanged, "~" changed, "." not at all.
func behaved(rows map[string]string) *quality.Grid {
	g := &quality.Grid{}
	for url, row := range rows {
		b := quality.Behaved{URL: url}
		for _, c := range row {
			b.Seen = append(b.Seen, quality.Seen(strings.IndexRune(".!=~+", c)))
		}
		g.Pages = append(g.Pages, b)
	}
	for k := range len(g.Pages[0].Seen) {
		g.Visits = append(g.Visits, quality.Visit{Started: time.Date(2026, 1, 1+k, 0, 0, 0, 0, time.UTC)})
	}
	return g
}

// Pages that are expected to change more than once between two visits, by the estimator of package schedule, are told by their folder if it has
// no others, else by their address, each with the interval at which one change is expected.
func TestOftenOf(t *testing.T) {
	rows := map[string]string{"http://a.test/few": "+~~~~......", "http://a.test/seldom": "+==~======~", "http://a.test/half": "+=~=~=~=~=~", "http://a.test/q?a=(b)": "+~~~=~~=~~~"}
	for i := range 4 {
		rows[fmt.Sprint("https://a.test/news/", i)] = "+~~~~~~~~~~"
	}
	all := OftenOf(behaved(rows))
	var told []string
	for i := range all {
		told = append(told, fmt.Sprint(len(all[i].Pages), " ", all[i].Rule()))
	}
	want := []string{`4 pattern=^https?://a\.test/news/[^/]*$ most=6h`, `1 pattern=^https?://a\.test/q\?a=\(b\)$ most=12h`}
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
	p := schedule.Page{Visits: 11, Changed: 10, First: 0, Last: 10 * 24 * 3600}
	if hours := 1 / p.Cho(); hours < 6 || hours >= 8 {
		t.Errorf("one change is expected each %.1f hours", hours)
	}
	g := behaved(rows)
	for k := range g.Visits {
		g.Visits[k].Odd = quality.Redesigned
	}
	if all := OftenOf(g); len(all) > 0 {
		t.Errorf("odd crawls tell %+v", all)
	}
}
