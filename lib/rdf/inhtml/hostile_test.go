package inhtml

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile are pages of about size bytes, each made so that a careless reader takes the square of them in time or memory.
var hostile = map[string]func(size int) string{
	"deep": func(size int) string { return strings.Repeat("<div>", size/5) },
	"deep properties": func(size int) string {
		return strings.Repeat(`<div property="dc:title">`, 500) + strings.Repeat("text ", size/5)
	},
	"deep XML literals": func(size int) string {
		return strings.Repeat(`<div property="dc:title" datatype="rdf:XMLLiteral">`, 500) + strings.Repeat("<b>t</b>", size/8)
	},
	"open formatting elements": func(size int) string {
		return numbered(300, `<font color=%d>`) + strings.Repeat("<p>x", size/4)
	},
	"end tags of nothing": func(size int) string {
		return strings.Repeat("<p><i>", 250) + strings.Repeat("</b>", size/8) + strings.Repeat("</p>", size/8)
	},
	"end tags behind a cell": func(size int) string {
		return "<p><table><td>" + strings.Repeat("<i>", 450) + strings.Repeat("</p>", size/4)
	},
	"attributes of one element":  func(size int) string { return "<a " + numbered(size/9, "a%d=1 ") + ">" },
	"attributes of all elements": func(size int) string { return strings.Repeat("<a "+numbered(100, "a%d=1 ")+">", size/700) },
	"one name in many classes":   func(size int) string { return `<p class="` + strings.Repeat("h-x p-y ", size/8) + `">` },
	"prefixes": func(size int) string {
		return `<div prefix="` + numbered(size/40, "p%d: http://e.example/ ") + `">` + strings.Repeat(`<p prefix="q: http://e.example/">`, size/66)
	},
	"long prefix": func(size int) string {
		return `<div prefix="p: http://e.example/` + strings.Repeat("x", size/2) + `">` + strings.Repeat(`<p property="p:a">t</p>`, size/46)
	},
	"long base": func(size int) string {
		return `<base href="http://e.example/` + strings.Repeat("x", size/2) + `/">` + strings.Repeat(`<a rel=dc:x href=y>t</a>`, size/48)
	},
	"long vocabulary": func(size int) string {
		return `<div vocab="http://e.example/` + strings.Repeat("x", size/2) + `/">` + strings.Repeat(`<p property=a>t</p>`, size/38)
	},
	"pending relations": func(size int) string {
		return `<div rel="` + numbered(size/20, "dc:%d ") + `">` + strings.Repeat(`<p about="#a">t</p>`, size/38)
	},
	"lists": func(size int) string {
		return `<div about="#a">` + numbered(size/40, `<p inlist property="dc:%d">t</p>`)
	},
	"patterns": func(size int) string {
		return `<div resource="#p" typeof="rdfa:Pattern">` + numbered(size/60, `<p property="dc:%d">t</p>`) + `</div>` +
			numbered(size/80, `<p about="#s%d"><link property="rdfa:copy" href="#p"></p>`)
	},
	"patterns of patterns": func(size int) string {
		return numbered(size/100, `<p about="#%d" typeof="rdfa:Pattern"><link property="rdfa:copy" href="#1"><link property="rdfa:copy" href="#2"></p>`)
	},
	"items that share": func(size int) string {
		return `<div id=a>` + strings.Repeat(`<b itemprop=p>t</b>`, size/40) + `</div>` + strings.Repeat(`<p itemscope itemref=a></p>`, size/54)
	},
	"items that share text": func(size int) string {
		return `<div id=a><b itemprop=p>` + strings.Repeat("<i>t</i>", size/16) + `</b></div>` + strings.Repeat(`<p itemscope itemref=a></p>`, size/54)
	},
	"items in a chain": func(size int) string {
		var b strings.Builder
		b.WriteString("<p itemscope itemref=i0>")
		for i := range size / 50 {
			fmt.Fprintf(&b, "<p id=i%d itemprop=x itemscope itemref=i%d>", i, i+1)
		}
		return b.String()
	},
	"items in a circle": func(size int) string {
		return "<p itemscope itemref='a b'>" + strings.Repeat("<p id=a itemprop=x itemscope itemref=b><p id=b itemprop=x itemscope itemref=a>", size/78)
	},
	"nested microformats": func(size int) string {
		return strings.Repeat(`<div class="h-a p-b">`, 500) + strings.Repeat("text ", size/5)
	},
	"parts of values": func(size int) string {
		return `<div class=h-a><p class="p-a p-b p-c p-d u-e dt-f">` + strings.Repeat("<b class=value>t</b>", size/20)
	},
	"kinds of one link": func(size int) string { return numbered(size/16, `<a rel=r%d href=x>`) },
	"children of items": func(size int) string { return "<div class=h-a>" + strings.Repeat("<img class=h-b>", size/15) },
	"scripts":           func(size int) string { return strings.Repeat("<script>", size/8) },
	"contexts": func(size int) string {
		return strings.Repeat(`<script type="application/ld+json">{"@context":{`+numbered(1000, `"t%d":"u:x",`)+`"z":"u:z"},"@graph":[`+
			strings.Repeat(`{"@context":{"a":"u:a"},"a":"b"},`, 200)+`{}]}</script>`, size/20_000)
	},
	"templates": func(size int) string { return strings.Repeat("<template>", size/10) },
}

func numbered(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// TestHostilePages wants four times the page to take at most about four times the memory, or a bound to be reached.
func TestHostilePages(t *testing.T) {
	for name, page := range hostile {
		t.Run(name, func(t *testing.T) {
			small, large := allocated(page(25_000)), allocated(page(100_000))
			if large > 7*small && large > 16<<20 {
				t.Errorf("a page of 25 kB took %d kB, one of 100 kB %d kB", small>>10, large>>10)
			}
		})
	}
}

// allocated is how many bytes are allocated to read a page.
func allocated(page string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	NewReader([]byte(page), "text/html; charset=utf-8", "http://example.org/", nil)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkHostilePages reads each hostile page at two sizes: the time for a byte should hardly grow.
func BenchmarkHostilePages(b *testing.B) {
	for name, page := range hostile {
		for _, size := range []int{1 << 18, 1 << 20} {
			body := []byte(page(size))
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					NewReader(body, "text/html; charset=utf-8", "http://example.org/", nil)
				}
			})
		}
	}
}
