package htmltree

import (
	"fmt"
	"strings"
	"testing"
)

// shape is the tree of a page's body: elements with what they hold in brackets.
func shape(n *Node) string {
	if n.Name == "" {
		return strings.TrimSpace(n.Text)
	}
	var parts []string
	for c := range n.Children() {
		if s := shape(c); s != "" {
			parts = append(parts, s)
		}
	}
	return n.Name + "(" + strings.Join(parts, " ") + ")"
}

func TestTree(t *testing.T) {
	for page, want := range map[string]string{
		"":                                   "html()",
		"<p>a<p>b":                           "html(body(p(a) p(b)))",
		"<title>t</title>x":                  "html(title(t) body(x))",
		"<head><title>t</title><p>x</head>y": "html(head(title(t)) body(p(x y)))",
		"<ul><li>a<li>b<ul><li>c</ul></ul>d": "html(body(ul(li(a) li(b ul(li(c)))) d))",
		"<dl><dt>a<dd>b<dt>c</dl>":           "html(body(dl(dt(a) dd(b) dt(c))))",
		"<table><tr><td>a<td>b<tr><td>c</table>d":            "html(body(table(tr(td(a) td(b)) tr(td(c))) d))",
		"<table><td>a<table><tr><td>b</table>c<td>d</table>": "html(body(table(td(a table(tr(td(b))) c) td(d))))",
		"<b>x<div>y</b>z</div>w":                             "html(body(b(x div(y z)) w))",
		"<span>x<div>y</span>z</div>w":                       "html(body(span(x div(y z) w)))",
		"<a href=1>x<a href=2>y</a>z":                        "html(body(a(x) a(y) z))",
		"<p>a<div>b</div>c":                                  "html(body(p(a) div(b) c))",
		"<p>a<img>b<br/>c</img>":                             "html(body(p(a img() b br() c)))",
		"<svg><path/><g/></svg>x":                            "html(body(svg(path() g()) x))",
		"<div/>x</div>y":                                     "html(body(div(x) y))",
		"<template><p itemscope></template>x":                "html(body(x))",
		"<noscript><p>x</p></noscript>":                      "html(noscript(p(x)))",
		"<select><option>a<option>b</select>c":               "html(body(select(option(a) option(b)) c))",
		"<h1>a<h2>b</h2>":                                    "html(body(h1(a) h2(b)))",
		"<script>a<b</script>c":                              "html(script(a<b) body(c))",
		"x</p></div></nothing>y":                             "html(body(x y))",
	} {
		if have := shape(Parse(page, false, "http://e.example/").Root); have != want {
			t.Errorf("%s\nis   %s\nwant %s", page, have, want)
		}
	}
}

func TestTreeOfXML(t *testing.T) {
	page := Parse(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x"/></head><body><p/><div>a</div><![CDATA[<b>]]></body></html>`,
		true, "http://e.example/")
	if have, want := shape(page.Root), "html(head(script()) body(p() div(a) <b>))"; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}

func TestAttributes(t *testing.T) {
	page := Parse("<html lang=fa><p A='1 &amp; 2' a=3 b><body class=c><html lang=en dir=rtl>", false, "http://e.example/")
	var p *Node
	for n := range page.Elements() {
		if n.Name == "p" {
			p = n
		}
	}
	a, _ := p.Get("a")
	_, b := p.Get("b")
	lang, _ := page.Root.Get("lang")
	dir, _ := page.Root.Get("dir")
	class, _ := p.Parent.Get("class")
	if a != "1 & 2" || !b || lang != "fa" || dir != "rtl" || class != "c" {
		t.Errorf("a is %q, b there %t, lang %q, dir %q, class %q", a, b, lang, dir, class)
	}
}

func TestBase(t *testing.T) {
	page := Parse(`<base href="/a/b?c#d"><base href=e>`, false, "https://e.example/x/y#z")
	if page.URL != "https://e.example/a/b?c" {
		t.Errorf("the base is %s", page.URL)
	}
	for ref, want := range map[string]string{" f ": "https://e.example/a/f", "": "https://e.example/a/b?c", "#é": "https://e.example/a/b?c#é", "a b": "", "urn:x": "urn:x"} {
		if have, _ := page.Resolve(ref); have != want {
			t.Errorf("%q is %q, not %q", ref, have, want)
		}
	}
}

