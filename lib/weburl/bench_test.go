package weburl

import (
	"strings"
	"testing"
	"time"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

const benchBase = "https://www.example.com/fa/news/1402/05/12/index.html?page=2"

// benchRefs are the kinds of reference that stand in pages, about as often as they do there.
var benchRefs = []string{
	"/", "#top", "../../1402/05/11/", "index.html?page=3", "?page=4&sort=date", "/fa/news/2894561/",
	"/assets/css/main.css?v=20230801", "../images/logo.png", "//cdn.example.net/jquery/3.6.0/jquery.min.js",
	"https://www.example.com/fa/news/2894562/%D8%AE%D8%A8%D8%B1-%D9%81%D8%A7%D8%B1%D8%B3%DB%8C",
	"https://www.example.com/fa/tag/اقتصاد-ایران", "http://example.org/", "https://t.me/example_channel",
	"https://twitter.com/intent/tweet?text=Some%20text&url=https%3A%2F%2Fwww.example.com%2Ffa%2Fnews%2F2894562",
	"mailto:info@example.com", "javascript:void(0)", "https://Example.com:443/A/./b/../c.html#part2",
}

// BenchmarkResolve is a link's key against its page's base. It prints how many times less time and memory it takes than
// the library takes for the same answer with the base parsed beforehand.
func BenchmarkResolve(b *testing.B) {
	base, err := Parse(benchBase)
	if err != nil {
		b.Fatal(err)
	}
	parsed, err := whatwg.Parse(benchBase)
	if err != nil {
		b.Fatal(err)
	}
	againstLibrary(b, benchRefs,
		func(ref string) error { _, err := Resolve(base, ref); return err },
		func(ref string) error {
			u, err := parsed.Parse(ref)
			if err == nil {
				_ = u.Href(true)
			}
			return err
		})
}

// BenchmarkParse is an absolute URL, parsed.
func BenchmarkParse(b *testing.B) {
	var urls []string
	for _, ref := range benchRefs {
		if u, err := Parse(ref); err == nil && u.Fetchable() {
			urls = append(urls, ref)
		}
	}
	againstLibrary(b, urls,
		func(url string) error { _, err := Parse(url); return err },
		func(url string) error { _, err := whatwg.Parse(url); return err })
}

// againstLibrary times ours and then the library's on every input in turn; ns/op and allocs/op are ours.
func againstLibrary(b *testing.B, inputs []string, ours, library func(string) error) {
	run := func(f func(string) error, n int) {
		for i := range n {
			if err := f(inputs[i%len(inputs)]); err != nil {
				b.Fatal(err)
			}
		}
	}
	theirs := min(b.N, 20_000)
	started := time.Now()
	run(library, theirs)
	libraryTime := float64(time.Since(started).Nanoseconds()) / float64(theirs)
	libraryAllocs := testing.AllocsPerRun(1, func() { run(library, len(inputs)) }) / float64(len(inputs))
	b.ReportAllocs()
	b.ResetTimer()
	run(ours, b.N)
	b.StopTimer()
	b.ReportMetric(libraryTime, "library-ns/op")
	b.ReportMetric(libraryAllocs, "library-allocs/op")
	b.ReportMetric(libraryTime*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "times-faster")
}

// BenchmarkHostile is the URL that takes the library longest for its length, at a quarter of the length that is read.
func BenchmarkHostile(b *testing.B) {
	url := "http://" + strings.Repeat("@", MaxLength/4) + "h/"
	const times = 3
	started := time.Now()
	for range times {
		if _, err := whatwg.Parse(url); err != nil {
			b.Fatal(err)
		}
	}
	library := time.Since(started) / times
	for b.Loop() {
		if _, err := Parse(url); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(library.Nanoseconds()), "library-ns/op")
}

// BenchmarkSURT is an index key.
func BenchmarkSURT(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		SURT("https://www.example.com/fa/news/2894562/?utm_source=x&page=2")
	}
}
