//go:build conformance

package replay

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kavosh/lib/warc"
)

// Ways out of a page, each as an archived page of its own. OUT stands for a URL of a server on this machine that is not
// the replay: nothing may reach it, whatever a page does by itself or when its first link or button is clicked.
var waysOut = []struct{ name, page string }{
	{"img", `<img src="OUT/a">`},
	{"img srcset", `<img srcset="OUT/a 1x, OUT/b 2x">`},
	{"picture", `<picture><source srcset="OUT/a"><img></picture>`},
	{"img by script", `<script>new Image().src = "OUT/a"</script>`},
	{"script", `<script src="OUT/a"></script>`},
	{"script by script", `<script>document.head.append(Object.assign(document.createElement("script"), {src: "OUT/a"}))</script>`},
	{"document.write", `<script>document.write('<img src="OUT/a"><script src="OUT/b"></' + 'script>')</script>`},
	{"module", `<script type=module>import "OUT/a"</script>`},
	{"dynamic import", `<script>import("OUT/a").catch(() => 0)</script>`},
	{"import map", `<script type=importmap>{"imports": {"x": "OUT/a"}}</script><script type=module>import "x"</script>`},
	{"style sheet", `<link rel=stylesheet href="OUT/a">`},
	{"@import", `<style>@import "OUT/a"; @import url(OUT/b);</style>`},
	{"style url", `<style>body { background: url(OUT/a) } @font-face { font-family: x; src: url(OUT/b) } p { font-family: x }</style><p>x`},
	{"escaped style url", `<style>body { background: \75 rl(OUT/a); list-style-image: url(\68ttp:OUTREST/b) }</style>`},
	{"style attribute", `<p style="background:url(&quot;OUT/a&quot;)">x`},
	{"style by script", `<script>document.documentElement.style.backgroundImage = "url(OUT/a)"</script>`},
	{"preload", `<link rel=preload as=image href="OUT/a"><link rel=modulepreload href="OUT/b"><link rel=prefetch href="OUT/c">`},
	{"preconnect", `<link rel=preconnect href="OUT/"><link rel=dns-prefetch href="OUT/">`},
	{"preconnect by script", `<script>document.head.append(Object.assign(document.createElement("link"), {rel: "preconnect", href: "OUT/"}))</script>`},
	{"prefetch by script", `<script>document.head.append(Object.assign(document.createElement("link"), {rel: "prefetch", href: "OUT/a"}))</script>`},
	{"speculation rules", `<script type=speculationrules>{"prefetch": [{"urls": ["OUT/a"]}], "prerender": [{"urls": ["OUT/b"]}]}</script>`},
	{"icon", `<link rel=icon href="OUT/a">`},
	{"manifest", `<link rel=manifest href="OUT/a">`},
	{"iframe", `<iframe src="OUT/a"></iframe>`},
	{"iframe srcdoc", `<iframe srcdoc="<img src='OUT/a'>"></iframe>`},
	{"iframe data:", `<iframe src="data:text/html,<img src='OUT/a'>"></iframe>`},
	{"iframe about:blank", `<iframe id=f></iframe><script>f.contentDocument.body.innerHTML = '<img src="OUT/a">'</script>`},
	{"iframe blob:", `<script>document.body?.append; let f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob(['<img src="OUT/a">'], {type: "text/html"})); document.documentElement.append(f)</script>`},
	{"sandboxed iframe", `<iframe sandbox="allow-scripts" srcdoc="<script>new Image().src='OUT/a'</script>"></iframe>`},
	{"object and embed", `<object data="OUT/a"></object><embed src="OUT/b">`},
	{"video and audio", `<video src="OUT/a" poster="OUT/b" autoplay></video><audio src="OUT/c" autoplay></audio>`},
	{"svg", `<svg><image href="OUT/a"/><use href="OUT/b#x"/><rect fill="url(OUT/c#x)"/></svg>`},
	{"svg by script", `<script>document.documentElement.innerHTML += '<svg><image href="OUT/a"/></svg>'</script>`},
	{"body background", `<body background="OUT/a">`},
	{"meta refresh", `<meta http-equiv=refresh content="0;url=OUT/a">`},
	{"meta refresh by script", `<script>document.head.append(Object.assign(document.createElement("meta"), {httpEquiv: "refresh", content: "0;url=OUT/a"}))</script>`},
	{"base", `<base href="OUT/"><img src="a"><script>fetch("b")</script>`},
	{"base by script", `<script>document.head.prepend(Object.assign(document.createElement("base"), {href: "OUT/"})); new Image().src = "a"</script>`},
	{"fetch", `<script>fetch("OUT/a", {mode: "no-cors"})</script>`},
	{"XMLHttpRequest", `<script>let x = new XMLHttpRequest(); x.open("GET", "OUT/a"); x.send()</script>`},
	{"beacon", `<script>navigator.sendBeacon("OUT/a", "x")</script>`},
	{"WebSocket", `<script>new WebSocket("OUT/a".replace("http", "ws"))</script>`},
	{"EventSource", `<script>new EventSource("OUT/a")</script>`},
	{"worker", `<script>new Worker(URL.createObjectURL(new Blob(['importScripts("OUT/a"); fetch("OUT/b")'])))</script>`},
	{"worker's fetch", `<script>new Worker(URL.createObjectURL(new Blob(['fetch("OUT/b", {mode: "no-cors"})'])))</script>`},
	{"service worker", `<script>navigator.serviceWorker.register("/sw.js").catch(() => 0)</script>`},
	{"location", `<script>location.href = "OUT/a"</script>`},
	{"location.replace", `<script>location.replace("OUT/a")</script>`},
	{"location later", `<script>setTimeout(() => location.assign("OUT/a"), 50)</script>`},
	{"location of a frame", `<iframe id=f></iframe><script>f.contentWindow.location = "OUT/a"</script>`},
	{"top from a frame", `<iframe srcdoc="<script>top.location = 'OUT/a'</script>"></iframe>`},
	{"link", `<a href="OUT/a">x</a>`},
	{"link by script", `<script>document.documentElement.innerHTML = '<body><a href="OUT/a">x</a>'</script>`},
	{"link in a new tab by script", `<script>document.documentElement.innerHTML = '<body><a target=_blank href="OUT/a">x</a>'</script>`},
	{"link clicked by script", `<script>let a = document.createElement("a"); a.href = "OUT/a"; a.click()</script>`},
	{"ping", `<a href="#x" ping="OUT/a">x</a>`},
	{"ping by script", `<script>document.documentElement.innerHTML = '<body><a href="#x" ping="OUT/a">x</a>'</script>`},
	{"window.open", `<button onclick="open('OUT/a')">x</button>`},
	{"form", `<form action="OUT/a"><input name=q><button>x</button></form>`},
	{"form by script", `<script>document.documentElement.innerHTML = '<body><form action="OUT/a"><button>x</button></form>'</script>`},
	{"form submitted by script", `<form id=f action="OUT/a" method=post></form><script>f.submit()</script>`},
	{"formaction", `<form><button formaction="OUT/a">x</button></form>`},
	{"markup hidden from tokenizers", `<noscript><p title="</noscript><img src=OUT/a>"></noscript><svg><style><img src="OUT/b"></style></svg><xmp><img src="OUT/c"></xmp>`},
	{"WebRTC", `<script>let c = new RTCPeerConnection({iceServers: [{urls: "stun:UDP"}]}); c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o))</script>`},
}

