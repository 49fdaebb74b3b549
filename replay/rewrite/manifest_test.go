package rewrite

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestManifests(t *testing.T) {
	for _, c := range []struct {
		name     string
		rewrite  func(io.Writer, io.Reader, *Place) error
		in, want string
	}{
		{"HLS", HLS, "#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"/k\",IV=0x1\r\n#EXT-X-MEDIA:TYPE=AUDIO,URI=\"a.m3u8\"\r\n#EXTINF:9,\r\nhttps://b.test/1.ts\r\nseg/2.ts\r\n//b.test/3.ts",
			"#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"{T}oe_/http://a.test/k\",IV=0x1\r\n#EXT-X-MEDIA:TYPE=AUDIO,URI=\"a.m3u8\"\r\n#EXTINF:9,\r\n{T}oe_/https://b.test/1.ts\r\nseg/2.ts\r\n{T}oe_/http://b.test/3.ts"},
		{"HLS attribute with a comma", HLS, `#EXT-X-MAP:X-URI="/a",URI="/b,c"`, `#EXT-X-MAP:X-URI="/a",URI="{T}oe_/http://a.test/b,c"`},
		{"HLS attribute in an attribute", HLS, `#EXT-X-MAP:URI="/a#URI='/b'"`, `#EXT-X-MAP:URI="{T}oe_/http://a.test/a#URI='/b'"`},
		{"DASH", DASH, `<?xml version="1.0"?><MPD><BaseURL>https://b.test/v/?a=1&amp;b=2</BaseURL><SegmentTemplate media="/m$Number$.m4s" initialization='i.mp4'/><Period xlink:href="//b.test/p"><BaseURL>x/</BaseURL>`,
			`<?xml version="1.0"?><MPD><BaseURL>{T}oe_/https://b.test/v/?a=1&amp;b=2</BaseURL><SegmentTemplate media="{T}oe_/http://a.test/m$Number$.m4s" initialization='i.mp4'/><Period xlink:href="{T}oe_/http://b.test/p"><BaseURL>x/</BaseURL>`},
		{"DASH, all that refers", DASH,
			`<MPD><Location>/l</Location><PatchLocation>/p</PatchLocation><BaseURL/>/t<SegmentTemplate index="/i" bitstreamSwitching="/b" a="/a"/>`,
			`<MPD><Location>{T}oe_/http://a.test/l</Location><PatchLocation>{T}oe_/http://a.test/p</PatchLocation><BaseURL/>/t<SegmentTemplate index="{T}oe_/http://a.test/i" bitstreamSwitching="{T}oe_/http://a.test/b" a="/a"/>`},
		{"DASH cut short", DASH, `<MPD><BaseURL>/x`, `<MPD><BaseURL>/x`},
		{"web manifest", WebManifest, `{"start_url":"/","icons":[{"src":"/i.png","sizes":"1x1"}],"name":"/x","n":1.50}`,
			`{"icons":[{"sizes":"1x1","src":"{T}im_/http://a.test/i.png"}],"n":1.50,"name":"/x","start_url":"{T}/http://a.test/"}`},
		{"web manifest, all that refers", WebManifest, `{"scope":"/s","share_target":{"action":"/a"},"shortcuts":[{"url":"/u"}]}`,
			`{"scope":"{T}/http://a.test/s","share_target":{"action":"{T}/http://a.test/a"},"shortcuts":[{"url":"{T}/http://a.test/u"}]}`},
		{"web manifest that is none", WebManifest, `<p>"src":"/x"`, `<p>"src":"/x"`},
	} {
		var out strings.Builder
		if err := c.rewrite(&out, strings.NewReader(c.in), place(t, "http://a.test/dir/x", Page)); err != nil {
			t.Fatal(err)
		}
		if want := expand(c.want); out.String() != want {
			t.Errorf("%s\n got %s\nwant %s", c.name, out.String(), want)
		}
	}
}

func TestCallback(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`jQuery123_456({"a": "jQuery123"})`, `cb({"a": "jQuery123"})`},
		{` /* x */ ;a.b["c"](1);`, ` /* x */ ;cb(1);`}, {"/**/ /*y*/\n;f(1)", "/**/ /*y*/\n;cb(1)"},
		{`{"a": 1}`, `{"a": 1}`}, {`/* open`, `/* open`}, {``, ``}, {`x = f(1)`, `x = f(1)`},
	} {
		var out strings.Builder
		if err := Callback(&out, strings.NewReader(c.in), "cb"); err != nil || out.String() != c.want {
			t.Errorf("%q: %q, %v; want %q", c.in, out.String(), err, c.want)
		}
	}
}

