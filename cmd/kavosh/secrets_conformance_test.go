//go:build conformance

package main

import (
	"bytes"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What a page of a.test does in the browser, which has credentials: it asks its own origin and others for parts, by scripts, frames and workers,
// follows redirects away and back, and opens WebSockets. The words that its scripts make stand nowhere in it.
const (
	loggedInPage = `<!doctype html><title>a secret page</title>
<link rel=stylesheet href=http://b.test/style.css><img src=http://b.test/picture><img src=http://reader:LINK-WORD@b.test/named><img src=/away-picture>
<script src=http://b.test/code.js></script><iframe src=http://b.test/frame></iframe><iframe src=/away-frame></iframe>
<script>
const said = (...parts) => parts.join('');
document.cookie = said('own=SCRIPT', '-COOKIE');
const token = {'X-Auth-Token': said('SCRIPT', '-TOKEN'), Authorization: said('Bearer SCRIPT', '-BEARER')};
fetch(said('/own', '-fetch'), {headers: token});
fetch(said('/own', '-api'), {method: 'POST', body: 'q=1'});
fetch(said('/away', '-fetch'), {mode: 'no-cors'});
fetch(said('/round', '-trip'));
for (const host of ['http://b.test', 'http://a.test:8080', 'http://sub.a.test', 'http://a.test:443']) {
  fetch(said(host, '/fetched'), {mode: 'no-cors', credentials: 'include'});
  fetch(said(host, '/shared'), {credentials: 'include'});
  fetch(said(host, '/posted'), {method: 'POST', mode: 'no-cors', credentials: 'include', body: 'q=1'});
  navigator.sendBeacon(said(host, '/beacon'), 'b');
  new WebSocket(said(host.replace('http', 'ws'), '/socket'));
  new EventSource(said(host, '/events'), {withCredentials: true});
}
new WebSocket('ws://a.test/socket');
new Worker(URL.createObjectURL(new Blob([said("fetch('http://b.test/wor", "ker', {mode: 'no-cors'}); fetch('http://a.test/own-wor", "ker')")])));
</script>`
	foreignCode  = `fetch(['http://a.test/', 'asked-by-b'].join('')); fetch(['http://b.test/', 'code'].join(''), {mode: 'no-cors', credentials: 'include'});`
	foreignFrame = `<!doctype html><img src=http://a.test/framed-by-b><script>fetch(['/frame', '-api'].join(''), {credentials: 'include'});
fetch(['http://a.test/', 'from-frame'].join(''), {mode: 'no-cors', credentials: 'include'})</script>`
)

// With credentials and a browser, each server says what it was sent: its own secrets and no other's. No byte that is written, said,
// exported or served holds one.
func TestSecretsInTheBrowserReachTheirOriginAlone(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	basic := base64.StdEncoding.EncodeToString([]byte("me:PW-FILE"))
	given := []string{basic, "COOKIE-FILE", "KEY-FILE"}
	words := slices.Concat(given, []string{"PW-FILE", "SCRIPT-COOKIE", "SCRIPT-TOKEN", "SCRIPT-BEARER", "LINK-WORD", base64.StdEncoding.EncodeToString([]byte("reader:LINK-WORD"))})
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	status := free.Addr().String()
	free.Close()
	var mu sync.Mutex
	sent := map[string][]string{} // by word: host and path, each once
	asked := map[string]bool{}    // host and path
	var said strings.Builder
	var once sync.Once
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all bytes.Buffer
		r.Header.Write(&all)
		io.Copy(&all, r.Body)
		at := r.Host + r.URL.RequestURI()
		mu.Lock()
		asked[at] = true
		for _, word := range words {
			if strings.Contains(all.String()+at, word) && !slices.Contains(sent[word], at) {
				sent[word] = append(sent[word], at)
			}
		}
		mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		switch path := r.URL.Path; {
		case path == "/robots.txt":
			http.NotFound(w, r)
		case strings.HasPrefix(path, "/away"):
			http.Redirect(w, r, "http://b.test/landed"+path[len("/away"):], http.StatusFound)
		case path == "/round-trip":
			http.Redirect(w, r, "http://b.test/turn", http.StatusFound)
		case path == "/turn":
			http.Redirect(w, r, "http://a.test/home-again", http.StatusFound)
		case path == "/own-fetch":
			once.Do(func() {
				for _, path := range []string{"/", "/metrics", "/status.json"} {
					text := get(t, "http://"+status+path)
					mu.Lock()
					said.WriteString(text)
					mu.Unlock()
				}
				for _, args := range [][]string{{"control", archive, "status", "--json"}, {"control", archive, "log"}, {"why", archive, "http://a.test/"}} {
					text, _ := talk(args...)
					mu.Lock()
					said.WriteString(text)
					mu.Unlock()
				}
			})
		case path == "/code.js":
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, foreignCode)
		case path == "/frame":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, foreignFrame)
		case path == "/" && r.Host == "a.test":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Set-Cookie", "visit=1")
			io.WriteString(w, loggedInPage)
		default:
			io.WriteString(w, "x")
		}
	}))
	defer far.Close()
	file := filepath.Join(t.TempDir(), "login.toml")
	if err := os.WriteFile(file, []byte(`["http://a.test"]
user = "me"
password = "PW-FILE"
headers = ["Cookie: sid=COOKIE-FILE", "X-Api-Key: KEY-FILE"]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		text, code := talk(args...)
		if code != 0 {
			t.Fatalf("kavosh %s: status %d: %s", strings.Join(args, " "), code, text)
		}
		said.WriteString(text)
	}
	run("crawl", "--archive", archive, "--browser", "always", "--credentials", file, "--scope", "any", "--max-hops", "0", "--delay", "0", "--json", "--status", status,
		"--connect-to", "::"+strings.TrimPrefix(far.URL, "http://"), "http://a.test/")
	mu.Lock()
	defer mu.Unlock()
	for _, at := range []string{"a.test/own-fetch", "a.test/own-api", "a.test/own-worker", "a.test/asked-by-b", "a.test/from-frame", "a.test/home-again", "b.test/landed-picture", "b.test/landed-fetch", "b.test/landed-frame",
		"b.test/fetched", "b.test/shared", "b.test/posted", "b.test/beacon", "b.test/worker", "b.test/frame-api", "b.test/code", "a.test:8080/fetched", "sub.a.test/posted", "a.test:443/fetched"} {
		if !asked[at] {
			t.Errorf("%s was not asked", at)
		}
	}
	for _, word := range words {
		of := "a.test/"
		if word == "SCRIPT-COOKIE" {
			of = "a.test" // at any port: that is how cookies are
		}
		if strings.Contains(word, "LINK") || word == words[len(words)-1] {
			of = "nobody"
		}
		for _, at := range sent[word] {
			if !strings.HasPrefix(at, of) {
				t.Errorf("%s was sent to %s", word, at)
			}
		}
		if of != "nobody" && word != "PW-FILE" && len(sent[word]) == 0 {
			t.Errorf("%s was sent to nobody", word)
		}
	}
	for _, word := range given {
		for _, at := range []string{"a.test/own-fetch", "a.test/own-worker", "a.test/asked-by-b", "a.test/home-again"} {
			if word != basic && !slices.Contains(sent[word], at) { // own-fetch gives another Authorization
				t.Errorf("%s was not sent to %s", word, at)
			}
		}
	}
	out := t.TempDir()
	for _, args := range [][]string{{"log", archive}, {"log", "--json", archive}, {"why", archive, "http://a.test/"}, {"check", archive}, {"export", "wacz", archive, "-o", filepath.Join(out, "all.wacz")},
		{"export", "text", archive}, {"rdf", "export", archive}, {"search", "--archive", archive, "secret"}} {
		run(args...)
	}
	places := allBytes(t, dir)
	for path, text := range allBytes(t, out) {
		places[path] = text
	}
	places["what was said"] = said.String()
	w := newWalker(t, archive, "203.0.113.5:4")
	w.walk(homeOrigin + "/")
	for _, at := range []string{"http://a.test/", "http://a.test/own-fetch", "http://a.test/home-again", "http://b.test/landed-fetch"} {
		for _, form := range []string{"/one/2id_/", "/one/2/", "/one/*/", "/one/timemap/cdxj/", "/one/cdx?url="} {
			w.walk(replayOrigin + form + at)
		}
	}
	for address, answer := range w.answers {
		places[address] = answer
	}
	withheld := false
	for place, text := range places {
		withheld = withheld || strings.Contains(text, "Kavosh-Withheld: authorization, x-auth-token, x-api-key, cookie")
		for _, word := range words {
			if i := strings.Index(text, word); i >= 0 && (word != "LINK-WORD" || !isFar(place)) {
				t.Errorf("%s holds %s: …%.200q", place, word, text[max(0, i-150):])
			}
		}
	}
	if !withheld {
		t.Error("no record says that a script's fields were left out")
	}
}
