package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/plan"
)

// counters compares pages, and finds that all but their numbers matters.
type counters struct{}

var numbers = regexp.MustCompile(`[0-9]+`)

func (counters) Compare(_ string, old, new Document) (Difference, error) {
	if !strings.HasPrefix(old.Type, "text/html") || !strings.HasPrefix(new.Type, "text/html") {
		return Difference{}, errors.New("no page")
	}
	was, is := numbers.ReplaceAll(old.Body, nil), numbers.ReplaceAll(new.Body, nil)
	return Difference{Importance: 0.1, Matters: !bytes.Equal(was, is), Summary: "a counter", Parts: []string{"~ text"}}, nil
}

// keeping are the options of a crawl with --keep changed.
func keeping(t *testing.T, web string, fs vfs.FS) Options {
	o := options(serve(t, web), fs, "http://a.test/0")
	o.Keep, o.Compare, o.Delay, o.AddressDelay, o.Workers = plan.Keep{Changed: true}, counters{}, 0, 0, 2
	return o
}

// TestKeep leaves a note of pages that differ little from the last copy, and a copy of all else; what a page is made of is
// asked for all the same.
func TestKeep(t *testing.T) {
	const page = "-- a.test/0 --\n<p>Seen %d times. <img src=/new%[1]d.png> <a href=/text>text</a> <a href=/gone>gone</a> <a href=/news>news</a> <a href=/large>large</a>\n" +
		"-- a.test/text Content-Type=text/plain --\nline %[1]d\n-- a.test/news --\n<p>News %s.\n-- a.test/** png=2x2 --\n"
	const large = "-- a.test/large repeat=50000 --\n<p>one line of a page %d\n-- a.test/gone status=%d --\n<p>Gone %[1]d.\n"
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		crawlNow(t, keeping(t, fmt.Sprintf(large, 1, 200)+fmt.Sprintf(page, 1, "one"), fs))
		for visit := 2; visit < 4; visit++ {
			<-time.After(time.Hour)
			r := crawlNow(t, keeping(t, fmt.Sprintf(large, visit, 404)+fmt.Sprintf(page, visit, "two"), fs))
			all := map[string]string{}
			for l, err := range archive.ReadLog(fs, "archive", r.ID) {
				if err != nil {
					t.Fatal(err)
				}
				all[l.URL] += l.Outcome + l.Rule
			}
			want := map[string]string{
				"http://a.test/0": archive.Dropped + archive.Unkept, fmt.Sprintf("http://a.test/new%d.png", visit): archive.Recorded, "http://a.test/text": archive.Recorded,
				"http://a.test/gone": archive.Recorded, "http://a.test/news": archive.Recorded, "http://a.test/large": archive.Recorded,
			}
			if visit == 3 { // it is as small as the first time, and the same: a copy of it would be as large as a note
				want["http://a.test/news"] = archive.Dropped + archive.Unkept
			}
			for url, outcome := range want {
				if all[url] != outcome {
					t.Errorf("visit %d: %s: %s, want %s", visit, url, all[url], outcome)
				}
			}
			if r.Unkept != int64(visit-1) || r.Dropped != 0 || r.Recorded+r.Unkept != 6 {
				t.Errorf("visit %d: %d unkept, %d dropped, %d recorded", visit, r.Unkept, r.Dropped, r.Recorded)
			}
		}
		if got := recordsOf(t, fs)["http://a.test/0"]; got != "response request metadata metadata" {
			t.Errorf("records of the page: %s", got)
		}
	})
}

// TestKeepOfALostCopy keeps a page whose earlier capture cannot be read.
func TestKeepOfALostCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		crawlNow(t, keeping(t, "-- a.test/0 --\n<p>Seen 1 times.\n", fs))
		<-time.After(time.Hour)
		names, err := fs.List("archive/warc")
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		if err := fs.Rename("archive/warc/"+names[0], "aside"); err != nil {
			t.Fatal(err)
		}
		if r := crawlNow(t, keeping(t, "-- a.test/0 --\n<p>Seen 2 times.\n", fs)); r.Recorded != 1 || r.Unkept != 0 {
			t.Errorf("%d recorded, %d unkept", r.Recorded, r.Unkept)
		}
	})
}

