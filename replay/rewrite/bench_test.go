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

func BenchmarkScript(b *testing.B) {
	script := strings.Repeat("function f(a,b){var c=a.location||{x:1,y:'text'};return c.x/b+top.length?/[a-z]+/g.test(c.y):`${a}`}\n", 5000)
	p := place(b, "http://a.test/dir/script.js", Page)
	b.SetBytes(int64(len(script)))
	b.ReportAllocs()
	for b.Loop() {
		if err := JavaScript(io.Discard, strings.NewReader(script), p); err != nil {
			b.Fatal(err)
		}
	}
}
