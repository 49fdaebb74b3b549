package index

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
)

// crawled is the n-th capture of a crawl of many pages.
func crawled(n int) kavosh.Capture {
	return kavosh.Capture{
		URL: fmt.Sprintf("http://h%d.test/page/%d.html", n%64, n), Time: start.Add(time.Duration(n) * time.Millisecond), Record: fmt.Sprintf("<urn:uuid:0f5c1d8e-0000-4000-8000-%012d>", n),
		Type: "response", Status: 200, MIME: "text/html", Digest: fmt.Sprintf("sha256:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ3I42H3S6NN%010d====", n), Payload: 20000,
		File: "KAVOSH-20260101000000-20260101000000123-00000-1.warc.gz", Offset: int64(n) * 7000, Length: 7000, Crawl: "20260101000000",
	}
}

func BenchmarkIndexAdd(b *testing.B) {
	x, err := Open(vfs.Default, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	batches(b, func(captures []kavosh.Capture, c journal.Cursor) error { return follow(x, captures, nil, c) })
	if err := x.Flush(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkOriginalsAdd(b *testing.B) {
	o, err := OpenOriginals(vfs.Default, b.TempDir(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	at := make([]int64, 500)
	batches(b, func(captures []kavosh.Capture, c journal.Cursor) error {
		for i := range captures {
			at[i] = c.Of(journal.Self)*450 + int64(i)
		}
		return follow(o, captures, at, c)
	})
	b.StopTimer()
	if err := o.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkOriginalsDigest(b *testing.B) {
	o, err := OpenOriginals(vfs.Default, b.TempDir(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	var batch []kavosh.Capture
	for n := range 20000 {
		batch = append(batch, crawled(n))
	}
	if err := follow(o, batch, nil, journal.Cursor{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if _, ok := o.Digest(batch[i%len(batch)].Digest + "x"); ok {
			b.Fatal("found what was never captured")
		}
	}
}

func BenchmarkAppendCapture(b *testing.B) {
	c := crawled(1)
	var buf []byte
	b.ReportAllocs()
	for range b.N {
		buf = AppendCapture(buf[:0], &c)
	}
}

// batches gives b.N captures to add, some hundreds at a time.
func batches(b *testing.B, add func([]kavosh.Capture, journal.Cursor) error) {
	all := make([]kavosh.Capture, b.N)
	for n := range all {
		all[n] = crawled(n)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for len(all) > 0 {
		k := min(len(all), 500)
		if err := add(all[:k], journal.At(1, int64(b.N-len(all)))); err != nil {
			b.Fatal(err)
		}
		all = all[k:]
	}
}
