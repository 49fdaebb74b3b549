package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// TestLeadGivesBack lets the frontier fail after an answer was recorded: the exchange is closed, and the place is free again.
func TestLeadGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *crawl
		closed := 0
		o := options(serve(t, smallWeb), vfs.NewMem(), "http://a.test/")
		o.Limits.Pages = 1
		o.Revisit = func(x *kavosh.Exchange) (never time.Time) {
			release := x.Release
			x.Release = func() {
				closed++
				if release != nil {
					release()
				}
			}
			c.frontier.Close()
			return never
		}
		c = newCrawl(o)
		c.hard, c.stop = t.Context(), func() {}
		defer c.giveUp()
		if err := c.open(); err != nil {
			t.Fatal(err)
		}
		held, _, _, err := c.quota.reserve(t.Context(), c.frontier.OnlyParts, c.pend.kick)
		if err != nil {
			t.Fatal(err)
		}
		lease, err := c.frontier.Next(t.Context())
		if err != nil || lease.Task.Kind != kavosh.Prerequisite {
			t.Fatalf("first comes %+v, %v, want a robots.txt", lease, err)
		}
		c.quota.unreserve(held.minus(placesOf(&lease.Task)))
		if err := c.lead(t.Context(), lease, nil); err == nil || closed != 1 || c.quota.reserved != (places{}) {
			t.Errorf("it ended by %v, closed %d exchanges and holds %+v; want an error, 1 and none", err, closed, c.quota.reserved)
		}
	})
}