// Scripts where they stand in markup.
func TestScriptsInMarkup(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"inline", `<script>location = "<b>"</script><script type="text/template">location</script><script type=module>import "/x"</script><script type="application/json">{"location": 1}</script>`,
			`<script>L§ = "<b>"</script><script type="text/template">location</script><script type=module>import "{T}js_/http://a.test/x"</script><script type="application/json">{"location": 1}</script>`},
		{"language", `<script language=JavaScript1.2>top.location</script><script language=VBScript>location</script>`, `<script language=JavaScript1.2>T§.L§</script><script language=VBScript>location</script>`},
		{"handlers", `<a onclick="location='/x'" data-onclick="location" onclick2=location>`, `<a onclick="L§=&#39;/x&#39;" data-onclick="location" onclick2=L§>`},
		{"handlers with references", `<a onclick="f(&quot;&eacute;&quot;, location)">`, `<a onclick="f(&#34;\u00e9&#34;, L§)">`},
		{"addresses of scripts", `<a href="javascript:location.href='/x'"><iframe src="JavaScript:top.x()">`, `<a href="javascript:L§.href=&#39;/x&#39;"><iframe src="javascript:self.kavosh$self||(self!==parent?parent:opener).kavosh$install(self);kavosh$answer(%22top.x%28%29%22)">`},
		{"import map", `<script type=importmap>{"imports": {"x": "/x.js", "/y/": "https://b.test/y/", "z": "./z.js"}, "scopes": {"/s/": {"x": "/t.js"}}, "integrity": {"/x.js": "sha384-x"}}</script>`,
			`<script type=importmap>{"imports":{"{T}js_/http://a.test/y/":"{T}js_/https://b.test/y/","x":"{T}js_/http://a.test/x.js","z":"./z.js"},"integrity":{},"scopes":{"{T}js_/http://a.test/s/":{"x":"{T}js_/http://a.test/t.js"}}}</script>`},
		{"import map with a way out", `<script type=importmap>{"imports": {"z": "../../../../../../z.js", "x": "x"}}</script>`,
			`<script type=importmap>{"imports":{"x":"x","z":"{T}js_/http://a.test/z.js"}}</script>`},
		{"srcdoc has the page script too", `!<iframe srcdoc="<script>location</script>">`, `!<iframe srcdoc="@&lt;script&gt;L§&lt;/script&gt;">`},
		{"svg", `!<svg><script>location</script><script href="/x"/></svg>`, `!<svg><script>L§</script><script href="{T}js_/http://a.test/x"/></svg>`},
	} {
		var out strings.Builder
		if err := HTML(&out, strings.NewReader(strings.TrimPrefix(c.in, "!")), place(t, "http://a.test/dir/page", Page), Options{Scripts: true, Inject: map[bool]string{true: "!"}[c.in[0] == '!'], Frame: "@"}); err != nil {
			t.Fatal(err)
		}
		if want := scriptNames.Replace(c.want); out.String() != want {
			t.Errorf("%s\n got %s\nwant %s", c.name, out.String(), want)
		}
	}
}

// FuzzManifest: no manifest makes the rewriters fail, and what holds no reference stays.
func FuzzManifest(f *testing.F) {
	for _, s := range []string{"#EXT-X-KEY:URI=\"/k\"\n/x", "<BaseURL>/x</BaseURL>", `{"src": "/x"}`, `{"imports": {"/x": null}}`, "<a media='/x", "/**/f("} {
		f.Add([]byte(s))
	}
	p := place(f, "http://a.test/dir/page", Page)
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, out := range [][]byte{p.hls(in), p.dash(in)} {
			if !bytes.ContainsAny(in, "/\\:.") && !bytes.Equal(in, out) {
				t.Errorf("%q became %q", in, out)
			}
		}
		p.webManifest(in)
		p.importMap(in)
		if err := Callback(io.Discard, bytes.NewReader(in), "cb"); err != nil {
			t.Error(err)
		}
	})
}
