package frontier

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// What a sitemap calls old stays out when pages link to it, over a restart too, and comes in for better reasons.
func TestStale(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem()}
		f := open(t, o)
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/queued")})
		apply(t, f, Update{Rejected: []string{"http://a.test/out", "http://a.test/queued", "http://a.test/page", "http://a.test/seed", "http://a.test/part", "http://a.test/moved", "http://a.test/newer"}, Stale: []int{1, 2, 3, 4, 5, 6}})
		f.Close()
		f = open(t, o)
		newer := links(kavosh.Sitemap, "http://a.test/newer")
		newer[0].Listed = &kavosh.Listed{}
		apply(t, f, Update{Links: slices.Concat(links(kavosh.Navigation, "http://a.test/out", "http://a.test/page", "http://a.test/part"),
			links(kavosh.Seed, "http://a.test/seed"), links(kavosh.Redirect, "http://a.test/moved"), links(kavosh.Embed, "http://a.test/part"), newer)})
		apply(t, f, Update{Links: links(kavosh.Navigation, "http://a.test/page")})
		skipRobots(t, f, "http://a.test")
		got := drain(t, f, "")
		slices.Sort(got)
		if want := []string{"http://a.test/moved", "http://a.test/newer", "http://a.test/out", "http://a.test/part", "http://a.test/queued", "http://a.test/seed"}; !slices.Equal(got, want) {
			t.Errorf("asked for %v, want %v", got, want)
		}
		if s := f.Stats(); s.Queued != 0 || s.Rejected != 1 {
			t.Errorf("%d queued, %d rejected", s.Queued, s.Rejected)
		}
	})
}
