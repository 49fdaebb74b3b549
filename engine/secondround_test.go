package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	pages "kavosh/change"
	"kavosh/internal/simulation"
	"kavosh/lib/cdx"
	"kavosh/lib/units"
	"kavosh/plan"
	"kavosh/record"
)

// onceWeb is a changingWeb whose pages change once at most, at known times, and say so.
type onceWeb struct {
	*changingWeb
	changes map[string]time.Time // by URL
	old     map[string]time.Time // when the version before it came
	mute    map[string]bool      // pages without validators
	lies    string               // a host that says of every page that it was not modified
}

func newOnceWeb(hosts, pages int) *onceWeb {
	w := &onceWeb{changingWeb: newChangingWeb(hosts, pages), changes: map[string]time.Time{}, old: map[string]time.Time{}, mute: map[string]bool{}}
	w.script = w.play
	return w
}

func (w *onceWeb) play(r *http.Request, url string, now time.Time) string {
	version, modified := 0, w.old[url]
	if at, changes := w.changes[url]; changes && !now.Before(at) {
		version, modified = 1, at
	}
	head := ""
	if tag := fmt.Sprintf("%q", fmt.Sprint("v", version)); !w.mute[url] {
		head = "ETag: " + tag + "\r\n"
		if had := r.Header.Get("If-None-Match"); had == tag || had != "" && r.Host == w.lies {
			w.conditional++
			return "HTTP/1.1 304 Not Modified\r\n" + head + "\r\n"
		}
	}
	if !modified.IsZero() {
		head += "Last-Modified: " + modified.UTC().Format(http.TimeFormat) + "\r\n"
	}
	body := fmt.Sprintf("<title>%s</title><main><p>%s</main>", url, strings.Repeat(fmt.Sprintf("What version %d of this page says. ", version), 20))
	for i := 1; i < w.pages && r.URL.Path == "/"; i++ {
		body += fmt.Sprintf("<a href=/p%d>%d</a>", i, i)
	}
	if version == 1 {
		body += "<a href=/new>new</a>"
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

// validities returns what is told of each page of the crawl by its two rounds.
func validities(t *testing.T, fs vfs.FS, id string) map[string]pages.Validity {
	t.Helper()
	last, err := archive.FirstRound(fs, "archive", id)
	if err != nil {
		t.Fatal(err)
	}
	of := func(second bool) func(*cdx.Entry) bool {
		return func(e *cdx.Entry) bool {
			return record.CrawlOf(e.Filename) == id && e.Time().After(last) == second
		}
	}
	r := &pages.Reader{Records: archive.RecordsOf(fs, "archive")}
	m, err := r.Moment(t.Context(), of(false), of(true), true)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]pages.Validity{}
	for v, err := range r.Validities(t.Context(), of(false), of(true), m) {
		if err != nil {
			t.Fatal(err)
		}
		all[v.URL] = v
	}
	return all
}

// TestTwoRoundsTellTheTruth crawls sites that change by a script of chance, and wants of each page that what is told of it is
// what happened: whether it changed between its visits, and whether its first version was there when the first round ended.
func TestTwoRoundsTellTheTruth(t *testing.T) {
	all := pages.Coherence{}
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			w, rng := newOnceWeb(2, 40), rand.New(rand.NewPCG(seed, 8))
			for h := range w.hosts {
				for p := range w.pages {
					url := fmt.Sprintf("http://h%d.test/p%d", h, p)
					if rng.IntN(2) == 0 {
						w.changes[url] = w.began.Add(time.Duration(rng.Int64N(int64(100 * time.Second))))
					}
					w.old[url] = w.began.Add(-time.Duration(rng.Int64N(int64(1000 * time.Hour))))
					w.mute[url] = rng.IntN(3) == 0
				}
			}
			o := options(nil, vfs.NewMem(), w.seeds()...)
			o.Web, o.Revisits = w, revisitsOf(t, "once")
			r := crawlNow(t, o)
			states := validities(t, o.FS, r.ID)
			if r.End != "done" || r.Coherence == nil || len(states) != len(w.asked) || int(r.Schedule.Visits) != len(w.asked) || r.Schedule.Round != 2 || r.Schedule.Lied != 0 || r.Schedule.Checked < 2 {
				t.Fatalf("seed %d: it ended as %+v, with %d pages", seed, r, len(states))
			}
			at := r.Coherence.At
			var truth pages.Coherence
			for url, times := range w.asked {
				if len(times) != 2 && len(times) != 3 {
					t.Errorf("seed %d: %s was asked for at %v", seed, url, times)
				}
				first, second := times[0], times[len(times)-1]
				want, same := pages.Coherent, true
				if c, changes := w.changes[url]; changes && c.After(first) && !c.After(second) {
					same = false
					switch {
					case second.Truncate(time.Second).Sub(c.Truncate(time.Second)) <= 2*time.Second:
						want = pages.Unknown // programs say so of each request
					case c.Before(at):
						want = pages.Incoherent
					}
				}
				got := states[url]
				if got.State != want || got.Unchanged() != same {
					t.Errorf("seed %d: %s is told as %+v, and was %s, unchanged %v: it changed at %s, asked for at %v, the first round ended at %s", seed, url, got, want, same, w.changes[url], times, at)
				}
				truth.Add(&pages.Validity{State: want, UntilBy: got.UntilBy})
			}
			if c := r.Coherence; c.Coherent != truth.Coherent || c.Incoherent != truth.Incoherent || c.Unknown != truth.Unknown || c.Unchanged != truth.Unchanged {
				t.Errorf("seed %d: the report says %+v, the truth is %+v", seed, *c, truth)
			}
			all.Coherent, all.Incoherent, all.Unknown, all.Unchanged = all.Coherent+truth.Coherent, all.Incoherent+truth.Incoherent, all.Unknown+truth.Unknown, all.Unchanged+truth.Unchanged
			for l, err := range archive.ReadLog(o.FS, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if round := l.Round; l.Outcome == archive.Recorded && (round == 2) != !l.Began.Before(at) || l.Rule == string(secondRound) && !strings.HasSuffix(l.URL, "/new") {
					t.Errorf("seed %d: a line of round %d at %s, which began at %s: %+v", seed, round, l.Began, at, l)
				}
			}
		})
	}
	t.Logf("%d coherent, %d incoherent, %d unknown, %d unchanged", all.Coherent, all.Incoherent, all.Unknown, all.Unchanged)
	if all.Incoherent < 50 || all.Coherent-all.Unchanged < 50 {
		t.Error("that is too few to prove anything")
	}
}

