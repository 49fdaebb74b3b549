package order

import (
	"testing"

	"kavosh"
)

// BenchmarkVisit is what a visit costs each order: Learn, and Score for the links that are new. Changes are returned and
// not made; their number a visit is reported, since the frontier pays for each.
func BenchmarkVisit(b *testing.B) {
	const pages = 20_000
	w := randomWeb(1, pages)
	specs := []string{"mix(reinforce-linear,best,answered=1)", "best,answered=1"}
	for _, e := range List() {
		if e.Parts == 0 {
			specs = append(specs, e.Name)
		}
	}
	for _, spec := range specs {
		b.Run(spec, func(b *testing.B) {
			b.ReportAllocs()
			changes := 0
			var p Policy
			var learner Learner
			var todo []kavosh.Task
			seen := map[string]bool{}
			for n := 0; b.Loop(); n++ {
				if len(todo) == 0 {
					var err error
					if p, err = Parse(spec, setup()); err != nil {
						b.Fatal(err)
					}
					learner, _ = p.(Learner)
					clear(seen)
					todo = append(todo, kavosh.Task{URL: "http://h0.example/0/0.html"})
				}
				t := todo[0]
				todo = todo[1:]
				v := *w[t.URL]
				v.Task = &t
				if learner != nil {
					changes += len(learner.Learn(&v))
				}
				for i := range v.Page.Links {
					l := &v.Page.Links[i]
					if !seen[l.URL] {
						seen[l.URL] = true
						next := kavosh.Task{URL: l.URL, Kind: l.Kind, Hops: t.Hops + 1}
						next.Score, next.Why = p.Score(&Candidate{Link: l, Task: &next, Parent: &v})
						todo = append(todo, next)
					}
				}
			}
			b.ReportMetric(float64(changes)/float64(b.N), "changes/op")
		})
	}
}
