//go:build conformance

package browser

import (
	"context"
	"fmt"
	"image"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh"
)

// web is pages by their URL, and notes what is asked for.
type web struct {
	pages map[string]string

	mu struct {
		sync.Mutex
		asked []string
	}
}

func (w *web) ask(ctx context.Context, r *Request, answer func(*kavosh.Exchange)) {
	w.mu.Lock()
	w.mu.asked = append(w.mu.asked, r.URL)
	w.mu.Unlock()
	if strings.HasSuffix(r.URL, "/events") { // they have no end
		<-ctx.Done()
		return
	}
	page, ok := w.pages[r.URL]
	status, kind := 200, "text/html; charset=utf-8"
	if !ok {
		status, page = 404, "none"
	}
	if strings.HasSuffix(r.URL, ".js") {
		kind = "text/javascript"
	}
	if strings.Contains(r.URL, "attachment") {
		kind = "application/octet-stream"
	}
	answer(&kavosh.Exchange{Status: status, Header: kavosh.Header{{Name: "Content-Type", Value: kind}, {Name: "Access-Control-Allow-Origin", Value: "*"}},
		Payload: text{strings.NewReader(page)}})
}

// text is an answer's body.
type text struct{ *strings.Reader }

func (t text) Bytes() []byte { return nil }

func (w *web) was(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.mu.asked, url)
}

// open returns a browser that ends with the test.
func open(t *testing.T, o Options) *Browser {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// loadPage loads http://a.test/ of pages.
func loadPage(t *testing.T, b *Browser, pages map[string]string) (*web, *Loaded) {
	t.Helper()
	w := &web{pages: pages}
	l, err := b.Load(t.Context(), "http://a.test/", 0, w.ask)
	if err != nil {
		t.Fatal(err)
	}
	return w, l
}

// TestRest wants a page to be waited for as long as its timers may ask for something, and no longer.
func TestRest(t *testing.T) {
	b := open(t, Options{})
	loadPage(t, b, map[string]string{"http://a.test/": "<title>starts the browser</title>"})
	for _, test := range []struct {
		name, page string
		asked      []string
		atMost     time.Duration
	}{
		{"simple", "<title>x</title><script>setTimeout(() => 0, 60000)</script>", nil, maxTime / 2},
		{"late timer", "<script>setTimeout(() => fetch('/late'), 2500)</script>", []string{"late"}, maxTime},
		{"later timer", "<script>setTimeout(() => fetch('/later'), 4000)</script>", []string{"later"}, maxTime},
		{"timer of a timer", "<script>setTimeout(() => setTimeout(() => fetch('/second'), 700), 700)</script>", []string{"second"}, maxTime},
		{"interval", "<script>setInterval(() => fetch('/often'), 2000)</script>", []string{"often"}, maxTime},
		{"chain", "<script>let n = 0; const f = () => ++n == 20 ? fetch('/chained') : setTimeout(f, 100); f()</script>", []string{"chained"}, maxTime},
		{"for ever", "<script>const f = () => setTimeout(f, 50); f(); setInterval(f, 100000)</script>", nil, maxTime / 2},
		{"frame", `<iframe srcdoc="<script>setTimeout(() => fetch('http://a.test/framed'), 2000)</script>"></iframe>`, []string{"framed"}, maxTime},
		{"frame of another site", "<iframe src=http://b.test/></iframe>", []string{"elsewhere"}, maxTime},
		{"worker", "<script>new Worker(URL.createObjectURL(new Blob([`setTimeout(() => fetch('http://a.test/worked'), 2000)`])))</script>", []string{"worked"}, maxTime},
		{"events", "<script>new EventSource('/events'); fetch('/beside')</script>", []string{"events", "beside"}, handing},
		{"what others are told of", "<iframe src=http://b.test/still></iframe><script>new Worker(URL.createObjectURL(new Blob(['1'])))</script>", nil, handing},
		{"leads elsewhere", "<script>location.href = '/elsewhere.html'; fetch('/beside')</script>", []string{"beside"}, maxTime / 2},
		{"cleared", "<script>clearTimeout(setTimeout(() => 0, 4900))</script>", nil, maxTime / 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			began := time.Now()
			w, l := loadPage(t, b, map[string]string{
				"http://a.test/": test.page,
				"http://b.test/": "<script>setTimeout(() => fetch('http://a.test/elsewhere'), 2000)</script>",
			})
			if took := time.Since(began); took > test.atMost {
				t.Errorf("took %v", took)
			}
			for _, name := range test.asked {
				if !w.was("http://a.test/" + name) {
					t.Errorf("/%s was not asked for; %q", name, l.Notes)
				}
			}
			t.Log(time.Since(began))
		})
	}
}

