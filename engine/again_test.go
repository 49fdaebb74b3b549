package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/simulation"
	"kavosh/schedule"
)

// every returns a schedule by which each page is visited again after so long, until the end.
func every(t *testing.T, least time.Duration, end time.Time) *Revisits {
	span := schedule.Span{Least: least, Until: end}
	return revisitsOf(t, "round-robin,budget=100,period=1m", RevisitRule{
		Rule: schedule.Rule{Name: "all", Spans: []schedule.Span{span}}, Fits: func(string, string) bool { return true },
	})
}

// A crawl that goes on asks for its pages again when their time has come, over restarts, too; who asks why is told, and what
// stays as it was becomes a revisit record.
func TestRevisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const page, visits = "http://a.test/p", 3
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<a href=/p>p</a>
-- a.test/p --
`+strings.Repeat("<p>This is a page that stays as it is.", 20))
		o := options(s, fs, "http://a.test/")
		o.Revisits = every(t, time.Hour, time.Now().Add((visits-1)*time.Hour+30*time.Minute))
		lines := func() (n int) {
			for l, err := range archive.ReadLog(fs, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if l.URL == page && l.Outcome == archive.Recorded {
					n++
				}
			}
			return n
		}
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		r, err := Run(ctx, o)
		if err != nil || r.End != "interrupted" || r.Queued != 0 || lines() != 2 {
			t.Fatalf("after 90 minutes: %+v, %v, and %d lines of %s, want 2", r, err, lines(), page)
		}
		w, found, err := frontier.Look(fs, "archive/crawls/"+r.ID+"/frontier", page, false)
		if err != nil || !found || w.State != frontier.WaitAgain {
			t.Errorf("who asks why is told %+v, %v, %v", w, found, err)
		}
		o.Seeds, o.Resume = nil, true
		if r := crawlNow(t, o); r.End != "done" || lines() != visits {
			t.Errorf("at the end: %+v, and %d lines of %s, want %d", r, lines(), page, visits)
		}
		if got := recordsOf(t, fs)[page]; !strings.HasPrefix(got, "response request revisit(identical-payload-digest)") {
			t.Errorf("its records are %q, want revisits of the first", got)
		}
	})
}

// A page that is to be asked for again is asked for again after each kill and power cut too: never too early, and never forgotten.
func TestRevisitSurvivesKills(t *testing.T) {
	kills := 0
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			w := simulation.New(simulation.Options{Seed: seed, Calm: true, Quiet: synctest.Wait})
			defer w.Stop()
			s := serve(t, "-- a.test/ --\n<a href=/p>p</a><a href=/q>q</a>\n-- a.test/p --\none\n-- a.test/q --\ntwo\n")
			o, rng, began := options(s, nil, "http://a.test/"), rand.New(rand.NewPCG(seed, 3)), time.Now()
			o.Revisits = every(t, time.Hour, began.Add(5*time.Hour))
			disk := simulation.NewDisk()
			for lives := 0; ; lives++ {
				var p simulation.Plan
				if lives < 9 {
					p = simulation.Plan{KillAt: 1 + rng.Int64N(160), Power: rng.IntN(2) == 0}
				}
				crawls, _ := archive.Crawls(disk, "archive") // none yet in the first life
				if len(crawls) > 0 && !crawls[0].Unfinished() {
					break // it was killed between its report and its return
				}
				if len(crawls) > 0 {
					o.Resume, o.Seeds = true, nil
				}
				l := w.Live(disk, p)
				o.FS, o.Clock = l.Disk(), l
				r, err := Run(l.Context(), o)
				var killed bool
				if disk, killed = l.End(); killed {
					kills++
					<-time.After(time.Duration(rng.IntN(40)) * time.Minute)
					continue
				}
				if err != nil || r.End != "done" || r.Queued != 0 {
					t.Fatalf("seed %d, life %d: %+v, %v", seed, lives, r, err)
				}
				break
			}
			asked := map[string][]time.Time{}
			for l, err := range archive.ReadLog(disk, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if l.Outcome == archive.Recorded && l.Kind != kavosh.Prerequisite.String() {
					asked[l.URL] = append(asked[l.URL], l.Began)
				}
			}
			for _, url := range []string{"http://a.test/", "http://a.test/p", "http://a.test/q"} {
				times := asked[url]
				if len(times) == 0 || times[len(times)-1].Sub(began) <= 3*time.Hour {
					t.Errorf("seed %d: %s was forgotten after %v", seed, url, times)
				}
				for i := 1; i < len(times); i++ {
					if gap := times[i].Sub(times[i-1]); gap < time.Hour-time.Second { // a schedule has whole seconds
						t.Errorf("seed %d: %s was asked for again after %v", seed, url, gap)
					}
				}
			}
		})
	}
	if kills < 100 {
		t.Errorf("the crawls were killed %d times, want 100 at least", kills)
	}
}

// TestManyHosts visits pages of more hosts than the schedule tells apart: what it stores of a site has the name of the host that
// had it first, and is found again by that host.
func TestManyHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(serve(t, smallWeb), vfs.NewMem(), "http://a.test/")
		o.Revisits = revisitsOf(t, "gain")
		c := newCrawl(o)
		c.hard, c.stop = t.Context(), func() {}
		defer c.giveUp()
		if err := c.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		owners, n := map[uint32]string{}, 0
		for len(owners) < mostSites {
			host := fmt.Sprintf("h%d.test", n)
			owners[c.revisits.site("http://"+host+"/")], n = host, n+1
		}
		items := make([]item, 20)
		for i := range items {
			it := &items[i]
			it.update.Task = kavosh.Task{ID: uint64(i + 1), URL: fmt.Sprintf("http://h%d.test/", n+i)}
			it.found = &finding{at: time.Now(), status: 200, whole: true, digest: "sha256:x"}
		}
		release, err := c.revisits.observe(items)
		release()
		if err != nil {
			t.Fatal(err)
		}
		stored := 0
		for i := range items {
			for _, v := range items[i].update.Values {
				if !strings.HasPrefix(v.Name, keptSite) {
					continue
				}
				number, _, host := c.revisits.cutSite(v)
				if stored++; owners[number] != host {
					t.Errorf("site %d is stored as that of %s, and is that of %s", number, host, owners[number])
				}
			}
		}
		if stored == 0 {
			t.Error("nothing is stored of what was learned of the sites")
		}
	})
}
