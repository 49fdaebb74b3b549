package index

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/cdx"
)

var start = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// page is the n-th capture of a crawl.
func page(n int) kavosh.Capture {
	return kavosh.Capture{
		URL: fmt.Sprintf("http://a.test/%d", n%1000), Time: start.Add(time.Duration(n) * time.Second), Record: fmt.Sprintf("<urn:uuid:%d>", n),
		Type: "response", Status: 200, MIME: "text/html", Digest: fmt.Sprintf("sha256:%064x", n%700), Payload: 300, File: "a.warc.gz", Offset: int64(n) * 100, Length: 100,
	}
}

// writer is a capture log with its index, as the engine keeps them.
type writer struct {
	t     *testing.T
	fs    vfs.FS
	log   *journal.Log
	index *Index
	n     int
}

func newWriter(t *testing.T, fs vfs.FS) *writer {
	log, err := journal.Open(fs, "log/000001/1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	x, err := Open(fs, "index")
	if err != nil {
		t.Fatal(err)
	}
	return &writer{t: t, fs: fs, log: log, index: x}
}

// add logs the next n captures, and the index learns of them.
func (w *writer) add(n int) {
	w.t.Helper()
	var batch []kavosh.Capture
	for range n {
		batch = append(batch, page(w.n))
		w.n++
		w.log.Append(AppendCapture(nil, &batch[len(batch)-1]))
	}
	if err := w.log.Sync(); err != nil {
		w.t.Fatal(err)
	}
	if err := follow(w.index, batch, nil, journal.At(1, w.log.Position())); err != nil {
		w.t.Fatal(err)
	}
}

// follow lets a follower of the capture log have captures, which the log reaches to cursor with; their lines begin at at.
func follow(f interface {
	Add(ctx context.Context, c *kavosh.Capture, at int64) (full bool, err error)
	Commit(journal.Cursor) error
}, captures []kavosh.Capture, at []int64, cursor journal.Cursor) error {
	for i := range captures {
		position := int64(0)
		if at != nil {
			position = at[i]
		}
		if _, err := f.Add(context.Background(), &captures[i], position); err != nil {
			return err
		}
	}
	return f.Commit(cursor)
}

func count(t *testing.T, l *Live) int {
	t.Helper()
	n, last := 0, ""
	for e, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if line := string(e.AppendLine(nil)); line < last {
			t.Fatalf("%q comes after %q", line, last)
		} else {
			last = line
		}
		n++
	}
	return n
}

// Every capture is found, once, from the moment it is logged, whatever the index has made of it so far.
func TestLiveSeesAllAtAnyMoment(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	live := OpenLive(fs, "index", "log")
	for i := range 40 {
		w.add(37)
		if i%3 == 0 {
			if err := w.index.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if i == 20 {
			if err := w.index.Merge(); err != nil {
				t.Fatal(err)
			}
		}
		if got := count(t, live); got != w.n {
			t.Fatalf("after %d captures %d are found", w.n, got)
		}
	}
	names, _ := fs.List("index")
	if len(names) > 13 {
		t.Errorf("too many segments: %v", names)
	}
	found := 0
	for e, err := range live.Query(t.Context(), cdx.Query{URL: "http://a.test/5"}) {
		if err != nil || e.URL != "http://a.test/5" {
			t.Errorf("found %q, %v", e.URL, err)
		}
		found++
	}
	if found != 2 {
		t.Errorf("%d captures of a URL that was captured twice", found)
	}
}

// A reader beside a crawl: flushes and merges go on while it reads.
func TestLiveBesideAWriter(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 60 {
			w.add(20)
			if err := w.index.Flush(); err != nil {
				t.Error(err)
			}
		}
		if err := w.index.Merge(); err != nil {
			t.Error(err)
		}
	}()
	live := OpenLive(fs, "index", "log")
	for last := 0; ; {
		n := count(t, live)
		if n < last {
			t.Fatalf("%d captures after %d were seen", n, last)
		}
		last = n
		select {
		case <-done:
			if n := count(t, live); n != w.n {
				t.Errorf("%d captures of %d", n, w.n)
			}
			return
		default:
		}
	}
}

