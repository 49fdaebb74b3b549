package quality

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// oddSeries is a series of ten daily crawls of 60 pages, of which the last is as said.
func oddSeries(last func(i int) Seen) *Grid {
	g := &Grid{}
	for k := range 10 {
		g.Visits = append(g.Visits, Visit{Started: time.Date(2026, 1, 1+k, 0, 0, 0, 0, time.UTC), Seconds: 600})
	}
	for i := range 60 {
		b := Behaved{URL: "http://a.test/" + strings.Repeat("x", i), Seen: slices.Repeat([]Seen{Same}, 10), slight: make([]bool, 10)}
		b.Seen[0], b.Seen[9] = First, last(i)
		g.Pages = append(g.Pages, b)
	}
	g.count()
	return g
}

// Of a series something is proposed if its newest crawl is odd, and only then.
func TestProposalsOfSeries(t *testing.T) {
	for name, c := range map[string]struct {
		last  func(i int) Seen
		about Trouble
		do    string
	}{
		"healthy":    {func(i int) Seen { return Same }, "", ""},
		"one gone":   {func(i int) Seen { return []Seen{Same, NotSeen}[max(0, i-58)] }, "", ""},
		"redesigned": {func(i int) Seen { return Changed }, TroubleRedesigned, "kavosh crawl --dry-run 100 http://a.test/"},
		"cut":        {func(i int) Seen { return []Seen{Same, NotSeen}[i%2] }, TroubleCut, "kavosh crawl --archive ARCHIVE --delay 5s --skip-younger 2026-01-10T00:00:00Z http://a.test/"},
	} {
		all := oddSeries(c.last).Proposals()
		if c.about == "" {
			if len(all) > 0 {
				t.Errorf("%s: %+v", name, all)
			}
			continue
		}
		if len(all) != 1 || all[0].About != c.about || all[0].Do != c.do || all[0].Host != "a.test" || all[0].N < 30 {
			t.Errorf("%s: %+v", name, all)
		}
	}
	g := oddSeries(func(i int) Seen { return Changed })
	for i := range g.Pages {
		g.Pages[i].Seen = append(g.Pages[i].Seen, Same)
	}
	g.Visits = append(g.Visits, Visit{Started: time.Date(2026, 1, 11, 0, 0, 0, 0, time.UTC)})
	if all := g.Proposals(); len(all) > 0 {
		t.Errorf("what is over: %+v", all)
	}
}

// Of what pages lack, parts that a crawl may bring count, and from a share on.
func TestProposalsOfParts(t *testing.T) {
	sum := func(missing int, state State) []Proposal {
		s := NewSummary(5, 5)
		p := &Page{Parts: 500}
		for range missing {
			p.Lacks = append(p.Lacks, Part{URL: "http://a.test/x", As: Image, State: state})
		}
		s.Add(p)
		return s.Proposals()
	}
	if all := sum(5, Absent); len(all) != 1 || all[0].N != 5 || all[0].As != Image || all[0].In("'my archive'") != "kavosh crawl --patch --archive 'my archive'" {
		t.Errorf("%+v", all)
	}
	if few, closed := sum(4, Absent), sum(100, Closed); len(few)+len(closed) > 0 {
		t.Errorf("%+v %+v", few, closed)
	}
}

// A browser is proposed where pages that were looked at lack what their scripts alone ask for.
func TestProposalsOfLooks(t *testing.T) {
	of := func(scripted int, damage float64) []Proposal {
		f := NewFidelity(30, 5)
		for i := range 30 {
			k := &Look{URL: "https://a.test/x"}
			if i < scripted {
				k.Scripted, k.Damage = 1, damage
			}
			f.Add(k)
		}
		return f.Proposals()
	}
	if all := of(3, 0.2); len(all) != 1 || all[0].Do != "kavosh crawl --archive ARCHIVE --browser always https://a.test/" {
		t.Errorf("%+v", all)
	}
	if few, light := of(2, 0.2), of(30, 0.001); len(few)+len(light) > 0 {
		t.Errorf("%+v %+v", few, light)
	}
}
