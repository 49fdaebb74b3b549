package engine

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// TestLeadGivesBack lets the frontier fail while an answer is recorded: its temporary file is gone, and the place is free again.
func TestLeadGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *crawl
		o := options(serve(t, "-- a.test/ --\n-- a.test/robots.txt --\n"+strings.Repeat("# a rule that is none\n", 20_000)), vfs.NewMem(), "http://a.test/")
		o.Limits.Pages, o.Fetch.Memory = 1, 1 // as little as it allows
		bodies := func() (n int) {
			names, err := o.FS.List(o.FS.PathJoin(c.dir, "tmp"))
			if err != nil {
				t.Error(err)
			}
			return len(names)
		}
		held := 0 // files while it is recorded
		o.NewID = func() string {
			if held == 0 {
				held = bodies()
				c.frontier.Close()
			}
			return "urn:uuid:00000000-0000-4000-8000-000000000000"
		}
		c = newCrawl(o)
		c.hard, c.stop = t.Context(), func() {}
		defer c.giveUp()
		if err := c.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		reserved, _, _, err := c.quota.reserve(t.Context(), c.frontier.Only, c.pend.kick)
		if err != nil {
			t.Fatal(err)
		}
		lease, err := c.frontier.Next(t.Context())
		if err != nil || lease.Task.Kind != kavosh.Prerequisite {
			t.Fatalf("first comes %+v, %v, want a robots.txt", lease, err)
		}
		c.quota.unreserve(reserved.minus(c.placesOf(&lease.Task)))
		if err := c.lead(t.Context(), lease, nil); err == nil || held != 1 || bodies() != 0 || c.quota.reserved != (places{}) {
			t.Errorf("it ended by %v, with %d files of bodies after %d, and holds %+v; want an error, none after one, and none", err, bodies(), held, c.quota.reserved)
		}
	})
}
