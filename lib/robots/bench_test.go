package robots

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"
)

// benchFile is a robots.txt of n rules of the usual kinds, for four groups.
func benchFile(n int) string {
	var b strings.Builder
	for i := range n {
		if i%(n/4+1) == 0 {
			fmt.Fprintf(&b, "User-agent: %s\n", []string{"*", "FooBot", "BarBot", "Kavosh"}[i/(n/4+1)])
		}
		fmt.Fprintf(&b, []string{"Disallow: /section%d/private/\n", "Allow: /section%d/*/open\n", "Disallow: /*/print%d$\n", "Disallow: /بایگانی%d/\n"}[i%4], i)
	}
	return b.String()
}

const benchPath = "/%D8%A8%D8%A7%DB%8C%DA%AF%D8%A7%D9%86%DB%8C/1403/page.html?id=17"

// BenchmarkMatch asks one path of rules compiled once, and of Google's parser, which parses the file at every call.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		body := benchFile(n)
		b.Run(fmt.Sprintf("rules=%d/compiled", n), func(b *testing.B) {
			r := Parse([]byte(body)).For("Kavosh")
			b.ReportAllocs()
			for b.Loop() {
				r.Match(benchPath)
			}
		})
		b.Run(fmt.Sprintf("rules=%d/grobotstxt", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				grobotstxt.AgentAllowed(body, "Kavosh", "http://h"+benchPath)
			}
		})
	}
}

// BenchmarkCompile reads a file and compiles its rules for one agent: the cost once a host.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		body := []byte(benchFile(n))
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Parse(body).For("Kavosh")
			}
		})
	}
}

// BenchmarkMatchHostile fills the whole 500 KiB with rules that are as slow as rules can be made, and asks a long path.
func BenchmarkMatchHostile(b *testing.B) {
	rule := "allow:*bb\n"
	body := []byte("user-agent: *\n" + strings.Repeat(rule, (MaxBytes-20)/len(rule)))
	r := Parse(body).For("Kavosh")
	path := "/" + strings.Repeat("ab", 1000)
	for b.Loop() {
		r.Match(path)
	}
}