// The second round begins with what loses most by waiting, and does not believe a host whose answers are not true.
func TestSecondRoundOrderAndLies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newOnceWeb(2, 30)
		for p := range w.pages {
			w.old[fmt.Sprintf("http://h0.test/p%d", p)] = w.began.Add(-100 * 24 * time.Hour)
			w.changes[fmt.Sprintf("http://h1.test/p%d", p)] = w.began.Add(10 * time.Second)
		}
		w.lies = "h1.test"
		w.old["http://h0.test/p3"], w.old["http://h0.test/p20"] = w.began.Add(-time.Hour), w.began.Add(-2*time.Hour)
		o := options(nil, vfs.NewMem(), w.seeds()...)
		o.Web, o.Revisits, o.Workers = w, revisitsOf(t, "once"), 1
		r := crawlNow(t, o)
		var second []string
		for l, err := range archive.ReadLog(o.FS, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Round == 2 && strings.HasPrefix(l.URL, "http://h0.") && l.Outcome == archive.Recorded && l.Why != checkWhy {
				second = append(second, strings.TrimPrefix(l.URL, "http://h0.test"))
			}
		}
		if len(second) != 30 || second[0] != "/p3" || second[1] != "/p20" {
			t.Errorf("the second round went %v", second)
		}
		if r.Schedule.Lied == 0 || r.Coherence.Lied == 0 || r.Coherence.Why["unknown disbelieved"] == 0 {
			t.Errorf("of lies it says %+v and %+v", r.Schedule, *r.Coherence)
		}
		for url, v := range validities(t, o.FS, r.ID) {
			if strings.HasPrefix(url, "http://h1.") && v.UntilBy == pages.ByServer {
				t.Errorf("a host that lies is believed: %+v", v)
			}
		}
	})
}