// A log that its writer cut after a power cut, and went on with, is read again.
func TestLiveReadsACutLogAgain(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(10)
	whole := w.log.Position()
	w.add(5)
	live := OpenLive(fs, "index", "log")
	if n := count(t, live); n != 15 {
		t.Fatalf("%d captures", n)
	}
	if err := w.log.Cut(whole); err != nil {
		t.Fatal(err)
	}
	if n := count(t, live); n != 10 {
		t.Errorf("%d captures after the cut, want 10", n)
	}
	w.n = 500
	w.add(2)
	if n := count(t, live); n != 12 {
		t.Errorf("%d captures after the log went on, want 12", n)
	}
}

// While an index takes another's place, the log of a new generation with it, every capture is found at each step, and
// none of them out of the log.
func TestLiveWhileTheIndexIsReplaced(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(100)
	if err := w.index.Flush(); err != nil {
		t.Fatal(err)
	}
	w.add(20) // not in the index yet
	live := OpenLive(fs, "index", "log")
	if n := count(t, live); n != 120 {
		t.Fatalf("%d captures", n)
	}
	live.max = 20
	fresh, err := Open(fs, "index/rebuilding")
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Reset(2); err != nil {
		t.Fatal(err)
	}
	var all []kavosh.Capture
	for n := range 120 {
		all = append(all, page(n))
	}
	if err := follow(fresh, all, nil, journal.At(2, w.log.Position())); err != nil {
		t.Fatal(err)
	}
	if err := fresh.Merge(); err != nil {
		t.Fatal(err)
	}
	same := func(when string) {
		t.Helper()
		if n := count(t, live); n != 120 {
			t.Errorf("%s %d captures are found", when, n)
		}
	}
	same("before")
	err = fresh.Replace("index", func() error {
		same("with the new lines")
		data, err := disk.ReadFile(fs, "log/000001/1.jsonl")
		if err != nil {
			return err
		}
		if err := disk.MkdirAll(fs, "log/000002"); err != nil {
			return err
		}
		err = disk.WriteFile(fs, "log/000002/1.jsonl", data)
		same("with both logs")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	same("with the new cursor")
	if err := fs.RemoveAll("log/000001"); err != nil {
		t.Fatal(err)
	}
	same("afterwards")
}

// An index that lacks more of the log than a crawl holds back is not made up for in memory.
func TestLiveIsBounded(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(50)
	live := OpenLive(fs, "index", "log")
	live.max = 49
	for _, err := range live.All(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "kavosh rebuild") {
			t.Errorf("a capture comes, or %v", err)
		}
	}
	if err := w.index.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, live); n != 50 {
		t.Errorf("%d captures once the index has them", n)
	}
}