// escapes is what a page could try to reach a machine without the crawl. Both %d are a port of this machine.
const escapes = `<!doctype html><title>x</title>
<link rel=preconnect href=http://127.0.0.1:%[1]d><link rel=preconnect href=https://127.0.0.1:%[1]d><link rel=dns-prefetch href=//127.0.0.1:%[1]d>
<link rel=prefetch href=http://127.0.0.1:%[1]d/prefetch><link rel=prerender href=http://127.0.0.1:%[1]d/prerender>
<link rel=preload as=image href=http://127.0.0.1:%[1]d/preload><link rel=modulepreload href=http://127.0.0.1:%[1]d/m.js><link rel=icon href=http://127.0.0.1:%[1]d/icon>
<link rel=manifest href=http://127.0.0.1:%[1]d/manifest>
<script type=speculationrules>{"prefetch": [{"urls": ["http://127.0.0.1:%[1]d/speculated"]}], "prerender": [{"urls": ["http://127.0.0.1:%[1]d/prerendered"]}]}</script>
<a id=a ping=http://127.0.0.1:%[1]d/ping href=#x>x</a><iframe src="data:text/html,<script>fetch('http://127.0.0.1:%[1]d/data')</script>"></iframe><iframe id=blank></iframe>
<object data=http://127.0.0.1:%[1]d/object></object><embed src=http://127.0.0.1:%[1]d/embed><video src=http://127.0.0.1:%[1]d/video></video>
<form id=form action=http://127.0.0.1:%[1]d/form method=post target=_blank></form>
<a id=blanklink target=_blank href=http://127.0.0.1:%[1]d/blanklink>x</a>
<script>
const there = '127.0.0.1:%[1]d', all = [];
const attempt = f => { try { const p = f(); all.push(p && p.catch ? p.catch(() => 0) : 0) } catch {} };
attempt(() => { const c = new RTCPeerConnection({iceServers: [{urls: ['stun:' + there, 'turn:' + there + '?transport=tcp'], username: 'u', credential: 'c'}]});
  c.createDataChannel('x'); c.addIceCandidate({candidate: 'candidate:1 1 udp 2122260223 127.0.0.1 %[1]d typ host', sdpMid: '0', sdpMLineIndex: 0}).catch(() => 0); return c.createOffer().then(o => c.setLocalDescription(o)) });
attempt(() => new WebTransport('https://' + there + '/wt').ready);
attempt(() => new WebSocket('ws://' + there + '/ws') && 0);
attempt(() => new EventSource('http://' + there + '/es') && 0);
attempt(() => navigator.sendBeacon('http://' + there + '/beacon', 'x'));
attempt(() => fetch('http://' + there + '/keepalive', {keepalive: true, mode: 'no-cors'}));
attempt(() => fetchLater('http://' + there + '/fetchlater', {activateAfter: 0}));
attempt(() => document.getElementById('a').click());
attempt(() => document.getElementById('form').submit());
attempt(() => document.getElementById('blanklink').click());
attempt(() => open('http://' + there + '/open'));
const work = "fetch('http://" + there + "/work', {mode: 'no-cors'}); try { importScripts('http://" + there + "/import') } catch {}";
const blob = URL.createObjectURL(new Blob([work], {type: 'text/javascript'}));
attempt(() => new Worker(blob) && 0);
attempt(() => new SharedWorker(blob) && 0);
attempt(() => CSS.paintWorklet.addModule('http://' + there + '/paint.js'));
attempt(() => new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule('http://' + there + '/audio.js'));
attempt(() => sharedStorage.worklet.addModule('http://' + there + '/shared.js'));
attempt(() => navigator.serviceWorker.register('/sw.js'));
attempt(() => document.getElementById('blank').contentWindow.fetch('http://' + there + '/blank', {mode: 'no-cors'}));
attempt(() => { const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob(['<script>fetch("http://' + there + '/blob")<' + '/script>'], {type: 'text/html'})); document.body.append(f) });
attempt(() => new Notification('x', {icon: 'http://' + there + '/note'}) && 0);
attempt(() => new TCPSocket('127.0.0.1', %[1]d).opened);
Promise.all(all).then(() => document.title = 'tried');
</script>`

