package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// BenchmarkFrontier fills a frontier on disk with URLs over a thousand hosts, each offered ten times, then leases,
// answers and finishes all of them. It prints the CPU time of both, compactions included, and the bytes on disk and in
// memory:
//
//	go test -run '^$' -bench Frontier/1000000 -benchtime 1x ./frontier
func BenchmarkFrontier(b *testing.B) {
	for _, urls := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(urls), func(b *testing.B) { benchmarkFrontier(b, urls) })
	}
}

func benchmarkFrontier(b *testing.B, urls int) {
	const hosts, offers, group = 1_000, 10, 2_000
	for b.Loop() {
		dir := b.TempDir()
		f := open(b, Options{FS: vfs.Default, Dir: dir, MaxPerHost: 16})
		rng := rand.New(rand.NewPCG(1, 2))
		start := cpu(b)
		u := Update{Links: make([]kavosh.Link, 0, group)}
		for i := range urls * offers {
			n := rng.IntN(urls)
			u.Links = append(u.Links, kavosh.Link{Kind: kavosh.Navigation, URL: fmt.Sprintf("https://www.host%d.example/section/%d/page-%d.html", n%hosts, n%97, n)})
			if len(u.Links) == group || i == urls*offers-1 {
				if _, err := f.Apply([]Update{u}, nil); err != nil {
					b.Fatal(err)
				}
				u.Links = u.Links[:0]
			}
		}
		in := cpu(b) - start
		known := f.Stats().Known
		b.ReportMetric(float64(urls*offers)/in.Seconds(), "offers/cpu-s")
		b.ReportMetric(float64(f.db.Metrics().DiskSpaceUsage())/float64(known), "disk-B/URL")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MB")

		start = cpu(b)
		n := drainAll(b, f, group)
		out := cpu(b) - start
		b.ReportMetric(float64(n)/out.Seconds(), "leases/cpu-s")
		b.ReportMetric(float64(f.db.Metrics().DiskSpaceUsage())/float64(known), "done-disk-B/URL")
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHosts opens a frontier with a hundred thousand hosts of one queued URL each and prints what a host costs: in
// memory, and in processor time until the first lease.
func BenchmarkHosts(b *testing.B) {
	const hosts, group = 100_000, 5_000
	for b.Loop() {
		o := Options{FS: vfs.Default, Dir: b.TempDir()}
		f := open(b, o)
		for i := 0; i < hosts; i += group {
			u := Update{Links: make([]kavosh.Link, group)}
			for j := range u.Links {
				u.Links[j] = kavosh.Link{Kind: kavosh.Navigation, URL: fmt.Sprintf("https://www.host%d.example/", i+j)}
			}
			if _, err := f.Apply([]Update{u}, nil); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := cpu(b)
		f = open(b, o)
		if _, err := f.Next(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(cpu(b)-start)/hosts, "cpu-ns/host-opened")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/hosts, "heap-B/host")
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// cpu is the processor time that the process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// drainAll leases all that is queued and finishes it in groups, as the engine does, and returns how many leases it took.
func drainAll(tb testing.TB, f *Frontier, group int) int {
	finished := make(chan Update, group)
	applied := make(chan int)
	go func() {
		n := 0
		var done []Update
		for open := true; open || len(done) > 0; {
			flush := false
			select {
			case u, ok := <-finished:
				if open = ok; ok {
					done = append(done, u)
				}
				flush = !ok || len(done) >= group || f.Hungry()
			case <-f.Starving():
				flush = true
			}
			if flush && len(done) > 0 {
				n += len(done)
				if _, err := f.Apply(done, nil); err != nil {
					tb.Error(err)
				}
				done = done[:0]
			}
		}
		applied <- n
	}()
	for {
		l, err := f.Next(context.Background())
		if errors.Is(err, io.EOF) {
			close(finished)
			return <-applied
		}
		if err != nil {
			tb.Fatal(err)
		}
		l.Answered(Answer{Status: 200})
		d := Update{Task: l.Task}
		if l.Origin != "" {
			d.Robots = &Robots{Origin: l.Origin, Status: 404}
		}
		finished <- d
	}
}
