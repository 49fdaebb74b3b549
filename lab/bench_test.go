package lab

import (
	"context"
	"testing"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/lab/stored"
)

// BenchmarkWalk is visits of a synthetic web by each order, everything but the reading of pages included.
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
	for _, name := range []string{"breadth"} {
		b.Run(name, func(b *testing.B) {
			visits := 0
			for b.Loop() {
				policy, err := order.Parse(name, order.Setup{})
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
			b.ReportMetric(float64(visits)/b.Elapsed().Minutes(), "visits/minute")
		})
	}
}
