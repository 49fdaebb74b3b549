package extract

import (
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"kavosh"
	"kavosh/lib/ascii"
	"kavosh/lib/weburl"
)

// seed adds the bodies of the golden files whose names begin with one of the words.
func seed(f *testing.F, words ...string) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		for _, w := range words {
			if strings.HasPrefix(filepath.Base(file), w) {
				if ar, err := txtar.ParseFile(file); err == nil && len(ar.Files) > 1 {
					f.Add(ar.Files[1].Data)
				}
			}
		}
	}
}

// fuzzAs extracts whatever comes as a document of the type and checks what must hold of every page.
func fuzzAs(f *testing.F, mediaType string) {
	f.Fuzz(func(t *testing.T, body []byte) {
		doc := Document{
			URL: "http://site.test/dir/page?x", Via: "http://site.test/other/", Status: 200, Payload: body,
			Header: kavosh.Header{{Name: "Content-Type", Value: mediaType}},
		}
		p := Extract(doc, Options{MaxLinks: 100})
		holds(t, p, 100)
		with := Extract(doc, Options{MaxLinks: 100, Needs: kavosh.Needs{Text: true}})
		blocks := Extract(doc, Options{MaxLinks: 100, Needs: kavosh.Needs{Text: true, Blocks: true}})
		blocksHold(t, blocks, mediaType == "text/html")
		if blocks.Blocks = nil; !reflect.DeepEqual(with, blocks) {
			t.Errorf("the page differs when its blocks are wanted: %+v and %+v", with, blocks)
		}
		if p.Text != "" || len(with.Text) > maxText || !utf8.ValidString(with.Text) {
			t.Errorf("%d bytes of text when it is not wanted; when it is, %d bytes, UTF-8 %v", len(p.Text), len(with.Text), utf8.ValidString(with.Text))
		}
		if mediaType == "text/html" && (strings.Contains(with.Text, "\n\n") || strings.Contains(with.Text, "  ") || strings.TrimSpace(with.Text) != with.Text) {
			t.Errorf("white space is not folded in %q", with.Text)
		}
		if with.Text = ""; !reflect.DeepEqual(p, with) {
			t.Errorf("the page differs when its text is wanted: %+v and %+v", p, with)
		}
	})
}

// blocksHold checks that each line of a page's text has a block.
func blocksHold(t *testing.T, p *kavosh.Page, must bool) {
	t.Helper()
	lines := strings.Split(p.Text, "\n")
	if n := len(p.Blocks); n != len(lines) && (n > 0 || must && p.Text != "" && p.Type == "text/html") {
		t.Fatalf("%d blocks of %d lines: %q", n, len(lines), p.Text)
	}
	at := 0
	for i, b := range p.Blocks {
		if b.Linked < 0 || b.Linked > len(lines[i]) || b.At < at {
			t.Errorf("block %d of %q: %+v after %d", i, p.Text, b, at)
		}
		at = b.At
	}
}

func holds(t *testing.T, p *kavosh.Page, maxLinks int) {
	t.Helper()
	if len(p.Links) > maxLinks {
		t.Errorf("%d links, at most %d are kept", len(p.Links), maxLinks)
	}
	seen := map[string]bool{}
	for i, l := range p.Links {
		if key, err := weburl.Key(l.URL); err != nil || key != l.URL || !weburl.Fetchable(key) {
			t.Errorf("%q is not a seen-key: %q, %v", l.URL, key, err)
		}
		if k := l.Kind.String() + " " + l.URL; seen[k] {
			t.Errorf("%s %s twice", l.Kind, l.URL)
		} else {
			seen[k] = true
		}
		if l.Position != i || l.Element == "" || l.Attr == "" && l.Element != "json" {
			t.Errorf("link %d: %+v", i, l)
		}
		if len(l.Anchor) > 512 || len(l.Around) > 512 || len(l.Title) > 256 {
			t.Errorf("context too long: %d %d %d", len(l.Anchor), len(l.Around), len(l.Title))
		}
		for _, s := range []string{l.Anchor, l.Around, l.Title, l.Rel} {
			if !utf8.ValidString(s) {
				t.Errorf("not UTF-8: %q", s)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	seed(f, "navigation", "embeds", "base", "lazy", "scripts", "malformed", "style", "robots", "refresh", "windows")
	fuzzAs(f, "text/html")
}

func FuzzXML(f *testing.F) {
	seed(f, "rss", "atom", "svg", "xhtml", "sitemap")
	fuzzAs(f, "application/xml")
}

func FuzzCSS(f *testing.F) {
	seed(f, "css")
	f.Add([]byte(`@import 'a\`))
	fuzzAs(f, "text/css")
}

func FuzzScript(f *testing.F) {
	seed(f, "script", "doxygen")
	for _, s := range []string{"`${`${a}`}", "a = /[/]/ + '<a href=\"x.html\">'", "x['src'] = ('a' + (b ? 'c.js' : d)) + `e${f}`", "\"\\u{1F600}\\x4\\u12", "((((((", "}}}]]]))"} {
		f.Add([]byte(s))
	}
	fuzzAs(f, "text/javascript")
}

func FuzzJSON(f *testing.F) {
	seed(f, "json", "manifest")
	f.Add([]byte(`{"url": "\ud800`))
	fuzzAs(f, "application/json")
}

func FuzzPDF(f *testing.F) {
	f.Add([]byte("%PDF-1.4\n1 0 obj\n<< /Type /Action /S /URI /URI (http://a.ir/\\(x\\)) >>\nendobj"))
	fuzzAs(f, "application/pdf")
}

func FuzzSrcset(f *testing.F) {
	for _, s := range []string{"a.png, b.png 2x", "data:,x 1x,c", ",,a,, b (c,d) e, f", "  "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		srcset(s, func(url []byte) {
			for _, c := range url {
				if ascii.IsSpace(c) {
					t.Errorf("space in %q", url)
				}
			}
			if len(url) == 0 || url[0] == ',' {
				t.Errorf("%q from %q", url, s)
			}
		})
	})
}

func FuzzRefresh(f *testing.F) {
	for _, s := range []string{"5; url='x'", "0;x", " 3 , URL = \"x", ".5;url=", "url=x", "9999999999999999;x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		if seconds, url, ok := refresh(s); ok && (len(url) == 0 || seconds < 0) {
			t.Errorf("%q: %d, %q", s, seconds, url)
		}
	})
}

func FuzzLinkHeader(f *testing.F) {
	for _, s := range []string{"<0>;rel=0;title=\x80", `<a>; rel="next"`, `<a>;rel=x;title="\"",<b>`, `<`, `<>;;=`, `<a>; type="`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		holds(t, Extract(Document{URL: "http://site.test/", Header: kavosh.Header{{Name: "Link", Value: s}}}, Options{}), 50_000)
	})
}

