//go:build conformance

package replay

import (
	"fmt"
	"net/url"
)

// platform is what lies on the site of the cases below, beside what scripted has.
var platform = map[string][2]string{
	"https://cdn.test/more.css":            {"text/css", `@import "https://cdn.test/style.css"; i { width: 1px; background: url(pic.svg) }`},
	"https://cdn.test/font.woff2":          {"font/woff2", "no font"},
	"https://cdn.test/seen.js":             {"text/javascript", `window.seenFrom = location.host`},
	"https://site.test/dir/module.js":      {"text/javascript", `import {a} from "/dir/part.js"; postMessage([a, import.meta.url, location.pathname, (await (await fetch("/data.json")).json()).from].join(" "))`},
	"https://site.test/dir/part.js":        {"text/javascript", `export const a = "part"; export const where = new URL("rel.json", import.meta.url).href`},
	"https://site.test/dir/shared.js":      {"text/javascript", `onconnect = e => fetch("rel.json").then(r => r.json()).then(d => e.ports[0].postMessage(d.from + " " + self.location.pathname + " " + self.name))`},
	"https://site.test/dir/nested.js":      {"text/javascript", `let w = new Worker("../worker.js"); w.onmessage = e => postMessage("nested " + e.data); w.onerror = e => postMessage("error " + e.message)`},
	"https://site.test/dir/late.js":        {"text/javascript", `import("./part.js").then(m => postMessage(m.where), e => postMessage("" + e))`},
	"https://site.test/dir/drawing.svg":    {"image/svg+xml", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="/pic.svg"/><script><![CDATA[ parent.postMessage("svg " + location.href + " " + document.URL + " " + (top === parent) + " " + new Date().getUTCFullYear(), "*") ]]></script></svg>`},
	"https://site.test/dir/page.xhtml":     {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><script>parent.postMessage("xhtml " + location.pathname + " " + document.createElement("p").localName, "*")</script></body></html>`},
	"https://site.test/go.html":            {"text/html", `<script>let way = new URLSearchParams(location.search).get("way"); if (way) addEventListener("load", () => setTimeout(new Function(way)))</script><form id=f action="/arrived.html"><input name=q value=1></form><a id=a href="arrived.html?a">x</a><a id=j href="javascript:void(location='/arrived.html?j')">x</a>`},
	"https://site.test/arrived.html":       {"text/html", `<script>parent.postMessage("arrived " + location.pathname + location.search + location.hash, "*")</script>`},
	"https://site.test/arrived.html?a":     {"text/html", `<script>parent.postMessage("arrived " + location.pathname + location.search + location.hash, "*")</script>`},
	"https://site.test/arrived.html?j":     {"text/html", `<script>parent.postMessage("arrived " + location.pathname + location.search + location.hash, "*")</script>`},
	"https://site.test/arrived.html?q=1":   {"text/html", `<script>parent.postMessage("arrived " + location.pathname + location.search + location.hash, "*")</script>`},
	"https://site.test/headers.json":       {"application/json\r\nX-Total-Count: 7\r\nLink: </headers.json?page=2>; rel=\"next\"\r\nSet-Cookie: fetched=1", `[]`},
	"https://site.test/based/page.html":    {"text/html", `<base href="https://cdn.test/deep/"><script>parent.postMessage([document.baseURI, location.href, new URL("x", document.baseURI), Object.assign(document.createElement("a"), {href: "y"}).href, document.querySelector("base").getAttribute("href")].join(" "), "*")</script>`},
	"https://site.test/strict/page.html":   {"text/html", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; require-trusted-types-for 'script'"><script src="https://cdn.test/seen.js" integrity="sha256-AAAA" nonce=x crossorigin></script><script>parent.postMessage("from " + window.seenFrom, "*")</script>`},
	"https://site.test/cookies.html":       {"text/html\r\nSet-Cookie: plain=1; path=/\r\nSet-Cookie: hidden=1; path=/; HttpOnly\r\nSet-Cookie: elsewhere=1; domain=cdn.test\r\nSet-Cookie: gone=1; path=/; max-age=0\r\nSet-Cookie: \"odd'<>&é; path=/", `<script>parent.postMessage(document.cookie.split("; ").filter(c => !/^(a|b|c|d)=/.test(c)).join("; "), "*")</script>`},
	"https://site.test/late-cookies.html":  {"text/html", `<script>parent.postMessage(document.cookie.split("; ").filter(c => /^plain/.test(c)).join("; "), "*")</script>`},
	"https://other.test/late-cookies.html": {"text/html", `<script>parent.postMessage("other:" + document.cookie, "*")</script>`},
	"https://site.test/modified.html":      {"text/html\r\nLast-Modified: Tue, 03 Feb 2015 04:05:06 GMT", `<script>parent.postMessage(new Date(document.lastModified).toISOString(), "*")</script>`},
	"https://other.test/reader.html":       {"text/html", `<script>addEventListener("storage", e => parent.postMessage("storage " + e.key, "*")); parent.postMessage("ready", "*")</script>`},
	"https://site.test/reader.html":        {"text/html", `<script>addEventListener("storage", e => parent.postMessage("storage " + e.key + " " + e.newValue + " " + (e.storageArea === localStorage) + " " + e.url, "*")); parent.postMessage("ready", "*")</script>`},
}

// frameSays opens a frame of that address and gives what it posts.
const frameSays = `(u, wait) => new Promise(r => { let f = document.createElement("iframe"); addEventListener("message", function on(e) { if (e.source === f.contentWindow && (!wait || e.data.startsWith(wait))) { removeEventListener("message", on); setTimeout(() => f.remove()); r(e.data) } }); setTimeout(() => r("no message from " + u), 20000); f.src = u; document.body.append(f) })`

// led tells whether an attribute leads into the archive, which scripts do not see and selectors do.
const led = `(el, name) => el.matches('[' + name.replace(":", "\\:") + '*="/site/20240102030405"]')`

// platformCases are of one form with scriptCases. They cover what other players' tests ask of a replay: every way to set
// and read an address, to load, to go somewhere, and to tell where one is.
var platformCases = []scriptCase{
	{"addresses of elements, each way", `(() => {
		let bad = [], u = "https://cdn.test/a/b?c=1#d", ways = {
			property: (el, n) => el[n] = u, setAttribute: (el, n) => el.setAttribute(n, u), "setAttribute in capitals": (el, n) => el.setAttribute(n.toUpperCase(), u),
			setAttributeNS: (el, n) => el.setAttributeNS(null, n, u), setAttributeNode: (el, n) => { let a = document.createAttribute(n); a.value = u; el.setAttributeNode(a) },
			"attribute's value": (el, n) => { el.setAttribute(n, ""); el.attributes[n].value = u }, "attribute's nodeValue": (el, n) => { el.setAttribute(n, ""); el.getAttributeNode(n).nodeValue = u },
		}
		for (const [tag, names] of Object.entries({a: ["href"], area: ["href"], link: ["href"], img: ["src"], iframe: ["src"], frame: ["src"], script: ["src"], video: ["src", "poster"], audio: ["src"], source: ["src", "srcset"],
			track: ["src"], embed: ["src"], object: ["data"], base: ["href"], form: ["action"], button: ["formAction"], input: ["src", "formAction"], q: ["cite"], blockquote: ["cite"], ins: ["cite"], del: ["cite"]}))
			for (const name of names) for (const [way, set] of Object.entries(ways)) {
				let el = document.createElement(tag), low = name.toLowerCase()
				try { set(el, way === "property" ? name : low) } catch (e) { bad.push(tag + "." + name + " " + way + " threw " + e); continue }
				let got = [el[name], el.getAttribute(low), el.getAttributeNS(null, low), el.attributes[low].value, el.getAttributeNode(low).nodeValue, el.getAttributeNode(low).textContent]
				if (got.some(v => v !== u)) bad.push(tag + "." + name + " by " + way + " reads " + got.find(v => v !== u))
				if (!el.outerHTML.includes('"' + u + '"')) bad.push(tag + "." + name + " by " + way + " is written " + el.outerHTML)
				if (!new XMLSerializer().serializeToString(el).includes('"' + u + '"')) bad.push(tag + "." + name + " by " + way + " is serialised " + new XMLSerializer().serializeToString(el))
				if (!(LED)(el, low)) bad.push(tag + "." + name + " by " + way + " is not led")
			}
		return bad.join("\n")
	})()`, ""},
	{"addresses of drawn elements", `(() => {
		let bad = [], x = "http://www.w3.org/1999/xlink", svg = n => document.createElementNS("http://www.w3.org/2000/svg", n), u = "https://cdn.test/x.svg"
		for (const tag of ["image", "use", "feImage", "a", "script"]) for (const [name, set] of [["href", e => e.setAttribute("href", u)], ["xlink:href", e => e.setAttributeNS(x, "xlink:href", u)], ["xlink:href", e => e.setAttributeNS(x, "href", u)]]) {
			let el = svg(tag)
			set(el)
			let read = name === "href" ? el.getAttribute("href") : el.getAttributeNS(x, "href")
			if (read !== u) bad.push(tag + " " + name + " reads " + read)
			if (![...el.attributes].every(a => a.value === u)) bad.push(tag + " " + name + " has " + el.attributes[0].value)
			if (!el.outerHTML.includes('"' + u + '"') ) bad.push(el.outerHTML)
		}
		return bad.join("\n")
	})()`, ""},
	{"markup that scripts give", `await (async () => {
		let bad = [], at = '<img src="https://cdn.test/pic.svg" id=m>', ways = {
			innerHTML: d => d.innerHTML = at, outerHTML: d => { let i = d.appendChild(document.createElement("i")); i.outerHTML = at }, insertAdjacentHTML: d => d.insertAdjacentHTML("afterbegin", at),
			fragment: d => d.append(document.createRange().createContextualFragment(at)), parser: d => d.append(document.adoptNode(new DOMParser().parseFromString(at, "text/html").body.firstChild)),
			"other document": d => { let o = document.implementation.createHTMLDocument(""); o.body.innerHTML = at; d.append(document.importNode(o.body.firstChild, true)) },
			template: d => { let t = document.createElement("template"); t.innerHTML = at; d.append(t.content) }, setHTMLUnsafe: d => d.setHTMLUnsafe ? d.setHTMLUnsafe(at) : d.innerHTML = at,
			shadow: d => d.attachShadow({mode: "open"}).innerHTML = at, clone: d => { let o = document.createElement("p"); o.innerHTML = at; d.append(o.cloneNode(true).firstChild) },
			parseHTMLUnsafe: d => d.append(Document.parseHTMLUnsafe ? Document.parseHTMLUnsafe(at).body.firstChild : new DOMParser().parseFromString(at, "text/html").body.firstChild),
		}
		for (const [way, put] of Object.entries(ways)) {
			let d = document.createElement("div")
			document.body.append(d)
			put(d)
			let i = (d.shadowRoot || d).querySelector("img")
			for (let n = 0; n < 40 && !i.naturalWidth; n++) await new Promise(r => setTimeout(r, 25))
			if (i.naturalWidth !== 7 || i.src !== "https://cdn.test/pic.svg" || i.getAttribute("src") !== i.src || !i.outerHTML.includes('"' + i.src + '"')) bad.push(way + " " + i.naturalWidth + " " + i.outerHTML)
			d.remove()
		}
		return bad.join("\n")
	})()`, ""},
	{"styles, each way", `await (async () => {
		let bad = [], u = 'url("https://cdn.test/pic.svg")', p = document.createElement("p"), props = {background: u, backgroundImage: u, listStyleImage: u, listStyle: u, borderImageSource: u, borderImage: u + " 100%", cursor: u + ", pointer", maskImage: u, content: u, "--own": u}
		document.body.append(p)
		for (const [name, value] of Object.entries(props)) {
			let dashed = name.replace(/[A-Z]/g, c => "-" + c.toLowerCase()), ways = {
				property: () => p.style[name] = value, dashed: () => p.style[dashed] = value, setProperty: () => p.style.setProperty(dashed, value), cssText: () => p.style.cssText = dashed + ":" + value, style: () => p.style = dashed + ":" + value,
				attribute: () => p.setAttribute("style", dashed + ":" + value), map: () => p.attributeStyleMap.set(dashed, value), parsed: () => p.attributeStyleMap.set(dashed, CSSStyleValue.parse(dashed, value)),
			}
			for (const [way, set] of Object.entries(ways)) {
				if (name[0] === "-" && /^(property|dashed)$/.test(way) || /^(background|listStyle|borderImage)$/.test(name) && /^(map|parsed)$/.test(way)) continue
				p.removeAttribute("style")
				try { set() } catch (e) { bad.push(name + " " + way + " threw " + e); continue }
				await Promise.resolve()
				if (!p.matches('[style*="/site/20240102030405"]')) bad.push(name + " by " + way + " is not led: " + p.outerHTML)
				let v = p.style.getPropertyValue(dashed)
				if (!v.includes(u)) bad.push(name + " by " + way + " reads " + v)
			}
		}
		if (!getComputedStyle(p).getPropertyValue("--own").includes(u)) bad.push("computed: " + getComputedStyle(p).getPropertyValue("--own"))
		return bad.join("\n")
	})()`, ""},
	{"rules, each way", `await (async () => {
		let bad = [], rules = ['b { background: url("https://cdn.test/pic.svg") }', '@font-face { font-family: x; src: url("https://cdn.test/font.woff2") }', 'b { background: image-set("https://cdn.test/pic.svg" 1x) }', 'b { background-image: url(https://cdn.test/pic.svg) }'], ways = {
			insertRule: r => { let s = document.head.appendChild(document.createElement("style")); s.sheet.insertRule(r); return s.sheet }, text: r => { let s = document.createElement("style"); s.textContent = r; document.head.append(s); return s.sheet },
			"text node": r => { let s = document.createElement("style"); s.append(document.createTextNode(r)); document.head.append(s); return s.sheet }, markup: r => { let d = document.createElement("div"); d.innerHTML = "<style>" + r + "</style>"; document.body.append(d); return d.firstChild.sheet },
			replaceSync: r => { let s = new CSSStyleSheet(); s.replaceSync(r); document.adoptedStyleSheets.push(s); return s }, "data later": r => { let s = document.createElement("style"); s.textContent = "q{}"; document.head.append(s); s.firstChild.data = r; return s.sheet },
			appendData: r => { let s = document.createElement("style"); s.textContent = " "; document.head.append(s); s.firstChild.appendData(r); return s.sheet },
		}
		document.body.append(document.createElement("b")) // asks for what the rules say
		for (const rule of rules) for (const [way, put] of Object.entries(ways)) {
			let sheet = put(rule), node = sheet.ownerNode
			await new Promise(r => setTimeout(r))
			sheet = node ? node.sheet : sheet
			let text = [...sheet.cssRules].map(r => r.cssText).join()
			if (!text.includes('"https://cdn.test/')) bad.push(way + " of " + rule + " reads " + text)
			if (node) node.remove()
		}
		document.adoptedStyleSheets = []
		return bad.join("\n")
	})()`, ""},
	{"style sheets that import", `await new Promise(r => { let l = document.createElement("link"); l.rel = "stylesheet"; l.href = "https://cdn.test/more.css"; document.body.append(document.createElement("i")); l.onload = () => { let s = l.sheet.cssRules[0]; r([s.href, s.styleSheet.href, getComputedStyle(document.getElementById("px")).width, l.sheet.href].join(" ")) }; l.onerror = () => r("error"); document.head.append(l) })`,
		"https://cdn.test/style.css https://cdn.test/style.css 123px https://cdn.test/more.css"},
	{"@import in text", `await new Promise(r => { let s = document.createElement("style"); s.textContent = '@import url("https://cdn.test/more.css") screen;'; s.onload = () => r(s.sheet.cssRules[0].styleSheet.cssRules.length + " " + s.textContent); s.onerror = () => r("error"); document.head.append(s) })`, `2 @import url("https://cdn.test/more.css") screen;`},
	{"preloaded candidates", `(() => { let l = document.createElement("link"); l.setAttribute("imagesrcset", "https://cdn.test/pic.svg 1x, /pic.svg 2x"); return l.imageSrcset + " | " + l.getAttribute("imagesrcset") + " | " + (LED)(l, "imagesrcset") })()`, "https://cdn.test/pic.svg 1x, https://site.test/pic.svg 2x | https://cdn.test/pic.svg 1x, https://site.test/pic.svg 2x | true"},

	{"fetch, each way", `await (async () => { let all = [], j = async r => all.push((await (await r).json()).from); await j(fetch(new URL("https://cdn.test/data.json"))); await j(fetch({toString: () => "/data.json"})); await j(fetch(new Request(new Request("/data.json"), {headers: {x: 1}}))); await j(fetch("https://cdn.test/data.json", {mode: "cors", credentials: "include", integrity: "", referrer: "https://site.test/abc", cache: "no-store"})); await j(fetch("rel.json", {integrity: "sha256-AAAA"})); return all.join(" ") })()`, "cdn site site cdn rel"},
	{"requests as objects", `(() => { let a = new Request("/test", {referrer: "/abc"}), b = new Request(a, {headers: {x: 1}}); return [a.url, a.referrer, b.url, b.referrer, new Request("x").referrer, a.clone().url].join(" ") })()`, "https://site.test/test https://site.test/abc https://site.test/test about:client about:client https://site.test/test"},
	{"headers of answers", `await (async () => { let a = await fetch("/headers.json"), x = new XMLHttpRequest(); x.open("GET", "/headers.json", false); x.send(); return [a.headers.get("X-Total-Count"), a.headers.has("x-total-count"), a.headers.get("link"), a.headers.get("set-cookie"), x.getResponseHeader("X-Total-Count"), /^x-total-count: 7\r$/m.test(x.getAllResponseHeaders()), /archive-orig/i.test(x.getAllResponseHeaders() + [...a.headers.keys()]), a.headers.get("content-type")].join(" | ") })()`,
		`7 | true | </headers.json?page=2>; rel="next" |  | 7 | true | false | application/json`},
	{"requests that wait", `(() => { let x = new XMLHttpRequest(); x.open("GET", "https://cdn.test/data.json", false); x.send(); return x.responseURL + " " + JSON.parse(x.responseText).from + " " + x.status })()`, "https://cdn.test/data.json cdn 200"},
	{"requests for what is not there", `await (async () => { let a = await fetch("https://cdn.test/nothing"); return a.status + " " + a.url + " " + await new Promise(r => { let x = new XMLHttpRequest(); x.open("POST", "/nothing"); x.onload = () => r(x.status); x.onerror = () => r("error"); x.send("a=1") }) })()`, "404 https://cdn.test/nothing 404"},
	{"sockets and event streams fail alone", `await new Promise(r => { let w = new WebSocket("wss://cdn.test/ws", "chat"), s = new EventSource("https://cdn.test/events"), told = []; tell = text => { told.push(text); if (told.length === 3) r(told.sort().join(", ")) }; w.onopen = () => r("open"); w.onclose = e => tell("closed " + e.wasClean + " " + w.url + " " + w.readyState); w.onerror = () => tell("socket error"); s.onerror = () => tell("stream " + s.readyState + " " + s.url + " " + s.withCredentials) })`,
		"closed false wss://cdn.test/ws 3, socket error, stream 2 https://cdn.test/events false"},
	{"beacons of every kind", `[navigator.sendBeacon(new URL("https://cdn.test/b")), navigator.sendBeacon("/b", new Blob(["x"])), navigator.sendBeacon("b", new FormData())].join()`, "true,true,true"},

	{"workers that are modules", `await new Promise(r => { let w = new Worker(new URL("module.js", document.baseURI), {type: "module"}); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "part https://site.test/dir/module.js /dir/module.js site"},
	{"workers of blobs that are modules", `await new Promise(r => { let u = URL.createObjectURL(new Blob(["import {a} from 'https://site.test/dir/part.js'; fetch('https://cdn.test/data.json').then(r => r.json()).then(d => postMessage(a + d.from))"], {type: "text/javascript"})); let w = new Worker(u, {type: "module"}); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "partcdn"},
	{"workers of data", `await new Promise(r => { let w = new Worker("data:text/javascript," + encodeURIComponent("fetch('https://cdn.test/data.json').then(r => r.json()).then(d => postMessage(d.from), e => postMessage('' + e))")); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "cdn"},
	{"shared workers", `await new Promise(r => { let w = new SharedWorker("shared.js", "n"); w.port.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "rel /dir/shared.js n"},
	{"shared workers of blobs", `await new Promise(r => { let u = URL.createObjectURL(new Blob(["onconnect = e => fetch('https://cdn.test/data.json').then(r => r.json()).then(d => e.ports[0].postMessage(d.from))"])); let w = new SharedWorker(u); w.port.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "cdn"},
	{"workers of workers", `await new Promise(r => { let w = new Worker("nested.js"); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "nested site https://site.test/worker.js 2024"},
	{"workers that import later", `await new Promise(r => { let w = new Worker("late.js"); w.onmessage = e => r(e.data); w.onerror = e => r("error " + e.message) })`, "https://site.test/dir/rel.json"},
	{"modules of blobs", `await import(URL.createObjectURL(new Blob(["import {a} from 'https://site.test/dir/part.js'; export default a + location.host"], {type: "text/javascript"}))).then(m => m.default)`, "partsite.test"},
	{"import() made of text", `await Promise.all([new Function("return import('https://cdn.test/mod.js')")(), eval("import('/dir/part.js')"), eval("import('mapped')")]).then(m => m[0].default + m[1].a + m[2].where)`, "dep https://cdn.test/mod.jspartsite.test"},
	{"addresses beside a module", `await import("/dir/part.js").then(m => m.where)`, "https://site.test/dir/rel.json"},
	{"modules of markup", `await new Promise(r => { window.said = r; let s = document.createElement("script"); s.type = "module"; s.textContent = 'import {where} from "./part.js"; import x from "mapped"; said(where + " " + x + " " + location.host)'; s.onerror = () => r("error"); document.head.append(s) })`, "https://site.test/dir/rel.json dep https://cdn.test/mod.js site.test"},

	{"where a script is", `[origin, self.origin, window.origin, location.ancestorOrigins.length, document.location === location, document.defaultView.location === location, location.valueOf() === location, Object.prototype.toString.call(location), document.domain].join(" ")`, "https://site.test https://site.test https://site.test 0 true true true [object Location] site.test"},
	{"a window taken apart", `(() => { const {location} = window, {location: l, document: {location: d}} = self; let {top = 1, parent} = window; return [location.host, l.host, d.host, top === parent].join(" ") })()`, "site.test site.test site.test true"},
	{"an object taken apart", `(() => { const {location, ...rest} = {location: 1, top: 2}, {location: l = 4} = Object.create(null); return location + JSON.stringify(rest) + l })()`, `1{"top":2}4`},
	{"addresses of resources in the timeline", `await (async () => { await (await fetch("https://cdn.test/data.json?timed")).text(); for (let n = 0; n < 80 && !performance.getEntriesByName("https://cdn.test/data.json?timed").length; n++) await new Promise(r => setTimeout(r, 25)); let e = performance.getEntriesByType("resource").filter(e => /timed/.test(e.name)); return e.length + " " + e[0].name + " " + performance.getEntriesByName("https://cdn.test/data.json?timed").length + " " + e[0].toJSON().name })()`, "1 https://cdn.test/data.json?timed 1 https://cdn.test/data.json?timed"},
	{"clocks agree", `[Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000, Math.abs(performance.timing.navigationStart - Date.now()) < 600000, new Date(performance.timeOrigin).getUTCFullYear()].join(" ")`, "true true 2024"},
	{"dates told by Intl", `[new Intl.DateTimeFormat("en", {year: "numeric", timeZone: "UTC"}).format(), new Intl.DateTimeFormat("en", {year: "numeric"}).formatToParts()[0].value, new Intl.DateTimeFormat("en", {year: "numeric", timeZone: "UTC"}).format(0), new Date(2001, 1).toLocaleString("en", {year: "numeric"})].join(" ")`, "2024 2024 1970 2001"},
	{"when a page was changed", `await (FRAME)("/modified.html")`, "2015-02-03T04:05:06.000Z"},

	{"drawings with scripts", `await (FRAME)("/dir/drawing.svg")`, "svg https://site.test/dir/drawing.svg https://site.test/dir/drawing.svg true 2024"},
	{"drawings as objects", `await new Promise(r => { let o = document.createElement("object"); o.type = "image/svg+xml"; addEventListener("message", function on(e) { if (/^svg/.test(e.data)) { removeEventListener("message", on); r(e.data) } }); o.data = "drawing.svg"; document.body.append(o); setTimeout(() => r("nothing"), 20000) })`, "svg https://site.test/dir/drawing.svg https://site.test/dir/drawing.svg true 2024"},
	{"pages that are XML", `await (FRAME)("page.xhtml")`, "xhtml /dir/page.xhtml p"},
	{"base", `await (FRAME)("/based/page.html")`, "https://cdn.test/deep/ https://site.test/based/page.html https://cdn.test/deep/x https://cdn.test/deep/y https://cdn.test/deep/"},
	{"pages' own policies", `await (FRAME)("/strict/page.html")`, "from site.test"},
	{"trusted types", `(() => { if (!window.trustedTypes) return "https://cdn.test/x|https://cdn.test/y.js"; let p = trustedTypes.createPolicy("p" + Math.random(), {createHTML: s => s, createScriptURL: s => s, createScript: s => s}), d = document.createElement("div"); d.innerHTML = p.createHTML('<a href="https://cdn.test/x">'); let s = document.createElement("script"); s.src = p.createScriptURL("https://cdn.test/y.js"); return d.firstChild.href + "|" + s.src })()`, "https://cdn.test/x|https://cdn.test/y.js"},
	{"media sources", `(() => { let v = document.createElement("video"); v.src = URL.createObjectURL(new MediaSource()); return v.src.slice(0, 5) + v.getAttribute("src").slice(0, 5) })()`, "blob:blob:"},

	{"cookies of answers", `await (FRAME)("/cookies.html")`, `plain=1; "odd'<>&é`},
	{"cookies of answers stay", `await (FRAME)("/cookies.html").then(() => (FRAME)("/late-cookies.html"))`, "plain=1"},
	{"cookies of answers stay with their site", `await (FRAME)("/cookies.html").then(() => (FRAME)("https://other.test/late-cookies.html")).then(s => (document.cookie = "plain=; path=/; max-age=0", document.cookie = "x; path=/; max-age=0", s))`, "other:"},
	{"storage has a prototype", `[localStorage.toString(), Object.getPrototypeOf(localStorage) === Storage.prototype, localStorage.valueOf() === localStorage, (localStorage.clear(), localStorage.setItem("a", 1), Object.getOwnPropertyNames(localStorage)), localStorage.getItem("none"), localStorage.none, localStorage.key(9), localStorage.clear()].join(" ")`, "[object Storage] true true a    "},
	{"storage tells other windows", `await new Promise(r => { let f = document.createElement("iframe"); addEventListener("message", function on(e) { if (e.source !== f.contentWindow) return; if (e.data === "ready") { localStorage.setItem("told", "1") } else if (/^storage told/.test(e.data)) { removeEventListener("message", on); f.remove(); localStorage.clear(); r(e.data) } }); f.src = "/reader.html"; document.body.append(f); setTimeout(() => r("nothing"), 20000) })`, "storage told 1 true https://site.test/dir/page.html?q=1"},
	{"storage tells no other site", `await new Promise(r => { let f = document.createElement("iframe"), got = []; addEventListener("message", function on(e) { if (e.source !== f.contentWindow) return; if (e.data === "ready") { localStorage.setItem("told", "2"); setTimeout(() => { removeEventListener("message", on); f.remove(); localStorage.clear(); r(got.join() || "nothing") }, 300) } else got.push(e.data) }); f.src = "https://other.test/reader.html"; document.body.append(f) })`, "nothing"},

	{"windows that are opened", `await new Promise(r => { let w = open("/next.html"); if (!w) return r("next null"); let n = 0, t = setInterval(() => { if (w.document.title || n++ > 80) { clearInterval(t); let s = w.document.title + " " + (w.opener === window) + " " + w.location.href; w.close(); r(s) } }, 25) })`, "next true https://site.test/next.html"},
	{"messages of sandboxed frames", `await new Promise(r => { let f = document.createElement("iframe"); f.sandbox = "allow-scripts"; f.srcdoc = "<script>onmessage = e => e.source.postMessage(e.data + ' ' + (e.source === parent), '*'); parent.postMessage('ready ' + location.href + ' ' + (top === parent) + ' ' + (parent === self), '*')</" + "script>"; addEventListener("message", function on(e) { if (e.source !== f.contentWindow) return; if (/^ready/.test(e.data)) { window.ready = e.data; f.contentWindow.postMessage("ping", "*") } else { removeEventListener("message", on); f.remove(); r(ready + " " + e.data + " " + e.origin) } }); document.body.append(f) })`, "ready about:srcdoc true false ping true null"},
	{"frames by name", `await (async () => { let f = document.createElement("iframe"); f.name = "named"; let l = new Promise(r => f.onload = r); f.src = "/next.html"; document.body.append(f); await l; let s = [frames.named.location.href, window["named"].parent === window, f.contentDocument.URL, f.contentDocument.referrer, f.contentWindow.frameElement === f].join(" "); f.remove(); return s })()`, "https://site.test/next.html true https://site.test/next.html https://site.test/dir/page.html?q=1 true"},
	{"history, each way", `(() => { let h = location.href, all = []; history.replaceState(1, "", "?w"); all.push(location.href); history.pushState(2, "", "#x"); all.push(location.href); history.pushState(3, "", new URL("https://site.test/y")); all.push(document.URL); history.pushState(4, ""); all.push(location.href); history.replaceState(null, "", h); return all.join(" ") + " " + (location.href === h) })()`, "https://site.test/dir/page.html?w https://site.test/dir/page.html?w#x https://site.test/y https://site.test/y true"},
}

// waysToGo are scripts that lead a frame to /arrived.html, with what its address has besides.
var waysToGo = [][2]string{
	{`location = '/arrived.html'`, ""},
	{`location.href = 'arrived.html'`, ""},
	{`window.location.assign('/arrived.html')`, ""},
	{`self.location.replace(new URL('/arrived.html', location))`, ""},
	{`document.location = 'https://site.test/arrived.html'`, ""},
	{`this.location = '/arrived.html'`, ""},
	{`parent.frames[parent.frames.length-1].location = '/arrived.html'`, ""},
	{`open('/arrived.html', '_self')`, ""},
	{`document.forms.f.submit()`, "?q=1"},
	{`document.forms.f.requestSubmit()`, "?q=1"},
	{`document.getElementById('a').click()`, "?a"},
	{`document.getElementById('j').click()`, "?j"},
	{`location = 'javascript:void(location.href="/arrived.html?j")'`, "?j"},
	{`let m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0;url=/arrived.html'; document.head.append(m)`, ""},
	{`document.write('<meta http-equiv=refresh content="0;/arrived.html">'); document.close()`, ""},
	{`let {location: l} = window; l.href = '/arrived.html'`, ""},
	{`eval('location.href = "/arrived.html"')`, ""},
	{`setTimeout('location.href = "/arrived.html"', 1)`, ""},
	{`let f = document.forms.f.cloneNode(true); f.action = 'https://site.test/arrived.html?x#y'; document.body.append(f); f.submit()`, "?q=1#y"},
	{`window.navigation ? navigation.navigate('/arrived.html') : location = '/arrived.html'`, ""},
	{`let a = document.createElement('a'); a.href = 'arrived.html'; a.dispatchEvent(new MouseEvent('click'))`, ""},
}

// goingCases are waysToGo as cases.
func goingCases() []scriptCase {
	var all []scriptCase
	for _, way := range waysToGo {
		all = append(all, scriptCase{"goes by " + way[0], fmt.Sprintf(`await (FRAME)(%q, "arrived")`, "/go.html?way="+url.QueryEscape(way[0])), "arrived /arrived.html" + way[1]})
	}
	return all
}
