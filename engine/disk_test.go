package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh/archive"
	"kavosh/frontier/scope"
)

// brokenDisk is fs with writes counted from 1; those for which fails says so fail.
func brokenDisk(fs vfs.FS, fails func(write int64) bool) (vfs.FS, *atomic.Int64) {
	writes := new(atomic.Int64)
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileClose, errorfs.OpLock: // a lock that is not let go is another test
			return nil
		}
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && fails(writes.Add(1)) {
			return errors.New("the disk is broken")
		}
		return nil
	})), writes
}

// TestBrokenDisk lets the disk break at one write after another, for good or for a moment. The crawl ends with an error
// that says how to go on, and does so on a sound disk, with nothing lost and nothing recorded twice. (In real time: a
// database that failed leaves goroutines behind, which a bubble does not allow.)
func TestBrokenDisk(t *testing.T) {
	const hosts, pages = 2, 12
	text := strings.ReplaceAll(bigWeb(hosts, pages), " wait=30ms", "")
	crawlOptions := func(t *testing.T, fs vfs.FS) Options {
		o := options(serve(t, text), fs, "http://h0.test/0")
		o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
		o.Delay, o.AddressDelay, o.MaxFile = 0, 0, 4<<10
		return o
	}
	fs, writes := brokenDisk(vfs.NewMem(), func(int64) bool { return false })
	crawlNow(t, crawlOptions(t, fs))
	total := writes.Load()
	const runs = 12
	for _, mode := range []string{"for good", "once"} {
		for i := range int64(runs) {
			at := 1 + i*total/runs
			t.Run(fmt.Sprintf("%s/%d", mode, at), func(t *testing.T) {
				sound := vfs.NewMem()
				broken, writes := brokenDisk(sound, func(n int64) bool { return n == at || n > at && mode == "for good" })
				_, err := Run(t.Context(), crawlOptions(t, broken))
				if err == nil {
					if mode == "for good" && writes.Load() >= at {
						t.Errorf("no error")
					}
				} else if !strings.Contains(err.Error(), "when the cause is gone, ") || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is %q", err)
				}
				o := crawlOptions(t, sound)
				if crawls, _ := archive.Crawls(sound, "archive"); len(crawls) > 0 {
					o.Seeds, o.Resume, o.ID = nil, true, crawls[0].ID
				}
				if r := crawlNow(t, o); r.End != "done" {
					t.Errorf("the second run ended %q", r.End)
				}
				if n := len(outcomes(t, sound)); n != hosts*pages+pages+hosts {
					t.Errorf("%d URLs in the log, want each page, each URL out of scope and each robots.txt: %d", n, hosts*pages+pages+hosts)
				}
				recordedOnce(t, sound)
			})
		}
	}
}
