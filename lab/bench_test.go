package lab

import (
	"context"
	"syscall"
	"testing"
	"time"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/lab/stored"
)

// BenchmarkWalk is visits of a synthetic web by each order, everything but the reading of pages included. The rate is by
// the processor's time of the whole process, so that a busy machine does not change it much.
func BenchmarkWalk(b *testing.B) {
	s, err := stored.ParseSynthetic("pages=20000,hosts=200,missing=0")
	if err != nil {
		b.Fatal(err)
	}
	web := s.Web()
	verdicts := make([]kavosh.Verdict, len(web.Pages))
	for i := range verdicts {
		if web.HasLabel(i, stored.SyntheticTopic) {
			verdicts[i].Score = 1
		}
	}
	for _, e := range order.List() {
		if e.Parts > 0 {
			continue
		}
		setup := setup(b)
		b.Run(e.Name, func(b *testing.B) {
			visits, before := 0, processorTime(b)
			for b.Loop() {
				policy, err := order.Parse(e.Name, setup)
				if err != nil {
					b.Fatal(err)
				}
				w := Walk{Web: web, Verdicts: verdicts, Starts: []string{web.Pages[0].URL}, Order: policy}
				fetches, err := w.Run(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				visits += len(fetches)
			}
			b.ReportMetric(float64(visits)/(processorTime(b)-before).Minutes(), "visits/CPU-minute")
		})
	}
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
