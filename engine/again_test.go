package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
)

// A crawl that goes on asks for its pages again when their time has come, over restarts, too; one that does not is done without.
func TestRevisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const page, visits = "http://a.test/p", 3
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<a href=/p>p</a>
-- a.test/p --
`+strings.Repeat("<p>This is a page that stays as it is.", 20))
		o := options(s, fs, "http://a.test/")
		began := time.Now()
		o.Revisit = func(x *kavosh.Exchange) time.Time {
			if x.Began.Sub(began) > (visits-1)*time.Hour {
				return time.Time{}
			}
			return x.Began.Add(time.Hour)
		}
		lines := func() (n int) {
			for l, err := range archive.ReadLog(fs, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if l.URL == page && l.Outcome == archive.Recorded {
					n++
				}
			}
			return n
		}
		r := crawlNow(t, o)
		crawls, err := archive.Crawls(fs, "archive")
		if err != nil || r.End != "done" || lines() != 1 || r.Again.Before(began.Add(time.Hour)) || crawls[0].Unfinished() {
			t.Fatalf("without going on: %+v, %v, and %d lines of %s; want it to be done", r, err, lines(), page)
		}
		w, found, err := frontier.Look(fs, "archive/crawls/"+r.ID+"/frontier", page, false)
		if err != nil || !found || w.Again.Before(began.Add(time.Hour)) || !strings.Contains(QueuedLine(&w.Task, AgainReason(w.Again)).Reason, "again from 2000-01-01 01:0") {
			t.Errorf("who asks why is told %+v, %v, %v", w, found, err)
		}

		<-time.After(2 * time.Minute)
		fs = vfs.NewMem()
		o.FS, o.GoesOn, began = fs, true, time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		if r, err := Run(ctx, o); err != nil || r.End != "interrupted" || r.Queued != 0 || lines() != 2 {
			t.Fatalf("after 90 minutes: %+v, %v, and %d lines of %s, want 2", r, err, lines(), page)
		}
		o.Seeds, o.Resume = nil, true
		if r := crawlNow(t, o); r.End != "done" || lines() != visits || !r.Again.IsZero() {
			t.Errorf("at the end: %+v, and %d lines of %s, want %d", r, lines(), page, visits)
		}
		if got := recordsOf(t, fs)[page]; !strings.HasPrefix(got, "response request revisit(identical-payload-digest)") {
			t.Errorf("its records are %q, want revisits of the first", got)
		}
	})
}
