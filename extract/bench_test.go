package extract

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/tools/txtar"

	"kavosh"
)

// page200K is a page of documentation: a head, a side bar, paragraphs with links, tables and listings.
func page200K() []byte {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="stylesheet" href="../css/style.css"><script src="../js/app.js" defer></script></head><body class="page"><nav><ul>`)
	for i := range 80 {
		fmt.Fprintf(&b, `<li class="toctree-l1"><a class="reference internal" href="chapter%d.html" title="Chapter %d">Chapter %d &amp; more</a></li>`+"\n", i, i, i)
	}
	b.WriteString("</ul></nav><main>")
	for i := 0; b.Len() < 200<<10; i++ {
		fmt.Fprintf(&b, `<h2 id="s%d">Section %d</h2><p>The value of <code class="literal">item_%d</code> is described in <a href="../ref/item%d.html#value" class="xref">the reference</a>, and `+
			`what it means for a reader is told &ldquo;at length&rdquo; in <a href="guide.html?topic=%d&amp;lang=fa">the guide</a>. Nothing else is said here, but paragraphs are long where people explain things to each other.</p>`+"\n", i, i, i, i, i)
		fmt.Fprintf(&b, `<table border="1"><tr><th scope="row">key %d</th><td style="text-align: left">value</td><td><img src="img/%d.png" alt="picture" width="10" height="10"></td></tr></table><pre>for (i = 0; i &lt; %d; i++) { run(i); }</pre>`+"\n", i, i, i)
	}
	b.WriteString("</main></body></html>")
	return []byte(b.String())
}

// BenchmarkHTML reads a page with all its links and context; peer is the ratio of our speed to that of
// golang.org/x/net/html when it only reads the same page's tags, attributes and text, measured in the same run.
func BenchmarkHTML(b *testing.B) {
	page := page200K()
	doc := Document{URL: "http://site.test/doc/page.html", Payload: page, Header: kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}}
	links := len(Extract(doc, Options{}).Links)
	b.SetBytes(int64(len(page)))
	allocs := testing.AllocsPerRun(5, func() { Extract(doc, Options{}) })
	// The shortest of many runs, ours and theirs in turn: what other programs do on the machine is left out.
	us, peer := time.Hour, time.Hour
	for range 50 {
		us = min(us, timed(func() { Extract(doc, Options{}) }))
		peer = min(peer, timed(func() { tokens(page) }))
	}
	for b.Loop() {
		Extract(doc, Options{})
	}
	b.ReportMetric(float64(peer)/float64(us), "x-peer")
	b.ReportMetric(float64(len(page))/float64(us.Microseconds()), "best-MB/s")
	b.ReportMetric(float64(links), "links")
	b.ReportMetric(allocs/float64(links), "allocs/link")
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

func tokens(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			z.Text()
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			_, more := z.TagName()
			for more {
				_, _, more = z.TagAttr()
			}
		}
	}
}

// BenchmarkDocuments reads the bodies of golden files of other kinds, repeated to 256 KiB.
func BenchmarkDocuments(b *testing.B) {
	for _, c := range []struct{ name, file, mediaType string }{
		{"script", "scripts", "text/javascript"}, {"css", "css", "text/css"}, {"json", "json", "application/json"}, {"feed", "rss", "application/rss+xml"},
	} {
		ar, err := txtar.ParseFile("testdata/" + c.file + ".txtar")
		if err != nil {
			b.Fatal(err)
		}
		body := ar.Files[1].Data
		if c.name == "script" { // the first script of the page
			_, body, _ = bytes.Cut(body, []byte("<script>"))
			body, _, _ = bytes.Cut(body, []byte("</script>\n<script type=module"))
		}
		doc := Document{URL: "http://site.test/x", Payload: bytes.Repeat(body, 256<<10/len(body)), Header: kavosh.Header{{Name: "Content-Type", Value: c.mediaType}}}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc.Payload)))
			b.ReportAllocs()
			for b.Loop() {
				Extract(doc, Options{})
			}
		})
	}
	if data, err := os.ReadFile("/usr/share/javascript/jquery/jquery.js"); err == nil {
		doc := Document{URL: "http://site.test/x", Payload: data, Header: kavosh.Header{{Name: "Content-Type", Value: "text/javascript"}}}
		b.Run("jquery", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				Extract(doc, Options{})
			}
		})
	}
}
