package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/frontier"
)

// Where seeds are redirected to counts as a seed after a restart, too, and a commit keeps what is new of that and no more.
func TestMovedSeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const seeds = 6
		var web strings.Builder
		urls := make([]string, seeds)
		for i := range seeds {
			urls[i] = fmt.Sprintf("http://s%d.test/", i)
			fmt.Fprintf(&web, "-- s%d.test/ status=301 Location=http://w%d.test/ --\nmoved\n-- w%d.test/ --\n<a href=/next>next</a> %d\n-- w%d.test/next --\nnext %d\n", i, i, i, i, i, i)
		}
		fs := vfs.NewMem()
		o := options(serve(t, web.String()), fs, urls...)
		o.Workers, o.Limits.Pages = 1, seeds/2
		dir := "archive/crawls/" + crawlNow(t, o).ID
		o.Resume, o.Seeds, o.Limits.Pages = true, nil, seeds
		crawlNow(t, o)
		f, err := frontier.Open(frontier.Options{FS: fs, Dir: dir + "/frontier"})
		if err != nil {
			t.Fatal(err)
		}
		var kept string
		for n := 1; ; n++ {
			list, err := f.Get(movedKey(n))
			if err != nil {
				t.Fatal(err)
			}
			if list == nil {
				break
			}
			kept += string(list)
		}
		if strings.Count(kept, "http://") != seeds || strings.Count(kept, "http://w0.test/") != 1 {
			t.Errorf("kept is %s", kept)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		o.Limits.Pages = 0
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 3*seeds {
			t.Errorf("it ended %q, %d recorded of %d", r.End, r.Recorded, 3*seeds)
		}
		recordedOnce(t, fs)
	})
}
