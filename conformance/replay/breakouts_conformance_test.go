//go:build conformance

package replay

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// tries is what a page does with a window that may have no page script: it lets WebRTC ask a server, keeps a cookie, opens a
// connection and a page. each does so with every frame that there is.
const tries = `<!doctype html><title>x</title><body><script>
function out(w) {
	try { if (w.document.tried) return; w.document.tried = true } catch (e) {}
	try { let c = new w.RTCPeerConnection({iceServers: [{urls: "stun:UDP"}]}); c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o)) } catch (e) {}
	try { w.document.cookie = "WAY=1; path=/; max-age=999" } catch (e) {}
	try { let l = w.document.createElement("link"); l.rel = "preconnect"; l.href = "OUT/"; (w.document.head || w.document.documentElement).append(l) } catch (e) {}
	try { new w.WebTransport("OUT/".replace("http:", "https:")) } catch (e) {}
	try { w.cookieStore.set("WAY", "1").catch(() => 0) } catch (e) {}
	try { new w.Image().src = "OUT/image"; w.fetch("OUT/fetch", {mode: "no-cors"}).catch(() => 0) } catch (e) {}
}
// every way in for what no policy forbids, and for a window; whatever the page has changed before.
function all() {
	const mark = '<link rel=preconnect href="OUT/"><link rel=dns-prefetch href="OUT/">', d = document.createElement("div"), f = document.createElement("iframe")
	for (const way of [
		() => document.body.appendChild(f), () => each(), () => out(f.contentWindow), () => out(window), () => document.body.appendChild(d), () => { d.innerHTML = mark }, () => { d.innerHTML = "<iframe></iframe>" }, () => each(),
		() => document.body.insertAdjacentHTML("beforeend", mark), () => { const l = document.createElement("link"); l.setAttribute("rel", "preconnect"); l.setAttribute("href", "OUT/"); document.head.appendChild(l) },
		() => { const t = document.createElement("template"); t.innerHTML = mark; document.body.appendChild(t.content.cloneNode(true)) }, () => document.write(mark + "<iframe></iframe>"), () => each(),
	]) try { way() } catch (e) {}
	setTimeout(each, 50)
}
function each(w = window) { for (let i = 0; i < w.length; i++) { out(w[i]); try { each(w[i]) } catch (e) {} } }
</script>`

