package schedule

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// A page takes 48 bytes: ten million fit into a gigabyte with all that goes with them.
func TestSize(t *testing.T) {
	if n := unsafe.Sizeof(Page{}); n > 48 {
		t.Errorf("a page takes %d bytes", n)
	}
}

// BenchmarkTenMillion is what the next visit takes among ten million pages of a thousand sites, at 20,000 visits an hour:
// ns/op is the mean of Next and Observe. The metrics are those of Next alone, and the memory of the whole schedule.
func BenchmarkTenMillion(b *testing.B) {
	const pages, sites, budget = 10_000_000, 1000, 20_000
	c, err := Parse("gain")
	if err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := New(c, Options{Start: begin, Budget: budget})
	s.Reserve(pages)
	for i := range pages {
		// Every page was visited before, so that all are weighed.
		s.Add(Page{Site: uint32(i % sites), Visits: 5, Changed: uint16(i % 5), Changes: float32(i % 5), Importance: float32(i%5) / 3,
			First: second(begin) - 40*24*3600, Last: second(begin) - uint32(i%(30*24*3600)), Watched: 700})
	}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		v, _ := s.Next()
		took = append(took, time.Since(start))
		s.Observe(v.Page, Observation{At: v.At, Changed: v.Page%3 == 0, E: 0.3})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
	b.ReportMetric(float64(took[len(took)*999/1000].Microseconds()), "µs/99.9%")
	b.ReportMetric(float64(took[len(took)-1].Microseconds()), "µs/worst")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
	runtime.KeepAlive(s)
}
