package engine

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/internal/disk"
	"kavosh/internal/fakeweb"
	"kavosh/record"
)

// twinHosts is how many hosts give the same payload at the same time.
const twinHosts = 64

// twins are these hosts, found on one page; each page leads to another one of its host.
func twins(t *testing.T) *fakeweb.Server {
	var web strings.Builder
	web.WriteString("-- a.test/ --\n")
	for i := range twinHosts {
		fmt.Fprintf(&web, "<a href=http://h%d.test/>x</a>\n", i)
	}
	for i := range twinHosts {
		fmt.Fprintf(&web, "-- h%d.test/robots.txt wait=2s status=404 --\n-- h%[1]d.test/ wait=1s --\n<a href=/next>next</a>%s\n-- h%[1]d.test/next wait=3s --\nlast %[1]d\n",
			i, strings.Repeat("The same words. ", 30))
	}
	return serve(t, web.String())
}

func twinOptions(s *fakeweb.Server, fs vfs.FS) Options {
	o := options(s, fs, "http://a.test/")
	o.Delay, o.AddressDelay, o.Workers, o.Scope.Mode = 0, 0, twinHosts, scope.Any
	return o
}

// originals counts how the pages were recorded. A revisit must come after its original in the crawl's files.
func originals(t *testing.T, fs vfs.FS) (responses, revisits int) {
	t.Helper()
	files, err := record.Files(fs, "archive/warc")
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]bool{}
	for _, name := range files {
		data, err := disk.ReadFile(fs, "archive/warc/"+name)
		if err != nil {
			t.Fatal(err)
		}
		_ = record.Captures(bytes.NewReader(data), name, func(c kavosh.Capture) error { // a crash may have cut it
			switch {
			case !strings.HasPrefix(c.URL, "http://h") || !strings.HasSuffix(c.URL, ".test/"):
			case c.Type == "revisit":
				if revisits++; !whole[c.Digest] {
					t.Errorf("%s at %d of %s: the revisit of nothing before it", c.URL, c.Offset, name)
				}
			case c.Type == "response":
				responses++
				whole[c.Digest] = true
			}
			return nil
		}, func(int64, error) {})
	}
	return responses, revisits
}

// Pages with one payload that come in at the same moment are stored once.
func TestPayloadsThatComeTogetherAreStoredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := twinOptions(twins(t), fs)
		o.MaxFile = 16 << 10 // several files
		crawlNow(t, o)
		if responses, revisits := originals(t, fs); responses != 1 || revisits != twinHosts-1 {
			t.Errorf("%d responses and %d revisits, want one of %d", responses, revisits, twinHosts)
		}
		recordedOnce(t, fs)
	})
}

// Whenever the machine loses power, no revisit is left without its original, and the crawl goes on to follow the links of
// both.
func TestPayloadsThatComeTogetherSurviveCrashes(t *testing.T) {
	for moment := range 12 {
		synctest.Test(t, func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			s := twins(t)
			o := twinOptions(s, fs)
			if moment%2 == 1 {
				o.MaxFile = 16 << 10
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second+time.Duration(moment)*200*time.Millisecond+time.Millisecond)
			snap := make(chan *vfs.MemFS, 1)
			context.AfterFunc(ctx, func() {
				snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * (moment % 3), RNG: rand.New(rand.NewPCG(1, uint64(moment)))})
			})
			_, err := Run(ctx, o)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			o.FS = <-snap
			originals(t, o.FS)
			if crawls, err := archive.Crawls(o.FS, "archive"); err != nil || len(crawls) == 0 {
				t.Fatalf("at moment %d: %v, %v", moment, crawls, err)
			}
			o.Resume, o.Seeds = true, nil
			if r := crawlNow(t, o); r.End != "done" {
				t.Errorf("at moment %d: the crawl ended %q", moment, r.End)
			}
			if responses, revisits := originals(t, o.FS); responses != 1 || revisits != twinHosts-1 {
				t.Errorf("at moment %d: %d responses and %d revisits", moment, responses, revisits)
			}
			recordedOnce(t, o.FS)
			got := outcomes(t, o.FS)
			for i := range twinHosts {
				if l := got[fmt.Sprintf("http://h%d.test/next", i)]; l.Outcome != archive.Recorded {
					t.Errorf("at moment %d: http://h%d.test/next: %q", moment, i, l.Outcome)
				}
			}
		})
	}
}
