package engine

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/record"
)

// Ctrl-C lets what is in flight end, says so, and loses nothing.
func TestInterruptAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, bigWeb(3, 30))
		o := options(s, fs, "http://h0.test/0")
		o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
		seconds := 0.0
		for _, after := range []time.Duration{time.Second / 2, 3 * time.Second, 5 * time.Second} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			began := time.Now()
			r, err := Run(ctx, o)
			cancel()
			if err != nil || r.End != "interrupted" || r.Queued == 0 {
				t.Fatalf("after %v: end %q, %d queued, %v", after, r.End, r.Queued, err)
			}
			if d := time.Since(began); d > after+time.Second {
				t.Errorf("it took %v to stop", d-after)
			}
			seconds += time.Since(began).Seconds()
			if r.Seconds < seconds-0.1 || r.Seconds > seconds+0.1 {
				t.Errorf("the report says %.1f s, all runs took %.1f", r.Seconds, seconds)
			}
			if crawls, err := archive.Crawls(fs, "archive"); err != nil || len(crawls) != 1 || !crawls[0].Unfinished() {
				t.Errorf("crawls: %+v, %v", crawls, err)
			}
			o.Seeds, o.Resume = nil, true
			<-time.After(time.Minute) // in the bubble's time
		}
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 90 || r.SeedsKept != 1 {
			t.Errorf("at the end: %+v", r)
		}
		if n := len(outcomes(t, fs)); n != 90+30+3 {
			t.Errorf("%d URLs in the log", n)
		}
		recordedOnce(t, fs)
		if _, err := Run(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), "nothing to resume") {
			t.Errorf("resuming a crawl that is done: %v", err)
		}
	})
}

// A crash between keeping the seeds and queueing them: the next run queues them.
func TestSeedsKeptAndNotQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		o := options(s, fs, "http://a.test/")
		began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := about.Create(fs, "archive", "test", began); err != nil {
			t.Fatal(err)
		}
		dir := "archive/crawls/" + began.Format(archive.IDFormat)
		if err := disk.MkdirAll(fs, dir); err != nil {
			t.Fatal(err)
		}
		f, err := frontier.Open(frontier.Options{FS: fs, Dir: dir + "/frontier"})
		if err != nil {
			t.Fatal(err)
		}
		c := crawl{fs: fs, dir: dir, opt: o, frontier: f}
		if c.scope, err = scope.New(o.Scope); err != nil {
			t.Fatal(err)
		}
		if c.fetcher, err = fetch.New(o.Fetch); err != nil {
			t.Fatal(err)
		}
		if err := c.keepSeeds(o.Seeds); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := archive.WriteConfig(fs, dir, nil); err != nil {
			t.Fatal(err)
		}
		o.Resume, o.Seeds = true, nil
		if r := crawlNow(t, o); r.Recorded != 11 {
			t.Errorf("recorded %d URLs of 11", r.Recorded)
		}
	})
}

// A crash after the records of a robots.txt were durable, and before anything else was: its line still says how the
// crawl came to it.
func TestRecoveredRobotsSaysHow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		o := options(serve(t, bigWeb(1, 1)), fs, "http://h0.test/0")
		snaps := make(chan *vfs.MemFS, 2)
		for _, at := range []time.Duration{10 * time.Millisecond, 500 * time.Millisecond} { // before its answer, and after
			time.AfterFunc(at, func() {
				snaps <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
			})
		}
		crawlNow(t, o)
		before, after := <-snaps, <-snaps
		files, err := record.Files(after, "archive/warc")
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		records, err := disk.ReadFile(after, "archive/warc/"+files[0])
		if err != nil {
			t.Fatal(err)
		}
		o.FS, o.Resume, o.Seeds = before, true, nil
		if err := disk.MkdirAll(o.FS, "archive/warc"); err != nil {
			t.Fatal(err)
		}
		if err := disk.WriteFile(o.FS, "archive/warc/"+files[0], records); err != nil {
			t.Fatal(err)
		}
		crawlNow(t, o)
		if l := outcomes(t, o.FS)["http://h0.test/robots.txt"]; l.Seed != "http://h0.test/0" || l.Via != l.Seed || l.Path != "P" {
			t.Errorf("seed %q, via %q, path %q", l.Seed, l.Via, l.Path)
		}
	})
}

