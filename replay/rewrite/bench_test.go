package rewrite

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// longPage is a page of documentation: text, relative and absolute links, inline styles, a script.
func longPage() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><meta charset=utf-8><link rel=stylesheet href=\"/s.css\"><style>body{background:url(bg.png)}</style></head><body>")
	for i := range 2000 {
		fmt.Fprintf(&b, "<p class=\"para\" id=p%d>Some text with <a href=\"page%d.html#x\">a link</a>, <a href=\"/abs/%d?a=1&amp;b=2\">another</a> and <code>code</code>; "+
			"<img src=\"../img/%d.png\" alt=\"\" style=\"border:0\"> <span title=\"t\">then more text, and so on until the line ends.</span></p>\n", i, i, i, i)
	}
	return b.String() + "<script>var x = 1</script></body></html>"
}

// BenchmarkHTML measures rewriting beside the bare tokenizer that it stands on, in the same run.
func BenchmarkHTML(b *testing.B) {
	doc, p := longPage(), place(b, "http://a.test/dir/page", Page)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	var bare time.Duration
	for b.Loop() {
		b.StopTimer()
		began := time.Now()
		for z := html.NewTokenizer(strings.NewReader(doc)); z.Next() != html.ErrorToken; {
		}
		bare += time.Since(began)
		b.StartTimer()
		if err := HTML(io.Discard, strings.NewReader(doc), p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(bare), "x-tokenizer")
}

func BenchmarkCSS(b *testing.B) {
	sheet := strings.Repeat(".rule > a:hover { color: #123456; background: url(\"/img/x.png\") no-repeat; margin: 0 auto }\n", 5000)
	p := place(b, "http://a.test/dir/style.css", Page)
	b.SetBytes(int64(len(sheet)))
	for b.Loop() {
		if err := CSS(io.Discard, strings.NewReader(sheet), p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScript measures scripts of several sizes beside the least that can be done, in the same run: a look at each byte
// that tells words from what stands between them.
func BenchmarkScript(b *testing.B) {
	const line = "function f(a,b){var c=a.location||{x:1,y:'text'};return c.x/b+top.length?/[a-z]+/g.test(c.y):`${a}`}\n"
	p := place(b, "http://a.test/dir/script.js", Page)
	for _, size := range []int{64 << 10, 1 << 20, 16 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			script := strings.Repeat(line, size/len(line))
			b.SetBytes(int64(len(script)))
			b.ReportAllocs()
			var bare time.Duration
			words := 0
			for b.Loop() {
				b.StopTimer()
				began := time.Now()
				for i := 1; i < len(script); i++ {
					if isWordByte(script[i]) && !isWordByte(script[i-1]) {
						words++
					}
				}
				bare += time.Since(began)
				b.StartTimer()
				if err := JavaScript(io.Discard, strings.NewReader(script), p); err != nil {
					b.Fatal(err)
				}
			}
			if words == 0 {
				b.Fatal("no words")
			}
			b.ReportMetric(float64(b.Elapsed())/float64(bare), "x-bare")
		})
	}
}
