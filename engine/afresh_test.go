package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/disk"
)

// fullAt is a disk that is full from the nth time on that somebody asks, once for each commit.
type fullAt struct {
	vfs.FS
	n *int
}

func (d fullAt) GetDiskUsage(string) (vfs.DiskUsage, error) {
	if *d.n--; *d.n <= 0 {
		return vfs.DiskUsage{}, nil
	}
	return vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40}, nil
}

// flowers are pages of which every third has a rose.
func flowers(pages int) string {
	var text strings.Builder
	for i := range pages {
		fmt.Fprintf(&text, "-- a.test/%d --\n<p>%s %d <a href=/%d>on</a> <a href=/%d>on</a>\n", i, []string{"A rose", "A tulip", "A lily"}[i%3], i, (2*i+1)%pages, (2*i+2)%pages)
	}
	return text.String()
}

// A crawl that is being made anew from its records may be killed at any write, or meet a full disk at any commit: the next run goes
// on with that. What was recorded is not asked for again; what was not kept is, since its links are wanted.
func TestMakingAnewInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pages = 24
		fs := vfs.NewMem()
		o := options(serve(t, flowers(pages)), fs, "http://a.test/0")
		o.Only, o.Delay, o.AddressDelay, o.Limits.Pages = roses(t), 0, 0, pages/2
		r := crawlNow(t, o)
		if err := fs.RemoveAll("archive/crawls/" + r.ID + "/frontier"); err != nil {
			t.Fatal(err)
		}
		left := files(t, fs, "archive")
		o.Seeds, o.Resume, o.Limits.Pages = nil, true, 0
		goesOn := func(when string, left vfs.FS) {
			o.FS, o.Events.Started = left, nil
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Errorf("%s: %v", when, err)
				return
			}
			if r.End != "done" || r.Dropped != pages*2/3 || r.Recorded != pages/3 {
				t.Errorf("%s: it ended %q, %d recorded, %d dropped", when, r.End, r.Recorded, r.Dropped)
			}
			final := outcomes(t, left)
			for url, n := range recordedTimes(t, left) {
				l := final[url]
				if n != 1 && l.Outcome != archive.Dropped {
					t.Errorf("%s: %s is recorded %d times", when, url, n)
				}
			}
			for record, n := range listed(t, left, "000001") {
				if n != 1 {
					t.Errorf("%s: %s stands %d times in the capture log", when, record, n)
				}
			}
		}
		for n := 1; n < 4; n++ {
			left, rest := put(t, left), n
			o.FS = fullAt{left, &rest}
			if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "free some space") {
				t.Fatalf("a full disk: %v", err)
			}
			goesOn(fmt.Sprintf("full at commit %d", n), left)
		}
		sound, writes, over := put(t, left), 0, false
		var mu sync.Mutex // a database removes what it needs no more in a goroutine of its own
		snaps := map[int]map[string][]byte{}
		o.Events.Started = func(string, bool) {
			mu.Lock()
			defer mu.Unlock()
			over = true
		}
		o.FS = errorfs.Wrap(sound, errorfs.InjectorFunc(func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || over {
				return nil
			}
			if writes++; writes%9 == 0 {
				snaps[writes] = files(t, sound, "archive")
			}
			return nil
		}))
		crawlNow(t, o)
		if len(snaps) < 5 {
			t.Fatalf("%d writes", writes)
		}
		for n, left := range snaps {
			goesOn(fmt.Sprintf("killed at write %d of %d", n, writes), put(t, left))
		}
	})
}

// Each damaged file is kept, however often there is damage.
func TestEachDamagedFileIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, flowers(24)), fs, "http://a.test/0")
		o.Limits.Pages = 4
		dir := "archive/crawls/" + crawlNow(t, o).ID
		o.Seeds, o.Resume = nil, true
		for i, name := range []string{"crawl.log.damaged", "crawl.log.damaged.2", "crawl.log.damaged.3"} {
			before, err := disk.ReadFile(fs, dir+"/crawl.log")
			if err != nil {
				t.Fatal(err)
			}
			if err := fs.RemoveAll(dir + "/frontier"); err != nil {
				t.Fatal(err)
			}
			o.Limits.Pages += 4
			crawlNow(t, o)
			if kept, err := disk.ReadFile(fs, dir+"/"+name); err != nil || string(kept) != string(before) {
				t.Errorf("damage %d: %d bytes are kept of %d (%v)", i+1, len(kept), len(before), err)
			}
		}
	})
}

// A crawl of an older program, which kept its seeds as a list in the frontier, goes on with them.
func TestSeedsOfAnOlderProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, flowers(24)), fs, "http://a.test/0")
		o.Limits.Pages = 4
		dir := "archive/crawls/" + crawlNow(t, o).ID
		f, err := frontier.Open(frontier.Options{FS: fs, Dir: dir + "/frontier"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal([]kavosh.Link{{URL: "http://a.test/0", Kind: kavosh.Seed}})
		if err == nil {
			err = f.Put("seeds", data)
		}
		if err == nil {
			err = f.Close()
		}
		if err == nil {
			err = fs.Remove(dir + "/seeds")
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Seeds, o.Resume, o.Limits.Pages = nil, true, 8
		crawlNow(t, o)
		o.Limits.Pages = 0
		if r := crawlNow(t, o); r.End != "done" || r.Recorded != 24 {
			t.Errorf("it ended %q, %d recorded", r.End, r.Recorded)
		}
		if text, err := disk.ReadFile(fs, dir+"/seeds"); err != nil || strings.Count(string(text), "http://a.test/0") != 1 {
			t.Errorf("seeds: %s (%v)", text, err)
		}
		recordedOnce(t, fs)
	})
}

// Damage in the part of the capture log that the index has read is told of, and nothing behind it is cut: the captures there may be
// another crawl's.
func TestDamagedCaptureLogIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, flowers(24)+"-- b.test/ --\nanother\n")
		o := options(s, fs, "http://a.test/0")
		o.Limits.Pages = 8
		r := crawlNow(t, o)
		crawlNow(t, options(s, fs, "http://b.test/"))
		if err := fs.RemoveAll("archive/crawls/" + r.ID + "/frontier"); err != nil {
			t.Fatal(err)
		}
		const log = "archive/log/000001/1.jsonl"
		data, err := disk.ReadFile(fs, log)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := disk.WriteFile(fs, log, data); err != nil {
			t.Fatal(err)
		}
		o.Seeds, o.Resume, o.ID, o.Limits.Pages = nil, true, r.ID, 0
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "kavosh rebuild") {
			t.Errorf("resumed: %v", err)
		}
		if after, err := disk.ReadFile(fs, log); err != nil || len(after) < len(data) {
			t.Errorf("%d bytes are left of %d (%v)", len(after), len(data), err)
		}
		if _, err := archive.Rebuild(t.Context(), fs, "archive", nil); err != nil {
			t.Fatal(err)
		}
		if r := crawlNow(t, o); r.End != "done" {
			t.Errorf("after rebuild it ended %q", r.End)
		}
		recordedOnce(t, fs)
	})
}
