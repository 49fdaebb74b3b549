package frontier

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"kavosh"
	"kavosh/frontier/order"
)

// A task that is refused when its turn comes is done with, and its host's next one has its turn at once.
func TestRefuse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Minute, Agent: "kavosh", Permit: func(string) string { return "the law" }})
		const n = 20
		for i := range n {
			addSeeds(t, f, fmt.Sprintf("http://a.test/%d", i))
		}
		robots := next(t, f)
		robots.Answered(Answer{Status: 404})
		apply(t, f, Update{Task: robots.Task, Robots: &Robots{Origin: robots.Origin, Status: 404}})
		var began time.Time
		for i := range n {
			l := next(t, f)
			if l.Task.Kind != kavosh.Seed {
				t.Fatalf("lease %d: %+v", i, l.Task)
			}
			if i == 0 {
				began = time.Now()
			}
			l.Refuse(Refusal{Failure: kavosh.TrapFailure, Text: "a trap"})
			l.Refuse(Refusal{Text: "twice"})
			if l.Refused == nil || l.Refused.Text != "a trap" {
				t.Errorf("lease %d: refused %+v", i, l.Refused)
			}
			apply(t, f, Update{Task: l.Task})
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("refusing %d tasks took %v of the host's time", n, waited)
		}
		if _, err := f.Next(context.Background()); err != io.EOF {
			t.Errorf("after the last: %v", err)
		}
		if s := f.Stats(); s.Queued != 0 {
			t.Errorf("%d are still queued", s.Queued)
		}
	})
}

// What the order leaves out is never asked and is told once; another link to it may bring it in, and seeds stay.
func TestLeftOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Agent: "kavosh", Permit: func(string) string { return "the law" }, Order: order.Func(func(c *order.Candidate) (float64, string) {
			if c.Link.Anchor == "data" {
				return 1, "data"
			}
			return order.LeftOut(), "no data"
		})})
		addSeeds(t, f, "http://a.test/")
		robots := next(t, f)
		robots.Answered(Answer{Status: 404})
		apply(t, f, Update{Task: robots.Task, Robots: &Robots{Origin: robots.Origin, Status: 404}})
		seed := next(t, f)
		seed.Answered(Answer{Status: 200})
		out := kavosh.Link{URL: "http://a.test/x", Kind: kavosh.Navigation}
		r := apply(t, f, Update{Task: seed.Task, Links: []kavosh.Link{out, {URL: "http://a.test/y", Kind: kavosh.Navigation, Anchor: "data"}, out}})[0]
		if len(r.Queued) != 1 || len(r.LeftOut) != 1 || r.LeftOut[0] != (Trapped{0, "no data"}) {
			t.Errorf("queued %+v, left out %+v", r.Queued, r.LeftOut)
		}
		y := next(t, f)
		y.Answered(Answer{Status: 200})
		in := out
		in.Anchor = "data"
		if r := apply(t, f, Update{Task: y.Task, Links: []kavosh.Link{out, in}})[0]; len(r.Queued) != 1 || len(r.LeftOut) != 0 {
			t.Errorf("queued %+v, left out %+v again", r.Queued, r.LeftOut)
		}
		if l := next(t, f); l.Task.URL != out.URL {
			t.Errorf("got %s", l.Task.URL)
		}
	})
}
