package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/plan"
)

// TestPatchInterruptedWhileMeasuring mends a page, and interrupts the crawl as it reads at its end what is mended, or lets that take longer than
// --max-time: what the crawl did is reported.
func TestPatchInterruptedWhileMeasuring(t *testing.T) {
	for _, interrupt := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web := serve(t, "-- a.test/ --\n<img src=late.png>\n-- a.test/late.png png=2x2 --\n")
			fs := vfs.NewMem()
			first := options(web, fs, "http://a.test/")
			first.Scope.Exclude = append(first.Scope.Exclude, "late")
			crawlNow(t, first)

			mend := options(web, fs)
			mend.Patch, mend.Limits.Time = plan.Missing, time.Hour
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			began := false
			mend.Events.Started = func(string, bool) { began = true }
			mend.Events.Measuring = func(int64) {
				switch {
				case began && interrupt:
					cancel()
				case began:
					<-time.After(2 * time.Hour)
				}
			}
			r, err := Run(ctx, mend)
			if err != nil || r.End != "done" || r.Recorded != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			crawls, err := archive.Crawls(fs, "archive")
			if err != nil || len(crawls) != 2 {
				t.Fatal(crawls, err)
			}
			if p := crawls[1].Report.Patch; crawls[1].End != "done" || p == nil || p.Before.Lacking != 1 || (p.After == nil) != interrupt || !interrupt && p.After.Whole != 1 {
				t.Errorf("interrupted: %v: %+v", interrupt, p)
			}
		})
	}
}
