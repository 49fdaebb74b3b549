//go:build conformance

package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/lib/warc"
)

// site of the pages below: what lies at which URL, with its type.
var scripted = map[string][2]string{
	"https://site.test/data.json":       {"application/json", `{"from": "site"}`},
	"https://site.test/dir/rel.json":    {"application/json", `{"from": "rel"}`},
	"https://cdn.test/data.json":        {"application/json", `{"from": "cdn"}`},
	"https://cdn.test/lib.js":           {"text/javascript", `window.lib = location.hostname + " " + document.currentScript.src`},
	"https://cdn.test/mod.js":           {"text/javascript", `import {a} from "./dep.js"; export default a + " " + import.meta.url; export const where = location.host`},
	"https://cdn.test/dep.js":           {"text/javascript", `export const a = "dep"`},
	"https://cdn.test/pic.svg":          {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>`},
	"https://site.test/pic.svg":         {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>`},
	"https://cdn.test/style.css":        {"text/css", `p { width: 123px }`},
	"https://site.test/worker.js":       {"text/javascript", `fetch("/data.json").then(r => r.json()).then(d => postMessage(d.from + " " + location.href + " " + new Date().getUTCFullYear()))`},
	"https://site.test/dir/imported.js": {"text/javascript", `self.imported = "yes"`},
	"https://site.test/worker2.js":      {"text/javascript", `importScripts("https://site.test/dir/imported.js"); let x = new XMLHttpRequest(); x.open("GET", "https://cdn.test/data.json"); x.onload = () => postMessage(imported + x.responseText); x.send()`},
	"https://site.test/frame.html":      {"text/html", `<script>addEventListener("message", e => e.source.postMessage(e.data + " from " + e.origin, e.origin)); parent.postMessage("ready " + (top === parent) + " " + location.pathname, "*")</script>`},
	"https://other.test/frame.html":     {"text/html", `<script>parent.postMessage("hello", "https://site.test"); parent.postMessage("not for you", "https://cdn.test")</script>`},
	"https://site.test/next.html":       {"text/html", `<title>next</title>`},
}

type scriptCase struct{ name, script, want string }