// TestNothingGetsPast opens a page that tries every way to a port of this machine, and wants nothing to come there.
func TestNothingGetsPast(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	port := tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	came := make(chan string, 100)
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			c.SetDeadline(time.Now().Add(time.Second))
			first, _ := io.ReadAll(io.LimitReader(c, 200))
			came <- fmt.Sprintf("TCP %q", first)
			c.Close()
		}
	}()
	go func() {
		buf := make([]byte, 2000)
		for {
			n, _, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			came <- fmt.Sprintf("UDP %q", buf[:min(n, 200)])
		}
	}()
	w, l := loadPage(t, open(t, Options{}), map[string]string{
		"http://a.test/": fmt.Sprintf(escapes, port), "http://a.test/sw.js": fmt.Sprintf("fetch('http://127.0.0.1:%d/sw')", port),
	})
	if !strings.Contains(l.HTML, "<title>tried</title>") {
		t.Errorf("the page did not come to its end: %q", l.Notes)
	}
	select {
	case what := <-came:
		t.Errorf("past the crawl came %s", what)
	case <-time.After(time.Second):
	}
	at := fmt.Sprintf("http://127.0.0.1:%d/", port)
	for _, name := range []string{"work", "beacon", "es", "video", "preload"} { // so that the test tests something
		if !w.was(at + name) {
			t.Errorf("the crawl was not asked for /%s", name)
		}
	}
	for _, name := range []string{"open", "blanklink"} {
		if w.was(at+name) || !slices.Contains(l.Left, at+name) {
			t.Errorf("/%s was to become a link: %q", name, l.Left)
		}
	}
}

// TestDenied wants a page to be denied all that it must ask a person for, and downloads to become links.
func TestDenied(t *testing.T) {
	_, l := loadPage(t, open(t, Options{}), map[string]string{"http://a.test/": `<pre id=out></pre><iframe src=/attachment></iframe><script>
(async () => {
  const said = [];
  for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi', 'persistent-storage', 'idle-detection', 'window-management', 'local-fonts']) {
    try { said.push(name + ' ' + (await navigator.permissions.query({name})).state) } catch (e) { said.push(name + ' ' + e.name) }
  }
  said.push(await new Promise(done => navigator.geolocation ? navigator.geolocation.getCurrentPosition(() => done('placed'), () => done('not placed')) : done('no places')));
  said.push(await document.documentElement.requestFullscreen().then(() => 'full screen', () => 'no full screen'));
  said.push(String(confirm('?')));
  document.getElementById('out').textContent = said.join('\n') + '\n';
})()
</script>`})
	_, said, _ := strings.Cut(l.HTML, `<pre id="out">`)
	said, _, _ = strings.Cut(said, "</pre>")
	if said == "" || strings.Contains(said, "granted") || strings.Contains(said, "prompt") || strings.Contains(said, "\nplaced") || strings.Contains(said, "\nfull") {
		t.Errorf("the page was told:\n%s", said)
	}
}

// TestSettings wants scripts to see the language, size and time zone that a person set, and servers the language.
func TestSettings(t *testing.T) {
	b := open(t, Options{Language: "fa-IR", Window: image.Pt(1024, 700), Zone: "Asia/Tehran", UserAgent: "kavosh-test"})
	var accepted string
	w := &web{pages: map[string]string{"http://a.test/": `<script>
		document.title = [navigator.language, innerWidth, innerHeight, Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.userAgent, document.hidden].join()</script>`}}
	l, err := b.Load(t.Context(), "http://a.test/", 0, func(ctx context.Context, r *Request, answer func(*kavosh.Exchange)) {
		if r.URL == "http://a.test/" {
			accepted = r.Ask.Header.Get("Accept-Language")
		}
		w.ask(ctx, r, answer)
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "<title>fa-IR,1024,700,Asia/Tehran,kavosh-test,false</title>"; !strings.Contains(l.HTML, want) {
		t.Errorf("%s, want %s", l.HTML, want)
	}
	if !strings.HasPrefix(accepted, "fa-IR") {
		t.Errorf("Accept-Language: %s", accepted)
	}
}

// TestComputingPage wants a page that computes for long after its load event to be read when it is done, not before.
func TestComputingPage(t *testing.T) {
	b := open(t, Options{})
	_, l := loadPage(t, b, map[string]string{"http://a.test/": `<p id=out><script>onload = () => setTimeout(() => {
		for (const end = performance.now() + 11e3; performance.now() < end;);
		out.textContent = 'computed';
	})</script>`})
	if !strings.Contains(l.HTML, "computed") || len(l.Notes) > 0 {
		t.Errorf("read as %q, with the notes %q", l.HTML, l.Notes)
	}
}