// A queue that was taken away is made anew from the records; crawl.log is kept beside.
func TestFrontierTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		o := options(s, fs, "http://a.test/")
		o.Limits.Pages = 3
		r := crawlNow(t, o)
		path := "archive/crawls/" + r.ID
		before, err := disk.ReadFile(fs, path+"/crawl.log")
		if err != nil {
			t.Fatal(err)
		}
		if err := fs.RemoveAll(path + "/frontier"); err != nil {
			t.Fatal(err)
		}
		o.Resume = true
		o.Limits.Pages = 0
		crawlNow(t, o)
		if kept, err := disk.ReadFile(fs, path+"/crawl.log.damaged"); err != nil || string(kept) != string(before) {
			t.Errorf("%d bytes of crawl.log are kept, of %d (%v)", len(kept), len(before), err)
		}
		recordedOnce(t, fs)
	})
}

// A crawl that was killed, another one into the same archive, a rebuild; then the first goes on. The capture log lists
// each record once, and its readers never have to go back.
func TestResumeAfterOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		s := serve(t, bigWeb(2, 30))
		o := options(s, fs, "http://h0.test/0")
		o.Scope.Mode, o.Scope.Exclude = scope.Any, []string{"elsewhere"}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		snap := make(chan *vfs.MemFS, 1)
		context.AfterFunc(ctx, func() {
			snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
		})
		_, err := Run(ctx, o)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		fs = <-snap
		o.FS = fs
		first, err := archive.Crawls(fs, "archive")
		if err != nil || len(first) != 1 {
			t.Fatalf("crawls: %v, %v", first, err)
		}
		before := listed(t, fs, "000001")
		crawlNow(t, options(s, fs, "http://h1.test/29"))
		for _, rebuilt := range []bool{true, false} {
			if rebuilt {
				if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
					t.Fatal(err)
				}
				continue
			}
			o.Resume, o.Seeds, o.ID = true, nil, first[0].ID
			if r := crawlNow(t, o); r.End != "done" || r.Recorded != 60 {
				t.Errorf("the first crawl ended %q with %d recorded", r.End, r.Recorded)
			}
		}
		for record, times := range listed(t, fs, "000002") {
			if times != 1 {
				t.Errorf("%s stands %d times in the capture log", record, times)
			}
			delete(before, record)
		}
		if len(before) > 0 {
			t.Errorf("missing from the log: %v", before)
		}
	})
}

// listed counts the lines of each record in the capture log.
func listed(t *testing.T, fs vfs.FS, generation string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for e, err := range journal.Read(fs, "archive/log/"+generation+"/1.jsonl", 0) {
		var c kavosh.Capture
		if err == nil {
			err = json.Unmarshal(e.Line, &c)
		}
		if err != nil {
			t.Fatal(err)
		}
		all[c.Record]++
	}
	return all
}

// A rebuild that was interrupted before there was a log leaves an archive that still asks for one.
func TestInterruptedRebuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, smallWeb)
		crawlNow(t, options(s, fs, "http://a.test/"))
		if err := fs.RemoveAll("archive/log"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := archive.Rebuild(ctx, fs, "archive", func(string, int, int) { cancel() }); err == nil {
			t.Fatal("the rebuild was not interrupted")
		}
		if _, err := Run(t.Context(), options(s, fs, "http://a.test/")); err == nil || !strings.Contains(err.Error(), "kavosh rebuild") {
			t.Errorf("a crawl into an archive without its log: %v", err)
		}
		if _, err := archive.OpenLog(fs, "archive"); err == nil || !strings.Contains(err.Error(), "kavosh rebuild") {
			t.Errorf("its capture log opens: %v", err)
		}
		if r, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil || len(r.Trouble) > 0 {
			t.Errorf("rebuilt: %+v, %v", r, err)
		}
		crawlNow(t, options(s, fs, "http://a.test/"))
	})
}

// What a program beside a rebuild is adding to stays: it follows the log, and begins anew by itself. All else that is derived goes.
func TestRebuildBesideAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		crawlNow(t, options(serve(t, smallWeb), fs, "http://a.test/"))
		for _, name := range []string{"held@1", "left@1"} {
			dir := "archive/derived/" + name
			if err := disk.MkdirAll(fs, dir); err != nil {
				t.Fatal(err)
			}
			if err := disk.WriteFile(fs, dir+"/part", []byte("of the older generation")); err != nil {
				t.Fatal(err)
			}
		}
		lock, err := fs.Lock("archive/derived/held@1/lock")
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"held@1": true, "left@1": false} {
			if _, err := fs.Stat("archive/derived/" + name + "/part"); (err == nil) != want {
				t.Errorf("%s is there: %v, want %v", name, err == nil, want)
			}
		}
	})
}
