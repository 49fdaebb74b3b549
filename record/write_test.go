package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/lib/warc"
)

// An ordinary page is recorded with three allocations: the text of its digest, the ID that others refer to, and the
// captures returned.
func TestWriteAllocates(t *testing.T) {
	eachFormat(t, func(t *testing.T, format warc.Format) {
		r := New(Options{FS: vfs.Default, Dir: t.TempDir(), Crawl: "20260101000000", Clock: clock.Real{}, Compression: format})
		defer r.Close()
		x := pages(1)[0]
		n := testing.AllocsPerRun(200, func() {
			if _, err := r.Write(x); err != nil {
				t.Fatal(err)
			}
		})
		if n > 3 {
			t.Errorf("%v allocations to record a page, want at most 3", n)
		}
	})
}

// With the same IDs given, two runs write the same files to the byte.
func TestSameRecordsFromSameIDs(t *testing.T) {
	write := func() []byte {
		fs, n := vfs.NewMem(), 0
		r := New(Options{FS: fs, Dir: "a/warc", Crawl: "20260101000000", Clock: still{}, NewID: func() string {
			n++
			return fmt.Sprintf("<urn:uuid:00000000-0000-4000-8000-%012d>", n)
		}})
		writeAll(t, r, originals{}, exchanges())
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := disk.ReadFile(fs, "a/warc/"+files(t, fs)[0])
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if a, b := write(), write(); !bytes.Equal(a, b) {
		t.Error("two runs with the same IDs differ")
	}
}

// still is a clock that stands still.
type still struct{ clock.Real }

func (still) Now() time.Time { return exchanges()[0].Began }

// Many callers at once: no more compressors than processors, and each group in one piece.
func TestCallersShareCompressors(t *testing.T) {
	eachFormat(t, func(t *testing.T, format warc.Format) {
		fs := vfs.NewMem()
		r := newRecorder(fs, originals{}, format)
		xs := pages(100)
		var wg sync.WaitGroup
		for _, x := range xs {
			wg.Go(func() {
				if _, err := r.Write(x); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := r.Sync(); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if n := len(r.free.groups); n < 1 || n > runtime.GOMAXPROCS(0) {
			t.Errorf("%d compressors for %d processors", n, runtime.GOMAXPROCS(0))
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(captures(t, fs)); got != len(xs) {
			t.Errorf("%d captures of %d", got, len(xs))
		}
	})
}

// Every byte of a response is under a digest: the body under the payload's, and where the two are not the same bytes, or
// the answer was cut, the block under its own.
func TestDigestsCoverTheAnswer(t *testing.T) {
	fs := vfs.NewMem()
	r := newRecorder(fs, originals{}, warc.Gzip)
	var xs []*kavosh.Exchange
	for _, x := range exchanges() {
		if x.Status == 200 {
			xs = append(xs, x)
		}
	}
	cs := writeAll(t, r, originals{}, xs)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for url, block := range map[string]bool{"http://a.test/": false, "http://a.test/chunked": true, "http://a.test/cut": true} {
		for i := range cs {
			if cs[i].URL != url {
				continue
			}
			text := recordText(t, fs, &cs[i])
			if !strings.Contains(text, "WARC-Payload-Digest: ") || strings.Contains(text, "WARC-Block-Digest: ") != block {
				t.Errorf("%s: want a payload digest and block digest: %v\n%s", url, block, text)
			}
		}
	}
	data, err := disk.ReadFile(fs, "a/warc/"+files(t, fs)[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := warc.Check(t.Context(), "x", bytes.NewReader(data), warc.CheckOptions{}, func(f warc.Finding) {
		if f.Severity == warc.Fault {
			t.Error(f)
		}
	}); err != nil && err != io.EOF {
		t.Fatal(err)
	}
}

// What a server says never breaks a record: line ends in a value become spaces.
func TestValuesStayOnTheirLine(t *testing.T) {
	fs := vfs.NewMem()
	r := newRecorder(fs, originals{}, warc.Gzip)
	x := pages(1)[0]
	x.Task.Prior = &kavosh.Prior{URL: "http://a.test/\r\nWARC-Type: evil", Digest: "sha256:X\nY", Time: x.Began}
	x.Status = 304
	cs := writeAll(t, r, originals{}, []*kavosh.Exchange{x})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if text := recordText(t, fs, &cs[0]); !strings.Contains(text, "WARC-Refers-To-Target-URI: http://a.test/  WARC-Type: evil\n") {
		t.Error(text)
	}
}

// On a disk that refuses writes for a while, no group is lost whose Write said that it is recorded, and none is there whose
// Write failed.
func TestDiskThatRefusesForAWhile(t *testing.T) {
	eachFormat(t, func(t *testing.T, format warc.Format) {
		fs := vfs.NewMem()
		refuse := false
		broken := errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if refuse && op.Kind == errorfs.OpFileWriteAt {
				return errors.New("the disk is full")
			}
			return nil
		}))
		r := newRecorder(broken, originals{}, format)
		var want, failed []string
		for i, x := range pages(60) {
			refuse = i >= 20 && i < 40
			x.Digest = fmt.Appendf(nil, "%032d", i) // no two are the same
			if _, err := r.Write(x); err != nil {
				failed = append(failed, x.Task.URL)
			} else {
				want = append(want, x.Task.URL)
			}
		}
		if len(failed) == 0 {
			t.Fatal("twenty pages were recorded without a write")
		}
		refuse = true
		if err := r.Sync(); err == nil {
			t.Error("synced on a disk that refuses")
		}
		refuse = false
		if err := r.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range captures(t, fs) {
			got = append(got, c.URL)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
