package engine

import (
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/frontier/scope"
)

// A running crawl counts all hosts that it asked, as its report does, though nothing waits for some any more.
func TestStatusCountsHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, bigWeb(3, 4))
		o := options(s, vfs.NewMem(), "http://h0.test/0")
		o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
		var now func() Status
		o.Events.Progress = func(f func() Status) { now = f }
		var last Status
		o.Events.Finished = func(archive.Line) { last = now() }
		if r := crawlNow(t, o); r.Hosts != 3 || last.Hosts != r.Hosts || last.Queued > 1 {
			t.Errorf("at its end %d hosts and %d queued, in the report %d hosts", last.Hosts, last.Queued, r.Hosts)
		}
	})
}
