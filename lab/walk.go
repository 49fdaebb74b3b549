package lab

// This file crawls a stored web once, with the real engine.

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/engine"
	"kavosh/frontier"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/lab/stored"
)

// Fetch is one request of a run.
type Fetch struct {
	Page int32         // index in the web; Missing if the web does not have it
	At   time.Duration // simulated time of the response since the beginning
}

// Missing is the Page of a request without a stored response. Such requests are counted separately.
const Missing = -1

// Pace says how simulated time passes in a run. With the zero value, URLs are fetched one after another in no time.
type Pace struct {
	Workers int           // requests at once; 0 means one
	Delay   time.Duration // between the end of a response and the next request to its host
	Wait    time.Duration // for better URLs, in all, in a run with a bound of requests: frontier.Budget.Wait
	Latency time.Duration // mean time to a response; each URL's own comes from its hash, from half of it to one and a half
}

// Polite is the pace of an ordinary crawl: one second per host, 64 workers, half a second per response, up to an hour
// for better URLs.
func Polite() Pace {
	return Pace{Workers: 64, Delay: time.Second, Wait: engine.Patience, Latency: 500 * time.Millisecond}
}

func (p Pace) latency(url string) time.Duration {
	if p.Latency == 0 {
		return 0
	}
	h := fnv.New64a()
	io.WriteString(h, url)
	return p.Latency/2 + time.Duration(h.Sum64()%uint64(p.Latency))
}

// Walk is one run of an order over a stored web. It uses frontier, scope and order of a crawl, but the pages are
// already read and judged.
type Walk struct {
	Web      *stored.Web
	Verdicts []kavosh.Verdict // one for each page of the web
	Starts   []string         // seen-keys
	Order    order.Policy     // a new one, which has seen nothing
	Budget   int              // answered requests; 0 means no bound
	Requests int              // all requests, those without an answer too; 0 means no bound
	Floor    float64          // the run ends when no waiting URL scores higher; 0 means never
	Pace     Pace
}

// maxMissing bounds requests without a stored response, as a multiple of the budget.
const maxMissing = 50

// Run makes the run and returns the requests in the order of their responses, without robots.txt.
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

// studyScope is the scope of a run: every page, however far.
func studyScope() scope.Options {
	return scope.Options{Mode: scope.Any, MaxHops: -1, NoTraps: true, PagesOnly: true, ObeyNoFollow: true}
}

// run is a run in progress.
type run struct {
	*Walk
	frontier *frontier.Frontier
	scope    *scope.Scope
	clock    *stillClock
	began    time.Time
	fetches  []Fetch
	answered int // fetches that the web had a response for
	links    []kavosh.Link
	updates  [1]frontier.Update
	busy     flights
}

// run leases what may be requested, and advances the clock to the next response when nothing may.
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

// over reports whether the budget is used up.
func (r *run) over() bool {
	return r.Requests > 0 && len(r.fetches) >= r.Requests || r.Budget > 0 && (r.answered >= r.Budget || len(r.fetches)-r.answered > maxMissing*r.Budget)
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
	r.frontier.SetBudget(frontier.Budget{Spent: int64(len(r.fetches) + 1), All: int64(r.Requests), Of: "URLs", Wait: r.Pace.Wait})
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

// robots returns the stored web's robots.txt for a host; without one, everything is allowed.
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

// stillClock is a clock that moves only when it is set.
type stillClock struct{ now time.Time }

func (c *stillClock) Now() time.Time { return c.now }

// Sleep returns at once.
func (c *stillClock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