// breakouts are more ways out, each as an archived page that begins with tries.
var breakouts = []struct{ name, page string }{
	{"object of nothing", `<object id=o data="about:blank"></object><script>o.offsetWidth; each(); out(o.contentWindow)</script>`},
	{"object of nothing by script", `<script>let o = document.createElement("object"); o.data = "about:blank"; document.body.append(o); o.offsetWidth; each(); out(o.contentDocument?.defaultView)</script>`},
	{"object without data", `<object id=o type="text/html"></object><script>o.offsetWidth; each(); setTimeout(each, 100)</script>`},
	{"object of a fragment", `<object id=o data="#x" type="text/html"></object><script>o.offsetWidth; each(); setTimeout(each, 50)</script>`},
	{"object shown later", `<object id=o data="about:blank" style="display:none"></object><script>setTimeout(() => { o.style.display = "block"; o.offsetWidth; each() }, 100)</script>`},
	{"object whose data changes", `<object id=o data="x.png"></object><script>o.setAttributeNS(null, "data", "about:blank"); o.offsetWidth; each(); setTimeout(each, 50)</script>`},
	{"object's data as an attribute's node", `<object id=o></object><script>let a = document.createAttribute("data"); a.value = "about:blank"; o.attributes.setNamedItem(a); o.offsetWidth; each(); setTimeout(each, 50)</script>`},
	{"object of a page before it has come", `<object id=o data="parts/slow.html"></object><script>o.offsetWidth; each(); out(o.contentWindow)</script>`},
	{"object of a page, without layout", `<script>let o = document.createElement("object"); o.data = "parts/slow.html"; document.body.append(o); out(o.contentDocument?.defaultView); out(o.getSVGDocument()?.defaultView); each()</script>`},
	{"object of a page shown later", `<object id=o data="parts/slow.html" style="display:none"></object><script>setTimeout(() => { o.style.display = "block"; o.offsetWidth; each() }, 100)</script>`},
	{"object of a page by markup", `<div id=d></div><script>d.innerHTML = '<object data="parts/slow.html"></object>'; d.offsetWidth; each()</script>`},
	{"object in a shadow tree", `<div id=d></div><script>let s = d.attachShadow({mode: "open"}); s.innerHTML = '<object data="parts/slow.html"></object>'; d.offsetWidth; out(s.firstChild.contentWindow)</script>`},
	{"embed of nothing", `<embed id=o src="about:blank"><script>o.offsetWidth; each(); out(o.getSVGDocument()?.defaultView)</script>`},
	{"embed without source", `<embed id=o type="text/html"><script>o.offsetWidth; each(); setTimeout(each, 50)</script>`},
	{"embed of a page before it has come", `<embed id=o src="parts/slow.html"><script>o.offsetWidth; each()</script>`},
	{"embed by markup", `<div id=d></div><script>d.insertAdjacentHTML("beforeend", '<embed src="about:blank" type="text/html">'); d.offsetWidth; each()</script>`},
	{"custom element beside a frame", `<div id=d></div><script>customElements.define("x-y", class extends HTMLElement { connectedCallback() { each() } }); d.innerHTML = "<iframe></iframe><x-y></x-y>"</script>`},
	{"custom element in a fragment", `<template id=m><iframe></iframe><x-y></x-y></template><script>customElements.define("x-y", class extends HTMLElement { connectedCallback() { each() } }); document.body.append(document.importNode(m.content, true))</script>`},
	{"custom element before super", `<div id=d></div><script>customElements.define("x-y", class extends HTMLElement { constructor() { each(); super() } }); d.innerHTML = "<iframe></iframe><x-y></x-y>"</script>`},
	{"custom element by its attribute", `<div id=d></div><script>customElements.define("x-y", class extends HTMLElement { static observedAttributes = ["a"]; attributeChangedCallback() { each() } }); let t = document.createElement("template"); t.innerHTML = "<iframe></iframe><x-y a=1></x-y>"; d.append(t.content.cloneNode(true))</script>`},
	{"custom element that leaves", `<div id=d><x-y></x-y></div><script>customElements.define("x-y", class extends HTMLElement { disconnectedCallback() { each() } }); d.replaceChildren(document.createElement("iframe"))</script>`},
	{"custom element in a frame", `<script>customElements.define("x-y", class extends HTMLElement { connectedCallback() { each() } }); let f = document.createElement("iframe"); f.append(document.createElement("x-y")); document.body.append(f)</script>`},
	{"custom element that is a frame", `<script>customElements.define("x-f", class extends HTMLIFrameElement { connectedCallback() { each(); out(this.contentWindow) } }, {extends: "iframe"}); document.body.append(document.createElement("iframe", {is: "x-f"}))</script><iframe is=x-f></iframe>`},
	{"custom element that the parser makes", `<script>customElements.define("x-y", class extends HTMLElement { constructor() { super(); each() } connectedCallback() { each() } })</script><iframe></iframe><x-y></x-y>`},
	{"custom element defined later", `<script>let d = document.createElement("div"); d.innerHTML = "<x-y></x-y>"; customElements.define("x-y", class extends HTMLElement { connectedCallback() { let r = document.createRange(); r.selectNodeContents(document.body); r.insertNode(document.createElement("iframe")); each() } }); document.body.append(d)</script>`},
	{"custom element by another window's registry", `<iframe id=f></iframe><div id=d></div><script>let w = f.contentWindow; w.customElements.define("x-y", class extends w.HTMLElement { connectedCallback() { each(w); each() } }); w.document.body.innerHTML = "<iframe></iframe><x-y></x-y>"</script>`},
	{"frame's load in markup", `<iframe onload="each(); out(this.contentWindow)"></iframe>`},
	{"frame's load in written markup", `<script>document.write('<iframe onload="each()"></iframe>')</script>`},
	{"frame's load by script", `<script>let f = document.createElement("iframe"); f.onload = () => each(); document.body.append(f)</script>`},
	{"load of a frame in a shadow tree", `<div id=d></div><script>let s = d.attachShadow({mode: "closed"}); s.innerHTML = '<iframe onload="out(this.contentWindow)"></iframe>'</script>`},
	{"declarative shadow tree", `<div><template shadowrootmode=open><iframe onload="out(this.contentWindow)"></iframe></template></div><script>out(document.querySelector("div").shadowRoot.querySelector("iframe").contentWindow)</script>`},
	{"frame emptied again", `<iframe id=f src="parts/slow.html"></iframe><script>f.onload = () => { f.onload = null; f.src = "about:blank"; (async () => { for (let i = 0; i < 200; i++) { each(); await new Promise(r => { let c = new MessageChannel(); c.port1.onmessage = r; c.port2.postMessage(0) }) } })() }</script>`},
	{"frame emptied by its location", `<iframe id=f src="parts/slow.html"></iframe><script>let n = 0; f.onload = () => { f.onload = null; f.contentWindow.location.replace("about:blank"); let i = setInterval(() => { each(); if (n++ > 100) clearInterval(i) }, 1) }</script>`},
	{"frame of the page itself", `<iframe src="#x"></iframe><iframe src=""></iframe><script>let n = 0, i = setInterval(() => { each(); if (n++ > 50) clearInterval(i) }, 4)</script>`},
	{"frame watched while it comes", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 300; i++) { each(); await new Promise(r => { let c = new MessageChannel(); c.port1.onmessage = r; c.port2.postMessage(0) }) } })(); let n = 0, i = setInterval(() => { each(); if (n++ > 50) clearInterval(i) }, 4)</script>`},
	{"frame emptied by a link", `<iframe name=f src="parts/slow.html" onload="this.onload = null; document.getElementById('a').click(); (async () => { for (let i = 0; i < 100; i++) { each(); await new Promise(r => { let c = new MessageChannel(); c.port1.onmessage = r; c.port2.postMessage(0) }) } })()"></iframe><a id=a target=f href="about:blank">x</a>`},
	{"script beside a frame", `<script>let d = document.createElement("div"); d.append(document.createElement("iframe"), Object.assign(document.createElement("script"), {text: "each()"})); document.body.append(d)</script>`},
	{"script written beside a frame", `<script>document.write('<iframe></iframe><script>each()</' + 'script>')</script>`},
	{"frame opened anew", `<iframe id=f></iframe><script>let d = f.contentDocument; d.open(); d.write("<p>x"); d.close(); each(); out(d.defaultView)</script>`},
	{"frame of script", `<iframe src="javascript:parent.out(self)"></iframe>`},
	{"frame of script that answers", `<iframe src="javascript:'<script>parent.out(self)</script>'"></iframe>`},
	{"page of script that answers", `<a id=a href="javascript:'<script>self.opener; document.cookie = \'WAY=1; path=/; max-age=9\'; new RTCPeerConnection({iceServers: [{urls: \'stun:UDP\'}]}).createOffer({offerToReceiveAudio: true})</script>'">x</a>`},
	{"frame's location is script", `<iframe id=f></iframe><script>f.contentWindow["loc" + "ation"] = "javascript:parent.out(self)"; setTimeout(each, 50)</script>`},
	{"link of script in a new window", `<a id=a target=elsewhere href="javascript:opener.out(self)">x</a>`},
	{"window with a name", `<a id=a target=named href="about:blank">x</a><script>a.click(); setTimeout(() => out(open("", "named")), 100)</script>`},
	{"window for a form", `<form id=f target=named action="about:blank"></form><script>f.submit(); setTimeout(() => out(open("", "named")), 100)</script>`},
	{"window opened and emptied", `<script>let w = open("parts/slow.html"), n = 0; if (w) { let i = setInterval(() => { out(w); if (n++ > 50) clearInterval(i) }, 5); w.location = "about:blank" }</script>`},
	{"frame set", `<script>document.documentElement.innerHTML = "<head></head><frameset cols=50%,50%><frame><frame src='about:blank'></frameset>"; each()</script>`},
	{"frame in a frame", `<iframe id=f></iframe><script>let w = f.contentWindow; w.document.body.innerHTML = "<iframe></iframe>"; each()</script>`},
	{"frame in a frame by its own methods", `<iframe id=f></iframe><script>let w = frames[0]; let g = w.document.createElement("iframe"); w.Element.prototype.append.call(document.body, g); each()</script>`},
	{"frame from another document", `<script>let d = new DOMParser().parseFromString("<iframe></iframe>", "text/html"); document.body.append(document.adoptNode(d.querySelector("iframe"))); each()</script>`},
	{"frame of a transformation", `<script>let p = new XSLTProcessor(); p.importStylesheet(new DOMParser().parseFromString('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><iframe></iframe></xsl:template></xsl:stylesheet>', "text/xml")); document.body.append(p.transformToFragment(document, document)); each()</script>`},
	{"frame in a drawing", `<svg id=s></svg><script>s.innerHTML = '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml"></iframe></foreignObject>'; each()</script>`},
	{"frame moved", `<div id=d></div><script>let f = document.createElement("iframe"); document.head.append(f); d.moveBefore ? d.moveBefore(f, null) : d.append(f); each()</script>`},
	{"frame by setHTMLUnsafe", `<div id=d></div><script>d.setHTMLUnsafe("<div><template shadowrootmode=open><iframe></iframe></template></div><iframe></iframe>"); each(); out(d.firstChild.shadowRoot.firstChild.contentWindow)</script>`},
	{"frame by an undone deletion", `<div id=d contenteditable><iframe></iframe></div><script>d.focus(); getSelection().selectAllChildren(d); document.execCommand("delete"); document.execCommand("undo"); each()</script>`},
	{"sandboxed frame of the same origin", `<iframe sandbox="allow-scripts allow-same-origin" srcdoc="<script>parent.out(self)</script>"></iframe><iframe sandbox="allow-same-origin" id=f></iframe><script>each()</script>`},
	{"frame with a policy of its own", `<iframe credentialless id=f></iframe><iframe csp="script-src 'none'" srcdoc="<p>"></iframe><script>setTimeout(each, 100)</script>`},
	{"methods of arrays replaced", `<script>Array.prototype.forEach = Array.prototype.map = Array.prototype.filter = function () { return [] }; let f = document.createElement("iframe"); document.body.append(f); each(); out(f.contentWindow)</script>`},
	{"methods of objects replaced", `<script>Object.defineProperty = Object.getOwnPropertyDescriptor = Object.getOwnPropertyNames = Reflect.apply = () => undefined; let f = document.createElement("iframe"); document.body.append(f); each()</script>`},
	{"methods of calls replaced", `<script>Function.prototype.call = Function.prototype.apply = function () {}; let f = document.createElement("iframe"); try { document.body.append(f) } catch (e) { document.body.appendChild(f) } each()</script>`},
	{"regular expressions replaced", `<script>RegExp.prototype.test = () => true; RegExp.prototype.exec = () => null; String.prototype.replace = function () { return String(this) }; out(window); document.body.append(document.createElement("iframe")); each()</script>`},
	{"selectors replaced", `<div id=d></div><script>Element.prototype.querySelectorAll = Document.prototype.querySelectorAll = DocumentFragment.prototype.querySelectorAll = () => []; d.innerHTML = "<p><iframe></iframe></p>"; each()</script>`},
	{"accessors taken away", `<script>delete Document.prototype.cookie; delete HTMLLinkElement.prototype.href; delete Element.prototype.setAttribute; delete window.open; delete window.fetch; out(window)</script>`},
	{"the page script's own names", `<iframe id=f></iframe><script>try { delete window.kavosh$self } catch (e) {} let k = Object.getOwnPropertyNames(window).filter(n => n.startsWith("kavosh$")); for (let n of k) try { window[n] = null; delete window[n] } catch (e) {} document.body.append(document.createElement("iframe")); each()</script>`},
	{"a frame that says it has the page script", `<script>Object.defineProperty(Object.prototype, "kavosh$self", {value: 1, configurable: true}); document.body.append(document.createElement("iframe")); delete Object.prototype.kavosh$self; each()</script>`},
	{"preconnect from another document", `<iframe id=f></iframe><script>let d = new DOMParser().parseFromString('<link rel=preconnect href="OUT/"><link rel=dns-prefetch href="OUT/">', "text/html"); frames[0].Node.prototype.appendChild.call(document.head, document.adoptNode(d.head))</script>`},
	{"preconnect by a fragment", `<script>document.head.append(document.createRange().createContextualFragment('<link rel=preconnect crossorigin href="OUT/">'))</script>`},
	{"preconnect in a drawing", `<svg><foreignObject><link xmlns="http://www.w3.org/1999/xhtml" rel=preconnect href="OUT/"></foreignObject></svg>`},
	{"preconnect in a shadow tree", `<div><template shadowrootmode=open><link rel=preconnect href="OUT/"></template></div>`},
	{"preconnect whose kind changes", `<link id=l rel=author href="OUT/"><script>l.relList.add("preconnect"); l.relList.value = "preconnect"; l.setAttribute("rel", "dns-prefetch preconnect")</script>`},
	{"preconnect as an attribute's node", `<link id=l rel=preconnect><script>let a = document.createAttribute("href"); l.setAttributeNode(a); a.nodeValue = "OUT/"; a.textContent = "OUT/"</script>`},
	{"preconnect by cloned markup", `<template id=m><link rel=preconnect href="OUT/"></template><script>document.head.append(m.content.cloneNode(true))</script>`},
	{"style sheet with a base of its own", `<script>let s = new CSSStyleSheet({baseURL: "OUT/"}); s.replaceSync("body { background: url(a.png); cursor: url(b.cur), auto }"); document.adoptedStyleSheets = [s]</script>`},
	{"rules for speculation by script", `<script>let s = document.createElement("script"); s.type = "speculationrules"; s.textContent = '{"prefetch": [{"source": "list", "urls": ["OUT/a"], "eagerness": "immediate"}], "prerender": [{"urls": ["OUT/b"]}]}'; document.head.append(s)</script>`},
	{"fenced frame", `<script>let f = document.createElement("fencedframe"); try { f.config = new FencedFrameConfig("OUT/a") } catch (e) { f.src = "OUT/a" } document.body.append(f); let p = document.createElement("portal"); p.src = "OUT/b"; document.body.append(p)</script>`},
	{"navigation API", `<script>navigation.navigate("OUT/a").finished.catch(() => 0)</script>`},
	{"navigation API of a frame", `<iframe id=f></iframe><script>f.contentWindow.navigation.navigate("OUT/a"); f.contentWindow.top.navigation.navigate("OUT/b")</script>`},
	{"location's setter itself", `<script>Reflect.getOwnPropertyDescriptor(window, "loc" + "ation").set.call(window, "OUT/a")</script>`},
	{"location by Reflect", `<script>Reflect.set(window, "loc" + "ation", "OUT/a"); Reflect.set(document, "loc" + "ation", "OUT/b")</script>`},
	{"location's methods by other names", `<script>window["loc" + "ation"]["ass" + "ign"]("OUT/a")</script>`},
	{"location of the opener's opener", `<script>let w = open("about:blank"); if (w) w.eval("parent['opener']['document']['loc' + 'ation'] = 'OUT/a'")</script>`},
	{"window.open of itself", `<script>open("OUT/a", "_self"); open("OUT/b", "_top")</script>`},
	{"window.open without this", `<script>(0, Window.prototype.open || open)("OUT/a", "_blank", "noopener"); globalThis["op" + "en"]("OUT/b")</script>`},
	{"download", `<a download href="OUT/a">x</a><script>let a = document.createElement("a"); a.download = "x"; a.setAttribute("href", "OUT/b"); document.body.append(a); a.click()</script>`},
	{"form of another document", `<script>let d = new DOMParser().parseFromString('<form method=post action="OUT/a"><button>x</button></form>', "text/html"); document.body.append(document.adoptNode(d.querySelector("form"))); document.querySelector("form").submit()</script>`},
	{"form by its button's node", `<form id=f method=post><button id=b>x</button></form><script>let a = document.createAttribute("formaction"); a.value = "OUT/a"; b.setAttributeNode(a); f.requestSubmit(b)</script>`},
	{"refresh in a frame", `<iframe id=f></iframe><script>f.contentDocument.head.innerHTML = '<meta http-equiv=refresh content="0;url=OUT/a">'</script>`},
	{"refresh by written markup", `<script>document.write('<meta http-equiv="refresh" content="0; URL=OUT/a">')</script>`},
	{"base in a frame", `<iframe id=f></iframe><script>f.contentDocument.head.innerHTML = '<base href="OUT/">'; f.contentDocument.body.innerHTML = '<img src=a><a id=a href=b>x</a>'; f.contentDocument.getElementById("a").click()</script>`},
	{"MathML", `<math href="OUT/a"><mi href="OUT/b">x</mi></math><script>document.querySelector("math").dispatchEvent(new MouseEvent("click", {bubbles: true}))</script>`},
	{"media by script", `<video id=v controls></video><script>v.innerHTML = '<source src="OUT/a"><track default kind=subtitles src="OUT/b">'; v.poster = "OUT/c"; v.load(); new Audio("OUT/d").play().catch(() => 0)</script>`},
	{"worker of a worker", `<script>new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob(["fetch(\\"OUT/a\\", {mode: \\"no-cors\\"}); try { new WebTransport(\\"https:OUTREST\\") } catch (e) {} try { new WebSocket(\\"ws:OUTREST\\") } catch (e) {} importScripts(\\"OUT/b\\")"])))'])))</script>`},
	{"modules of a worker", `<script>new Worker(URL.createObjectURL(new Blob(['import("OUT/a").catch(() => 0); export {}'], {type: "text/javascript"})), {type: "module"})</script>`},
	{"sockets of a worker", `<script>new Worker("data:text/javascript,try { new EventSource('OUT/a') } catch (e) {} new XMLHttpRequest().open('GET', 'OUT/b'); let x = new XMLHttpRequest(); x.open('GET', 'OUT/c'); x.send(); new WebSocket('ws:OUTREST')")</script>`},
	{"asked for on leaving", `<script>addEventListener("pagehide", () => { navigator.sendBeacon("OUT/a"); fetch("OUT/b", {keepalive: true, mode: "no-cors"}); new Image().src = "OUT/c" }); setTimeout(() => location.reload(), 100)</script>`},
	{"federated sign-in", `<script>navigator.credentials?.get({identity: {providers: [{configURL: "OUT/fed.json", clientId: "1"}]}}).catch(() => 0)</script>`},
	{"payment", `<script>try { new PaymentRequest([{supportedMethods: "https:OUTREST/pay"}], {total: {label: "x", amount: {currency: "EUR", value: "1"}}}).canMakePayment().catch(() => 0) } catch (e) {}</script>`},
	{"policy with a place for reports", `<meta http-equiv=Content-Security-Policy content="img-src 'none'; report-uri OUT/a; report-to x"><meta http-equiv=Reporting-Endpoints content='x="OUT/b"'><img src=x.png>`},
	{"names of map and manifest", `<script>document.head.append(Object.assign(document.createElement("link"), {rel: "manifest", href: "OUT/a"}), Object.assign(document.createElement("link"), {rel: "icon", href: "OUT/b"}), Object.assign(document.createElement("link"), {rel: "apple-touch-icon", href: "OUT/d"})); eval("1//# sourceMappingURL=OUT/c")</script>`},
	{"import map by script", `<script>let m = document.createElement("script"); m.type = "importmap"; m.textContent = '{"imports": {"x": "OUT/a"}, "scopes": {"/": {"y": "OUT/b"}}}'; document.head.append(m); let s = document.createElement("script"); s.type = "module"; s.textContent = 'import "x"; import "y"'; document.head.append(s)</script>`},
	{"pictures of a drawing", `<script>document.body.insertAdjacentHTML("beforeend", '<svg><use href="OUT/a#x"/><image xlink:href="OUT/b"/><feImage href="OUT/c"/><script href="OUT/d"></' + 'script><style>@import "OUT/e"; rect { fill: url(OUT/f#x) }</style></svg>')</script>`},
	{"rules in a shadow tree", `<div id=d></div><script>let s = d.attachShadow({mode: "closed"}); s.innerHTML = '<style>@import url("OUT/a"); :host { background: image-set("OUT/b" 1x) }</style><link rel=stylesheet href="OUT/c"><img src="OUT/d">'</script>`},
	{"regular expressions find nothing", `<script>RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; RegExp.prototype[Symbol.replace] = (s) => s; RegExp.prototype[Symbol.match] = () => null; all()</script>`},
	{"regular expressions find all", `<script>RegExp.prototype.test = () => true; RegExp.prototype.exec = s => { let m = [s, "/x", "1", "", s]; m.index = 0; return m }; all()</script>`},
	{"flags of regular expressions", `<script>for (const k of ["flags", "global", "ignoreCase", "sticky", "unicode", "source"]) Object.defineProperty(RegExp.prototype, k, {get() { throw 1 }}); all()</script>`},
	{"methods of strings replaced", `<script>for (const k of ["slice", "substring", "indexOf", "toLowerCase", "trim", "charAt", "startsWith", "replace", "split", "match"]) String.prototype[k] = function () { return k == "indexOf" ? -1 : "" }; all()</script>`},
	{"strings that say they lead there", `<script>String.prototype.slice = function () { return location.origin }; String.prototype.trim = function () { return "about:blank" }; all()</script>`},
	{"lists replaced", `<script>for (const k of Object.getOwnPropertyNames(Array.prototype)) if (typeof Array.prototype[k] == "function" && k != "constructor") Array.prototype[k] = () => []; all()</script>`},
	{"lists of nodes replaced", `<script>NodeList.prototype.forEach = HTMLCollection.prototype.item = () => {}; Element.prototype.getAttributeNames = () => []; all()</script>`},
	{"a setter in every list", `<script>for (let i = 0; i < 9; i++) Object.defineProperty(Array.prototype, i, {get: () => undefined, set() {}, configurable: true}); all()</script>`},
	{"calls do nothing", `<script>Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => undefined; all()</script>`},
	{"calls tell what they call", `<div id=d></div><script>const go = Reflect.apply, taken = new Set(); for (const k of ["call", "apply"]) { const native = Function.prototype[k]; Function.prototype[k] = function (...a) { taken.add(this); return go(native, this, a) } }
		all(); for (const f of taken) for (const on of [d, document.head, document, frames[0]?.frameElement]) { let v; try { v = go(f, on, ['<link rel=preconnect href="OUT/"><iframe></iframe>']) } catch (e) {} out(v?.defaultView); out(v); each() }</script>`},
	{"value of every property", `<script>Object.prototype.value = 1; all()</script>`},
	{"get and set of every property", `<script>Object.prototype.get = Object.prototype.set = () => undefined; all()</script>`},
	{"get of every property is no function", `<script>Object.prototype.get = 1; all()</script>`},
	{"configurable of every property", `<script>Object.defineProperty(Object.prototype, "configurable", {get() { throw 1 }}); Object.defineProperty(Object.prototype, "writable", {get() { throw 1 }}); all()</script>`},
	{"names of objects replaced", `<script>Object = Reflect = Array = String = RegExp = JSON = URL = Map = WeakMap = Proxy = Function = null; all()</script>`},
	{"what objects have replaced", `<script>Object.prototype.hasOwnProperty = () => false; Object.create = Object.keys = Reflect.construct = () => ({}); all()</script>`},
	{"names of elements replaced", `<script>Object.defineProperty(Element.prototype, "localName", {get: () => "p"}); Object.defineProperty(Element.prototype, "tagName", {get: () => "P"}); all()</script>`},
	{"kinds of nodes replaced", `<script>for (const [o, k, v] of [[Node, "nodeType", 3], [Node, "isConnected", false], [Element, "firstElementChild", null], [Node, "firstChild", null], [Node, "parentNode", null]]) Object.defineProperty(o.prototype, k, {get: () => v}); all()</script>`},
	{"maps replaced", `<script>for (const o of [Map, WeakMap, Set, WeakSet]) for (const k of ["get", "set", "has", "delete", "add"]) o.prototype[k] = () => undefined; all()</script>`},
	{"addresses replaced", `<script>for (const k of ["href", "origin", "protocol", "pathname"]) Object.defineProperty(URL.prototype, k, {get: () => location.origin}); all()</script>`},
	{"promises replaced", `<script>Promise.prototype.then = Promise.prototype.catch = function () { return this }; Promise.resolve = () => ({}); all()</script>`},
	{"elements made replaced", `<script>const make = Document.prototype.createElement; document.createElement = Document.prototype.createElement = function (n) { return n == "span" || n == "textarea" ? null : make.call(document, n) }; CustomElementRegistry.prototype.upgrade = () => { throw 1 }; all()</script>`},
	{"place in text replaced", `<script>encodeURIComponent = decodeURIComponent = unescape = () => "about:blank"; all()</script>`},
	{"proto of what is found", `<script>Object.prototype.href = Object.prototype.rel = Object.prototype.iframe = ""; Object.prototype.root = Object.prototype.url = "OUT/"; all()</script>`},
	{"words of the page script thrown", `<script>Error.stackTraceLimit = 1; Error.prepareStackTrace = (e, s) => { for (const c of s) try { c.getFunction() } catch (e) {} }; String.prototype.replace = () => { throw 1 }; all()</script>`},
	{"name that changes when read", `<link id=l rel=preconnect><script>let n = 0; l.setAttribute({toString: () => n++ ? "href" : "title"}, "OUT/"); n = 0; l.setAttributeNS(null, {toString: () => n++ ? "href" : "title"}, "OUT/"); document.head.append(l.cloneNode())</script>`},
	{"address that changes when read", `<script>let n = 0; open({toString: () => n++ ? "OUT/" : "about:blank"}); n = 0; open({toString: () => n++ > 1 ? "OUT/" : "about:blank"})</script>`},
	{"address of this window that changes when read", `<script>let n = 0; open({toString: () => n++ ? "OUT/" : "about:blank"}, "_self")</script>`},
	{"kind of link that changes when read", `<link id=l href="OUT/"><script>let n = 0; l.rel = {toString: () => "preconnect"}; document.head.append(l)</script>`},
	{"leaving when regular expressions find nothing", `<script>RegExp.prototype.test = () => false; RegExp.prototype.exec = () => null; window["loc" + "ation"] = "OUT/a"</script>`},
	{"leaving when strings are replaced", `<script>String.prototype.slice = () => location.origin; String.prototype.trim = () => ""; window["loc" + "ation"] = "OUT/a"</script>`},
	{"leaving when events are replaced", `<script>Event.prototype.preventDefault = () => {}; Object.defineProperty(Event.prototype, "cancelable", {get: () => false}); window["loc" + "ation"] = "OUT/a"</script>`},
	{"leaving when what is left for is replaced", `<script>if (window.NavigateEvent) Object.defineProperty(NavigateEvent.prototype, "destination", {get: () => ({url: "x"})}); window["loc" + "ation"] = "OUT/a"</script>`},
	{"leaving in a form with data", `<script>if (window.NavigateEvent) Object.defineProperty(NavigateEvent.prototype, "formData", {get: () => 1}); window["loc" + "ation"] = "OUT/a"</script>`},
	{"home of the page's own", `<a href="OUT/a">x</a><script>window.kavosh$home = "OUT/"; document.querySelector("a").href = "OUT/a"; window["loc" + "ation"] = "OUT/b"</script>`},
	{"watched by promises", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 3000; i++) { each(); await 0 } })()</script>`},
	{"watched by digests", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 2000; i++) { each(); await (crypto.subtle ? crypto.subtle.digest("SHA-1", new Uint8Array(1)) : new Blob(["x"]).text()) } })()</script>`},
	{"watched by what is fetched", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 200; i++) { each(); await fetch("data:,x") } })()</script>`},
	{"watched by blobs and streams", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 2000; i++) { each(); await new Blob(["x"]).stream().getReader().read() } })()</script>`},
	{"watched by the scheduler", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 2000; i++) { each(); await (window.scheduler?.yield ? scheduler.yield() : scheduler.postTask(() => each())) } })()</script>`},
	{"watched by pictures", `<iframe src="parts/slow.html"></iframe><script>(async () => { for (let i = 0; i < 500; i++) { each(); await createImageBitmap(new ImageData(1, 1)) } })()</script>`},
	{"watched by changes", `<div id=d></div><script>new MutationObserver(() => each()).observe(document, {subtree: true, childList: true, attributes: true}); d.innerHTML = '<iframe src="parts/slow.html"></iframe>'; let f = document.createElement("iframe"); document.body.append(f); d.title = "x"</script>`},
	{"watched by changes that the parser makes", `<script>new MutationObserver(() => each()).observe(document, {subtree: true, childList: true})</script><iframe src="parts/slow.html"></iframe><iframe></iframe><p>x`},
	{"watched by sizes", `<script>new ResizeObserver(() => each()).observe(document.body); new IntersectionObserver(() => each()).observe(document.body); let f = document.createElement("iframe"); f.src = "parts/slow.html"; document.body.append(f)</script>`},
	{"watched from a frame", `<iframe srcdoc="<script>(async () => { for (let i = 0; i < 2000; i++) { parent.each(); await new Blob(['x']).text() } })()</script>"></iframe><iframe src="parts/slow.html"></iframe>`},
	{"watched by a loop that asks", `<iframe src="parts/slow.html"></iframe><script>for (let i = 0; i < 40; i++) { let x = new XMLHttpRequest(); x.open("GET", "parts/slow.html?" + i, false); try { x.send() } catch (e) {} each() }</script>`},
	{"at once after it is put in", `<script>let f = document.createElement("iframe"); f.src = "parts/slow.html"; document.body.appendChild(f); out(window[0]); for (let i = 0; i < 99; i++) each(); queueMicrotask(each); Promise.resolve().then(each)</script>`},
	{"emptied, and watched by promises", `<iframe id=f src="parts/slow.html"></iframe><script>f.onload = () => { f.onload = null; f.contentWindow.location = "about:blank"; (async () => { for (let i = 0; i < 2000; i++) { each(); await new Blob(["x"]).text() } })() }</script>`},
	{"taken out and put in", `<iframe id=f src="parts/slow.html"></iframe><script>for (let i = 0; i < 5; i++) { f.remove(); document.body.append(f); out(window[0]); Promise.resolve().then(each) }</script>`},
}

// parts of the site that breakouts frame.
var breakoutParts = map[string]string{"parts/slow.html": `<!doctype html><title>slow</title><p>slow`}

// noteCookies puts a door before the replay that notes the cookies of requests: how many had a text in theirs.
func noteCookies(t *testing.T, base string) (door string, had func(text string) int) {
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []string
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Header["Cookie"]...)
		mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func(text string) int {
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for _, c := range all {
			if strings.Contains(c, text) {
				n++
			}
		}
		return n
	}
}

// settles is how long a page is given for what it does by itself, and again after what can be clicked was clicked.
const settles = 400 * time.Millisecond