// TestNothingLeaves opens every way out in Chromium and counts what reaches the server outside.
func TestNothingLeaves(t *testing.T) {
	outside, requests, silent := listen(t)
	packets, heard := listenUDP(t)
	file := filepath.Join(t.TempDir(), "hostile.warc.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	stamp := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	var pages []string
	for i, c := range waysOut {
		page := strings.NewReplacer("OUTREST", "//"+outside, "OUT", "http://"+outside, "UDP", packets).Replace(c.page)
		pages = append(pages, "<!doctype html><title>x</title>"+page)
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + pages[i]
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: warc.FormatDate(stamp)},
			{Name: "WARC-Target-URI", Value: fmt.Sprintf("http://hostile.test/%d", i)}, {Name: "Content-Type", Value: "application/http; msgtype=response"},
			{Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	base := serve(t, file)
	browser, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	// try opens a page, clicks what can be clicked, and says what reached the outside.
	try := func(name, url string) (sent, opened int64) {
		tab, err := browser.NewTab()
		if err != nil {
			t.Fatal(err)
		}
		defer tab.Close()
		tab.Patience = 2 * time.Second
		before, quiet := requests.Load()+heard.Load(), silent.Load()
		if _, err := tab.Open(url); err != nil {
			t.Logf("%s: %v", name, err) // a page that went away has no picture
		}
		tab.Do(`(async () => {
			for (const e of document.querySelectorAll("a, button")) e.click()
			await new Promise(r => setTimeout(r, 500))
			return ""
		})()`) // fails when a click leads away
		return requests.Load() + heard.Load() - before, silent.Load() - quiet
	}
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || i >= len(pages) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, pages[i])
	}))
	defer live.Close()
	escaped, ways := 0, 0
	for i, c := range waysOut {
		if n, _ := try(c.name, fmt.Sprintf("%s/%d", live.URL, i)); n > 0 {
			ways++
		} else {
			t.Logf("%s: leads nowhere in this browser even without the replay", c.name)
		}
		n, opened := try(c.name, fmt.Sprintf("%s/site/20240102030405/http://hostile.test/%d", base, i))
		if n > 0 {
			escaped++
			t.Errorf("%s: %d requests reached the outside", c.name, n)
		}
		if opened > 0 {
			t.Logf("%s: %d connections without a request", c.name, opened)
		}
	}
	t.Logf("%d ways out, of which %d lead out of a live page and %d out of the replay", len(waysOut), ways, escaped)
	if ways < len(waysOut)*3/4 {
		t.Errorf("only %d of %d ways lead out of a live page: the test does not see what it should", ways, len(waysOut))
	}
}

// listen counts the requests that come to an address of this machine, and the connections on which nothing is said: a
// browser opens some in the hope of a request that its policy then forbids.
func listen(t *testing.T) (addr string, requests, silent *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	requests, silent = new(atomic.Int64), new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
				if n, _ := c.Read(make([]byte, 1)); n > 0 {
					requests.Add(1)
				} else {
					silent.Add(1)
				}
			}()
		}
	}()
	return l.Addr().String(), requests, silent
}

// listenUDP counts packets at an address of this machine.
func listenUDP(t *testing.T) (addr string, n *atomic.Int64) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	n = new(atomic.Int64)
	go func() {
		buf := make([]byte, 1500)
		for {
			if _, _, err := c.ReadFrom(buf); err != nil {
				return
			}
			n.Add(1)
		}
	}()
	return c.LocalAddr().String(), n
}