// TestHostileDocuments reads documents made to cost much more than their size. A reader that is quadratic in any of them
// does not come back in the time that tests have.
func TestHostileDocuments(t *testing.T) {
	const size = 256 << 10
	fill := func(prefix, unit, suffix string) string {
		return prefix + strings.Repeat(unit, size/len(unit)) + suffix
	}
	for _, c := range []struct{ mediaType, name, body string }{
		{"text/html", "open tags", fill("", "<", "")},
		{"text/html", "unclosed quotes", fill("", `<a b="`, "")},
		{"text/html", "unclosed comments", fill("", "<!--", "")},
		{"text/html", "script in script", fill("<script><!--", "<script ", "")},
		{"text/html", "nearly ended script", fill("<script>", "</scrip", "")},
		{"text/html", "links without text", fill("", "<a href=x>", "")},
		{"text/html", "many links", func() string {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				b.WriteString("<a href=")
				b.WriteString(strings.Repeat("x", i%7))
				b.WriteString(strconv.Itoa(i + 1))
				b.WriteString(">text</a>")
			}
			return b.String()
		}()},
		{"text/html", "attributes", fill("<a ", "b=c ", ">")},
		{"text/html", "references", fill("<a href='", "&am", "'>")},
		{"text/html", "handlers", fill("", `<b onx='"a.html"'>`, "")},
		{"text/html", "frames in frames", fill("", `<iframe srcdoc="<iframe srcdoc='`, "")},
		{"text/html", "one word", fill("<a href=x>", "w", "</a>")},
		{"text/html", "hidden in hidden", fill("", "<div hidden style='a:b;;;;'>x", "")},
		{"text/html", "base elements", fill("<a href=x></a>", "<base href=y>", "")},
		{"text/css", "strings", fill("", `"\`, "")},
		{"text/css", "urls", fill("", "url(", "")},
		{"text/css", "braces", fill("", "a{b:c(", "")},
		{"text/css", "custom properties", fill("a{", "--b:url(--b:", "")},
		{"text/javascript", "divisions", fill("", "/[", "")},
		{"text/javascript", "brackets", fill("", "([{", "")},
		{"text/javascript", "groups", strings.Repeat("(", 900) + `"` + fill("", "<a href=b.html>", `"`) + strings.Repeat(")", 900)},
		{"text/javascript", "templates", fill("", "`${", "")},
		{"text/javascript", "names", `var abc = "` + strings.Repeat("y", 200) + `"; x = ` + fill("", "abc+", "")},
		{"text/javascript", "chunk tables", fill("webpackChunk", `"+e+"."+{1:"a"}[e]+"x.js"`, "")},
		{"text/javascript", "markup in markup", fill("", `"<a onx='`+"`<b onx=", "")},
		{"application/json", "nesting", fill("", `{"a":[`, "")},
		{"application/json", "escapes", fill(`"`, `\u0`, "")},
		{"application/xml", "items", fill("<rss>", "<item><link>a", "")},
		{"application/pdf", "objects", "%PDF-1.4\n" + fill("", "1 0 obj<</URI(", "")},
		{"application/pdf", "streams", "%PDF-1.4\n" + fill("", "stream\n", "")},
	} {
		p := Extract(Document{URL: "http://site.test/", Payload: []byte(c.body), Header: kavosh.Header{{Name: "Content-Type", Value: c.mediaType}}}, Options{MaxLinks: 1000, Needs: kavosh.Needs{Text: true}})
		if len(p.Links) > 1000 {
			t.Errorf("%s: %d links", c.name, len(p.Links))
		}
		if c.name == "many links" && (len(p.Links) != 1000 || len(p.Notes) != 1) {
			t.Errorf("%s: %d links, notes %q", c.name, len(p.Links), p.Notes)
		}
	}
}
