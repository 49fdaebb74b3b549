package scope

import (
	"testing"

	"kavosh"
)

// BenchmarkJudge judges links of usual shapes, in and out of scope.
func BenchmarkJudge(b *testing.B) {
	s, err := New(Options{Mode: Domain, MaxHops: -1, ObeyNoFollow: true})
	if err != nil {
		b.Fatal(err)
	}
	s.AddSeed("https://www.example.org/")
	parent := &kavosh.Task{URL: "https://www.example.org/docs/", Kind: kavosh.Navigation, Path: "LL", Hops: 2}
	for _, url := range []string{
		"https://www.example.org/docs/guide/install/page-12.html",
		"https://static.example.org/css/main.css?v=20260321",
		"https://fa.wikipedia.org/wiki/%D8%A7%DB%8C%D8%B1%D8%A7%D9%86",
		"https://www.example.org/calendar/2026/03/?view=month",
	} {
		b.Run(url, func(b *testing.B) {
			link := &kavosh.Link{URL: url, Kind: kavosh.Navigation}
			b.ReportAllocs()
			for b.Loop() {
				s.Judge(link, parent)
			}
		})
	}
}