func TestWrite(t *testing.T) {
	page := Parse(`<div xmlns:x="urn:x">a &lt; <b class=q title='"&amp;'>b</b><br><svg><rect/></svg><x:y x:z=1></x:y><img src=i></div>`, false, "http://e.example/d/")
	div := page.Root.First.First
	if text, _ := page.Text(div); text != "a < b" {
		t.Errorf("the text is %q", text)
	}
	for _, test := range []struct {
		what string
		have func() (string, bool)
		want string
	}{
		{"markup", func() (string, bool) { return page.Markup(div, false) },
			`a &lt; <b class="q" title="&quot;&amp;">b</b><br><svg><rect></rect></svg><x:y x:z="1"></x:y><img src="i">`},
		{"absolute markup", func() (string, bool) { return page.Markup(div.Last, true) }, ``},
		{"XML", func() (string, bool) { return page.Canonical(div) },
			`a &lt; <b xmlns="http://www.w3.org/1999/xhtml" class="q" title="&quot;&amp;">b</b><br xmlns="http://www.w3.org/1999/xhtml"></br>` +
				`<svg xmlns="http://www.w3.org/2000/svg"><rect></rect></svg><x:y xmlns:x="urn:x" x:z="1"></x:y><img xmlns="http://www.w3.org/1999/xhtml" src="i"></img>`},
	} {
		if have, ok := test.have(); have != test.want || !ok {
			t.Errorf("the %s is\n%s\nnot\n%s", test.what, have, test.want)
		}
	}
	if markup, _ := page.Markup(page.Root.First, true); !strings.Contains(markup, `src="http://e.example/d/i"`) {
		t.Errorf("not absolute: %s", markup)
	}
}

// TestBounds wants what is past a bound to be left out, and told with its place.
func TestBounds(t *testing.T) {
	for name, test := range map[string]struct{ page, fault string }{
		"parts":      {"\n" + strings.Repeat("<b>", maxParts+10), "line 2, column 3145720: more than 1048576 elements, attributes and texts"},
		"attributes": {"\n<a " + strings.Repeat("x", 1) + attributes(200) + "><p>y", "line 2, column 1: an element with more than 128 attributes"},
		"token":      {"\n\n<!--" + strings.Repeat("x", maxToken), "line 3, column 4194305: a tag or text of more than 4194304 bytes"},
	} {
		page := Parse(test.page, false, "http://e.example/")
		if fault := page.Fault(); fault == nil || fmt.Sprintf("line %d, column %d: %s", fault.Line, fault.Column, fault.Reason) != test.fault {
			t.Errorf("%s: %v, want %s", name, fault, test.fault)
		}
	}
	deep := Parse(strings.Repeat("<div>", 2000)+"x"+strings.Repeat("</div>", 2000)+"<p>y", false, "http://e.example/")
	if deep.Fault() != nil || deep.Root.First.Last.Name != "p" {
		t.Errorf("a page of 2000 levels: %v, and what follows stands in %s", deep.Fault(), shape(deep.Root.First.Last))
	}
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" a" + strings.Repeat("b", i))
	}
	return b.String()
}

// FuzzParse wants any page read, written and read again to be what it was, as far as texts go.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"<p>a<table><td>b</p><a><a></b>", "<svg><p/></svg>", "<template><template></template>", "<head></p><body><html a=b>", "<![CDATA[x]]><!--"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, body string, xml bool) {
		page := Parse(body, xml, "http://e.example/")
		for n := range page.Elements() {
			for c := range n.Children() {
				if c.Parent != n {
					t.Fatalf("%q stands in %q but says otherwise", c.Name, n.Name)
				}
			}
		}
		page.Text(page.Root)
		page.Markup(page.Root, true)
		page.Canonical(page.Root)
	})
}
