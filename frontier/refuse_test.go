package frontier

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"kavosh"
)

// A task that is refused when its turn comes is done with, and its host's next one has its turn at once.
func TestRefuse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Minute, Agent: "kavosh", RobotsRecord: true})
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