// Limits bound the first round, and let its pages be visited twice. Resumed, the crawl still has all its limits.
func TestSecondRoundAfterLimits(t *testing.T) {
	seven := plan.Limit{URLs: 7}
	for name, l := range map[string]struct {
		set func(o *Options)
		end string
	}{
		"pages": {func(o *Options) { o.Limits.Pages = 7 }, "pages"},
		"URLs":  {func(o *Options) { o.Limits.URLs = 7 }, "urls"},
		"bytes": {func(o *Options) { o.Limits.Bytes = 6000 }, "bytes"},
		"host":  {func(o *Options) { o.HostLimit = []plan.HostLimit{{NamedLimit: plan.NamedLimit{Limit: seven}}} }, "limits"},
		"seed":  {func(o *Options) { o.SeedLimit = []plan.SeedLimit{{NamedLimit: plan.NamedLimit{Limit: seven}}} }, "limits"},
		"crawl": {func(o *Options) { o.CrawlLimit = seven }, "limits"},
		"time": {func(o *Options) {
			o.HostLimit = []plan.HostLimit{{NamedLimit: plan.NamedLimit{Limit: plan.Limit{Time: units.Span(8 * time.Second)}}}}
		}, "limits"},
	} {
		for _, stops := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newOnceWeb(1, 30)
				o := options(nil, vfs.NewMem(), w.seeds()...)
				o.Web, o.Revisits, o.Workers = w, revisitsOf(t, "once"), 3
				l.set(&o)
				var r *archive.Report
				if stops { // in the second round
					ctx, cancel := context.WithCancel(t.Context())
					o.Events.Finished = func(l archive.Line) {
						if l.Round == 2 {
							cancel()
						}
					}
					var err error
					if r, err = Run(ctx, o); err != nil || r.End != "interrupted" || r.Schedule.Visits == 0 {
						t.Fatalf("%s: stopped, it ended as %+v, %v", name, r, err)
					}
					o.Resume, o.Seeds, o.Events.Finished = true, nil, nil
				}
				r = crawlNow(t, o)
				if r.End != l.end || r.Queued == 0 || r.Coherence == nil || len(w.asked) < 3 || len(w.asked) > 20 || int(r.Coherence.Coherent) != len(w.asked) || int(r.Schedule.Visits) != len(w.asked) || int(r.Pages) != len(w.asked) {
					t.Errorf("%s: it ended as %+v, %+v; asked for %d URLs", name, r, r.Coherence, len(w.asked))
				}
				for url, times := range w.asked {
					if len(times) != 2 && len(times) != 3 {
						t.Errorf("%s: %s was asked for at %v", name, url, times)
					}
				}
				if resumed := func() *archive.Report { o.Resume, o.Seeds, o.ID = true, nil, r.ID; return crawlNow(t, o) }(); resumed.End != l.end || resumed.Fetched != r.Fetched {
					t.Errorf("%s: resumed once more, it ended as %+v", name, resumed)
				}
			})
		}
	}
}

