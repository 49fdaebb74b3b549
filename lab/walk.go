package lab

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/frontier"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/lab/stored"
)

// Fetch is one request of a run.
type Fetch struct {
	Page int32         // index in the web; Missing when the web lacks it
	At   time.Duration // when its answer came, from the beginning, by the run's pace
}

// Missing is the Page of a request that the stored web has no answer for. Such requests are counted apart.
const Missing = -1

// Pace is how a run's time passes. The zero value fetches one URL after another, and no time passes.
type Pace struct {
	Workers int           // requests at once; 0 is one
	Delay   time.Duration // between the end of an answer and the next request to its host
	Latency time.Duration // mean time to an answer: each URL's own is hashed from it, between a half and three halves
}

// Polite is the pace of an ordinary crawl: a second a host, 64 workers, half a second to an answer.
func Polite() Pace { return Pace{Workers: 64, Delay: time.Second, Latency: 500 * time.Millisecond} }

// latency is the URL's own.
func (p Pace) latency(url string) time.Duration {
	if p.Latency == 0 {
		return 0
	}
	h := fnv.New64a()
	io.WriteString(h, url)
	return p.Latency/2 + time.Duration(h.Sum64()%uint64(p.Latency))
}

// Walk is one run of an order over a stored web: frontier, scope and order are those of a crawl, and pages are read and
// judged already.
type Walk struct {
	Web      *stored.Web
	Verdicts []kavosh.Verdict // one a page of the web
	Starts   []string         // seen-keys
	Order    order.Policy     // new: it has seen nothing
	Budget   int              // requests that the web has an answer for; 0 is no bound
	Floor    float64          // the run ends when nothing that waits has a greater score; 0 is no end
	Pace     Pace
}

// maxMissing bounds requests that the web has no answer for: so many times the budget.
const maxMissing = 50

// Run walks, and returns the requests in the order in which they were answered, robots.txt left out.
func (w *Walk) Run(ctx context.Context) ([]Fetch, error) {
	t := &stillClock{now: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}
	f, err := frontier.Open(frontier.Options{
		FS: vfs.NewMem(), Dir: "frontier", Clock: t, Order: w.Order, Delay: w.Pace.Delay, MaxPerHost: max(1, w.Pace.Workers), QueryBudget: -1,
	})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := run{Walk: w, frontier: f, clock: t, began: t.now}
	if r.scope, err = scope.New(studyScope()); err != nil {
		return nil, err
	}
	seeds := frontier.Update{}
	for _, u := range w.Starts {
		if err := r.scope.AddSeed(u); err != nil {
			return nil, err
		}
		seeds.Links = append(seeds.Links, kavosh.Link{URL: u, Kind: kavosh.Seed})
	}
	if err := r.apply(seeds); err != nil {
		return nil, err
	}
	err = r.run(ctx)
	return r.fetches, err
}

// studyScope is what belongs to a run: every page, however far.
func studyScope() scope.Options {
	return scope.Options{Mode: scope.Any, MaxHops: -1, NoTraps: true, PagesOnly: true, ObeyNoFollow: true}
}

// run is a walk under way.
type run struct {
	*Walk
	frontier *frontier.Frontier
	scope    *scope.Scope
	clock    *stillClock
	began    time.Time
	fetches  []Fetch
	answered int // of fetches, those that the web has an answer for
	links    []kavosh.Link
	updates  [1]frontier.Update
	busy     flights
}

// run leases what may be asked, and lets time pass to the next answer when nothing may.
func (r *run) run(ctx context.Context) error {
	workers := max(1, r.Pace.Workers)
	for !r.over() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.busy.len() < workers {
			l, wait, err := r.frontier.Poll()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if l != nil {
				if r.Floor != 0 && l.Task.Kind != kavosh.Prerequisite && l.Task.Score <= r.Floor {
					return nil
				}
				r.busy.add(flight{l, r.clock.now.Add(r.Pace.latency(l.Task.URL))})
				continue
			}
			if r.busy.len() == 0 {
				r.clock.now = r.clock.now.Add(wait)
				continue
			}
			if end := r.busy.first().end; wait < end.Sub(r.clock.now) {
				r.clock.now = r.clock.now.Add(wait)
				continue
			}
		}
		fl := r.busy.take()
		r.clock.now = fl.end
		if err := r.answer(fl.lease); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether the budget is spent.
func (r *run) over() bool {
	return r.Budget > 0 && (r.answered >= r.Budget || len(r.fetches)-r.answered > maxMissing*r.Budget)
}

// answer ends a request and tells the frontier what was found.
func (r *run) answer(l *frontier.Lease) error {
	u := frontier.Update{Task: l.Task}
	if l.Refused != nil {
		return r.apply(u)
	}
	at := r.Web.Find(l.Task.URL)
	status := 404
	if at >= 0 {
		status = r.Web.Pages[at].Status
	}
	l.Answered(frontier.Answer{Status: status})
	if l.Task.Kind == kavosh.Prerequisite {
		var err error
		if u.Robots, err = r.robots(l, at); err != nil {
			return err
		}
		return r.apply(u)
	}
	r.fetches = append(r.fetches, Fetch{int32(at), r.clock.now.Sub(r.began)})
	if at < 0 {
		u.Visit = &order.Visit{Task: &u.Task, Status: status, Page: &kavosh.Page{URL: l.Task.URL}}
		return r.apply(u)
	}
	r.answered++
	page := *r.Web.Pages[at].Page
	r.links = r.links[:0]
	for i := range page.Links {
		if r.scope.Judge(&page.Links[i], &u.Task).In {
			r.links = append(r.links, page.Links[i])
		}
	}
	page.Links = r.links
	u.Links = r.links
	u.Visit = &order.Visit{Task: &u.Task, Status: status, Page: &page, Verdict: r.Verdicts[at]}
	return r.apply(u)
}

// robots is what the stored web's robots.txt says; a web without one allows everything.
func (r *run) robots(l *frontier.Lease, at int) (*frontier.Robots, error) {
	robots := &frontier.Robots{Origin: l.Origin, Status: 404}
	if at < 0 {
		return robots, nil
	}
	a, err := r.Web.Answer(at)
	if err != nil {
		return nil, fmt.Errorf("robots.txt of the stored web: %w", err)
	}
	robots.Status, robots.Body, robots.Location = a.Status, a.Body, a.Header.Get("Location")
	return robots, nil
}

func (r *run) apply(u frontier.Update) error {
	r.updates[0] = u
	_, err := r.frontier.Apply(r.updates[:], nil)
	return err
}

// stillClock is a clock that stands until it is set.
type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time { return c.now }

// Sleep returns at once: nobody waits in a run.
func (c *stillClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
