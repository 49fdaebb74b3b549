package record

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh"
	"kavosh/internal/clock"
)

// When the first of many with one payload cannot be written, the next is written whole; none revisits what is not there.
func TestAnOriginalThatCannotBeWritten(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpMkdirAll && broken.Load() {
			return errors.New("the disk is broken")
		}
		return nil
	}))
	none := func(string) (kavosh.Prior, bool) { return kavosh.Prior{}, false }
	r := New(Options{FS: fs, Dir: "a/warc", Crawl: "20260101000000", Clock: clock.Real{}, Original: none})
	long := strings.Repeat("the same words again and again. ", 20)
	one := func(i uint64) (kavosh.Capture, error) {
		x := answer(i, fmt.Sprintf("http://a.test/%d", i), "HTTP/1.1 200 OK\r\n\r\n", long, long)
		captures, err := r.Write(x)
		if err != nil {
			return kavosh.Capture{}, err
		}
		return captures[0], nil
	}
	if _, err := one(1); err == nil {
		t.Fatal("the disk was not broken")
	}
	broken.Store(false)
	got := make([]kavosh.Capture, 32)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = one(uint64(i + 2)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	types := map[string]int{}
	var original kavosh.Capture
	for _, c := range got {
		if types[c.Type]++; c.Type == "response" {
			original = c
		}
	}
	if types["response"] != 1 || types["revisit"] != 31 {
		t.Errorf("recorded %v", types)
	}
	for _, c := range got {
		if c.Type == "revisit" && c.Offset < original.Offset {
			t.Errorf("the revisit of %s lies before its original", c.URL)
		}
	}
}

// However many payloads there are, a bounded number is remembered, the newest.
func TestTwinsAreBounded(t *testing.T) {
	var all twins
	all.written.L = &all
	digest := func(i int) string { return fmt.Sprintf("sha256:%064x", i) }
	for i := range 3 * maxTwins {
		if _, found := all.claim(digest(i)); found {
			t.Fatalf("%d is known before it was written", i)
		}
		all.done(digest(i), []kavosh.Capture{{URL: "http://a.test/", Type: "response", Status: 200, Digest: digest(i), Payload: MinRevisit}})
	}
	if len(all.known) != maxTwins || len(all.writing) != 0 {
		t.Errorf("%d are known, %d being written", len(all.known), len(all.writing))
	}
	for i := range 3 * maxTwins {
		if _, known := all.known[digest(i)]; known != (i >= 2*maxTwins) {
			t.Fatalf("%d is known: %v", i, known)
		}
	}
}

// BenchmarkTwins is what a payload that no other page has costs.
func BenchmarkTwins(b *testing.B) {
	var all twins
	all.written.L = &all
	captures := make([]kavosh.Capture, 2*maxTwins)
	for i := range captures {
		captures[i] = kavosh.Capture{URL: "http://a.test/", Type: "response", Status: 200, Digest: fmt.Sprintf("sha256:%064x", i), Payload: MinRevisit}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c := captures[i%len(captures):][:1]
		all.claim(c[0].Digest)
		all.done(c[0].Digest, c)
	}
}
