package frontier

import (
	"context"
	"fmt"
	"io"
	"maps"
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

// For tasks that are unwanted by now, no robots.txt is asked: neither when their turn comes, nor when it waits to be asked
// for again; a task that is wanted asks for it.
func TestUnwanted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		wanted := map[string]bool{"http://a.test/1": true, "http://c.test/1": true}
		f := open(t, Options{Delay: time.Second, Unwanted: func(t *kavosh.Task) *Refusal {
			if wanted[t.URL] {
				return nil
			}
			return &Refusal{Text: "left", Scope: "rule"}
		}})
		addSeeds(t, f, "http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test/1", "http://c.test/2")
		asked, refused := map[string]int{}, map[string]string{}
		for {
			l, err := f.Next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case l.Refused != nil:
				refused[l.Task.URL] = l.Refused.Text + " " + string(l.Refused.Scope)
				apply(t, f, Update{Task: l.Task})
			case l.Task.URL == "http://a.test/robots.txt":
				asked[l.Task.URL]++
				delete(wanted, "http://a.test/1") // while it waits to be asked for again
				l.Answered(Answer{Status: 503})
				apply(t, f, Update{Task: l.Task, Robots: &Robots{Origin: l.Origin, Status: 503}, Retry: time.Now().Add(time.Minute)})
			default:
				asked[l.Task.URL]++
				finish(t, f, l, 200, "")
			}
		}
		if want := (map[string]int{"http://a.test/robots.txt": 1, "http://c.test/robots.txt": 1, "http://c.test/1": 1, "http://c.test/2": 1}); !maps.Equal(asked, want) {
			t.Errorf("asked for %v, want %v", asked, want)
		}
		if want := (map[string]string{"http://a.test/1": "left rule", "http://a.test/2": "left rule", "http://b.test/1": "left rule"}); !maps.Equal(refused, want) {
			t.Errorf("refused %v, want %v", refused, want)
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
