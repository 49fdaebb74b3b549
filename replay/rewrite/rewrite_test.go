package rewrite

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/iotest"

	"kavosh/lib/weburl"
)

const replayPath = "/web/20240102030405"

func place(t testing.TB, u, links string) *Place {
	t.Helper()
	parsed, err := weburl.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	return NewPlace(context.Background(), parsed, replayPath, links)
}

// T stands for the replay's path in expectations.
func expand(s string) string { return strings.ReplaceAll(s, "{T}", replayPath) }

func TestURL(t *testing.T) {
	p := place(t, "http://a.test:8080/dir/sub/page.html?q=/x/y", Page)
	for _, c := range []struct{ ref, want string }{
		// relative references stay
		{"", ""}, {"#top", "#top"}, {"?q=1", "?q=1"}, {"x.html", "x.html"}, {"./x", "./x"}, {"../x", "../x"},
		{"../../x", "../../x"}, {"a/../../b", "a/../../b"}, {"x?u=http://b.test/", "x?u=http://b.test/"},
		// … unless they would climb out of the archived host
		{"../../../x", "{T}/http://a.test:8080/x"},
		{"../../../../../x?y#z", "{T}/http://a.test:8080/x?y#z"},
		{"%2e%2E/.%2e/..\\../x", "{T}/http://a.test:8080/x"},
		// from the root, from the scheme, absolute
		{"/x", "{T}/http://a.test:8080/x"},
		{"/", "{T}/http://a.test:8080/"},
		{"/a/../../b", "{T}/http://a.test:8080/b"},
		{"\\x\\y", "{T}/http://a.test:8080/x/y"},
		{"//b.test/x", "{T}/http://b.test/x"},
		{"\\\\b.test\\x", "{T}/http://b.test/x"},
		{"/\\b.test", "{T}/http://b.test/"},
		{"http://b.test", "{T}/http://b.test/"},
		{"https://b.test?q", "{T}/https://b.test/?q"},
		{"HTTPS://B.test/x#y", "{T}/https://B.test/x#y"},
		{"https:b.test/x", "{T}/https://b.test/x"},
		{"http:x", "./x"}, {"http:../../../x", "{T}/http://a.test:8080/x"}, {"HTTP:.", "./."},
		{"http:/x", "{T}/http://a.test:8080/x"},
		{"http:", ""}, {"http:?z", "?z"}, {"http:#z", "#z"},
		{"https:///b.test/..//../x", "{T}/https://b.test/x"},
		{"http://b.test/a//b", "{T}/http://b.test/a//b"},
		{"http://b.test/a/./b/.", "{T}/http://b.test/a/b/"},
		{"http://b.test/a/..", "{T}/http://b.test/"},
		{"ftp://b.test/x", "{T}/ftp://b.test/x"},
		{" \n http://b.te\tst/x ", "{T}/http://b.test/x"},
		{"ht\ntp://b.test/", "{T}/http://b.test/"},
		{"http://b.test/q?x=\xe9", "{T}/http://b.test/q?x=\xe9"},
		// schemes that fetch nothing stay
		{"data:text/html,<a href=/x>", "data:text/html,<a href=/x>"}, {"javascript:alert('/x')", "javascript:alert('/x')"},
		{"mailto:a@b.test", "mailto:a@b.test"}, {"blob:http://a.test/1", "blob:http://a.test/1"}, {"about:blank", "about:blank"},
		{"http://", "http://"},
	} {
		got, changed := p.URL(c.ref, "")
		if want := expand(c.want); got != want || changed != (got != c.ref) {
			t.Errorf("URL(%q) = %q, %v; want %q", c.ref, got, changed, want)
		}
	}
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"links keep relative references", `<a href="x">x</a><a href=/x>y</a>`, `<a href="x">x</a><a href={T}/http://a.test/x>y</a>`},
		{"bytes that are no reference stay", "<P  Class=X\n id='y'>é&amp;\x00\xe9<!-- http://a.test/ -->&#x2f;</P>", "<P  Class=X\n id='y'>é&amp;\x00\xe9<!-- http://a.test/ -->&#x2f;</P>"},
		{"embedded by kind",
			`<img src="/i"><script src='/j'></script><iframe src=/f></iframe><embed src="/e"><object data="/o"></object><video poster="/p" src="/v"></video><input type=image src="/n"><body background="/b">`,
			`<img src="{T}im_/http://a.test/i"><script src='{T}js_/http://a.test/j'></script><iframe src={T}if_/http://a.test/f></iframe><embed src="{T}oe_/http://a.test/e"><object data="{T}oe_/http://a.test/o"></object><video poster="{T}im_/http://a.test/p" src="{T}oe_/http://a.test/v"></video><input type=image src="{T}im_/http://a.test/n"><body background="{T}im_/http://a.test/b">`},
		{"link by rel",
			`<link rel=stylesheet href=/c><link rel="shortcut icon" href=/i><link rel=preload as=script href=/j><link rel=canonical href=/p><link rel=manifest href=/m>`,
			`<link rel=stylesheet href={T}cs_/http://a.test/c><link rel="shortcut icon" href={T}im_/http://a.test/i><link rel=preload as=script href={T}js_/http://a.test/j><link rel=canonical href={T}/http://a.test/p><link rel=manifest href={T}oe_/http://a.test/m>`},
		{"forms and quotations",
			`<form action="//b.test/s"><button formaction="/t">x</button></form><q cite="http://b.test/q">x</q><img longdesc="/d">`,
			`<form action="{T}/http://b.test/s"><button formaction="{T}/http://a.test/t">x</button></form><q cite="{T}/http://b.test/q">x</q><img longdesc="{T}/http://a.test/d">`},
		{"srcset", `<img srcset="/a.png 1x, b.png 2x,/c,d.png 3x , http://b.test/e.png"><link imagesrcset='/x 10w'>`,
			`<img srcset="{T}im_/http://a.test/a.png 1x, b.png 2x,{T}im_/http://a.test/c,d.png 3x , {T}im_/http://b.test/e.png"><link imagesrcset='{T}im_/http://a.test/x 10w'>`},
		{"srcset without descriptors", `<img srcset="/a.png, /b.png,/c.png, x.png">`, `<img srcset="{T}im_/http://a.test/a.png, {T}im_/http://a.test/b.png,/c.png, x.png">`},
		{"srcset with brackets", `<img srcset="/a.png f(1,/x) 2x, /b.png">`, `<img srcset="{T}im_/http://a.test/a.png f(1,/x) 2x, {T}im_/http://a.test/b.png">`},
		{"srcset with brackets that close too much", `<img srcset="/a.png ) ( , /b ), /c.png">`, `<img srcset="{T}im_/http://a.test/a.png ) ( , /b ), {T}im_/http://a.test/c.png">`},
		{"srcset whose last part stays", `<img srcset="/a.png 1x, b.png 2x">`, `<img srcset="{T}im_/http://a.test/a.png 1x, b.png 2x">`},
		{"character references before the host", `<a href="http&colon;//b.test&#x2f;x">x</a><a href="&sol;y">`, `<a href="{T}/http://b.test/x">x</a><a href="{T}/http://a.test/y">`},
		{"character references behind it stay", `<a href="/s?a=1&amp;b=2&c">`, `<a href="{T}/http://a.test/s?a=1&amp;b=2&c">`},
		{"character reference that is none", `<a href="//b.test&copy=1">`, `<a href="{T}/http://b.test&amp;copy=1/">`},
		{"inline style", `<p style="background:url(/a.png)"><p style="background:url(&quot;/b.png&quot;);content:'&eacute;'">`,
			`<p style="background:url({T}im_/http://a.test/a.png)"><p style="background:url(&#34;{T}im_/http://a.test/b.png&#34;);content:&#39;\e9 &#39;">`},
		{"style element", `<style>@import "/a.css"; p{background:url(b.png)} </style>`, `<style>@import "{T}cs_/http://a.test/a.css"; p{background:url(b.png)} </style>`},
		{"scripts stay", `<script>x = "<a href='/x'>"; // </scr</script><a href=/y>`, `<script>x = "<a href='/x'>"; // </scr</script><a href={T}/http://a.test/y>`},
		{"data attributes stay", `<div data-src="/x" data-href="http://b.test/">`, `<div data-src="/x" data-href="http://b.test/">`},
		{"base", `<base href="/d/e/"><a href="f"><a href="/g"><base href="http://b.test/"><a href=/h>`, `<base href="{T}/http://a.test/d/e/"><a href="f"><a href="{T}/http://a.test/g"><base href="http://b.test/"><a href={T}/http://a.test/h>`},
		{"base of another host", `<base target=_top href="https://b.test/x/y"><a href="z"><img src=/g><a href=../../h>`, `<base target=_top href="{T}/https://b.test/x/y"><a href="z"><img src={T}im_/https://b.test/g><a href={T}/https://b.test/h>`},
		{"relative base", `<base href="sub/x.html"><a href="../../../y">`, `<base href="{T}/http://a.test/dir/sub/x.html"><a href="{T}/http://a.test/y">`},
		{"meta refresh", `<meta http-equiv=Refresh content="0; URL='/x'"><meta http-equiv="refresh" content="5;http://b.test/?a&amp;b"><meta http-equiv=refresh content=5>`,
			`<meta http-equiv=Refresh content="0; URL=&#39;{T}/http://a.test/x&#39;"><meta http-equiv="refresh" content="5;{T}/http://b.test/?a&amp;b"><meta http-equiv=refresh content=5>`},
		{"meta refresh, as browsers read it", `<meta http-equiv=refresh content="5,/x"><meta http-equiv=refresh content="   5 /y"><meta http-equiv=refresh content="0;url=">`,
			`<meta http-equiv=refresh content="5,{T}/http://a.test/x"><meta http-equiv=refresh content="   5 {T}/http://a.test/y"><meta http-equiv=refresh content="0;url=">`},
		{"policies go", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><meta name=Referrer content=no-referrer><script integrity="sha256-x" nonce=n src=x></script><a ping="/p" href=x referrerpolicy=origin>`,
			`<script   src=x></script><a  href=x >`},
		{"application cache goes", `<html lang=fa manifest="/app.cache">`, `<html lang=fa >`},
		{"speculation rules are inert", `<script type="speculationrules">{}</script>`, `<script type="archived/speculationrules">{}</script>`},
		{"svg in a page", `<svg><title><a href=/x></title><use xlink:href="/s.svg#i"/><image href="/i.png"/><script href="/j"/><rect fill="url(/f.svg#p)"/></svg><a href=/y>`,
			`<svg><title><a href={T}/http://a.test/x></title><use xlink:href="{T}im_/http://a.test/s.svg#i"/><image href="{T}im_/http://a.test/i.png"/><script href="{T}js_/http://a.test/j"/><rect fill="url({T}im_/http://a.test/f.svg#p)"/></svg><a href={T}/http://a.test/y>`},
		{"noscript", `<noscript><img src="/n.png"></noscript><a href=/y>`, `<noscript><img src="{T}im_/http://a.test/n.png"></noscript><a href={T}/http://a.test/y>`},
		{"srcdoc", `<iframe srcdoc="<a href='/x'>&amp;amp; <img src=y>"></iframe>`, `<iframe srcdoc="&lt;a href=&#39;{T}if_/http://a.test/x&#39;&gt;&amp;amp; &lt;img src=y&gt;"></iframe>`},
		{"plug-in parameters", `<param name=movie value=/m.swf><param name=color value=/x>`, `<param name=movie value={T}oe_/http://a.test/m.swf><param name=color value=/x>`},
		{"repeated attribute", `<a href="/x" href="/y">`, `<a href="{T}/http://a.test/x" href="/y">`},
		{"tag cut by the end", `<p><a href="/x`, `<p><a href="/x`},
		{"quotes and slashes", `<img/src="/x"/alt=/y/>`, `<img/src="{T}im_/http://a.test/x"/alt=/y/>`},
		{"unquoted value with a slash", `<a href=/x/>y</a>`, `<a href={T}/http://a.test/x/>y</a>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := HTML(&out, iotest.OneByteReader(strings.NewReader(c.in)), place(t, "http://a.test/dir/page", Page), Options{}); err != nil {
				t.Fatal(err)
			}
			if want := expand(c.want); out.String() != want {
				t.Errorf("\n got %s\nwant %s", out.String(), want)
			}
		})
	}
}

func TestXML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"xhtml holds no raw text", `<?xml version="1.0"?><html><head><title/><script src="/j"/></head><body><a href="/x"/></body></html>`,
			`<?xml version="1.0"?><html><head>!<title/><script src="{T}js_/http://a.test/j"/></head><body><a href="{T}/http://a.test/x"/></body></html>`},
		{"style sheet instruction", `<?xml-stylesheet type="text/css" href="/c.css"?><svg xmlns="http://www.w3.org/2000/svg"/>`,
			`<?xml-stylesheet type="text/css" href="{T}cs_/http://a.test/c.css"?>!<svg xmlns="http://www.w3.org/2000/svg"/>`},
		{"internal subset", "<!DOCTYPE svg [\n<!ENTITY a \"b\">\n<!-- > -->\n] >\n<svg:svg>&a;</svg:svg>", "<!DOCTYPE svg [\n<!ENTITY a \"b\">\n<!-- > -->\n] >\n<svg:svg>!&a;</svg:svg>"},
		{"subset of a page", "<!DOCTYPE html [<!ENTITY a 'b'>]><html><body>&a;</body></html>", "<!DOCTYPE html [<!ENTITY a 'b'>]><html>!<body>&a;</body></html>"},
		{"cdata style", `<svg><style><![CDATA[ a{fill:url(/x)} ]]></style></svg>`, `<svg>!<style><![CDATA[ a{fill:url({T}im_/http://a.test/x)} ]]></style></svg>`},
		{"prefixed names", `<h:a href="/x"/>`, `!<h:a href="{T}/http://a.test/x"/>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := HTML(&out, strings.NewReader(c.in), place(t, "http://a.test/dir/page", Page), Options{XML: true, Inject: "!"}); err != nil {
				t.Fatal(err)
			}
			if want := expand(c.want); out.String() != want {
				t.Errorf("\n got %s\nwant %s", out.String(), want)
			}
		})
	}
}

func TestInjectStandsBeforeEverythingOfThePage(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"<!doctype html>\n<!-- c --><html><head><title>x</title>", "<!doctype html>\n<!-- c --><html><head>!<title>x</title>"},
		{"\ufeff<html>\n<body>x", "\ufeff<html>\n!<body>x"},
		{"text", "!text"}, {"", "!"}, {"</p>x", "!</p>x"}, {"<script>1</script><head>", "!<script>1</script><head>"},
		{"<frameset><frame src=x>", "!<frameset><frame src=x>"},
	} {
		var out strings.Builder
		if err := HTML(&out, strings.NewReader(c.in), place(t, "http://a.test/", Page), Options{Inject: "!"}); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.in, out.String(), c.want)
		}
	}
}

func TestCSS(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`a{b:url(/x.png)}`, `a{b:url({T}im_/http://a.test/x.png)}`},
		{`a{b:URL( "/x.png" )}`, `a{b:URL( "{T}im_/http://a.test/x.png" )}`},
		{`a{b:url('x.png')}`, `a{b:url('x.png')}`},
		{`@import "/a.css" screen; @import url(//b.test/c.css);`, `@import "{T}cs_/http://a.test/a.css" screen; @import url({T}cs_/http://b.test/c.css);`},
		{`@import url("/a.css") layer("x");`, `@import url("{T}cs_/http://a.test/a.css") layer("x");`},
		{`@namespace svg url(http://www.w3.org/2000/svg); @namespace "http://www.w3.org/1999/xhtml"; a{b:url(/c)}`,
			`@namespace svg url(http://www.w3.org/2000/svg); @namespace "http://www.w3.org/1999/xhtml"; a{b:url({T}im_/http://a.test/c)}`},
		{`a{b:image-set("/x.png" 1x, "/y.png" type("image/png"))}`, `a{b:image-set("{T}im_/http://a.test/x.png" 1x, "{T}im_/http://a.test/y.png" type("image/png"))}`},
		{`a::before{content:"/x" url(/y)}`, `a::before{content:"/x" url({T}im_/http://a.test/y)}`},
		{`a{b:url(http\:\/\/b.test/a\)b)}`, `a{b:url("{T}im_/http://b.test/a)b")}`},
		{`a{b:url("/\66 oo\"bar")}`, `a{b:url("{T}im_/http://a.test/foo\"bar")}`},
		{`/* url(/x) */ a{b:url(data:image/png;base64,AA/+)}`, `/* url(/x) */ a{b:url(data:image/png;base64,AA/+)}`},
		{"@charset \"x\"; \xe9{b:url(/\xe9)}", "@charset \"x\"; \xe9{b:url({T}im_/http://a.test/\xe9)}"},
		{`a{b:url(/x`, `a{b:url({T}im_/http://a.test/x`},
		{`a[href="/x"]{b:url()}`, `a[href="/x"]{b:url()}`},
		{`@font-face{src:local("/x"),url(/f.woff2)format("woff2")}`, `@font-face{src:local("/x"),url({T}im_/http://a.test/f.woff2)format("woff2")}`},
		{"\x00a{b:url(/x)}\x00", "\x00a{b:url({T}im_/http://a.test/x)}\x00"},
	} {
		var out strings.Builder
		if err := CSS(&out, strings.NewReader(c.in), place(t, "http://a.test/dir/style.css", Page)); err != nil {
			t.Fatal(err)
		}
		if want := expand(c.want); out.String() != want {
			t.Errorf("%s\n got %s\nwant %s", c.in, out.String(), want)
		}
	}
}

func TestDeclared(t *testing.T) {
	for _, c := range []struct{ head, contentType, want string }{
		{"", "text/html; charset=ISO-8859-1", "windows-1252"},
		{"<meta charset=windows-1256>", "text/html", "windows-1256"},
		{`<meta http-equiv=Content-Type content="text/html; charset='shift_jis'">`, "", "shift_jis"},
		{"<meta charset=utf-16>", "text/html", "utf-8"},
		{"\xff\xfe<\x00", "text/html; charset=utf-8", "utf-16le"},
		{`<?xml version="1.0" encoding="windows-1251"?>`, "text/xml", "windows-1251"},
		{"<body><meta charset=utf-8>", "text/html", ""},
		{"<!-- <meta charset=koi8-r> --><title>x</title>", "text/html", ""},
		{strings.Repeat(" ", 2000) + "<meta charset=utf-8>", "text/html", "utf-8"},
	} {
		if got := Declared([]byte(c.head), c.contentType, true); got != c.want {
			t.Errorf("%.40q, %q: %q, want %q", c.head, c.contentType, got, c.want)
		}
	}
}

func TestTokenBeyondTheBoundPassesThrough(t *testing.T) {
	in := "<a href=/x>" + strings.Repeat("x", maxToken+100) + "<a href=/y>"
	var out bytes.Buffer
	if err := HTML(&out, strings.NewReader(in), place(t, "http://a.test/", Page), Options{}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(in, "/x", expand("{T}/http://a.test/x"), 1)
	if out.String() != want {
		t.Errorf("%d bytes, want %d", out.Len(), len(want))
	}
}

// Whatever the document, rewriting it must not lose text, and a second pass must find nothing more to change.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{`<a href="/x">`, `<img srcset="/a 1x,b">`, `<p style="a:url(&quot;/x)">`, `<svg><style/><a href=x>`, `<base href=//b>`,
		`<meta http-equiv=refresh content="0;'/x">`, `<iframe srcdoc="<iframe srcdoc='<a href=/x>'>">`, "<a href=http&colon;//b>", "<![CDATA[<a href=/x>]]>", "<a\x00href=/x =y>"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	p := place(f, "http://a.test/dir/page", Page)
	f.Fuzz(func(t *testing.T, in []byte, xml bool) {
		var out bytes.Buffer
		if err := HTML(&out, bytes.NewReader(in), p, Options{XML: xml}); err != nil {
			t.Fatal(err)
		}
		if !bytes.ContainsAny(in, "<(") && !bytes.Equal(in, out.Bytes()) {
			t.Errorf("text changed: %q, %q", in, out.Bytes())
		}
	})
}

func FuzzCSS(f *testing.F) {
	for _, s := range []string{`a{b:url(/x)}`, `@import "/x"`, `url(\2f x)`, `image-set("/x"`, `url("/x`, `u\72l(/x)`, "url(/\x00)", `@namespace url(/x)`} {
		f.Add([]byte(s))
	}
	p := place(f, "http://a.test/dir/page", Page)
	f.Fuzz(func(t *testing.T, in []byte) {
		out := p.css(bytes.Clone(in))
		if !bytes.ContainsAny(in, `/\`) && !bytes.Contains(bytes.ToLower(in), []byte("http")) && !bytes.Contains(in, []byte("..")) && !bytes.Equal(in, out) {
			t.Errorf("style sheet without reference changed: %q, %q", in, out)
		}
	})
}

// FuzzURL holds the reference to the URL parser: what the browser reads in the replay is what it would have read live.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"/x", "//b.test/x", "http://b.test", "..\\../x", "http:x", "https:/%2e%2e/x", "\t//b", "a/../../..//b?c#d", "/.//x", "http:\\\\b\\..\\x"} {
		f.Add(s)
	}
	base, err := weburl.Parse("http://a.test/dir/page")
	if err != nil {
		f.Fatal(err)
	}
	p := NewPlace(context.Background(), base, replayPath, Page)
	site, err := weburl.Parse("http://replay.test" + replayPath + "/http://a.test/dir/page")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		live, err := base.Resolve(ref)
		if err != nil || !live.Fetchable() {
			return
		}
		if strings.Trim(live.Hostname(), ".") == "" {
			return // a host of dots alone is nobody's, and is taken for a folder
		}
		led, _ := p.URL(ref, Page)
		replayed, err := site.Resolve(led)
		if err != nil {
			t.Fatalf("%q became %q, which is no URL: %v", ref, led, err)
		}
		under, ok := strings.CutPrefix(replayed.String(), "http://replay.test"+replayPath+"/")
		if !ok {
			t.Fatalf("%q became %q, outside the replay", ref, replayed)
		}
		back, err := weburl.Parse(under)
		if err != nil || back.String() != live.String() {
			t.Errorf("%q: live %q, replayed %q (%v)", ref, live, under, err)
		}
	})
}
