//go:build conformance

package browser

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kavosh/internal/fakeweb"
)

// program is the path of the kavosh that TestMain built.
var program = filepath.Join(os.TempDir(), "kavosh-under-test-browser", "kavosh")

func TestMain(m *testing.M) {
	build := exec.Command("go", "build", "-o", program, "kavosh/cmd/kavosh")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve serves a made-up web and gives its log and the flags by which its hosts are reached.
func serve(t *testing.T, text string, hosts ...string) (s *fakeweb.Server, way []string) {
	t.Helper()
	w, err := fakeweb.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if s, err = fakeweb.NewServer(w, nil); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(s.Close)
	for _, h := range hosts {
		way = append(way, "--connect-to", h+"::"+l.Addr().String())
	}
	return s, way
}

// crawl runs kavosh crawl into archive to its end.
func crawl(t *testing.T, archive string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"crawl", "--archive", archive, "--browser", "always"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("kavosh %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// line is what is looked at of a line of the log.
type line struct {
	URL, Outcome, Failure, Kind, Reason string
	Notes                               []string
}

// logged is every line of the crawl's log.
func logged(t *testing.T, archive string) (lines []line) {
	t.Helper()
	out, err := exec.Command(program, "log", "--json", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	for text := range bytes.Lines(out) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines = append(lines, l)
	}
	return lines
}

// temporaryFolder returns a folder that the user may enter as whom Chromium runs for root.
func temporaryFolder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// recorded are the URLs of which an answer is recorded; twice is an error.
func recorded(t *testing.T, archive string) (urls []string) {
	t.Helper()
	if out, err := exec.Command(program, "check", archive).CombinedOutput(); err != nil {
		t.Errorf("kavosh check: %v\n%s", err, out)
	}
	for _, l := range logged(t, archive) {
		what := l.URL
		if slices.Contains(l.Notes, "POST") {
			what = "POST " + what
		}
		if l.Outcome != "recorded" {
			continue
		}
		if slices.Contains(urls, what) {
			t.Errorf("%s is recorded twice", what)
		}
		urls = append(urls, what)
	}
	return urls
}

const scripted = `
-- app.test/robots.txt --
User-agent: *
Disallow: /private
-- app.test/ Content-Type=text/html --
<!doctype html><title>app</title>
<style>@font-face { font-family: f; src: url(/font.woff2) } #lazy { margin-top: 5000px }</style>
<p id=out></p>
<script type=module>
const at = (...parts) => parts.join('');
const out = document.getElementById('out');
const data = await (await fetch(at('/da', 'ta.json'), {headers: {'X-Requested-With': 'app'}})).json();
const answer = await new Promise(done => {
  const x = new XMLHttpRequest();
  x.open('POST', at('/ap', 'i'));
  x.setRequestHeader('Content-Type', 'application/json');
  x.onload = () => done(x.responseText);
  x.send(JSON.stringify({q: data.q}));
});
const module = await import(at('/mod', 'ule.js'));
out.innerHTML = '<a href="' + module.address + '">' + answer + '</a><b style="font-family: f">b</b>';
const lazy = new Image();
lazy.id = 'lazy';
lazy.loading = 'lazy';
lazy.src = at('/la', 'zy.png');
out.append(lazy);
const frame = document.createElement('iframe');
frame.src = at('/fra', 'me');
out.append(frame);
const video = document.createElement('video');
video.src = at('/vid', 'eo.mp4');
video.preload = 'auto';
out.append(video);
fetch(at('https://cdn', '.test/lib.json')).then(r => r.text()).then(text => fetch('/after-' + text.trim()));
fetch(at('/pri', 'vate/x')).catch(() => fetch('/robots-hold'));
fetch(at('http://10.9', '.8.7/')).catch(() => fetch('/address-refused'));
setTimeout(() => fetch(at('/la', 'ter')), 2000);
</script>
-- app.test/data.json --
{"q": 7}
-- app.test/api --
posted
-- app.test/module.js Content-Type=text/javascript --
export const address = '/made-by-script';
-- app.test/made-by-script --
<title>made</title>
-- app.test/lazy.png png=8x8 --
-- app.test/frame Content-Type=text/html --
<title>frame</title><script>fetch('/in-fra' + 'me')</script>
-- app.test/in-frame --
in
-- app.test/video.mp4 Content-Type=video/mp4 --
no film
-- app.test/font.woff2 Content-Type=font/woff2 --
no font
-- cdn.test/lib.json Access-Control-Allow-Origin=* --
lib
-- app.test/** --
x
`

// A page whose parts scripts ask for is whole in the archive; they are asked for in the crawl's name, and robots.txt and
// private addresses hold. (When they are asked for is tested in package engine, by a clock that tests drive.)
func TestWhole(t *testing.T) {
	s, way := serve(t, scripted, "app.test", "cdn.test")
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, append(way, "--delay", "1s", "http://app.test/")...)
	urls := recorded(t, archive)
	for _, want := range []string{
		"http://app.test/data.json", "POST http://app.test/api", "http://app.test/module.js", "http://app.test/made-by-script",
		"http://app.test/lazy.png", "http://app.test/frame", "http://app.test/in-frame", "http://app.test/video.mp4", "http://app.test/font.woff2",
		"https://cdn.test/lib.json", "http://app.test/after-lib", "http://app.test/robots-hold", "http://app.test/address-refused",
		"http://app.test/later",
	} {
		if !slices.Contains(urls, want) {
			t.Errorf("%s is not recorded", want)
		}
	}
	for _, q := range s.Requests() {
		if strings.HasPrefix(q.Path, "/private/") {
			t.Errorf("%s was asked for, which robots.txt forbids", q.Path)
		}
		if q.Path == "/data.json" && q.Header.Get("X-Requested-With") != "app" {
			t.Errorf("the page's own field is not sent: %v", q.Header)
		}
		if !strings.Contains(q.Header.Get("User-Agent"), "kavosh/") {
			t.Errorf("%s was asked for as %q", q.Path, q.Header.Get("User-Agent"))
		}
	}
}

// A crawl that is killed while a page is loaded leaves an archive that opens and no Chromium; when it resumes, the page is
// loaded to its end, and nothing is recorded twice.
func TestKill(t *testing.T) {
	s, way := serve(t, `
-- app.test/ Content-Type=text/html --
<title>app</title><script>fetch('/o' + 'ne').then(() => fetch('/sl' + 'ow')).then(() => fetch('/th' + 'ree'))</script>
-- app.test/one --
1
-- app.test/slow wait=10s --
2
-- app.test/three --
3
`, "app.test")
	archive := filepath.Join(t.TempDir(), "archive")
	profiles := temporaryFolder(t)
	t.Setenv("TMPDIR", profiles)
	cmd := exec.Command(program, append([]string{"crawl", "--archive", archive, "--browser", "always", "--delay", "100ms", "http://app.test/"}, way...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !slices.ContainsFunc(s.Requests(), func(q fakeweb.Request) bool { return q.Path == "/one" }) {
		<-time.After(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if out, err := exec.Command(program, "check", archive).CombinedOutput(); err != nil {
		t.Errorf("kavosh check after the kill: %v\n%s", err, out)
	}
	crawl(t, archive, append(way, "--resume", "--delay", "100ms")...)
	urls := recorded(t, archive)
	for _, want := range []string{"http://app.test/", "http://app.test/one", "http://app.test/slow", "http://app.test/three"} {
		if !slices.Contains(urls, want) {
			t.Errorf("%s is not recorded", want)
		}
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, l := range lines {
		if text, _ := os.ReadFile(l); bytes.Contains(text, []byte("--user-data-dir="+profiles)) {
			t.Errorf("%s still runs", l)
		}
	}
	if left, err := os.ReadDir(profiles); err != nil || len(left) > 0 {
		t.Errorf("in the temporary directory stay %v (%v)", left, err)
	}
}

// A crawl that is interrupted while a page is loaded leaves nothing in the temporary directory.
func TestInterrupt(t *testing.T) {
	s, way := serve(t, `
-- app.test/ Content-Type=text/html --
<title>app</title><script>fetch('/sl' + 'ow')</script>
-- app.test/slow wait=20s --
2
`, "app.test")
	temporary := temporaryFolder(t)
	t.Setenv("TMPDIR", temporary)
	cmd := exec.Command(program, append([]string{"crawl", "--archive", filepath.Join(t.TempDir(), "archive"), "--browser", "always", "--delay", "100ms", "http://app.test/"}, way...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !slices.ContainsFunc(s.Requests(), func(q fakeweb.Request) bool { return q.Path == "/slow" }) {
		<-time.After(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit status %v\n%s", cmd.ProcessState, &said)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("in the temporary directory stay %v (%v)", left, err)
	}
}

const hostile = `
-- bad.test/ Content-Type=text/html --
<title>all</title>
-- bad.test/requests Content-Type=text/html --
<script>let n = 0; const more = () => { fetch('/r/' + n++).then(more, more); fetch('/r/' + n++) }; more()</script>
-- bad.test/spin Content-Type=text/html --
<script>addEventListener('load', () => setTimeout(() => { for (;;); }, 100))</script><a href=/never>x</a>
-- bad.test/dialogs Content-Type=text/html --
<script>for (let i = 0; i < 1000; i++) { alert(i); confirm(i); open('/window/' + i); print() } onbeforeunload = () => 'stay'</script><a href=/after-dialogs>x</a>
-- bad.test/away Content-Type=text/html --
<script>setInterval(() => { location = '/away/' + Math.random() }, 10); setInterval(() => location.reload(), 15)</script><a href=/from-away>x</a>
-- bad.test/sockets Content-Type=text/html --
<script>for (let i = 0; i < 500; i++) new WebSocket('ws://bad.test/s' + i)</script><a href=/after-sockets>x</a>
-- bad.test/huge Content-Type=text/html --
<script>fetch('/body').then(r => r.text()).catch(() => 0).then(() => document.body.innerHTML = '<a href=/after-huge>x</a>')</script>
-- bad.test/body repeat=forever --
0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
-- bad.test/loop Content-Type=text/html --
<script>fetch('/round/1').catch(() => document.body.innerHTML = '<a href=/after-loop>x</a>')</script>
-- bad.test/round/** status=302 Location=/round/{n+1} expand --
-- bad.test/crash Content-Type=text/html --
<script>const a = []; try { for (;;) a.push(new ArrayBuffer(1 << 28)) } catch {}</script><a href=/after-crash>x</a>
-- bad.test/never status=404 --
-- bad.test/** --
x
`

// Pages that would keep a browser for ever end within its bounds, each with its links where it has any, and others are
// loaded beside and after them.
func TestHostile(t *testing.T) {
	s, way := serve(t, hostile, "bad.test")
	archive := filepath.Join(t.TempDir(), "archive")
	args := append(way, "--delay", "0", "--scope", "prefix", "--max-hops", "1", "--max-body", "1MB")
	for _, name := range []string{"requests", "spin", "dialogs", "away", "sockets", "huge", "loop", "crash", ""} {
		args = append(args, "http://bad.test/"+name)
	}
	crawl(t, archive, args...)
	urls := recorded(t, archive)
	for _, want := range []string{"after-dialogs", "from-away", "after-sockets", "after-huge", "after-loop", "after-crash", ""} {
		if !slices.Contains(urls, "http://bad.test/"+want) {
			t.Errorf("/%s is not recorded", want)
		}
	}
	n, windows, sockets := 0, 0, 0
	for _, q := range s.Requests() {
		switch {
		case strings.HasPrefix(q.Path, "/r/"):
			n++
		case strings.HasPrefix(q.Path, "/window/"):
			windows++
		case strings.HasPrefix(q.Path, "/s"):
			if q.Path != "/spin" && q.Path != "/sockets" {
				sockets++
			}
		}
	}
	if n > 1000 {
		t.Errorf("a page was given %d requests", n)
	}
	if sockets == 0 || sockets > 2*8 { // a page that its neighbours starve is loaded once more
		t.Errorf("of the WebSockets that a page would open %d were asked for", sockets)
	}
	if windows == 0 || windows > 100 {
		t.Errorf("of the windows that a page would open %d became links that were followed", windows)
	}
	var notes []string
	for _, l := range logged(t, archive) {
		notes = append(notes, l.Notes...)
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "WebSocket") }) {
		t.Errorf("no line of the log tells of the WebSockets: %q", notes)
	}
}

const popping = `
-- pop.test/ Content-Type=text/html --
<!doctype html><title>pop</title><script>for (let i = 0; i < 1000; i++) open('/window/' + i)</script>
-- pop.test/same Content-Type=text/html --
<!doctype html><title>same</title><script>for (let i = 0; i < 1000; i++) open('/copy/' + i % 70)</script>
-- pop.test/window/** Content-Type=text/plain expand --
What stands in the window of number {n} is a text of its own.
-- pop.test/copy/** --
the same
`

// The windows that a page would open are links: the first hundred different ones, and the log has each of them with its outcome.
func TestPopUps(t *testing.T) {
	s, way := serve(t, popping, "pop.test")
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, append(way, "--delay", "0", "--scope", "host", "http://pop.test/", "http://pop.test/same")...)
	outcomes := map[string]int{}
	for _, l := range logged(t, archive) {
		if folder := strings.Split(l.URL, "/")[3]; folder == "window" || folder == "copy" {
			outcomes[folder+" "+l.Outcome+" "+l.Failure]++
		}
	}
	t.Log(outcomes)
	if outcomes["window recorded "] != 100 {
		t.Errorf("of windows with pages of their own came of it: %v", outcomes)
	}
	if outcomes["copy recorded "]+outcomes["copy refused trap"] != 70 || outcomes["copy recorded "] == 0 {
		t.Errorf("of windows that all show the same came of it: %v", outcomes)
	}
	if n := len(s.Requests()); n > 200 {
		t.Errorf("%d requests", n)
	}
}

const ledAway = `
-- app.test/ Content-Type=text/html --
<!doctype html><title>app</title><img src=https://left.test/picture><iframe src=https://left.test/frame></iframe><link rel=preconnect href=https://left.test>
<script>
const left = what => ['https://left', '.test/', what].join('');
fetch(left('fetched'), {mode: 'no-cors'});
fetch(left('posted'), {method: 'POST', mode: 'no-cors', body: 'q=1'});
navigator.sendBeacon(left('beacon'), 'b');
fetch(['/aw', 'ay'].join(''), {mode: 'no-cors'});
new EventSource(left('events'));
new WebSocket(left('socket').replace('https', 'wss'));
new Worker(URL.createObjectURL(new Blob(["fetch('" + left('worker') + "', {mode: 'no-cors'})"])));
navigator.serviceWorker.register(['/sw', '.js'].join(''));
</script>
-- app.test/away status=302 Location=https://left.test/redirected --
-- app.test/sw.js Content-Type=text/javascript --
self.addEventListener('install', e => e.waitUntil(fetch(['https://left', '.test/', 'service-worker'].join(''), {mode: 'no-cors'}).catch(() => 0)));
-- app.test/gone Content-Type=text/html --
<!doctype html><title>gone</title><script>setTimeout(() => location.href = ['https://left', '.test/', 'gone'].join(''), 50)</script>
-- left.test/** --
left
`

// Whatever a page in the browser tries, a host that a rule leaves out is asked for nothing, and the log has each URL with
// the rule.
func TestLeftOut(t *testing.T) {
	s, way := serve(t, ledAway, "app.test", "left.test")
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, append(way, "--delay", "0", "--scope", "any", "--rule", "leave host=left.test", "https://app.test/", "https://app.test/gone")...)
	for _, q := range s.Requests() {
		if q.Host == "left.test" {
			t.Errorf("%s was asked for", q.Path)
		}
	}
	refused := map[string]string{}
	for _, l := range logged(t, archive) {
		if path, ok := strings.CutPrefix(l.URL, "https://left.test/"); ok {
			refused[path] = l.Outcome + " " + l.Reason
		}
	}
	for _, path := range []string{"picture", "frame", "fetched", "posted", "beacon", "redirected", "events", "worker", "service-worker", "gone"} {
		if refused[path] != "refused rule 1: leave host=left.test" {
			t.Errorf("%s: %q in the log", path, refused[path])
		}
	}
}

// What a page in the browser asks of a host goes by the proxy of that host, its robots.txt too.
func TestProxyOfAHost(t *testing.T) {
	s, way := serve(t, `
-- app.test/ Content-Type=text/html --
<!doctype html><title>app</title><script>
for (const what of ['fetched', 'posted']) {
  fetch(['http://far', '.test/', what].join(''), {mode: 'no-cors', method: what == 'posted' ? 'POST' : 'GET'});
}
</script>
`, "app.test")
	proxy, other := serve(t, "-- far.test/** --\nfar\n", "")
	archive := filepath.Join(t.TempDir(), "archive")
	crawl(t, archive, append(way, "--delay", "0", "--address-delay", "0", "--proxy-for", "far.test http://"+strings.TrimPrefix(other[1], "::"), "http://app.test/")...)
	var asked []string
	for _, q := range proxy.Requests() {
		asked = append(asked, q.Path)
	}
	slices.Sort(asked)
	if want := []string{"http://far.test/fetched", "http://far.test/posted", "http://far.test/robots.txt"}; !slices.Equal(asked, want) {
		t.Errorf("the proxy was asked for %q, want %q", asked, want)
	}
	for _, q := range s.Requests() {
		if q.Host != "app.test" {
			t.Errorf("%s%s was asked for directly", q.Host, q.Path)
		}
	}
}