// scriptCases are what scripts of the page https://site.test/dir/page.html?q=1 do, and what they must find: as live.
var scriptCases = []scriptCase{
	{"location", `[location.href, location.origin, location.pathname, location.search, document.URL, document.domain, window.location.host, document.location.protocol, self["location"].hostname].join(" ")`,
		"https://site.test/dir/page.html?q=1 https://site.test /dir/page.html ?q=1 https://site.test/dir/page.html?q=1 site.test site.test https: site.test"},
	{"location is a Location", `location instanceof Location && String(location) === location.href && "" + location`, "https://site.test/dir/page.html?q=1"},
	{"baseURI and URL", `[document.baseURI, new URL("x", location).href, new URL("/x", document.baseURI).href].join(" ")`, "https://site.test/dir/page.html?q=1 https://site.test/dir/x https://site.test/x"},
	{"history of another origin", `(() => { try { history.pushState(null, "", "https://cdn.test/x"); return "went" } catch (e) { return e.name } })()`, "SecurityError"},
	{"top", `[top === self, window.top === window, parent === self, top.location.host].join(" ")`, "true true true site.test"},
	{"local variables", `(function (location, top) { return location.a + top.b })({a: 1}, {b: 2}) + (({location}) => location)({location: 3}) + {top: 4, location: 5}.location`, "11"},
	{"eval", `[eval("location.host"), new Function("return location.host")(), (0, eval)("document.domain")].join(" ")`, "site.test site.test site.test"},
	{"fetch", `(await (await fetch("/data.json")).json()).from + (await (await fetch("rel.json")).json()).from + (await (await fetch("https://cdn.test/data.json")).json()).from`, "siterelcdn"},
	{"fetch of a Request", `await (async () => { let r = new Request("https://cdn.test/data.json"); let a = await fetch(r); return r.url + " " + a.url + " " + (await a.json()).from })()`, "https://cdn.test/data.json https://cdn.test/data.json cdn"},
	{"XMLHttpRequest", `await new Promise(r => { let x = new XMLHttpRequest(); x.open("GET", "//cdn.test/data.json"); x.onload = () => r(x.responseURL + " " + JSON.parse(x.responseText).from); x.send() })`, "https://cdn.test/data.json cdn"},
	{"pictures", `await new Promise(r => { let i = new Image(); i.onload = () => r(i.src + " " + i.getAttribute("src") + " " + i.naturalWidth); i.onerror = () => r("error"); i.src = "https://cdn.test/pic.svg" })`, "https://cdn.test/pic.svg https://cdn.test/pic.svg 7"},
	{"pictures by setAttribute", `await new Promise(r => { let i = document.createElement("img"); i.onload = () => r(i.src); i.onerror = () => r("error"); i.setAttribute("src", "/pic.svg") })`, "https://site.test/pic.svg"},
	{"srcset", `await new Promise(r => { let i = new Image(); i.onload = () => r(i.currentSrc); i.onerror = () => r("error"); i.srcset = "https://cdn.test/pic.svg 1x, /missing.png 9x" })`, "https://cdn.test/pic.svg"},
	{"innerHTML", `await new Promise(r => { let d = document.createElement("div"); document.body.append(d); window.done = r; d.innerHTML = '<img src="https://cdn.test/pic.svg" onload="done(location.host + this.src)" onerror="done(1)"><a href="/x">x</a>' })`, "site.testhttps://cdn.test/pic.svg"},
	{"innerHTML reads as written", `(() => { let d = document.createElement("div"); d.innerHTML = '<a href="https://cdn.test/x?a=1&amp;b=2">x</a>'; return d.innerHTML + d.firstChild.getAttribute("href") })()`, `<a href="https://cdn.test/x?a=1&amp;b=2">x</a>https://cdn.test/x?a=1&b=2`},
	{"links", `(() => { let a = document.createElement("a"); a.href = "/x/y?z#w"; return [a.href, a.host, a.pathname, a.search, a.hash, a.origin, a + ""].join(" ") })()`, "https://site.test/x/y?z#w site.test /x/y ?z #w https://site.test https://site.test/x/y?z#w"},
	{"links of the page", `document.links[0].href + " " + document.links[0].pathname + " " + document.links[1].getAttribute("href")`, "https://site.test/next.html /next.html rel.html"},
	{"insertAdjacentHTML", `await new Promise(r => { window.done = r; document.body.insertAdjacentHTML("beforeend", '<img src=/pic.svg onload="done(this.src)" onerror="done(1)">') })`, "https://site.test/pic.svg"},
	{"template", `await new Promise(r => { let t = document.createElement("template"); t.innerHTML = '<img src="https://cdn.test/pic.svg">'; let n = t.content.cloneNode(true); n.firstChild.onload = e => r(e.target.src); n.firstChild.onerror = () => r("error"); document.body.append(n) })`, "https://cdn.test/pic.svg"},
	{"scripts", `await new Promise(r => { let s = document.createElement("script"); s.src = "https://cdn.test/lib.js"; s.integrity = "sha256-AAAA"; s.onload = () => r(window.lib); s.onerror = () => r("error"); document.head.append(s) })`, "site.test https://cdn.test/lib.js"},
	{"scripts made of text", `(() => { let s = document.createElement("script"); s.textContent = "window.made = location.host"; document.head.appendChild(s); return window.made })()`, "site.test"},
	{"import()", `await import("https://cdn.test/mod.js").then(m => m.default + " " + m.where)`, "dep https://cdn.test/mod.js site.test"},
	{"import() by import map", `await import("mapped").then(m => m.default)`, "dep https://cdn.test/mod.js"},
	{"style sheets", `await new Promise(r => { let l = document.createElement("link"); l.rel = "stylesheet"; l.href = "https://cdn.test/style.css"; l.onload = () => r(getComputedStyle(document.getElementById("px")).width + l.sheet.href); l.onerror = () => r("error"); document.head.append(l) })`, "123pxhttps://cdn.test/style.css"},
	{"styles", `(() => { let p = document.createElement("p"); document.body.append(p); p.style.backgroundImage = "url(https://cdn.test/pic.svg)"; return new Promise(r => setTimeout(() => { let u = getComputedStyle(p).backgroundImage; r(/\/https:\/\/cdn.test\/pic.svg"\)$/.test(u) && !/"https:/.test(u)) }, 50)) })()`, "true"},
	{"styles by rule", `(() => { let s = document.createElement("style"); document.head.append(s); s.sheet.insertRule("b { background: url(https://cdn.test/pic.svg) }"); return s.sheet.cssRules[0].cssText })()`, `b { background: url("https://cdn.test/pic.svg"); }`},
	{"workers", `await new Promise(r => { let w = new Worker("/worker.js"); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "site https://site.test/worker.js 2024"},
	{"workers that import", `await new Promise(r => { let w = new Worker("/worker2.js"); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, `yes{"from": "cdn"}`},
	{"workers of blobs", `await new Promise(r => { let u = URL.createObjectURL(new Blob(['fetch("https://cdn.test/data.json").then(r => r.json()).then(d => postMessage(d.from))'])); let w = new Worker(u); URL.revokeObjectURL(u); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "cdn"},
	{"frames and messages", `await new Promise(r => { let f = document.createElement("iframe"); f.src = "/frame.html"; addEventListener("message", function on(e) { if (/^ready/.test(e.data)) { window.ready = e.data; f.contentWindow.postMessage("ping", "https://site.test") } else { removeEventListener("message", on); r(ready + " " + e.data + " " + e.origin + " " + f.contentWindow.location.href) } }); document.body.append(f) })`,
		"ready true /frame.html ping from https://site.test https://site.test https://site.test/frame.html"},
	{"messages of another origin", `await new Promise(r => { let f = document.createElement("iframe"), got = []; f.src = "https://other.test/frame.html"; addEventListener("message", e => got.push(e.data + " " + e.origin)); f.onload = () => setTimeout(() => r(got.join()), 200); document.body.append(f) })`, "hello https://other.test"},
	{"messages to another origin", `await new Promise(r => { let got = "nothing"; addEventListener("message", e => got = e.data); postMessage("x", "https://cdn.test"); setTimeout(() => r(got), 100) })`, "nothing"},
	{"empty frames", `await (async () => { let f = document.createElement("iframe"); document.body.append(f); let w = f.contentWindow; return w.document.domain + " " + w.parent.location.host + " " + (await (await w.fetch("https://cdn.test/data.json")).json()).from })()`, "site.test site.test cdn"},
	{"frames of text", `await new Promise(r => { window.said = r; let f = document.createElement("iframe"); f.srcdoc = "<script>parent.said(location.href + ' ' + document.baseURI + ' ' + top.location.host)</" + "script>"; document.body.append(f) })`, "about:srcdoc https://site.test/dir/page.html?q=1 site.test"},
	{"frames written into", `await new Promise(r => { window.said = r; let f = document.createElement("iframe"); document.body.append(f); f.contentDocument.open(); f.contentDocument.write("<img src='https://cdn.test/pic.svg' onload='parent.said(this.src)' onerror='parent.said(1)'>"); f.contentDocument.close() })`, "https://cdn.test/pic.svg"},
	{"cookies", `(document.cookie = "a=1; path=/", document.cookie = "b=2; domain=site.test; max-age=100", document.cookie = "c=3; path=/elsewhere", document.cookie = "d=4; domain=cdn.test", document.cookie = "a=5; path=/", document.cookie = "b=; domain=site.test; max-age=0", document.cookie)`, "a=5"},
	{"storage", `(localStorage.x = 1, localStorage.setItem("y", 2), delete localStorage.x, sessionStorage.z = 3, [localStorage.length, Object.keys(localStorage), localStorage.getItem("y"), localStorage.y, "x" in localStorage, localStorage.x, sessionStorage.z].join(" "))`, "1 y 2 2 false  3"},
	{"databases", `await new Promise(r => { let q = indexedDB.open("db", 1); q.onsuccess = async () => { let l = await indexedDB.databases(); r(q.result.name + " " + l.map(d => d.name)) }; q.onerror = () => r("error") })`, "db db"},
	{"caches", `await (async () => { await caches.open("c"); return (await caches.keys()).join() + await caches.has("c") })()`, "ctrue"},
	{"the time of the page", `[new Date().getUTCFullYear(), new Date(Date.now()).getUTCMonth(), new Date(2020, 1).getFullYear(), Date().slice(11, 15), new Date() instanceof Date, Date.UTC(2000, 0), new Date(0).toISOString()].join(" ")`, "2024 0 2020 2024 true 946684800000 1970-01-01T00:00:00.000Z"},
	{"time goes on", `await new Promise(r => { let t = Date.now(); setTimeout(() => r(Date.now() > t && Date.now() - t < 60000), 50) })`, "true"},
	{"referrer and service workers", `[document.referrer === "", "serviceWorker" in navigator, typeof RTCPeerConnection].join(" ")`, "true false undefined"},
	{"sockets", `await new Promise(r => { let w = new WebSocket("wss://cdn.test/ws"); w.onerror = () => r("closed " + w.url); w.onopen = () => r("open") })`, "closed wss://cdn.test/ws"},
	{"beacons", `navigator.sendBeacon("https://cdn.test/beacon", "x")`, "true"},
	{"prototypes", `(() => { let o = {location: 1}; o.location = 2; let n = []; for (let k in {}) n.push(k); return o.location + " " + n.length + " " + Object.keys(o) + " " + JSON.stringify(o) })()`, `2 0 location {"location":2}`},
	{"parts", `await new Promise(r => { let i = new Image(); i.onload = i.onerror = () => setTimeout(() => { let p = window.kavosh$parts().filter(p => /missing/.test(p.url))[0], q = window.kavosh$parts().filter(p => /cdn.test.pic/.test(p.url))[0]; r([p.missing, q && q.time].join(" ")) }, 100); i.src = "https://cdn.test/missing.png"; new Image().src = "https://cdn.test/pic.svg" })`, "true 20240102030405"},
	{"document.write while loading", `window.written`, "site.test https://cdn.test/pic.svg"},
	{"handlers in markup", `(document.getElementById("h").click(), window.handled)`, "site.test"},
	{"chance", `await (async () => { let f = async () => { let f = document.createElement("iframe"); f.src = "/next.html"; let l = new Promise(r => f.onload = r); document.body.append(f); await l; let v = f.contentWindow.Math.random(); f.remove(); return v }; let a = await f(), b = await f(); return a === b && a !== Math.random() && a >= 0 && a < 1 })()`, "true"},
	// these change the address of the page
	{"hash", `(location.hash = "#h", [location.hash, location.href].join(" "))`, "#h https://site.test/dir/page.html?q=1#h"},
	{"history", `(history.pushState({a: 1}, "", "/other/path?x"), [location.pathname, location.search, history.state.a, document.baseURI].join(" "))`, "/other/path ?x 1 https://site.test/other/path?x"},
}

// scriptedPage is the page whose scripts do what the cases say.
const scriptedPage = `<!doctype html><html><head><title>x</title>
<script type=importmap>{"imports": {"mapped": "https://cdn.test/mod.js"}}</script>
<script>document.write("<p id=w>" + location.host + "</p><img id=wi src='https://cdn.test/pic.svg'>"); window.written = document.getElementById("w").textContent + " " + document.getElementById("wi").src</script>
</head><body><p id=px>x</p><a href="/next.html">next</a><a href="rel.html">rel</a><button id=h onclick="window.handled = location.host">x</button>
<script>CASES</script></body></html>`

// TestScripts runs scripts in replayed pages: what they find is what they would have found live, and nothing is asked for
// outside the replay. Once from an address by number, once from the collection's own origin.
func TestScripts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scripted.warc.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	put := func(url, contentType, body string) {
		block := "HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\nContent-Security-Policy: default-src 'none'\r\n\r\n" + body
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()},
			{Name: "WARC-Date", Value: warc.FormatDate(time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC))}, {Name: "WARC-Target-URI", Value: url},
			{Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	for _, parts := range []map[string][2]string{scripted, platform} {
		for url, what := range parts {
			put(url, what[0], what[1])
		}
	}
	cases := slices.Concat(goingCases(), platformCases, scriptCases) // the last of these change the address of the page
	var script strings.Builder
	script.WriteString("window.cases = {\n")
	for i, c := range cases {
		fmt.Fprintf(&script, "%d: async () => %s,\n", i, strings.NewReplacer("FRAME", frameSays, "LED", led, "</script", `<\/script`).Replace(c.script))
	}
	script.WriteString("}")
	put("https://site.test/dir/page.html?q=1", "text/html", strings.Replace(scriptedPage, "CASES", script.String(), 1))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	base := serve(t, file)
	browser, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for _, origin := range []string{base, strings.Replace(base, "127.0.0.1", "site.localhost", 1)} {
		tab, err := browser.NewTab()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tab.Open(origin + "/site/20240102030405/https://site.test/dir/page.html?q=1"); err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			got, err := tab.Do(fmt.Sprintf(`window.cases ? Promise.race([window.cases[%d]().then(String, e => "threw " + e), new Promise(r => setTimeout(() => r("nothing came"), 30000))]) : "the page's script was not read"`, i))
			if err != nil || got != c.want {
				t.Errorf("%s: %s:\n got %s, %v\nwant %s", origin, c.name, got, err, c.want)
			}
		}
		for _, q := range tab.Asked() {
			if !strings.HasPrefix(q.URL, origin+"/") {
				t.Errorf("%s: outside the replay: %s", origin, q.URL)
			}
		}
		tab.Close()
	}
}
