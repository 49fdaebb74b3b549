package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/internal/disk"
	"kavosh/judge"
	"kavosh/lib/warc"
)

// roses is a judge that wants pages with the word rose.
func roses(t *testing.T) judge.Judge {
	t.Helper()
	j, err := new(judge.Reader).Parse([]string{"keyword=rose"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestOnly keeps what is relevant, and of the rest a note with its digest and the verdict; links are followed all the
// same, but not to what a dropped page is made of.
func TestOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, `
-- a.test/ --
<p>Nothing here. <a href=/rose>on</a> <img src=/ours.png> <img src=/theirs.png>
-- a.test/rose --
<p>A rose. <a href=/tulip>on</a> <img src=/ours.png>
-- a.test/tulip --
<p>A tulip.
-- a.test/ours.png png=2x2 --
-- a.test/theirs.png png=2x2 --
`)
		o := options(s, fs, "http://a.test/")
		o.Only = roses(t)
		o.Judge = o.Only
		r := crawlNow(t, o)
		if r.End != "done" || r.Dropped != 2 || r.Recorded != 2 || r.Relevant != 1 || r.SeedsKept != 1 {
			t.Errorf("end %s: %d dropped, %d recorded, %d relevant, %d seeds", r.End, r.Dropped, r.Recorded, r.Relevant, r.SeedsKept)
		}
		all := outcomes(t, fs)
		for url, want := range map[string]string{
			"http://a.test/": archive.Dropped, "http://a.test/rose": archive.Recorded, "http://a.test/tulip": archive.Dropped,
			"http://a.test/ours.png": archive.Recorded, "http://a.test/theirs.png": archive.Refused,
		} {
			l := all[url]
			if l.Outcome != want {
				t.Errorf("%s: %s %s, want %s", url, l.Outcome, l.Reason, want)
			}
			if l.Outcome != archive.Dropped {
				continue
			}
			if l.Status != 200 || l.MIME != "text/html" || l.Digest == "" || !strings.HasPrefix(l.Reason, "--only: 0.00") || l.File == "" {
				t.Errorf("%s: %+v", url, l)
			}
			data, err := disk.ReadFile(fs, "archive/warc/"+l.File)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := warc.ReadAt(bytes.NewReader(data), int64(len(data)), l.Offset)
			if err != nil {
				t.Fatal(err)
			}
			var note bytes.Buffer
			if _, err := note.ReadFrom(rec.Block); err != nil || rec.Type() != "metadata" || rec.TargetURI() != url ||
				!strings.Contains(note.String(), "verdict: 0\r\n") || !strings.Contains(note.String(), "payload-digest: "+l.Digest+"\r\n") {
				t.Errorf("%s, %v: %s", rec.Type(), err, &note)
			}
		}
		if _, err := fs.Stat("archive/crawls/" + r.ID + "/spool"); err == nil {
			t.Error("the spool is still there")
		}
	})
}

// TestOnlyDropsWhatIsPreferred counts a page as relevant that the archive does not keep: the crawl found what it prefers.
func TestOnlyDropsWhatIsPreferred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, "-- a.test/ --\n<p>A rose. <a href=/tulip>on</a>\n-- a.test/tulip --\n<p>A tulip.\n"), fs, "http://a.test/")
		o.Only = roses(t)
		var err error
		if o.Judge, err = new(judge.Reader).Parse([]string{"keyword=tulip"}); err != nil {
			t.Fatal(err)
		}
		if r := crawlNow(t, o); r.Recorded != 1 || r.Dropped != 1 || r.Relevant != 1 || r.HarvestRate != 0.5 {
			t.Errorf("%d recorded, %d dropped, %d relevant, a harvest of %.2f", r.Recorded, r.Dropped, r.Relevant, r.HarvestRate)
		}
	})
}

// TestOnlyByTag keeps a picture that a page links to although it declares no language: it has no text to judge.
func TestOnlyByTag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, `
-- a.test/ --
<html lang=fa><p>Nothing here. <a href=/linked.png>on</a> <a href=/en>on</a>
-- a.test/en --
<html lang=en><p>Nothing here.
-- a.test/linked.png png=2x2 --
`), fs, "http://a.test/")
		var err error
		if o.Only, err = new(judge.Reader).Parse([]string{"language=fa,by=tag"}); err != nil {
			t.Fatal(err)
		}
		if r := crawlNow(t, o); r.Recorded != 2 || r.Dropped != 1 {
			t.Errorf("%d recorded, %d dropped: %v", r.Recorded, r.Dropped, outcomes(t, fs))
		}
	})
}

// TestOnlyCrashes breaks the disk and cuts the power at one write after another, while answers are spooled, kept and
// dropped, and wants every URL with one outcome, recorded once, its links followed.
func TestOnlyCrashes(t *testing.T) {
	const pages = 24
	var text strings.Builder
	for i := range pages {
		fmt.Fprintf(&text, "-- a.test/%d --\n<p>%s %d <a href=/%d>on</a> <a href=/%d>on</a>\n", i, []string{"A rose", "A tulip", "A lily"}[i%3], i, (2*i+1)%pages, (2*i+2)%pages)
	}
	crawlOptions := func(t *testing.T, fs vfs.FS) Options {
		o := options(serve(t, text.String()), fs, "http://a.test/0")
		o.Only, o.Delay, o.AddressDelay, o.Workers = roses(t), 0, 0, 2
		return o
	}
	fs, writes := brokenDisk(vfs.NewMem(), func(int64) bool { return false })
	crawlNow(t, crawlOptions(t, fs))
	const runs = 60
	for i := range int64(runs) {
		at := 1 + i*writes.Load()/runs
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(at), 9))
			disk := vfs.NewCrashableMem()
			broken, _ := brokenDisk(disk, func(n int64) bool { return n >= at })
			if _, err := Run(t.Context(), crawlOptions(t, broken)); err == nil {
				return // it needed fewer writes this time
			}
			left := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * rng.IntN(3), RNG: rng})
			o := crawlOptions(t, left)
			if crawls, _ := archive.Crawls(left, "archive"); len(crawls) > 0 {
				o.Seeds, o.Resume, o.ID = nil, true, crawls[0].ID
			}
			r := crawlNow(t, o)
			all := outcomes(t, left)
			for i := range pages {
				want := archive.Dropped
				if i%3 == 0 {
					want = archive.Recorded
				}
				if l := all[fmt.Sprintf("http://a.test/%d", i)]; l.Outcome != want {
					t.Errorf("page %d: outcome %q %s, want %s", i, l.Outcome, l.Reason, want)
				}
			}
			if r.End != "done" || r.Dropped != pages*2/3 {
				t.Errorf("end %s, %d dropped", r.End, r.Dropped)
			}
			recordedOnce(t, left)
		})
	}
}