// A crash between a segment and the cursor, or within a merge, leaves an index whose captures are each found once.
func TestIndexAfterACrash(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(50)
	before, _ := disk.ReadFile(fs, "index/cursor.json")
	if err := w.index.Flush(); err != nil {
		t.Fatal(err)
	}
	if before == nil {
		fs.Remove("index/cursor.json")
	}
	x, err := Open(fs, "index")
	if err != nil {
		t.Fatal(err)
	}
	if c := x.Cursor(); !c.Equal(journal.Cursor{}) {
		t.Fatalf("cursor %v", c)
	}
	var all []kavosh.Capture
	for n := range 50 {
		all = append(all, page(n))
	}
	if err := follow(x, all, nil, journal.At(1, w.log.Position())); err != nil {
		t.Fatal(err)
	}
	if err := x.Merge(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(unpacked(t, fs), "\n"); n != 50 {
		t.Errorf("%d lines", n)
	}
}

// unpacked is what any program reads that knows gzip.
func unpacked(t *testing.T, fs vfs.FS) string {
	t.Helper()
	var all strings.Builder
	names, err := fs.List("index")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".cdxj.gz") {
			continue
		}
		data, err := disk.ReadFile(fs, "index/"+name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, z); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// What a crash leaves of a segment that was being written, or removed, is no part of the index, and goes.
func TestPartsOfSegments(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(50)
	if err := w.index.Flush(); err != nil {
		t.Fatal(err)
	}
	whole, _ := fs.List("index")
	for _, name := range []string{"000001-000007.cdxj.gz", "000001-000008.cdxj.gz.tmp", "000001-000008.idx.tmp"} {
		if err := disk.WriteFile(fs, "index/"+name, []byte("cut")); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, OpenLive(fs, "index", "log")); n != 50 {
		t.Errorf("%d captures", n)
	}
	x, err := Open(fs, "index")
	if err != nil {
		t.Fatal(err)
	}
	left, _ := fs.List("index")
	slices.Sort(whole)
	slices.Sort(left)
	if !slices.Equal(left, whole) {
		t.Errorf("left are %v, want %v", left, whole)
	}
	if err := follow(x, []kavosh.Capture{page(51)}, nil, journal.At(1, w.log.Position())); err != nil {
		t.Fatal(err)
	}
	if err := x.Merge(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(unpacked(t, fs), "\n"); n != 51 {
		t.Errorf("%d lines after the next captures", n)
	}
}

// An index of plain text, as older archives have it, is not taken for an empty one.
func TestIndexOfAnOlderForm(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	w.add(5)
	if err := disk.MkdirAll(fs, "index"); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(fs, "index/index.cdxj", []byte("a,b)/ 2020 {}\n")); err != nil {
		t.Fatal(err)
	}
	_, failed := Open(fs, "index")
	for _, err := range OpenLive(fs, "index", "log").All(t.Context()) {
		for _, err := range []error{failed, err} {
			if err == nil || !strings.Contains(err.Error(), "kavosh rebuild") {
				t.Errorf("error %v", err)
			}
		}
		return
	}
	t.Error("it is taken for an empty one")
}

// What is found near a moment, the last first or as a page of a whole is what a scan finds, whether captures stand in
// segments or in the log alone.
func TestLiveAnswersAsAScan(t *testing.T) {
	fs := vfs.NewMem()
	w := newWriter(t, fs)
	for range 5 {
		w.add(900)
		if err := w.index.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	w.add(150)
	live := OpenLive(fs, "index", "log")
	var all []cdx.Entry
	for e, err := range live.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	scan := func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return failed(err)
		}
		return cdx.Search(all, from, to, q.Reverse)
	}
	for _, q := range []cdx.Query{
		{URL: "http://a.test/7"}, {URL: "http://a.test/7", Reverse: true}, {URL: "http://a.test/7", Closest: "20260131130000"},
		{URL: "http://a.test/7", From: "20260131123000", Limit: 2}, {URL: "http://a.test/9*", Reverse: true, Limit: 50}, {URL: "*", Filters: []string{"digest:99"}},
		{URL: "*", After: "test,a)/42 20260131122042 1", Limit: 10}, {URL: "*", Reverse: true, After: "test,a)/42 20260131122042 1", Limit: 10},
	} {
		var got, want []cdx.Entry
		for e, err := range live.Query(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		for e := range q.Answer(scan) {
			want = append(want, e)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%+v (-scan +index): %s", q, diff)
		}
	}
}

// A server finds what a crawl adds within lookAgain, and goes on reading segments that are merged and removed meanwhile.
func TestServedIsAMomentOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		w := newWriter(t, fs)
		served := OpenServed(fs, "index", "log", clock.Real{})
		for range 5 {
			w.add(37)
			if err := w.index.Flush(); err != nil {
				t.Fatal(err)
			}
			<-time.After(lookAgain)
			n := 0
			for _, err := range served.All(t.Context()) {
				if err == nil && n == 0 {
					err = w.index.Merge()
				}
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if again := count(t, served); n != w.n || again != w.n {
				t.Fatalf("after %d captures %d are found, and then %d", w.n, n, again)
			}
		}
	})
}