// New parts that pages have in the second round count under the limits of the first.
func TestPartsOfTheSecondRoundAreLimited(t *testing.T) {
	for name, l := range map[string]struct {
		set   func(o *Options)
		parts int
	}{
		"none":      {func(o *Options) {}, 6},
		"URLs":      {func(o *Options) { o.Limits.URLs = 9 }, 2},
		"URLs, all": {func(o *Options) { o.Limits.URLs = 7 }, 0},
		"host": {func(o *Options) {
			o.HostLimit = []plan.HostLimit{{NamedLimit: plan.NamedLimit{Limit: plan.Limit{URLs: 9}}}}
		}, 2},
		"crawl": {func(o *Options) { o.CrawlLimit.URLs = 9 }, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newOnceWeb(1, 7)
			w.script = func(r *http.Request, url string, now time.Time) string {
				body := ""
				for i := 1; i < w.pages && r.URL.Path == "/"; i++ {
					body += fmt.Sprintf("<a href=/p%d>%d</a>", i, i)
				}
				if len(w.asked[url]) == 2 && r.URL.Path != "/" {
					body += "<img src=" + r.URL.Path + ".png>"
				}
				return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			}
			o := options(nil, vfs.NewMem(), w.seeds()...)
			o.Web, o.Revisits, o.Workers = w, revisitsOf(t, "once"), 3
			l.set(&o)
			r := crawlNow(t, o)
			parts := 0
			for url, times := range w.asked {
				if strings.HasSuffix(url, ".png") {
					parts++
				} else if len(times) != 2 {
					t.Errorf("%s: %s was asked for at %v", name, url, times)
				}
			}
			if parts != l.parts || len(w.asked) != 7+parts {
				t.Errorf("%s: %d parts and %d URLs were asked for: %+v", name, parts, len(w.asked), r)
			}
		})
	}
}

// Kills and power cuts, before, in and after the second round, lose no page of it.
func TestSecondRoundSurvivesKills(t *testing.T) {
	kills, inSecond := 0, 0
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			world := simulation.New(simulation.Options{Seed: seed, Calm: true, Quiet: synctest.Wait})
			defer world.Stop()
			w := newOnceWeb(2, 15)
			o, rng := options(nil, nil, w.seeds()...), rand.New(rand.NewPCG(seed, 3))
			o.Web, o.Revisits = w, revisitsOf(t, "once")
			disk := simulation.NewDisk()
			var r *archive.Report
			for life := 0; ; life++ {
				crawls, _ := archive.Crawls(disk, "archive")
				if len(crawls) > 0 && !crawls[0].Unfinished() {
					r = &crawls[0].Report
					break
				}
				if len(crawls) > 0 {
					o.Resume, o.Seeds = true, nil
				}
				plan := simulation.Plan{}
				if life < 12 {
					plan = simulation.Plan{KillAt: 60 + rng.Int64N(300), Power: rng.IntN(2) == 0}
				}
				l := world.Live(disk, plan)
				o.FS, o.Clock = l.Disk(), l
				ctx, cancel := context.WithCancel(l.Context())
				_, err := Run(ctx, o)
				cancel()
				var killed bool
				if disk, killed = l.End(); killed {
					kills++
					if _, err := archive.FirstRound(disk, "archive", ""); err == nil {
						inSecond++
					}
					<-time.After(time.Duration(rng.IntN(10)) * time.Second)
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if r.End != "done" || r.Coherence == nil || r.Coherence.Coherent != 30 {
				t.Errorf("seed %d: %+v, %+v", seed, r, r.Coherence)
			}
			rounds := map[string][]int{}
			for l, err := range archive.ReadLog(disk, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if l.Outcome == archive.Recorded && l.Kind != kavosh.Prerequisite.String() && l.Why != checkWhy {
					rounds[l.URL] = append(rounds[l.URL], l.Round)
				}
			}
			for url, in := range rounds {
				if !slices.Equal(in, []int{1, 2}) {
					t.Errorf("seed %d: %s was visited in the rounds %v", seed, url, in)
				}
			}
			if len(rounds) != 30 {
				t.Errorf("seed %d: %d pages were visited", seed, len(rounds))
			}
		})
	}
	if kills < 40 || inSecond < 10 {
		t.Errorf("only %d kills, %d in the second round", kills, inSecond)
	}
}