// TestNotesAreVisits leaves out with --skip-younger what was visited lately, though the visit left no copy.
func TestNotesAreVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		web := func(n int) Options {
			return keeping(t, fmt.Sprintf("-- a.test/0 --\n<a href=/1>1</a>\n-- a.test/1 --\n<p>Seen %d times.\n", n), fs)
		}
		crawlNow(t, web(1))
		<-time.After(2 * time.Hour)
		if r := crawlNow(t, web(2)); r.Unkept == 0 {
			t.Fatal("each visit left a copy")
		}
		<-time.After(time.Hour)
		o := web(3)
		o.SkipYounger = time.Now().Add(-90 * time.Minute)
		for l, err := range archive.ReadLog(fs, "archive", crawlNow(t, o).ID) {
			if err != nil {
				t.Fatal(err)
			}
			if l.URL == "http://a.test/1" && l.Rule != string(tooYoung) {
				t.Errorf("%+v", l)
			}
		}
	})
}

// TestKeepCrashes cuts the power at one write after another in the second crawl, and wants every URL
// with one outcome, recorded once.
func TestKeepCrashes(t *testing.T) {
	const pages = 24
	web := func(visit int) string {
		var text strings.Builder
		for i := range pages {
			news := "news"
			if i%3 == 0 {
				news = strings.Repeat("n", visit)
			}
			fmt.Fprintf(&text, "-- a.test/%d --\n<p>%s %d <a href=/%d>on</a> <a href=/%d>on</a>\n", i, news, visit, (2*i+1)%pages, (2*i+2)%pages)
		}
		return text.String()
	}
	first := vfs.NewCrashableMem()
	crawlNow(t, keeping(t, web(1), first))
	begun := func() *vfs.MemFS {
		return first.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 9))})
	}
	fs, writes := brokenDisk(begun(), func(int64) bool { return false })
	crawlNow(t, keeping(t, web(2), fs))
	const runs = 40
	for i := range int64(runs) {
		at := 1 + i*writes.Load()/runs
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(at), 9))
			disk := begun()
			var left *vfs.MemFS
			watched, _ := brokenDisk(disk, func(n int64) bool {
				if n == at {
					left = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * rng.IntN(3), RNG: rng})
				}
				return false
			})
			if crawlNow(t, keeping(t, web(2), watched)); left == nil {
				return // it needed fewer writes this time
			}
			o := keeping(t, web(2), left)
			if crawls, _ := archive.Crawls(left, "archive"); len(crawls) > 1 {
				o.Seeds, o.Resume, o.ID = nil, true, crawls[1].ID
			}
			r := crawlNow(t, o)
			all := map[string]archive.Line{}
			for l, err := range archive.ReadLog(left, "archive", r.ID) {
				if _, twice := all[l.URL]; err != nil || twice {
					t.Fatal(l.URL, twice, err)
				}
				all[l.URL] = l
			}
			for i := range pages {
				want := archive.Dropped + archive.Unkept
				if i%3 == 0 {
					want = archive.Recorded
				}
				if l := all[fmt.Sprintf("http://a.test/%d", i)]; l.Outcome+l.Rule != want {
					t.Errorf("page %d: outcome %q %s, want %s", i, l.Outcome, l.Reason, want)
				}
			}
			if r.End != "done" || r.Unkept != pages*2/3 {
				t.Errorf("end %s, %d unkept", r.End, r.Unkept)
			}
		})
	}
}

// TestKeepInACrawlThatGoesOn visits pages again that change by a number alone, in a new archive: each has one copy, and its
// visits have notes.
func TestKeepInACrawlThatGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newChangingWeb(1, 4)
		o := options(nil, vfs.NewMem(), w.seeds()...)
		o.Web, o.Revisits, o.Keep, o.Compare = w, revisitsOf(t, "round-robin,budget=4,period=1h"), plan.Keep{Changed: true}, counters{}
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Hour)
		defer cancel()
		r, err := Run(ctx, o)
		if err != nil || r.Unkept < 3 {
			t.Fatalf("%d unkept, %v", r.Unkept, err)
		}
		got := recordsOf(t, o.FS)["http://h0.test/"]
		if strings.Count(got, "response ") != 1 || int64(strings.Count(got, "metadata")) != r.Unkept {
			t.Errorf("%d unkept, records of the page that changes: %s", r.Unkept, got)
		}
	})
}
