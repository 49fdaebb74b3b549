package hostile

// This file has hosts whose documents attack their reader.

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// first answers / with a body of that media type, and other paths with a page.
func first(mediaType string, body func() string) func(*Visit) {
	return func(v *Visit) {
		if v.Path != "/" {
			v.Page("reached " + v.Path)
			return
		}
		v.Answer("200 OK", "Content-Type: "+mediaType+"\r\n", body())
	}
}

func page(body func() string) func(*Visit) { return first("text/html; charset=utf-8", body) }

// pages returns documents that attack their reader.
func pages() []Behaviour {
	const second = `<a href="/second">second</a>`
	times := strings.Repeat
	return []Behaviour{
		{Name: "deep-page", Page: page(func() string { return times("<div>", 60_000) + second })},
		{Name: "deep-lists", Page: page(func() string { return times("<ul><li><b><i><table>", 15_000) + second })},
		{Name: "attribute-flood", Page: page(func() string {
			var b strings.Builder
			b.WriteString("<a ")
			for i := range 30_000 {
				fmt.Fprintf(&b, "a%d=x ", i)
			}
			return b.String() + `href="` + Beacon + `">x</a>` + second
		})},
		{Name: "million-links", Page: page(func() string {
			var b strings.Builder
			for i := range 51_000 {
				fmt.Fprintf(&b, "<a href=http://x.test/%d>", i)
			}
			return b.String() + beaconLink
		})},
		{Name: "same-link-million-times", Page: page(func() string { return times("<a href=/second>x</a>", 30_000) })},
		{Name: "megabyte-url", Page: page(func() string { return `<a href="/` + times("a", 1<<20) + `">x</a>` + second })},
		{Name: "megabyte-query", Page: page(func() string { return `<a href="/?` + times("a=b&", 1<<18) + `">x</a>` + second })},
		{Name: "megabyte-host", Page: page(func() string { return `<a href="http://` + times("a.", 1<<19) + `test/">x</a>` + second })},
		{Name: "long-url", Page: page(func() string { return `<a href="/` + times("a", 5000) + `">x</a>` + second })},
		{Name: "dots-flood", Page: page(func() string { return `<a href="` + times("a/../", 60_000) + `second">x</a>` })},
		{Name: "percent-flood", Page: page(func() string { return `<a href="/` + times("%25", 100_000) + `">x</a>` + second })},
		{Name: "megabyte-anchor", Page: page(func() string { return `<a href="http://x.test/">` + times("word ", 1<<16) + `</a>` })},
		{Name: "larger-than-read", Page: packedPage(func() []byte {
			noise := make([]byte, 1000) // it compresses less than a bomb
			r := rand.New(rand.NewPCG(1, 1))
			for i := range noise {
				noise[i] = 'a' + byte(r.IntN(26))
			}
			return []byte(second + "<!-- " + times(string(noise), 17<<20/1000) + " -->" + beaconLink)
		}, "gzip")},
		{Name: "endless-page", Page: func(v *Visit) {
			if v.Path != "/" {
				v.Page("reached")
				return
			}
			v.Flood(ok+"Content-Type: text/html\r\n\r\n"+second, "<!-- "+times("text ", 2000)+" -->\n")
		}},
		{Name: "unclosed-comment", Page: page(func() string { return second + "<!-- " + times("<a href=/hidden>x</a><!-- ", 15_000) })},
		{Name: "unclosed-tag", Page: page(func() string { return second + "<a href='" + times("<a href=/hidden>x ", 15_000) })},
		{Name: "unclosed-tags", Page: page(func() string { return times("<", 300_000) + second })},
		{Name: "end-tag-flood", Page: page(func() string { return times("</p></b></table>", 20_000) + second })},
		{Name: "entity-flood", Page: page(func() string { return `<a href="/second` + times("&amp", 80_000) + `">x</a>` + second })},
		{Name: "nested-script", Page: page(func() string { return "<script>" + times("<!--<script>", 30_000) + "</script>" + second })},
		{Name: "base-to-other-host", Page: page(func() string {
			return `<base href="http://other.test/"><a href="/second">x</a>`
		})},
		{Name: "base-twice", Page: page(func() string {
			return `<base href="/one/"><base href="/two/"><a href="second">x</a>`
		})},
		{Name: "base-script", Page: page(func() string { return `<base href="javascript:alert(1)">` + second })},
		{Name: "base-data", Page: page(func() string { return `<base href="data:text/html,x">` + second })},
		{Name: "base-long", Page: page(func() string { return `<base href="/` + times("a", 1<<20) + `/">` + second + `<a href=relative>x</a>` })},
		{Name: "schemes", Page: page(func() string {
			return "<a href='java\nscript:x'>x</a><a href='file:///etc/passwd'>x</a><a href='gopher://x/'>x</a><a href='view-source:http://x.test/'>x</a>" +
				"<a href='\x01http:/\\x.test\\a'>x</a><a href='http://x.test:99999/'>x</a><a href='blob:http://x.test/1'>x</a>" + second
		})},
		{Name: "links-to-private", Page: page(func() string {
			return "<img src=http://10.0.0.4/x.png><img src=http://[fd00::1]/x.png><img src=http://localhost:8080/x><img src=http://0x7f.1/x.png>" + second
		})},
		{Name: "charset-utf7", Page: first("text/html; charset=utf-7",
			func() string { return "+ADw-a href=/hidden+AD4-x+ADw-/a+AD4-" + second })},
		{Name: "charset-replacement", Page: first("text/html; charset=hz-gb-2312", func() string { return second })},
		{Name: "charset-unheard-of", Page: first("text/html; charset="+times("x", 5000), func() string { return second })},
		{Name: "charset-utf16-it-says", Page: first("text/html", func() string { return `<meta charset=utf-16>` + second })},
		{Name: "charset-utf16-header", Page: first("text/html; charset=utf-16le", func() string { return second })},
		{Name: "charset-utf16-mark", Page: page(func() string {
			b := []byte{0xff, 0xfe}
			for _, u := range utf16.Encode([]rune(second)) {
				b = append(b, byte(u), byte(u>>8))
			}
			return string(append(b, 0x3c)) // half a unit
		})},
		{Name: "charset-broken-utf8", Page: page(func() string { return times("\xc0\xaf\xed\xa0\x80\xff", 40_000) + second })},
		{Name: "charset-escapes", Page: first("text/html; charset=iso-2022-jp", func() string { return times("\x1b$B\x1b(B", 50_000) + second })},
		{Name: "nested-srcdoc", Page: page(func() string {
			body := beaconLink
			for range 12 {
				body = `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(body) + `"></iframe>`
			}
			return second + body
		})},
		{Name: "srcset-flood", Page: page(func() string { return `<img srcset="` + times("/second 1x,", 30_000) + `">` })},
		{Name: "script-deep", Page: first("text/javascript", func() string { return times("(function(){[{", 25_000) + "location='/second'" })},
		{Name: "script-endless-string",
			Page: first("text/javascript", func() string { return `x="` + times("/a/b/c.html ", 30_000) + `";location="/second"` })},
		{Name: "script-regexp-flood",
			Page: first("text/javascript", func() string { return times("a=/[/]/;b=a/", 30_000) + ";location='/second'" })},
		{Name: "json-deep", Page: first("application/json",
			func() string { return `[{"url":"/second.html"},` + times(`{"url":[`, 50_000) + `"` + Beacon + `"` })},
		{Name: "feed-entities", Page: first("application/rss+xml", func() string {
			return `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "` + times("x", 1000) + `"><!ENTITY b "` +
				times("&a;", 1000) + `">]><rss><channel><item><link>/second</link><title>&b;</title></item></channel></rss>`
		})},
		{Name: "feed-deep", Page: first("application/atom+xml", func() string {
			return `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/second"/></entry>` + times("<entry>", 50_000) +
				`<link href="/third"/>`
		})},
		{Name: "svg-as-page", Page: first("image/svg+xml", func() string {
			return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` +
				times("<g>", 100_000) + `<a xlink:href="/second"/>`
		})},
		{Name: "style-deep", Page: first("text/css", func() string { return times("@media x{a{b:c(", 25_000) + "background:url(/second)" })},
		{Name: "style-data-url", Page: first("text/css", func() string {
			return "a{background:url(data:image/png;base64," + times("A", 200<<10) + ")}b{background:url(/second)}"
		})},
		{Name: "pdf-bomb", Page: first("application/pdf", pdfBomb)},
		{Name: "link-header-flood", Page: func(v *Visit) {
			if v.Path != "/" {
				v.Page("reached")
				return
			}
			v.Answer("200 OK", "Content-Type: text/html\r\nLink: "+times("</second>; rel=next, ", 10_000)+"</second>; rel=next\r\n", "x")
		}},
		{Name: "media-type-lie", Page: first("image/png", func() string { return second })},
	}
}

// pdfBomb returns a PDF whose one stream decompresses to more than anybody should read, with a link at its end.
func pdfBomb() string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write(bytes.Repeat([]byte{' '}, 4<<20)) // writing to memory does not fail
	_, _ = w.Write([]byte("<< /URI (http://pdf-bomb" + Domain + Beacon + ") >>"))
	_ = w.Close()
	return fmt.Sprintf("%%PDF-1.5\n1 0 obj\n<< /Length %d /Filter /FlateDecode /Type /ObjStm /N 1 /First 0 >>\nstream\n%s\nendstream\nendobj\n%%%%EOF\n", b.Len(), b.String())
}

// sites returns hosts that make up new URLs for ever.
func sites() []Behaviour {
	each := func(body func(v *Visit) string) func(*Visit) { return func(v *Visit) { v.Page(body(v)) } }
	typed := func(mediaType string, body func(n int) string) func(*Visit) {
		return func(v *Visit) {
			if v.Path == "/" {
				v.Page(body(0))
				return
			}
			v.Answer("200 OK", "Content-Type: "+mediaType+"\r\n", body(number(strings.SplitN(v.Path, ".", 2)[0])))
		}
	}
	return []Behaviour{
		{Name: "path-that-repeats", Page: each(func(*Visit) string { return `<a href="again/">on</a>` })},
		{Name: "path-that-repeats-by-two", Page: each(func(v *Visit) string {
			if strings.HasSuffix(v.Path, "/a/") {
				return `<a href="b/">on</a>`
			}
			return `<a href="a/">on</a>`
		})},
		{Name: "path-that-grows", Page: each(func(v *Visit) string { return fmt.Sprintf(`<a href="%d/">on</a>`, len(v.Path)) })},
		{Name: "query-that-grows", Page: each(func(v *Visit) string {
			path := v.Path
			if !strings.Contains(path, "?") {
				path += "?"
			}
			return fmt.Sprintf(`<a href="%s&amp;next=1">on</a>`, path)
		})},
		{Name: "query-of-new-names", Page: each(func(v *Visit) string {
			path := v.Path
			if !strings.Contains(path, "?") {
				path += "?"
			}
			return fmt.Sprintf(`<a href="%s&amp;p%d=1">on</a>`, path, len(path))
		})},
		{Name: "calendar", Page: each(func(v *Visit) string {
			return fmt.Sprintf(`<a href="/calendar/%d/01/">next year</a>`, max(2020, number(strings.TrimSuffix(v.Path, "/01/")))+1)
		})},
		{Name: "calendar-by-query", Page: each(func(v *Visit) string {
			return fmt.Sprintf(`<a href="/events?year=%d">next year</a>`, max(2020, number(v.Path))+1)
		})},
		{Name: "session-ids", Page: each(func(*Visit) string {
			var b strings.Builder
			for range 40 {
				fmt.Fprintf(&b, "<a href=\"/page?sid=a1%016x\">on</a>\n", rand.Uint64())
			}
			return b.String()
		})},
		{Name: "session-ids-in-path", Page: each(func(*Visit) string {
			var b strings.Builder
			for range 40 {
				fmt.Fprintf(&b, "<a href=\"/page;jsessionid=%016x\">on</a>\n", rand.Uint64())
			}
			return b.String()
		})},
		{Name: "embed-chain", Page: typed("text/html", func(n int) string { return fmt.Sprintf("<iframe src=/f%d.html></iframe>", n+1) })},
		{Name: "import-chain", Page: func(v *Visit) {
			if v.Path == "/" {
				v.Page("<link rel=stylesheet href=/s1.css>")
				return
			}
			v.Answer("200 OK", "Content-Type: text/css\r\n", fmt.Sprintf("@import '/s%d.css';", number(strings.TrimSuffix(v.Path, ".css"))+1))
		}},
		{Name: "import-ring", Page: func(v *Visit) {
			if v.Path == "/" {
				v.Page("<link rel=stylesheet href=/a.css>")
				return
			}
			v.Answer("200 OK", "Content-Type: text/css\r\n", "@import '/a.css'; @import '/b.css';")
		}},
		{Name: "guess-chain", Page: func(v *Visit) {
			v.Answer("200 OK", "Content-Type: text/javascript\r\n",
				fmt.Sprintf(`fetch("/guess/%d.json")`, number(strings.TrimSuffix(v.Path, ".json"))+1))
		}},
	}
}
